//! One state of the database for several sessions.
//!
//! A SNAPSHOT transaction sees the database as it was at its first read, and cannot be handed to another session. So that
//! the transactions of several sessions see the same, nothing may be committed to the query's tables between their first
//! reads: one more session holds a shared lock on those tables meanwhile, which nobody has to wait for longer than a
//! second. Who writes, holds a lock on the table that a shared one excludes, until after its commit.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Options, Result, Value};
use bowshot_sql::{Candidate, Dialect, Prepared, quote_identifier};

use crate::connect::connect;
use crate::session::Session;
use crate::uri::Config;

/// How long writers may have to wait.
const PATIENCE: Duration = Duration::from_secs(1);

/// What tells servers, and databases of one, apart.
const PLACE: &str =
    "SELECT CONCAT(@@SERVERNAME, N' ', DB_NAME(), N' ', CAST(SERVERPROPERTY('ProcessID') AS nvarchar(20)))";

/// Sessions that see one state of the tables.
pub(crate) struct Snapshot {
    pub(crate) sessions: Vec<Session>,
    pub(crate) name: String,
}

/// The table of a query over one table, in quotes; why there is none, as the end of a sentence that begins "because".
pub(crate) fn table(query: &Prepared) -> Result<(&Candidate, String), String> {
    let candidates = query.shape.split.as_ref().map_err(String::clone)?;
    let Some(candidate) = candidates.first().filter(|_| query.shape.is_single_table()) else {
        return Err("it reads more than one table, of which sessions of SQL Server can share no snapshot".to_owned());
    };
    if candidate.name.0.len() > 2 {
        return Err(format!("{} may be in another database", candidate.name));
    }
    let quoted: Vec<String> =
        candidate.name.0.iter().map(|part| quote_identifier(&part.text, Dialect::SqlServer)).collect();
    Ok((candidate, quoted.join(".")))
}

