//! One state of the database for all connections of a plan.
//!
//! The connection that plans exports its snapshot; the others import it before their first query (PostgreSQL manual,
//! "Snapshot Synchronization Functions"). All transactions are REPEATABLE READ and READ ONLY.

use bowshot_core::{Cancel, ErrorKind, Options, Result, gone};

use crate::catalog::cell;
use crate::connect::Session;
use crate::family::Family;
use crate::uri::Config;

/// Text forms that do not depend on the server's settings, and scans that begin at a table's first page, so that the
/// order of rows is the same for one connection and for many.
const SETTINGS: &str = "SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres'; \
    SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex'; SET LOCAL synchronize_seqscans = off";

/// A session in a new read-only transaction; it sees `snapshot`, or else a snapshot of its own.
pub(crate) fn begin(config: &Config, options: &Options, snapshot: Option<&str>, cancel: &Cancel) -> Result<Session> {
    let mut session = Session::open(config, cancel)?;
    for statement in &options.before {
        session.query(statement)?;
    }
    session.begin_reading()?;
    match session.family() {
        Family::Postgres => transaction(&mut session, snapshot)?,
        cousin => cousin.begin().iter().try_for_each(|statement| session.query(statement).map(|_| ()))?,
    }
    Ok(session)
}

fn transaction(session: &mut Session, snapshot: Option<&str>) -> Result<()> {
    let import = snapshot.map(|name| format!("SET TRANSACTION SNAPSHOT '{name}'; ")).unwrap_or_default();
    let begun = session.query(&format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {import}{SETTINGS}"));
    begun.map(|_| ()).map_err(|error| match (snapshot, error.kind()) {
        // Nobody holds it any more, or it is of another server or database.
        (Some(_), ErrorKind::Sql) => gone(error.message()).with_source(error),
        _ => error,
    })
}

/// Names the session's snapshot, for others to import as long as its transaction is open.
///
/// The inner error is the server's reason why it cannot be done; the session then begins a new transaction.
pub(crate) fn export(session: &mut Session) -> Result<Result<String>> {
    match session.query("SELECT pg_catalog.pg_export_snapshot()") {
        Ok(rows) => Ok(Ok(rows.first().map(|row| cell(row, 0).to_owned()).unwrap_or_default())),
        Err(error) if error.kind() == ErrorKind::Sql => {
            restart(session)?;
            Ok(Err(error))
        }
        Err(error) => Err(error),
    }
}

/// Asks for what is only useful to plan well. What the server refuses is the inner error, after which the session is in a new
/// transaction: nobody shares its snapshot yet, and no round trip is spent on a savepoint.
pub(crate) fn planning<T>(session: &mut Session, ask: impl FnOnce(&mut Session) -> Result<T>) -> Result<Result<T>> {
    match ask(session) {
        Err(error) if error.is_refusal() => {
            restart(session)?;
            Ok(Err(error))
        }
        asked => asked.map(Ok),
    }
}

fn restart(session: &mut Session) -> Result<()> {
    session.query("ROLLBACK")?;
    transaction(session, None)
}
