//! One state of the database for several connections.
//!
//! MySQL and MariaDB cannot hand a snapshot from one connection to another. So several connections begin their
//! transactions at about the same time, and then it is proven that nothing happened in between: either every one of them
//! stands at the same place of the binary log ([`binary_log`]), or a read lock kept the query's tables, or
//! all, still ([`lock`]).
//! What cannot be proven is not shared, and one connection reads everything.

mod binary_log;
mod lock;

use std::sync::Arc;
use std::thread;

use bowshot_core::{Cancel, Error, ErrorKind, Options, Result};
use bowshot_sql::Prepared;

use crate::catalog::{Table, tables};
use crate::connect::Session;
use crate::uri::{Config, Lock};

/// How long a connection may wait, in seconds, for somebody who alters a table. Without end, one that joins would wait
/// for who waits for one that reads.
const PATIENCE: u32 = 10;

/// Connections that see the same.
pub(crate) struct Snapshot {
    pub(crate) sessions: Vec<Session>,
    /// What names the state that they see.
    pub(crate) name: Option<String>,
    /// Why there are fewer connections than were asked for.
    pub(crate) note: Option<String>,
}

/// Opens up to `count` connections that see the same as the first one will see.
pub(crate) fn open(
    mut first: Session,
    config: &Arc<Config>,
    options: &Options,
    count: usize,
    queries: &[Prepared],
    cancel: &Cancel,
) -> Result<Snapshot> {
    repeatable(&mut first)?;
    if count < 2 {
        return alone(first, None);
    }
    let tables = if options.one_snapshot { planning(tables(&mut first, queries))? } else { Ok(Vec::new()) };
    let tables = match tables {
        Ok(tables) => tables,
        Err(reason) => return alone(first, Some(reason)),
    };
    if options.one_snapshot && temporary(&options.before) {
        return alone(first, Some("temporary tables are of one connection".into()));
    }
    let mut sessions = vec![first];
    sessions.extend(others(config, options, count - 1, cancel)?);
    if !options.one_snapshot {
        together(&mut sessions, begin)?;
        return Ok(Snapshot { sessions, name: None, note: None });
    }
    let shared = if sessions.len() < 2 {
        Err("the server has no connection left".to_owned())
    } else {
        planning(share(&mut sessions, config, options, &tables, cancel))?
    };
    match shared {
        Ok(name) => Ok(Snapshot { sessions, name: Some(name), note: None }),
        Err(reason) => {
            sessions.truncate(1);
            together(&mut sessions, begin)?;
            Ok(Snapshot { sessions, name: None, note: Some(reason) })
        }
    }
}

/// Up to so many sessions more, opened at the same time: the server may be far away.
fn others(config: &Arc<Config>, options: &Options, count: usize, cancel: &Cancel) -> Result<Vec<Session>> {
    let open = || {
        let mut session = Session::open(config, options, cancel)?;
        repeatable(&mut session).map(|()| session)
    };
    let opened: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost())).collect()
    });
    // Fewer connections are no failure.
    let refused = |error: &Error| error.kind() == ErrorKind::ConnectionLimit;
    opened.into_iter().filter(|session| !session.as_ref().is_err_and(refused)).collect()
}

fn alone(mut first: Session, note: Option<String>) -> Result<Snapshot> {
    begin(&mut first)?;
    Ok(Snapshot { sessions: vec![first], name: None, note })
}

/// What names the state that all sessions see, or why they cannot see one.
fn share(
    sessions: &mut [Session],
    config: &Arc<Config>,
    options: &Options,
    tables: &[Table],
    cancel: &Cancel,
) -> Result<std::result::Result<String, String>> {
    let unlike = match binary_log::share(sessions, tables)? {
        Ok(name) => return Ok(Ok(name)),
        Err(reason) => reason,
    };
    let locked = match config.lock {
        Lock::Never => Err("lock=none leaves no other way".to_owned()),
        Lock::Tables | Lock::Global => lock::share(sessions, config, options, tables, cancel)?,
    };
    Ok(locked.map_err(|reason| format!("connections cannot share a snapshot: {unlike}; {reason}")))
}

/// What the server refuses is a reason not to share a snapshot, and no failure.
fn planning<T>(asked: Result<std::result::Result<T, String>>) -> Result<std::result::Result<T, String>> {
    match asked {
        Err(error) if error.is_refusal() => {
            Ok(Err(format!("the server refused what planning asked: {}", error.message())))
        }
        asked => asked,
    }
}

/// Transactions that see one state from their beginning on, whatever the server's or the user's settings are.
fn repeatable(session: &mut Session) -> Result<()> {
    session.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
}

/// Begins a transaction with a snapshot of this moment; one that was open ends.
fn begin(session: &mut Session) -> Result<()> {
    session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
}

/// Does the same in all sessions at the same time.
fn together<T: Send>(
    sessions: &mut [Session],
    work: impl Fn(&mut Session) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = sessions.iter_mut().map(|session| scope.spawn(move || work(session))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost())).collect()
    })
}

fn lost<T>() -> Result<T> {
    Err(Error::new(ErrorKind::Internal, "a thread that opens a snapshot ended"))
}

/// Opens the tables in the transaction without reading a row: from now on until its end nobody can alter them.
///
/// The inner error: somebody alters one now, or wants to.
fn hold(session: &mut Session, tables: &[Table]) -> Result<std::result::Result<(), String>> {
    session.execute("SET SESSION lock_wait_timeout = 1")?;
    for table in tables {
        match session.execute(&format!("SELECT 1 FROM {} WHERE FALSE", table.quoted())) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Timeout => {
                return Ok(Err(format!("somebody alters {}", table.name)));
            }
            Err(error) if error.kind() == ErrorKind::Sql => return Ok(Err(error.message().to_owned())),
            Err(error) => return Err(error),
        }
    }
    session.execute(&format!("SET SESSION lock_wait_timeout = {PATIENCE}"))?;
    Ok(Ok(()))
}

/// Whether the user's own statements make tables that only their connection sees.
fn temporary(before: &[String]) -> bool {
    before.iter().any(|statement| statement.to_ascii_lowercase().contains("temporary"))
}
