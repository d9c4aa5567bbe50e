//! Which state of the database the partitions see.

use std::sync::Arc;

use bowshot_core::{Cancel, Options, Result};

use crate::connect::execute;
use crate::family::Family;
use crate::session::Session;
use crate::uri::Location;

/// What a plan promises, and with how many connections it can keep it.
pub(crate) struct Snapshot {
    pub(crate) name: Option<String>,
    pub(crate) connections: usize,
    /// The state is that of a transaction, and lost with its connection.
    pub(crate) bound: bool,
}

/// Begins what is needed for all partitions to see one state.
pub(crate) fn settle(
    session: &Session,
    location: &Arc<Location>,
    partitions: usize,
    divided_by_driver: bool,
    options: &Options,
    cancel: &Cancel,
    begun: &mut bool,
) -> Result<Snapshot> {
    if divided_by_driver {
        let name = Some("the result of one execution".to_owned());
        return Ok(Snapshot { name, connections: options.workers(), bound: false });
    }
    if partitions <= 1 {
        return Ok(Snapshot { name: Some("one execution of the query".into()), connections: 1, bound: false });
    }
    if !options.one_snapshot {
        return Ok(Snapshot { name: None, connections: options.workers(), bound: false });
    }
    // A list of queries: one after the other over one connection, in one transaction where its SQL is known.
    let begin = match location.family {
        Family::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        Family::Sqlite => "BEGIN",
        Family::DuckDb => "BEGIN TRANSACTION",
        Family::FlightSql | Family::Other => return Ok(Snapshot { name: None, connections: 1, bound: false }),
    };
    *begun = false;
    let told = Arc::clone(location);
    session.call(cancel, None, move |objects| execute(objects, &told, begin))?;
    Ok(Snapshot { name: Some("one transaction of one connection".into()), connections: 1, bound: true })
}
