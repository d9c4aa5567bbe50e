//! `bowshot hash-password`.

use std::io::{BufRead, Write};

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_gateway_access::hash;

/// Read a password from standard input and print its hash for a configuration file.
///
///     printf %s "$PASSWORD" | bowshot hash-password
#[derive(clap::Args)]
pub(crate) struct HashPassword {}

impl HashPassword {
    pub(crate) fn run(self) -> Result<()> {
        let failed = |error: std::io::Error| Error::new(ErrorKind::Io, format!("cannot read the password: {error}"));
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
        let password = line.trim_end_matches(['\r', '\n']);
        if password.is_empty() {
            return Err(Error::new(ErrorKind::Config, "the password is empty")
                .with_hint("write it to standard input: printf %s \"$PASSWORD\" | bowshot hash-password"));
        }
        writeln!(std::io::stdout(), "{}", hash(password)?).map_err(failed)
    }
}
