//! A query becomes a result with endpoints.
//!
//! The statements about shared results (`DECLARE … INTO n`, `FETCH`, `CLOSE`) are answered here too: see [`crate::cursors`].

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use arrow_flight::{FlightDescriptor, FlightEndpoint, FlightInfo, Ticket};
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Params, Plan, Query, Request};
use bowshot_gateway_access::{Claim, random_bytes};
use bowshot_gateway_route::Refused;
use bowshot_gateway_wire::schema_bytes;
use bowshot_ipc::ExpectedNote;
use bowshot_sql::CursorStatement;
use prost_types::Timestamp;
use tonic::Status;

use crate::again::{Origin, Whole};
use crate::caller::Caller;
use crate::change::no_columns;
use crate::columns::shown;
use crate::declare::told_schema;
use crate::divide::{Wish, divide};
use crate::gateway::Inner;
use crate::results::{Id, Offered};
use crate::route::Asking;
use crate::status::{of_error, of_no_turn, of_refused};
use crate::work::Work;

/// A query that its source has planned: its snapshot is open.
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    /// What ends it.
    pub(crate) cancel: Cancel,
    /// Whether the order of its rows matters.
    pub(crate) is_ordered: bool,
    /// What it holds while it lasts; the gateway's own answers hold nothing.
    pub(crate) work: Option<Arc<Work>>,
    /// The source that planned it, where one alone did.
    pub(crate) origin: Option<Origin>,
}

impl Inner {
    /// Lets a query in and has it planned where it belongs, for so many endpoints if they are asked for. A caller who gives up
    /// ends the planning.
    pub(crate) async fn plan(
        self: &Arc<Self>,
        sql: String,
        params: Params,
        endpoints: Option<usize>,
        caller: &Caller,
    ) -> Result<Planned, Status> {
        let cancel = Cancel::new();
        let guard = CancelOnDrop::of(&cancel);
        let work = self.admit(caller.statement(&sql), &cancel).await.map_err(|reason| of_no_turn(&reason))?;
        let (inner, asking, planning) = (Arc::clone(self), Asking::of(caller), cancel.clone());
        // A client may read all endpoints at once, each on a connection that sees the snapshot.
        let connections = self.count(endpoints);
        // Who asks for several endpoints reads them side by side.
        let deal = endpoints.is_some() && connections > 1;
        let excerpts = caller.excerpts()?.is_some();
        let options = Options { connections: Some(connections), deal, excerpts, ..self.options() };
        let plan = tokio::task::spawn_blocking(move || {
            let request = Request::new(Query { sql, params }, options);
            inner.planned(request, &asking, &planning)
        });
        let plan = match self.limits.query_time {
            Some(limit) => tokio::time::timeout(limit, plan).await.map_err(|_| late(limit)),
            None => Ok(plan.await),
        };
        let plan = plan.and_then(|plan| plan.unwrap_or_else(|_| Err(Refused::Error(panicked()))));
        guard.disarm_if(plan.is_ok());
        let (plan, is_ordered, origin) = plan.map_err(|refused| {
            work.running.failed(refused.error());
            of_refused(&refused)
        })?;
        Ok(Planned { plan, cancel, is_ordered, work: Some(Arc::new(work)), origin })
    }

    /// How queries are read.
    pub(crate) fn options(&self) -> Options {
        Options { buffer_bytes: self.limits.endpoint_bytes, ..Options::default() }
    }

    /// How many endpoints a result has at most of which so many are asked for.
    fn count(&self, asked: Option<usize>) -> usize {
        asked.unwrap_or_else(|| self.options().workers()).min(self.limits.endpoints)
    }

