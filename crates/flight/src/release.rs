//! What the server keeps for us, and how it is told that it need not any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow_flight::{Action, CancelFlightInfoRequest, FlightEndpoint, FlightInfo, RenewFlightEndpointRequest};
use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bytes::Bytes;
use parking_lot::Mutex;
use prost::Message;
use tonic::codegen::tokio_stream::StreamExt as _;

use crate::channel::{Channel, Client};
use crate::connect::connect_within;
use crate::execute::{Execution, close};
use crate::messages::CloseSessionRequest;
use crate::session::Session;
use crate::uri::Target;

/// How long telling the server may take: nobody waits longer for an end.
const PATIENCE: Duration = Duration::from_secs(1);

/// The executions of a plan.
pub(crate) struct Executions {
    target: Arc<Target>,
    session: Arc<Session>,
    running: Mutex<Vec<Running>>,
    /// Whether the server was told.
    told: AtomicBool,
    /// Readers elsewhere may still need them, whoever stops here.
    held: AtomicBool,
}

struct Running {
    /// As the server said it, for when it is to be cancelled.
    info: FlightInfo,
    /// As they are now: an endpoint may be renewed.
    endpoints: Vec<FlightEndpoint>,
    handle: Option<Bytes>,
    /// How many endpoints were not read to their end.
    left: usize,
}

impl Executions {
    pub(crate) fn new(target: Arc<Target>, session: Arc<Session>) -> Self {
        Executions {
            target,
            session,
            running: Mutex::new(Vec::new()),
            told: AtomicBool::new(false),
            held: AtomicBool::new(false),
        }
    }

    /// Notes an execution; its number.
    pub(crate) fn add(&self, execution: Execution) -> usize {
        let Execution { info, handle, .. } = execution;
        let (endpoints, left) = (info.endpoint.clone(), info.endpoint.len());
        let mut running = self.running.lock();
        running.push(Running { info, endpoints, handle, left });
        running.len() - 1
    }

    /// Notes endpoints of an execution that another plan made, and which only that ends; their number.
    pub(crate) fn join(&self, endpoints: Vec<FlightEndpoint>) -> usize {
        let mut running = self.running.lock();
        running.push(Running { info: FlightInfo::default(), endpoints, handle: None, left: 0 });
        running.len() - 1
    }

    /// Whether readers elsewhere need the executions from now on.
    pub(crate) fn hold(&self, held: bool) {
        self.held.store(held, Ordering::SeqCst);
    }

    /// Every endpoint, by the number of its execution and its own.
    pub(crate) fn all(&self) -> Vec<(usize, usize)> {
        let running = self.running.lock();
        let each =
            |(number, running): (usize, &Running)| (0..running.endpoints.len()).map(move |index| (number, index));
        running.iter().enumerate().flat_map(each).collect()
    }

    /// How many endpoints an execution has.
    pub(crate) fn count(&self, execution: usize) -> usize {
        self.running.lock().get(execution).map_or(0, |running| running.endpoints.len())
    }

    pub(crate) fn endpoint(&self, execution: usize, index: usize) -> Result<FlightEndpoint> {
        let running = self.running.lock();
        let endpoint = running.get(execution).and_then(|running| running.endpoints.get(index)).cloned();
        endpoint
            .ok_or_else(|| Error::new(ErrorKind::Internal, format!("execution {execution} has no endpoint {index}")))
    }

    /// Notes that an endpoint was read to its end.
    pub(crate) fn finish(&self, execution: usize) {
        if let Some(running) = self.running.lock().get_mut(execution) {
            running.left = running.left.saturating_sub(1);
        }
    }

    /// Asks for more time for an endpoint that expires. A server that cannot give it says so when the endpoint is read.
    pub(crate) async fn renew(&self, client: &mut Client, execution: usize, index: usize, endpoint: FlightEndpoint) {
        let body = RenewFlightEndpointRequest { endpoint: Some(endpoint) }.encode_to_vec();
        let action = Action { r#type: "RenewFlightEndpoint".into(), body: body.into() };
        let Ok(answers) = client.do_action(action).await else { return };
        let Ok(Some(answer)) = answers.into_inner().message().await else { return };
        let Ok(renewed) = FlightEndpoint::decode(answer.body) else { return };
        if let Some(place) = self.running.lock().get_mut(execution).and_then(|running| running.endpoints.get_mut(index))
        {
            *place = renewed;
        }
    }

    /// Has the server stop, over a connection of its own, since the others are busy.
    pub(crate) fn cancel(&self) {
        if self.held.load(Ordering::SeqCst) || self.told.swap(true, Ordering::SeqCst) || !self.anything_to_tell() {
            return;
        }
        // Their own cancel would stop this, too.
        let cancel = Cancel::new();
        let channel = connect_within(&self.target, &self.session, &self.target.address, PATIENCE, &cancel);
        if let Ok(channel) = channel {
            self.tell(&channel);
        }
    }

    /// Tells the server over `channel` what is not needed any more.
    pub(crate) fn release(&self, channel: &Channel) {
        if !self.told.swap(true, Ordering::SeqCst) && self.anything_to_tell() {
            self.tell(channel);
        }
    }

    fn anything_to_tell(&self) -> bool {
        !self.target.session.is_empty()
            || self.running.lock().iter().any(|running| running.left > 0 || running.handle.is_some())
    }

    fn tell(&self, channel: &Channel) {
        let running = std::mem::take(&mut *self.running.lock());
        let told = channel.wait(&Cancel::new(), Some(PATIENCE), "the end of the query", async {
            let mut client = channel.client();
            for Running { info, handle, left, .. } in running {
                if left > 0 {
                    let request = CancelFlightInfoRequest { info: Some(info) }.encode_to_vec();
                    act(&mut client, "CancelFlightInfo", request).await;
                }
                if let Some(handle) = handle {
                    close(&mut client, handle).await;
                }
            }
            if !self.target.session.is_empty() {
                act(&mut client, "CloseSession", CloseSessionRequest {}.encode_to_vec()).await;
            }
            Ok(())
        });
        // What cannot be told, the server finds out by itself when its results expire.
        told.unwrap_or_default();
    }
}

async fn act(client: &mut Client, name: &str, body: Vec<u8>) {
    let action = Action { r#type: name.into(), body: body.into() };
    if let Ok(answers) = client.do_action(action).await {
        let mut answers = answers.into_inner();
        while let Some(Ok(_)) = answers.next().await {}
    }
}
