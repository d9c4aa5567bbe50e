//! Endpoints that are read elsewhere: a ticket names one partition's, and the columns that the server announced.
//!
//! The execution is the server's, and lives for as long as the server keeps it. The holder sees to it that nobody here tells the
//! server to forget it, and has endpoints renewed that expire.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arrow_flight::{FlightEndpoint, FlightInfo};
use bowshot_core::{
    Cancel, Casts, Error, ErrorKind, Estimate, Hold, Partition, Plan, Result, Ticket, TimesOfDay, gone, write_state,
};
use parking_lot::Mutex;
use prost::Message;
use tonic::{Code, Status};

use crate::before;
use crate::channel::Channel;
use crate::connect::connect;
use crate::location::{Place, places};
use crate::login::login;
use crate::open::is_near_its_end;
use crate::read::{Job, Shared, Work};
use crate::release::Executions;
use crate::schema;
use crate::session::Session;
use crate::types::announced;
use crate::uri::Target;

/// What tickets of this source are called.
const KIND: &str = "flightsql";

/// How long before its end the holder has an endpoint renewed: it does not look more often than every 15 s.
const NEAR: Duration = Duration::from_secs(40);

/// The columns as the server announced them, and the endpoints; both as Flight writes them.
type State = (Vec<u8>, Vec<Vec<u8>>);

/// Why nobody else can read the endpoints of a plan; `None` where others can.
pub(crate) fn obstacle(session: &Session, target: &Target, info: &FlightInfo, has_begun: bool) -> Option<String> {
    if has_begun {
        return Some(
            "the server did not announce the columns, so that planning has begun to read an endpoint that it may offer once".into(),
        );
    }
    let elsewhere = |endpoint: &FlightEndpoint| !places(endpoint, &target.address).contains(&Place::Same);
    let strange = !session.is_anonymous() && info.endpoint.iter().any(elsewhere);
    strange.then(|| {
        "the server's endpoints are at other addresses, to which a login is not sent because a ticket names them".into()
    })
}

/// Keeps the executions of a plan.
pub(crate) fn hold(work: &Arc<Work>, cancel: &Cancel) -> Result<Box<dyn Hold>> {
    work.executions.hold(true);
    let mut holding = Holding { work: Arc::clone(work), channel: None, cancel: cancel.clone() };
    // Bowshot's gateway lets the endpoints of a result be read again from then on; others have nothing against it.
    for (execution, index) in work.executions.all().into_iter().filter(|(_, index)| *index == 0) {
        holding.renew(execution, index)?;
    }
    Ok(Box::new(holding))
}

struct Holding {
    work: Arc<Work>,
    /// To the server, for renewals.
    channel: Option<Channel>,
    cancel: Cancel,
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.work.executions.hold(false);
    }
}

impl Hold for Holding {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn state(&self, index: usize) -> Result<Vec<u8>> {
        let internal = |what: String| Error::new(ErrorKind::Internal, what);
        let Some(Job::Endpoints { execution, endpoints }) = self.work.jobs.get(index) else {
            return Err(internal(format!("partition {index} has no endpoints")));
        };
        let encoded = |index: &usize| Ok(self.work.executions.endpoint(*execution, *index)?.encode_to_vec());
        let endpoints = endpoints.iter().map(encoded).collect::<Result<Vec<_>>>()?;
        let info = FlightInfo::new().try_with_schema(&self.work.columns);
        let info = info.map_err(|error| internal(format!("the schema cannot be written: {error}")))?;
        let state: State = (info.schema.to_vec(), endpoints);
        write_state(&state)
    }

    fn look(&mut self) -> Result<bool> {
        for (execution, index) in self.work.executions.all() {
            if is_near_its_end(&self.work.executions.endpoint(execution, index)?, NEAR) {
                self.renew(execution, index)?;
            }
        }
        Ok(false)
    }
}