    /// Answers a statement: runs a query or a change, or does what a statement about a shared result says.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        sql: String,
        params: Params,
        caller: &Caller,
        descriptor: FlightDescriptor,
    ) -> Result<FlightInfo, Status> {
        if self.is_change(&sql, caller) {
            return self.answer_change(sql, params, caller, descriptor).await;
        }
        let planned = match CursorStatement::parse(&sql).map_err(|error| of_error(&error))? {
            None => self.plan(sql, params, caller.endpoints()?, caller).await?,
            Some(CursorStatement::Declare { name, query, count }) => {
                let planned = self.plan(query.to_owned(), params, Some(count), caller).await?;
                self.declare(&name, planned, count, caller)?
            }
            Some(CursorStatement::Close { name }) => self.close(&name, caller)?,
            Some(CursorStatement::Fetch { index, name }) => return self.fetch_of(&name, index, caller, descriptor),
        };
        self.offer(planned, caller, descriptor)
    }

    /// The columns of a statement's answer, without running it.
    pub(crate) async fn columns(
        self: &Arc<Self>,
        sql: String,
        params: Params,
        caller: &Caller,
    ) -> Result<(SchemaRef, Option<Planned>), Status> {
        if self.is_change(&sql, caller) {
            return Ok((no_columns(), None));
        }
        Ok(match CursorStatement::parse(&sql).map_err(|error| of_error(&error))? {
            None => {
                let planned = self.plan(sql, params, caller.endpoints()?, caller).await?;
                (Arc::clone(&planned.plan.schema), Some(planned))
            }
            Some(CursorStatement::Fetch { name, .. }) => {
                let cursor = self.cursors.get(caller.user(), &name).map_err(|error| of_error(&error))?;
                (cursor.schema, None)
            }
            Some(CursorStatement::Declare { .. } | CursorStatement::Close { .. }) => (told_schema(), None),
        })
    }

    /// Keeps a planned query until its endpoints are fetched, and says how they are.
    pub(crate) fn offer(
        &self,
        planned: Planned,
        caller: &Caller,
        descriptor: FlightDescriptor,
    ) -> Result<FlightInfo, Status> {
        let schema = shown(&planned.plan.schema, caller.client);
        let (asked, rows) = (caller.endpoints()?, planned.plan.estimate.rows);
        let (id, endpoints) = self.keep(planned, asked, caller)?;
        let endpoints = 0..u32::try_from(endpoints).unwrap_or(u32::MAX);
        let mut info = info(&schema, descriptor)?;
        if let Some(rows) = rows {
            info.app_metadata = ExpectedNote { rows }.write().into();
        }
        self.tickets(id, endpoints, info, caller)
    }

    /// Keeps the endpoints of a planned query: the name of the result, and how many they are.
    pub(crate) fn keep(&self, planned: Planned, asked: Option<usize>, caller: &Caller) -> Result<(Id, usize), Status> {
        let Planned { plan, cancel, is_ordered, work, origin } = planned;
        let whole = Whole::of(&plan, origin.as_ref());
        let (reason, snapshot) = (plan.reason.clone(), plan.snapshot.clone());
        let (most, takes_excerpts) = (self.count(asked), caller.excerpts()?.is_some());
        let (is_far, in_turn) = (caller.is_far(), caller.client.reads_in_turn());
        let wish = Wish { asked, most, is_far, in_turn, takes_excerpts };
        let division = divide(plan, is_ordered, &wish, &self.options(), &self.limits.share, &cancel)
            .map_err(|error| of_error(&error))?;
        let (id, count) = (new_id()?, division.endpoints.len());
        if let Some(work) = &work {
            work.running.planned(count, &reason, snapshot.as_deref());
        }
        let expires = Instant::now() + self.limits.ticket_lifetime;
        self.results.add(id, caller.user(), Offered { division, cancel, work, whole }, expires);
        Ok((id, count))
    }

    /// Gives `info` a ticket for each of a result's endpoints.
    pub(crate) fn tickets(
        &self,
        id: Id,
        endpoints: Range<u32>,
        info: FlightInfo,
        caller: &Caller,
    ) -> Result<FlightInfo, Status> {
        let expires = SystemTime::now() + self.limits.ticket_lifetime;
        let tickets = endpoints.map(|endpoint| {
            let claim = Claim { query: id, endpoint, user: caller.user().to_owned(), expires };
            FlightEndpoint::new()
                .with_ticket(Ticket::new(self.access.tickets().seal(&claim)))
                .with_expiration_time(Timestamp::from(expires))
        });
        Ok(info.with_endpoints(tickets.collect()))
    }
}

/// The answer about a result with these columns, without endpoints yet.
pub(crate) fn info(schema: &SchemaRef, descriptor: FlightDescriptor) -> Result<FlightInfo, Status> {
    let schema = schema_bytes(schema).map_err(|error| of_error(&error))?;
    let info = FlightInfo::new().with_descriptor(descriptor).with_total_records(-1).with_total_bytes(-1);
    Ok(FlightInfo { schema, ..info })
}

/// A new identifier that nobody guesses.
pub(crate) fn new_id() -> Result<Id, Status> {
    random_bytes().map_err(|error| of_error(&error))
}

fn late(limit: Duration) -> Refused {
    let message = format!("planning the query took longer than the gateway's limit on a statement, {limit:?}");
    Refused::Error(Error::new(ErrorKind::Timeout, message).with_hint("ask for less, or for a higher limit"))
}

fn panicked() -> Error {
    Error::new(ErrorKind::Internal, "planning panicked; please report this")
}

/// Ends the work of a future that is dropped before its end.
pub(crate) struct CancelOnDrop(Option<Cancel>);

impl CancelOnDrop {
    pub(crate) fn of(cancel: &Cancel) -> Self {
        CancelOnDrop(Some(cancel.clone()))
    }

    pub(crate) fn disarm_if(mut self, is_well: bool) {
        if is_well {
            self.0 = None;
        }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take() {
            cancel.cancel();
        }
    }
}
