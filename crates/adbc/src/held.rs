//! Partitions of the driver's own that are read elsewhere: a ticket holds what the driver gave out for one.
//!
//! What it names is the driver's and its server's, and lives for as long as they keep it. The connection on which the driver
//! divided the result stays open meanwhile, and reads nothing.

use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Estimate, Hold, Partition, Plan, Result, Ticket, gone, write_state};

use crate::connect::connect;
use crate::plan::{OBSTACLE, finish};
use crate::read::{Idle, Job, Scanning, Shared, Work, start};
use crate::uri::Location;

/// What tickets of this source are called.
const KIND: &str = "adbc";

/// What the driver gave out for the partition.
type State = Vec<u8>;

/// Why nobody else can read the partitions of a plan; `None` where others can.
pub(crate) fn obstacle(work: &Work) -> Option<String> {
    if work.joined {
        return Some("it is one that a ticket names: pass on the ticket".into());
    }
    let by_driver = work.jobs.iter().all(|job| matches!(job, Job::Token(_)));
    (!by_driver).then(|| OBSTACLE.into())
}

/// Keeps the connection on which the driver divided the result, and ends it with the plan's tickets.
pub(crate) struct Holding {
    shared: Shared,
    _idle: Option<Idle>,
}

impl Holding {
    pub(crate) fn new(shared: Shared) -> Self {
        let idle = shared.1.lock().hold();
        Holding { shared, _idle: idle }
    }
}

impl Hold for Holding {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, index: usize) -> Result<Vec<u8>> {
        let Some(Job::Token(token)) = self.shared.0.jobs.get(index) else {
            return Err(Error::new(ErrorKind::Internal, format!("the driver has no partition {index}")));
        };
        write_state::<State>(token)
    }
}

/// The plan of the partition that a ticket names; `None` where its query is executed anew.
pub(crate) fn join(location: &Arc<Location>, ticket: &Ticket, cancel: &Cancel) -> Result<Option<Plan>> {
    let Some(token) = ticket.state::<State>(KIND)? else { return Ok(None) };
    let options = ticket.options();
    let (session, database) = connect(location, &options.before, cancel)?;
    let job = Job::Token(token);
    // Only the stream tells its columns; the ticket knows whether they are the plan's.
    let raw = start(&session, location, &job, cancel).map_err(lost)?;
    let (_, finish) = finish(location, &raw, None, &options)?;
    let schema = finish.casts.schema();
    let work = Work {
        location: Arc::clone(location),
        database,
        before: options.before.clone(),
        raw,
        finish,
        jobs: vec![job],
        parts: Vec::new(),
        joined: true,
        most: 1,
        bound: true,
    };
    Ok(Some(Plan {
        schema,
        snapshot: Some("the result of one execution".into()),
        partitions: vec![Partition { label: String::new(), rows: None }],
        reason: String::new(),
        estimate: Estimate::default(),
        scan: Arc::new(Scanning::new(work, session, true)),
    }))
}

/// The error of a partition that the driver or its server may not have any more.
pub(crate) fn lost(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Config | ErrorKind::Sql => {
            gone(&format!("the driver no longer finds the ticket's rows: {}", error.message())).with_hint(
                "plan the query again; how long and how often a partition can be read is the choice of the driver and its server",
            )
        }
        _ => error,
    }
}
