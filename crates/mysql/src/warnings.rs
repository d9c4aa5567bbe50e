//! The server's warnings: an answer says how many there are, and what they say is asked for behind it.

use bowshot_core::{ErrorKind, Notice, Result, Severity};

use crate::connect::Session;

/// How many warnings are asked for; servers keep 64 of a statement or somewhat more.
const MOST: usize = 64;

/// Takes the warnings of the statement that was answered last, if it has any: one more round trip then, and none otherwise.
///
/// # Errors
/// Only of a read that was cancelled: warnings are no reason to lose a result that is there.
pub(crate) fn take(session: &mut Session) -> Result<()> {
    if std::mem::take(&mut session.warnings) == 0 {
        return Ok(());
    }
    match session.query(&format!("SHOW WARNINGS LIMIT {MOST}")) {
        Ok(rows) => rows.iter().for_each(|row| session.said(notice(row))),
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(_) => {}
    }
    // It has none of its own that anybody wants.
    session.warnings = 0;
    Ok(())
}

/// A row of a level, a number and a text.
fn notice(row: &[Option<String>]) -> Notice {
    let cell = |place: usize| row.get(place).and_then(Option::as_deref).unwrap_or_default();
    let severity = if cell(0) == "Note" { Severity::Notice } else { Severity::Warning };
    Notice::new(severity, cell(2)).with_code(cell(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_notice() {
        let row = |level: &str| [level, "1265", "Data truncated"].map(|cell| Some(cell.to_owned()));
        assert_eq!(notice(&row("Warning")).to_string(), "WARNING: Data truncated (code 1265)");
        assert_eq!(notice(&row("Error")).severity(), Severity::Warning);
        assert_eq!(notice(&row("Note")).severity(), Severity::Notice);
        assert_eq!(notice(&[]).message(), "");
    }
}
