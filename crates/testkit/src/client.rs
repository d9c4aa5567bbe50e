//! The command-line clients that the servers come with.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::Result;

/// What the client prints when it runs the SQL from its standard input.
pub(crate) fn answer(mut command: Command, sql: &str) -> Result<String> {
    let mut client = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut input) = client.stdin.take() {
        // A client that ended already says why below.
        let _ = input.write_all(sql.as_bytes());
    }
    let output = client.wait_with_output()?;
    if !output.status.success() {
        let program = command.get_program().to_string_lossy().into_owned();
        return Err(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
