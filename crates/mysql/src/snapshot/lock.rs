//! Snapshots under a read lock on the query's own tables, which is held only while they begin; on the whole server where
//! the URI asks for that.
//!
//! A table that is locked for reading has no change that is not committed, and gets none: all transactions that begin
//! meanwhile see the same of it. Whoever wants to write waits for a moment, and never for more than a second: the lock
//! is given up after that, by the server itself should we be gone.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Options, Result};

use super::{begin, hold, together};
use crate::catalog::Table;
use crate::connect::Session;
use crate::uri::{Config, Lock};

/// How long we ask for a lock that we would get at once, before we wait in front of writers.
const POLITE: Duration = Duration::from_millis(1000);

/// How long to wait before we ask again.
const PAUSE: Duration = Duration::from_millis(10);

/// What names the state; or why it cannot be had.
pub(super) fn share(
    sessions: &mut [Session],
    config: &Arc<Config>,
    options: &Options,
    tables: &[Table],
    cancel: &Cancel,
) -> Result<std::result::Result<String, String>> {
    let everything = config.lock == Lock::Global;
    if tables.is_empty() && !everything {
        return Ok(Err("it names no table that could be locked".into()));
    }
    let mut locker = match Session::open(config, options, cancel) {
        Ok(session) => session,
        Err(error) if error.kind() == ErrorKind::ConnectionLimit => {
            return Ok(Err("there is no connection left for a lock".into()));
        }
        Err(error) => return Err(error),
    };
    match locker.query("XA RECOVER") {
        Ok(prepared) if prepared.is_empty() => {}
        // It may be committed at any time, by anybody, without a lock.
        Ok(_) => return Ok(Err("a prepared XA transaction may change what they see".into())),
        Err(error) => return refused(error, "whether there are prepared XA transactions is not known"),
    }
    let locked = if everything {
        // Whoever has changed something cannot commit it under this lock, so he need not be waited for.
        lock(&mut locker, "FLUSH TABLES WITH READ LOCK")
    } else {
        let what: Vec<String> = tables.iter().map(|table| format!("{} READ", table.quoted())).collect();
        lock(&mut locker, &format!("LOCK TABLES {}", what.join(", ")))
    };
    if let Err(error) = locked {
        let what = if everything { "the server" } else { "the tables" };
        return refused(error, &format!("{what} cannot be locked for reading"));
    }
    together(sessions, begin)?;
    // Under the lock, so that nobody alters a table between its snapshot and this.
    let held = together(sessions, |session| hold(session, tables))?;
    // The server gives a lock up with its connection, so this succeeds only if it held until now.
    if let Err(error) = locker.execute("UNLOCK TABLES") {
        return refused(error, "the lock was lost");
    }
    let held: std::result::Result<Vec<()>, String> = held.into_iter().collect();
    let names: Vec<&str> = match everything {
        true => vec!["the server"],
        false => tables.iter().map(|table| table.name.as_str()).collect(),
    };
    Ok(held.map(|_| format!("connection {} locked {}", locker.connection_id(), names.join(", "))))
}

/// Locks; writers wait for at most a second, for us and for the lock together.
fn lock(locker: &mut Session, statement: &str) -> Result<()> {
    // The server ends the connection, and with it the lock, if it hears nothing for a second.
    locker.execute("SET SESSION wait_timeout = 1")?;
    if locker.server().maria_db {
        let started = Instant::now();
        locker.execute("SET SESSION lock_wait_timeout = 0")?;
        loop {
            match locker.execute(statement) {
                Err(error) if error.kind() == ErrorKind::Timeout && started.elapsed() < POLITE => thread::sleep(PAUSE),
                Err(error) if error.kind() == ErrorKind::Timeout => break,
                other => return other,
            }
        }
        locker.execute("SET SESSION max_statement_time = 0.7")?;
    }
    locker.execute("SET SESSION lock_wait_timeout = 1")?;
    locker.execute(statement)
}

/// An error of the server's is the reason; any other one ends the plan.
fn refused(error: Error, what: &str) -> Result<std::result::Result<String, String>> {
    match error.kind() {
        ErrorKind::Sql | ErrorKind::Timeout | ErrorKind::ConnectionLost | ErrorKind::Config => {
            Ok(Err(format!("{what} ({})", error.message())))
        }
        _ => Err(error),
    }
}
