//! What only connections that write need of SQLite.

use std::path::Path;
use std::time::Duration;

use bowshot_core::{Result, Value};
use libsqlite3_sys as ffi;

use super::Database;

impl Database {
    /// Opens the file to be written to as well; it has to be there. `name` is a `file:` URI in SQLite's sense.
    pub(crate) fn open_writable(name: &str, path: &Path, patience: Duration) -> Result<Self> {
        let database = Self::open_as(name, path, patience, ffi::SQLITE_OPEN_READWRITE)?;
        // ATTACH and VACUUM INTO would write to other files of the machine.
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_limit(database.raw.as_ptr(), ffi::SQLITE_LIMIT_ATTACHED, 0) };
        Ok(database)
    }

    /// Runs the statement that was started once more, with these values; how many rows of tables it changed.
    pub(crate) fn run_again(&mut self, values: &[Value]) -> Result<u64> {
        if let Some(statement) = &mut self.statement {
            statement.ended = false;
            // SAFETY: the statement is prepared. The code repeats the error of its last run, which was told then.
            unsafe { ffi::sqlite3_reset(statement.raw.as_ptr()) };
        }
        for (index, value) in (1..).zip(values) {
            self.bind(index, value)?;
        }
        while self.step()?.is_some() {}
        // SAFETY: the connection is open. A new connection says 0, and so do all statements that change no rows.
        Ok(u64::try_from(unsafe { ffi::sqlite3_changes64(self.raw.as_ptr()) }).unwrap_or(0))
    }
}
