//! One state of the database for several connections: a system change number (SCN).

use bowshot_core::{ErrorKind, Result};

use crate::error::code;
use crate::session::Session;

/// Asks for the number of now, as whoever may use flashback asks.
const BY_PACKAGE: &str = "SELECT TO_CHAR(DBMS_FLASHBACK.GET_SYSTEM_CHANGE_NUMBER) FROM DUAL";
/// The same for whoever may see the views of the database.
const BY_VIEW: &str = "SELECT TO_CHAR(CURRENT_SCN) FROM V$DATABASE";
/// A transaction is under way already.
const IN_TRANSACTION: u32 = 1453;

/// Which state of the database connections see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Snapshot {
    /// One connection's own: that of its transaction, which is read only.
    Own,
    /// The queries name it: `AS OF SCN`.
    Named(String),
    /// Every session is set to it, whatever its queries read.
    Session(String),
}

/// The number of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Now {
    pub(crate) number: String,
    /// Whether sessions can be set to it.
    pub(crate) package: bool,
}

impl Snapshot {
    /// Its name for people.
    pub(crate) fn label(&self) -> Option<String> {
        match self {
            Snapshot::Own => None,
            Snapshot::Named(number) | Snapshot::Session(number) => Some(format!("SCN {number}")),
        }
    }

    /// Makes a session see it.
    pub(crate) fn enter(&self, session: &mut Session) -> Result<()> {
        match self {
            Snapshot::Session(number) => {
                session.execute(&format!("BEGIN DBMS_FLASHBACK.ENABLE_AT_SYSTEM_CHANGE_NUMBER({number}); END;"))
            }
            Snapshot::Own | Snapshot::Named(_) => match session.execute("SET TRANSACTION READ ONLY") {
                // The statements that ran before began one, and may have written what the query is to read.
                Err(error) if code(error.message()) == Some(IN_TRANSACTION) => Ok(()),
                result => result,
            },
        }
    }

    /// Takes it back.
    pub(crate) fn leave(&self, session: &mut Session) -> Result<()> {
        match self {
            Snapshot::Session(_) => session.execute("BEGIN DBMS_FLASHBACK.DISABLE; END;"),
            Snapshot::Own | Snapshot::Named(_) => Ok(()),
        }
    }
}

/// Asks for the number of now; or why it cannot be had.
pub(crate) fn now(session: &mut Session) -> Result<Result<Now, String>> {
    for (sql, package) in [(BY_PACKAGE, true), (BY_VIEW, false)] {
        match session.value(sql) {
            Ok(Some(number)) if is_number(&number) => return Ok(Ok(Now { number, package })),
            Ok(_) => {}
            // It may not be asked.
            Err(error) if error.kind() == ErrorKind::Sql => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Err("the user may neither execute DBMS_FLASHBACK nor select from V$DATABASE, so that no snapshot can be named"
        .into()))
}

/// Whether it is a number of the database's, and nothing else.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit())
}