/// The tables of queries of which sessions can share a snapshot, in quotes; or why they cannot.
pub(crate) fn tables(session: &mut Session, queries: &[Prepared]) -> Result<Result<Vec<String>, String>> {
    const ALLOWED: &str = "SELECT snapshot_isolation_state, \
         CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS nvarchar(20)) \
         FROM sys.databases WHERE database_id = DB_ID()";
    // What else the rows may depend on: functions of computed columns, and predicates of row-level security.
    const TABLE: &str = "SELECT CAST(t.is_memory_optimized AS int), \
         (SELECT COUNT(*) FROM sys.computed_columns c WHERE c.object_id = t.object_id \
         AND COLUMNPROPERTY(c.object_id, c.name, 'UserDataAccess') <> 0), \
         (SELECT COUNT(*) FROM sys.security_predicates p WHERE p.target_object_id = t.object_id) \
         FROM sys.tables t WHERE t.object_id = OBJECT_ID(@P1)";
    let mut tables = Vec::new();
    for query in queries {
        match table(query) {
            Ok((_, table)) if tables.contains(&table) => {}
            Ok((_, table)) => tables.push(table),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    // What the catalogue does not show cannot be relied on.
    let unknown = |error: bowshot_core::Error| match error.kind() {
        ErrorKind::Sql => Ok(Err(format!("its catalogue cannot be read ({})", error.message()))),
        _ => Err(error),
    };
    let rows = match session.rows(ALLOWED, &[]) {
        Ok(rows) => rows,
        Err(error) => return unknown(error),
    };
    match rows.first().map(Vec::as_slice) {
        Some([Value::Int(1), Value::Text(updateable)]) if updateable == "READ_WRITE" => {}
        // A replica repeats what happened elsewhere, whatever is locked here.
        Some([Value::Int(1), _]) => {
            return Ok(Err("the database cannot be written to here: a replica goes on whatever is locked".to_owned()));
        }
        _ => {
            return Ok(Err("the database does not allow SNAPSHOT isolation (ALTER DATABASE … SET \
                           ALLOW_SNAPSHOT_ISOLATION ON)"
                .to_owned()));
        }
    }
    for table in &tables {
        let rows = match session.rows(TABLE, &[Value::Text(table.clone())]) {
            Ok(rows) => rows,
            Err(error) => return unknown(error),
        };
        let reason = match rows.first().map(Vec::as_slice) {
            Some([Value::Int(0), Value::Int(0), Value::Int(0)]) => continue,
            None => format!("{table} is not a table of this database"),
            Some([Value::Int(1), ..]) => format!("{table} is kept in memory"),
            Some([_, Value::Int(0), _]) => format!("what is seen of {table} depends on row-level security"),
            _ => format!("computed columns of {table} read other tables"),
        };
        return Ok(Err(reason));
    }
    Ok(Ok(tables))
}

/// At most `readers` sessions that see one state of the tables; or why there are none, after which `session` is as it was.
pub(crate) fn open(
    config: &Config,
    options: &Options,
    session: &mut Session,
    tables: &[String],
    readers: usize,
    cancel: &Cancel,
) -> Result<Result<Snapshot, String>> {
    let mut sessions = Vec::new();
    while sessions.len() < readers {
        match connect(config, &options.before, cancel) {
            Ok(session) => sessions.push(session),
            Err(error) if error.kind() == ErrorKind::ConnectionLimit && !sessions.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    let begun = if sessions.len() > 1 {
        // A name may stand for several servers.
        let here = session.value(PLACE, &[])?;
        for other in &mut sessions {
            if other.value(PLACE, &[])? != here {
                return Ok(Err(format!("{} stands for more than one server", config.host)));
            }
        }
        let begun = begin_together(session, &mut sessions, tables);
        // Whatever became of it, nobody waits any longer.
        session.execute("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; SET LOCK_TIMEOUT -1")?;
        begun
    } else {
        sessions.iter_mut().try_for_each(|session| begin(session, tables)).map(|()| None)
    };
    match begun {
        Ok(None) => {
            let count = sessions.len();
            let name = match count {
                1 => "a SNAPSHOT transaction".to_owned(),
                _ => format!(
                    "SNAPSHOT transactions of {count} sessions, begun while nobody could write to {}",
                    tables.join(", ")
                ),
            };
            Ok(Ok(Snapshot { sessions, name }))
        }
        Ok(Some(reason)) => Ok(Err(reason)),
        Err(error) if error.kind() == ErrorKind::Timeout => Ok(Err(format!(
            "writers hold locks on {}, and nobody may wait for a snapshot longer than {} s",
            tables.join(", "),
            PATIENCE.as_secs()
        ))),
        Err(error) if error.kind() == ErrorKind::Sql => {
            Ok(Err(format!("no snapshot could be had: {}", error.message())))
        }
        Err(error) => Err(error),
    }
}

/// Begins transactions while a lock keeps writers away; why it was given up, if it was.
fn begin_together(lock: &mut Session, sessions: &mut [Session], tables: &[String]) -> Result<Option<String>> {
    let start = Instant::now();
    let late = || {
        let message =
            format!("its sessions did not begin within {} s, longer than writers may have to wait", PATIENCE.as_secs());
        (start.elapsed() > PATIENCE).then_some(message)
    };
    let limit = PATIENCE.as_millis();
    lock.execute(&format!(
        "SET LOCK_TIMEOUT {limit}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN TRANSACTION"
    ))?;
    for table in tables {
        lock.execute(&format!("SELECT TOP (1) 1 FROM {table} WITH (TABLOCK, HOLDLOCK)"))?;
        // With several tables, the locks of the first ones are held while the others are waited for.
        if tables.len() > 1
            && let Some(reason) = late()
        {
            return Ok(Some(reason));
        }
    }
    let start = Instant::now();
    for session in sessions {
        begin(session, tables)?;
        if start.elapsed() > PATIENCE {
            return Ok(late());
        }
    }
    Ok(None)
}

/// Begins a transaction; its first read is what fixes the state that it sees.
fn begin(session: &mut Session, tables: &[String]) -> Result<()> {
    let reads: String = tables.iter().map(|table| format!(" SELECT TOP (1) 1 FROM {table};")).collect();
    session.execute(&format!("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION;{reads}"))
}
