//! A cursor of Bowshot's own, where a driver would else keep the whole result.
//!
//! psqlODBC can declare one itself, but fetches from it within SQLFetch, where it crashes when the server dies. Here each
//! portion is a statement that runs, fails and is cancelled as any other.

use bowshot_core::{ErrorKind, Result, Value};

use crate::handle::Records;
use crate::session::Desk;
use crate::statement::Statement;

/// SQLSTATE of the warning that a transaction runs already.
const ACTIVE_TRANSACTION: &str = "25001";

/// An open cursor.
pub(crate) struct Cursor<'d> {
    desk: &'d Desk,
    /// What ends it.
    end: &'static str,
}

impl<'d> Cursor<'d> {
    /// Declares a cursor where the driver needs one. `None` also where the database takes no cursor for such a statement,
    /// which is then to be run as it is: either it fails as well, and says why, or its result is small (SHOW, EXPLAIN).
    pub(crate) fn open_if_needed(desk: &'d Desk, sql: &str, values: &[Value]) -> Result<Option<Self>> {
        if !desk.driver.family.needs_cursor() {
            return Ok(None);
        }
        let mut begin = desk.statement()?;
        begin.execute_direct("BEGIN").map_err(|records: Records| desk.error(&records))?;
        let theirs = begin.has_warned(ACTIVE_TRANSACTION);
        drop(begin);
        // The user's own statements may have begun one, which is theirs to end and goes on where no cursor is taken.
        let (end, undo) =
            if theirs { ("CLOSE bowshot", "ROLLBACK TO SAVEPOINT bowshot") } else { ("COMMIT", "ROLLBACK") };
        if theirs {
            desk.run("SAVEPOINT bowshot")?;
        }
        match desk.query(&format!("DECLARE bowshot NO SCROLL CURSOR FOR {sql}"), values) {
            Ok(_) => Ok(Some(Cursor { desk, end })),
            Err(error) if error.kind() == ErrorKind::Sql => desk.run(undo).map(|()| None),
            Err(error) => Err(error),
        }
    }

    /// A statement that fetches so many rows at a time.
    pub(crate) fn rows(&self, portion: usize) -> Result<Statement<'d>> {
        let mut statement = self.desk.statement()?;
        let fetch = format!("FETCH FORWARD {portion} FROM bowshot");
        statement.execute_portions(fetch, portion).map_err(|records| self.desk.error(&records))?;
        Ok(statement)
    }

    /// Ends the cursor, and its transaction if that is its own, whatever came of the read.
    pub(crate) fn end<T>(self, read: Result<T>) -> Result<T> {
        let ended = self.desk.run(self.end);
        let read = read?;
        ended.map(|()| read)
    }
}
