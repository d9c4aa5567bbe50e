//! One state of the database for all connections of a plan, without a special build of SQLite.
//!
//! A connection sees one state from the first read of its transaction to the end of it: in WAL mode because it reads up to
//! a mark in the log, with a rollback journal because its shared lock keeps writers from committing. What remains is to
//! know that several connections see the *same* state. `PRAGMA data_version` on one more connection, the monitor, answers
//! that: its value changes when any other connection commits. So: ask the monitor, let every connection begin and read,
//! ask the monitor again. If it says the same, nobody committed in between, and all began on one state. If not, all roll
//! back and try again.

use std::time::Duration;

use bowshot_core::{Cancel, ErrorKind, Result, Value};

use crate::connect::{TOUCH, connect};
use crate::handle::Database;
use crate::uri::Location;

/// How often the connections try to begin on one state.
const ATTEMPTS: u32 = 20;

/// Connections that see one state of the database.
pub(crate) struct Snapshot {
    /// In transactions that have begun; at least one.
    pub(crate) databases: Vec<Database>,
    /// What names the state.
    pub(crate) name: String,
    /// Why there are fewer connections than wanted.
    pub(crate) note: Option<String>,
}

/// Opens `count` connections on one state; one alone where a busy writer leaves no moment for more.
pub(crate) fn open(location: &Location, before: &[String], count: usize, cancel: &Cancel) -> Result<Snapshot> {
    if count <= 1 {
        return alone(connect(location, before, cancel)?, None);
    }
    let first = connect(location, before, cancel)?;
    if has_attached(&first)? {
        let note = "other databases are attached, and the states of several files cannot be compared".to_owned();
        return alone(first, Some(note));
    }
    drop(first);
    for attempt in 0..ATTEMPTS {
        cancel.check()?;
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(u64::from(attempt.min(10))));
        }
        if let Some(snapshot) = together(location, before, count, cancel)? {
            return Ok(snapshot);
        }
    }
    let note =
        format!("writers committed during each of {ATTEMPTS} attempts to begin {count} connections on one state");
    alone(connect(location, before, cancel)?, Some(note))
}

/// One connection needs nobody's agreement.
fn alone(database: Database, note: Option<String>) -> Result<Snapshot> {
    begin(&database)?;
    Ok(Snapshot { databases: vec![database], name: "the read transaction of one connection".into(), note })
}

/// One attempt; `None` when somebody committed meanwhile, or the file was replaced.
fn together(location: &Location, before: &[String], count: usize, cancel: &Cancel) -> Result<Option<Snapshot>> {
    let file = identity(location);
    let mut databases: Vec<Database> = (0..count).map(|_| connect(location, before, cancel)).collect::<Result<_>>()?;
    let mut monitor = if location.immutable { None } else { Some(connect(location, &[], cancel)?) };
    // A writer that waits for these connections to end would let none of them begin: don't wait, try again.
    for database in databases.iter_mut().chain(&mut monitor) {
        database.set_patience(Some(Duration::ZERO));
    }
    match agree(&databases, monitor.as_ref()) {
        // The path must still name the file that the first of them opened.
        Ok(Some(name)) if file == identity(location) => {
            for database in &mut databases {
                database.set_patience(None);
            }
            Ok(Some(Snapshot { databases, name, note: None }))
        }
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::Timeout => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lets all connections begin; names their state if it is one, which the monitor tells.
fn agree(databases: &[Database], monitor: Option<&Database>) -> Result<Option<String>> {
    let version = |monitor: &Database| monitor.scalar("PRAGMA data_version", &[]);
    let first = monitor.map(version).transpose()?;
    for database in databases {
        begin(database)?;
    }
    let last = monitor.map(version).transpose()?;
    let count = databases.len();
    Ok((first == last).then(|| match first {
        Some(Value::Int(version)) => format!("data version {version}, seen by {count} connections"),
        _ => format!("an immutable file, seen by {count} connections"),
    }))
}

/// Begins a transaction, and reads, which is what pins its state.
pub(crate) fn begin(database: &Database) -> Result<()> {
    database.execute("BEGIN")?;
    database.scalar(TOUCH, &[]).map(|_| ())
}

/// Whether the user's statements attached other databases.
pub(crate) fn has_attached(database: &Database) -> Result<bool> {
    let names = "SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')";
    Ok(database.scalar(names, &[])? != Value::Int(0))
}

/// What tells one file from another that took its name.
pub(crate) fn identity(location: &Location) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(&location.path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        // Windows does not let a file be replaced while it is open.
        let _ = location;
        None
    }
}

#[cfg(test)]
mod tests;
