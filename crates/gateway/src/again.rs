//! Endpoints that can be fetched more than once: a task that is tried again finds its rows.
//!
//! A client asks for it by renewing an endpoint before it fetches. The source then holds the snapshot of the plan, and each fetch joins it by
//! tickets, on connections of its own. Where the source cannot do that, an endpoint is handed out once, as always.

use std::ops::Range;
use std::sync::Arc;

use bowshot_core::{
    Cancel, Connection, Error, ErrorKind, Holder, Lease, Plan, Reader, Request, Result, Scan, Source, Ticket, Travel,
};

use crate::gateway::Limits;

/// What planned a result, and how.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) request: Request,
}

/// A plan as its source made it, before it was cut into endpoints.
pub(crate) struct Whole {
    plan: Plan,
    origin: Origin,
}

impl Whole {
    /// The plan, if its source can hold the snapshot for readers that join it.
    pub(crate) fn of(plan: &Plan, origin: Option<&Origin>) -> Option<Self> {
        let origin = origin?.clone();
        if !matches!(plan.travels(&origin.request.options), Ok(Travel::Snapshot)) {
            return None;
        }
        Some(Whole { plan: with_scan(plan, Arc::clone(&plan.scan)), origin })
    }

    /// Has the source hold the snapshot. Blocks.
    ///
    /// # Errors
    /// Of the source, also where somebody reads already.
    pub(crate) fn hold(self, limits: &Limits, cancel: &Cancel) -> Result<Again> {
        let Whole { plan, origin } = self;
        // Renewing is what keeps a result; the holder goes with it.
        let lease = Lease(limits.ticket_lifetime.saturating_mul(1000));
        let holder = Holder::new(&plan, &origin.request, lease, cancel)?;
        if holder.travel() != Travel::Snapshot {
            return Err(Error::new(ErrorKind::Unsupported, "the source holds no snapshot for this query"));
        }
        Ok(Again { tickets: holder.tickets()?, source: origin.source, _holder: holder })
    }
}

/// Holds the snapshot of a result.
pub(crate) struct Again {
    source: Arc<dyn Source>,
    /// One for each partition of the whole plan.
    tickets: Vec<Ticket>,
    _holder: Holder,
}

impl Again {
    /// An endpoint, which has these partitions of the whole, to be read once more.
    pub(crate) fn plan(&self, endpoint: &Plan, part: Range<usize>) -> Result<Plan> {
        let lost = || Error::new(ErrorKind::Internal, "an endpoint has partitions that its result does not have");
        let tickets = self.tickets.get(part).ok_or_else(lost)?.to_vec();
        Ok(with_scan(endpoint, Arc::new(Joined { source: Arc::clone(&self.source), tickets })))
    }
}

fn with_scan(plan: &Plan, scan: Arc<dyn Scan>) -> Plan {
    Plan {
        schema: Arc::clone(&plan.schema),
        snapshot: plan.snapshot.clone(),
        partitions: plan.partitions.clone(),
        reason: plan.reason.clone(),
        estimate: plan.estimate,
        scan,
    }
}

/// A scan whose partitions are tickets.
struct Joined {
    source: Arc<dyn Source>,
    tickets: Vec<Ticket>,
}

impl Scan for Joined {
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let (source, tickets) = (Arc::clone(&self.source), self.tickets.clone());
        Ok(Box::new(Joining { source, tickets, cancel: cancel.clone(), joined: None }))
    }
}

/// Joins one ticket after the other.
struct Joining {
    source: Arc<dyn Source>,
    tickets: Vec<Ticket>,
    cancel: Cancel,
    joined: Option<(Box<dyn Connection>, Arc<dyn Scan>)>,
}

impl Connection for Joining {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        // The one before ends first: it has a connection of the source's.
        self.joined = None;
        let lost = || Error::new(ErrorKind::Internal, format!("an endpoint has no partition {index}"));
        let ticket = self.tickets.get(index).ok_or_else(lost)?;
        let plan = self.source.join(ticket, &self.cancel)?;
        let connection = plan.scan.connect(&self.cancel)?;
        let (connection, _) = self.joined.insert((connection, plan.scan));
        connection.open(0)
    }
}
