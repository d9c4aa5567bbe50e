//! Opens connections.

use bowshot_core::{Cancel, Result};

use crate::handle::Database;
use crate::uri::Location;

/// A query that reads the database as shortly as can be.
pub(crate) const TOUCH: &str = "SELECT 1 FROM sqlite_schema LIMIT 1";

/// Opens a connection, read only, and runs the user's statements on it.
pub(crate) fn connect(location: &Location, before: &[String], cancel: &Cancel) -> Result<Database> {
    location.check()?;
    let mut database = Database::open(&location.file_uri(), &location.path, location.timeout)?;
    database.watch(cancel);
    for sql in before {
        database.execute(sql)?;
    }
    // SQLite opens the file only now, and learns the schema: what is wrong with them shows here.
    database.scalar(TOUCH, &[])?;
    Ok(database)
}
