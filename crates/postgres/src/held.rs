//! A snapshot that is held for readers in other processes.
//!
//! The connection that planned exports its snapshot and waits. A name alone would not do for readers to find it: the server gives
//! the same names again after a restart, and other servers give them too. So the holder also takes an advisory lock whose number is
//! the plan's own, and who imports the snapshot then looks whether that lock is still there: if it is, the holder has been there all
//! along, and the snapshot is its. Readers take a lock that they share, by which the holder sees that somebody reads.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Hold, Options, Result, gone, write_state};
use bowshot_sql::Prepared;
use serde::{Deserialize, Serialize};

use crate::catalog::cell;
use crate::connect::Session;
use crate::describe::describe;
use crate::locks::{self, Locking};
use crate::scan::PostgresScan;
use crate::snapshot;
use crate::uri::Config;

/// What tickets of this source are called.
pub(crate) const KIND: &str = "postgresql";

/// How long a reader waits for whoever is about to alter a table of its query.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a ticket says of the snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    snapshot: String,
    key: Key,
}

/// The numbers of the advisory locks of a plan.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Key(i32, i32);

impl Key {
    fn of(plan: u128) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = plan.to_le_bytes();
        Key(i32::from_le_bytes([a, b, c, d]), i32::from_le_bytes([e, f, g, h]))
    }

    /// The holder's lock, of one number.
    fn hold(self) -> String {
        let number = (i64::from(self.0) << 32) | (i64::from(self.1) & 0xffff_ffff);
        format!("pg_catalog.pg_try_advisory_xact_lock({number})")
    }

    /// A reader's lock, of two numbers, so that it is another one.
    fn read(self) -> String {
        format!("pg_catalog.pg_try_advisory_xact_lock_shared({}, {})", self.0, self.1)
    }

    /// Whether somebody in this database has a lock: the holder's, or a reader's.
    fn is_locked(self, by_holder: bool) -> String {
        let (kind, mode) = if by_holder { (1, "ExclusiveLock") } else { (2, "ShareLock") };
        let unsigned = |number: i32| u32::from_le_bytes(number.to_le_bytes());
        format!(
            "EXISTS (SELECT FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND mode = '{mode}' \
               AND classid = {} AND objid = {} AND objsubid = {kind} AND database = \
               (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))::int",
            unsigned(self.0),
            unsigned(self.1)
        )
    }
}

/// Holds the scan's snapshot from now on.
pub(crate) fn hold(scan: &PostgresScan, plan: u128, cancel: &Cancel) -> Result<Box<dyn Hold>> {
    let taken = || {
        Error::new(
            ErrorKind::Config,
            "the plan is read already, so that its connection holds the snapshot for nobody else",
        )
        .with_hint("plan the query again to read its partitions elsewhere")
    };
    let mut session = scan.sessions.lock().planner.take().ok_or_else(taken)?;
    session.follow(cancel);
    if scan.snapshot.get().is_none() {
        if let Some(reason) = own(&mut session, &scan.prepared)? {
            scan.sessions.lock().planner = Some(session);
            return Err(Error::new(ErrorKind::Unsupported, format!("the snapshot cannot be held: {reason}")));
        }
        let name = snapshot::export(&mut session)?.map_err(|error| {
            Error::new(ErrorKind::Unsupported, format!("the server shares no snapshot: {}", error.message()))
        })?;
        let _ = scan.snapshot.set(name);
    }
    let (snapshot, key) = (scan.snapshot.get().cloned().unwrap_or_default(), Key::of(plan));
    // The lease bounds how long it waits; the server's own limit would be much shorter as a rule.
    session.query("SET LOCAL idle_in_transaction_session_timeout = 0")?;
    let rows = session.query(&format!("SELECT {}::int", key.hold()))?;
    if rows.first().map(|row| cell(row, 0)) != Some("1") {
        return Err(Error::new(ErrorKind::Internal, "another plan has this plan's number"));
    }
    Ok(Box::new(Holding { session, held: Held { snapshot, key } }))
}

/// What the queries read that only this session sees, or that no snapshot covers.
///
/// Parsing a query locks all that it reads, which is asked for here: unlike a plan, that list is short whatever the query's constants are.
fn own(session: &mut Session, queries: &[Prepared]) -> Result<Option<String>> {
    for query in queries {
        describe(session, &query.sql)?;
    }
    let rows = session.query(
        "SELECT c.relname, c.relkind FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation \
         WHERE l.pid = pg_catalog.pg_backend_pid() AND l.locktype = 'relation' AND l.database = \
           (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) \
           AND (c.relpersistence = 't' OR c.relkind IN ('S', 'f')) LIMIT 1",
    )?;
    Ok(rows.first().map(|row| match (cell(row, 0), cell(row, 1)) {
        (name, "S") => format!("{name} is a sequence, which is in no snapshot"),
        (name, "f") => format!("{name} is a foreign table, which is in no snapshot of this server"),
        (name, _) => format!("{name} is temporary, so other connections cannot see it"),
    }))
}

/// The connection that planned.
struct Holding {
    session: Session,
    held: Held,
}

impl Hold for Holding {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, _: usize) -> Result<Vec<u8>> {
        write_state(&self.held)
    }

    fn look(&mut self) -> Result<bool> {
        let rows = self.session.query(&format!("SELECT {}", self.held.key.is_locked(false)))?;
        Ok(rows.first().map(|row| cell(row, 0)) == Some("1"))
    }
}

impl Held {
    /// A session on the snapshot.
    pub(crate) fn join(
        &self,
        config: &Config,
        options: &Options,
        queries: &[Prepared],
        cancel: &Cancel,
    ) -> Result<Session> {
        let locking: Vec<Locking> = queries.iter().map(Locking::of).collect();
        let started = Instant::now();
        loop {
            let mut session = self.import(config, options, cancel)?;
            match locks::take(&mut session, &locking) {
                // Whoever is about to alter a table may give up; the holder keeps them from doing it.
                Err(error) if error.kind() == ErrorKind::ConnectionLimit && started.elapsed() < PATIENCE => {
                    cancel.check()?;
                    std::thread::sleep(Duration::from_millis(100));
                }
                Err(error) => return Err(error),
                Ok(()) => return Ok(session),
            }
        }
    }

    fn import(&self, config: &Config, options: &Options, cancel: &Cancel) -> Result<Session> {
        if !self.snapshot.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
            return Err(Error::new(ErrorKind::Config, "the ticket names no snapshot of PostgreSQL's"));
        }
        let mut session = snapshot::begin(config, options, Some(&self.snapshot), cancel)?;
        let sql = format!("SELECT {}, {}::int", self.key.is_locked(true), self.key.read());
        let rows = session.query(&sql)?;
        match rows.first().map(|row| cell(row, 0)) {
            Some("1") => Ok(session),
            _ => Err(gone("nobody holds it in this database")),
        }
    }
}
