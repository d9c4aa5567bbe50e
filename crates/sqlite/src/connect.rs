//! Opens connections.

use bowshot_core::{Cancel, Error, ErrorKind, Result};

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

/// Opens a connection that may write.
pub(crate) fn connect_writable(location: &Location, cancel: &Cancel) -> Result<Database> {
    location.check()?;
    if location.immutable {
        let message = format!("{} was said to be immutable, so nothing is written to it", location.path.display());
        return Err(Error::new(ErrorKind::Config, message).with_hint("leave immutable=1 out of the URI"));
    }
    let mut database = Database::open_writable(&location.file_uri(), &location.path, location.timeout)?;
    database.watch(cancel);
    database.scalar(TOUCH, &[])?;
    Ok(database)
}
