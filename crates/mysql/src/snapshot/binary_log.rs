//! Snapshots without a lock: MariaDB tells at which place of the binary log a transaction's snapshot stands.

use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Result};

use super::{begin, hold, together};
use crate::catalog::{Table, cell, scalar, status};
use crate::connect::Session;

/// How often connections begin together before the writers are too many for it.
const MOST_ROUNDS: u32 = 40;

/// How long that may take.
const LIMIT: Duration = Duration::from_secs(1);

/// The place that all transactions stand at; or why there is none.
pub(super) fn share(sessions: &mut [Session], tables: &[Table]) -> Result<std::result::Result<String, String>> {
    if let Some(first) = sessions.first_mut()
        && let Some(reason) = obstacle(first)?
    {
        return Ok(Err(reason));
    }
    let started = Instant::now();
    for _ in 0..MOST_ROUNDS {
        together(sessions, begin)?;
        let places = places(sessions)?;
        if let Some(first) = places.first()
            && places.iter().all(|place| place == first)
        {
            let held = together(sessions, |session| hold(session, tables))?;
            let held: std::result::Result<Vec<()>, String> = held.into_iter().collect();
            return Ok(held.map(|_| format!("binary log {first}")));
        }
        if started.elapsed() > LIMIT {
            break;
        }
    }
    Ok(Err("somebody always wrote while they began".into()))
}

/// Why the binary log does not tell everything that changes tables.
fn obstacle(session: &mut Session) -> Result<Option<String>> {
    // MySQL notes a transaction in its log before and in its GTIDs after others can see it: neither proves anything.
    if status(session, "binlog_snapshot_file")?.is_empty() {
        return Ok(Some("the server has no binary log that snapshots can be compared by".into()));
    }
    let filters = match session.query("SHOW MASTER STATUS") {
        Ok(rows) => rows,
        Err(error) if error.kind() == ErrorKind::Sql => {
            let right = "to see what the binary log leaves out, the right BINLOG MONITOR is missing";
            return Ok(Some(right.into()));
        }
        Err(error) => return Err(error),
    };
    if filters.first().is_none_or(|row| !cell(row, 2).is_empty() || !cell(row, 3).is_empty()) {
        return Ok(Some("the binary log leaves databases out".into()));
    }
    let replicates = status(session, "slaves_running")?.parse() != Ok(0);
    if replicates && scalar(session, "SELECT @@global.log_slave_updates")?.as_deref() != Some("1") {
        return Ok(Some("the server is a replica whose binary log leaves out what it replicates".into()));
    }
    Ok(None)
}

/// Where the snapshots of all sessions stand, each asked twice and never two at the same time.
///
/// The server puts a session's place into variables that all sessions share before it shows them (`set_status_variables` of
/// `TC_LOG_BINLOG`, in MariaDB's `sql/log.cc`): who asks at the same time may be shown another's. Two different places
/// then look alike, and the read is torn. Somebody else may ask too, so that one answer alone proves nothing.
fn places(sessions: &mut [Session]) -> Result<Vec<String>> {
    let mut places = Vec::new();
    for _ in 0..2 {
        for session in &mut *sessions {
            places.push(place(session)?);
        }
    }
    Ok(places)
}

/// Where the snapshot of the session's transaction stands.
fn place(session: &mut Session) -> Result<String> {
    let (file, position) = (status(session, "binlog_snapshot_file")?, status(session, "binlog_snapshot_position")?);
    Ok(format!("{file}:{position}"))
}