impl Holding {
    /// Asks the server to keep an endpoint for longer; not every server knows how.
    fn renew(&mut self, execution: usize, index: usize) -> Result<()> {
        let work = &self.work;
        let endpoint = work.executions.endpoint(execution, index)?;
        let channel = match self.channel.take() {
            Some(channel) => channel,
            None => connect(&work.target, &work.session, &work.target.address, &self.cancel)?,
        };
        let mut client = channel.client();
        channel.wait(&self.cancel, Some(work.target.connect_timeout), "the renewal of an endpoint", async {
            work.executions.renew(&mut client, execution, index, endpoint).await;
            Ok(())
        })?;
        self.channel = Some(channel);
        Ok(())
    }
}

/// The plan of the endpoints that a ticket names; `None` where its query is executed anew.
pub(crate) fn join(target: &Arc<Target>, ticket: &Ticket, cancel: &Cancel) -> Result<Option<Plan>> {
    let Some((columns, endpoints)) = ticket.state::<State>(KIND)? else { return Ok(None) };
    let options = ticket.options();
    let columns = schema::read(&columns, &target.address).ok().flatten().ok_or_else(|| damaged("its columns"))?;
    let decoded = |bytes: &Vec<u8>| FlightEndpoint::decode(bytes.as_slice()).map_err(|_| damaged("an endpoint"));
    let mut endpoints = endpoints.iter().map(decoded).collect::<Result<Vec<_>>>()?;
    let schema = announced(&columns);
    let times = TimesOfDay::new(&schema, &options.types);
    let casts = Casts::new(&times.schema(), times.types())?;
    let session = Arc::new(Session::new(target, &options));
    let channel = connect(target, &session, &target.address, cancel)?;
    login(&channel, target, cancel)?;
    before::run(&channel, target, &options.before, cancel)?;
    if !session.is_anonymous() {
        endpoints.iter_mut().try_for_each(|endpoint| only_here(endpoint, target))?;
    }
    let executions = Arc::new(Executions::new(Arc::clone(target), Arc::clone(&session)));
    let count = endpoints.len();
    let execution = executions.join(endpoints);
    let work = Work {
        casts,
        times,
        schema,
        columns: Arc::new(columns),
        target: Arc::clone(target),
        session,
        before: options.before.as_slice().into(),
        jobs: vec![Job::Endpoints { execution, endpoints: (0..count).collect() }],
        parts: Vec::new(),
        obstacle: Some("it is one that a ticket names: pass on the ticket".into()),
        joined: true,
        batch_bytes: options.batch_bytes,
        executions,
        idle: Mutex::new(Some(channel)),
        begun: Mutex::new(None),
        duds: Mutex::new(BTreeSet::new()),
        one_by_one: false,
        taken: AtomicBool::new(false),
    };
    Ok(Some(Plan {
        schema: work.casts.schema(),
        snapshot: Some("one execution on the server: an endpoint of it".into()),
        partitions: vec![Partition { label: String::new(), rows: None }],
        reason: String::new(),
        estimate: Estimate::default(),
        scan: Arc::new(Shared(Arc::new(work))),
    }))
}

/// Leaves only the locations that are the joiner's own server: what proves who we are goes to no place that only a ticket names.
fn only_here(endpoint: &mut FlightEndpoint, target: &Target) -> Result<()> {
    let here = places(endpoint, &target.address).contains(&Place::Same);
    let named = std::mem::take(&mut endpoint.location);
    if here {
        return Ok(());
    }
    let named: Vec<&str> = named.iter().map(|location| location.uri.as_str()).collect();
    let message = format!(
        "the ticket's rows are at {}, and a login for {} is not sent to an address that only a ticket names",
        named.join(", "),
        target.address
    );
    Err(Error::new(ErrorKind::Config, message).with_hint("join with that address, or read the plan where it was made"))
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the ticket is damaged: {what} cannot be read"))
        .with_hint("a ticket is read as it was written: get it again from the plan")
}

/// The error of an endpoint of a ticket, which the server may not know any more.
pub(crate) fn lost(error: Error) -> Error {
    let status = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<Status>());
    match status.map(Status::code) {
        Some(Code::NotFound | Code::FailedPrecondition | Code::InvalidArgument) => {
            gone(&format!("the server no longer has the ticket's rows: {}", error.message())).with_hint(
                "plan the query again; how long and how often a server lets an endpoint be read is its own choice",
            )
        }
        _ => error,
    }
}
