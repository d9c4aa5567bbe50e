//! The locks on a query's tables, taken before a connection claims any work.
//!
//! The connection that plans holds them until the read ends, so that nobody can alter the tables meanwhile. But who
//! wants to alter one waits in the server's queue, and whoever comes behind waits too: a connection that joins now
//! would wait for the end of the very read that it is to help. It gives up instead, and the others read on.

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_sql::Prepared;

use crate::connect::Session;
use crate::describe::describe;

/// A query by whose planning the server locks its tables and their partitions.
#[derive(Clone, Debug)]
pub(crate) struct Locking {
    sql: String,
    /// EXPLAIN takes it: it is a SELECT or the like, without parameters.
    explainable: bool,
}

impl Locking {
    pub(crate) fn of(query: &Prepared) -> Self {
        Locking { sql: query.sql.clone(), explainable: query.shape.read && query.values.is_empty() }
    }
}

/// Sets the time that a lock may take. Who only waits for its turn gets it sooner; the user's own limit is kept aside.
const LIMIT: &str = "SELECT pg_catalog.set_config('bowshot.lock_timeout', pg_catalog.current_setting('lock_timeout'), true); \
     SET LOCAL lock_timeout = '250ms'";

/// Sets the user's own limit again.
const NO_LIMIT: &str =
    "SELECT pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('bowshot.lock_timeout'), true)";

/// Locks the tables of the queries; an error of kind [`ErrorKind::ConnectionLimit`] where somebody is in the way.
pub(crate) fn take(session: &mut Session, queries: &[Locking]) -> Result<()> {
    session.query(LIMIT)?;
    for query in queries {
        let locked = if query.explainable {
            session.query(&format!("EXPLAIN {}", query.sql)).map(|_| ())
        } else {
            describe(session, &query.sql).map(|_| ())
        };
        locked.map_err(|error| match error.sqlstate() {
            // lock_not_available.
            Some("55P03") => {
                let message = "another connection waits to alter a table of the query";
                Error::new(ErrorKind::ConnectionLimit, message).with_source(error)
            }
            _ => error,
        })?;
    }
    session.query(NO_LIMIT)?;
    Ok(())
}
