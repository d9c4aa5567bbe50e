//! Tries what may fail in the middle of a transaction, which an error would end.

use bowshot_core::{Error, ErrorKind, Result};

use crate::connect::Session;

/// What `work` returns, or its error: then all that it did is undone, and the transaction goes on. A connection that is lost
/// is an error of the whole.
pub(crate) fn attempt<T>(
    session: &mut Session,
    work: impl FnOnce(&mut Session) -> Result<T>,
) -> Result<std::result::Result<T, Error>> {
    session.query("SAVEPOINT bowshot_attempt")?;
    match work(session) {
        Ok(found) => {
            session.query("RELEASE SAVEPOINT bowshot_attempt")?;
            Ok(Ok(found))
        }
        Err(error) if error.kind() == ErrorKind::ConnectionLost => Err(error),
        Err(error) => {
            session.query("ROLLBACK TO SAVEPOINT bowshot_attempt; RELEASE SAVEPOINT bowshot_attempt")?;
            Ok(Err(error))
        }
    }
}
