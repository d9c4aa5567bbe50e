//! A Flight SQL server that does what a test wants, and remembers what it was asked.
#![expect(clippy::disallowed_methods, reason = "these bytes are the test's own")]

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::{
    Action, ActionType, BasicAuth, CancelFlightInfoRequest, Criteria, Empty, FlightData, FlightDescriptor,
    FlightEndpoint, FlightInfo, HandshakeRequest, HandshakeResponse, Location, PollInfo, PutResult,
    RenewFlightEndpointRequest, SchemaAsIpc, SchemaResult, Ticket,
};
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::Schema;
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Identity, Server as Tonic, ServerTlsConfig};
use tonic::{Request, Response, Status, Streaming};

/// What an endpoint holds, and how it goes wrong.
#[derive(Clone, Default)]
pub struct Endpoint {
    pub batches: Vec<RecordBatch>,
    pub locations: Vec<String>,
    /// The schema of its stream, where that is not the batches'.
    pub schema: Option<Schema>,
    /// In place of all messages.
    pub raw: Option<Vec<FlightData>>,
    /// What ends the stream, in place of success.
    pub failure: Option<Status>,
    /// Whether the stream goes on for ever after the last batch, without another word.
    pub hangs: bool,
    /// When it expires, in seconds from now.
    pub expires: Option<i64>,
}

/// How the server behaves.
#[derive(Clone, Default)]
pub struct Behaviour {
    pub endpoints: Vec<Endpoint>,
    /// The schema that is announced; `None`: none.
    pub announced: Option<Schema>,
    pub told_by_get_schema: bool,
    pub ordered: bool,
    pub options: Option<IpcWriteOptions>,
    /// How long a query takes.
    pub slow: Duration,
    pub failure: Option<Status>,
    /// User and password; the answer's token comes in a header, or else in the message.
    pub user: Option<(&'static str, &'static str)>,
    pub token_in_message: bool,
    pub no_handshake: bool,
    /// The token that every call needs.
    pub token: Option<&'static str>,
    /// How many calls the token is good for.
    pub token_calls: Option<usize>,
    pub cookies: bool,
    pub no_get: bool,
    /// How often PollFlightInfo says "not yet".
    pub polls: Option<usize>,
    /// Columns of the prepared statement's parameters.
    pub parameters: Option<Schema>,
    /// Whether the handle is replaced when parameters come.
    pub replaces_handle: bool,
    /// Options that the session knows.
    pub session: Vec<&'static str>,
    pub no_prepared: bool,
}

/// A running server. Dropping it ends it.
pub struct Server {
    pub port: u16,
    tls: bool,
    service: Arc<Service>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[derive(Default)]
struct Service {
    behaviour: Behaviour,
    log: Mutex<Vec<String>>,
    calls: Mutex<usize>,
    prepared: Mutex<BTreeMap<Vec<u8>, String>>,
}

/// PEM files: certificate, key, and the authority of clients.
pub struct Tls {
    pub certificate: String,
    pub key: String,
    pub clients: Option<String>,
}

impl Server {
    pub fn start(behaviour: Behaviour) -> Self {
        Self::with_tls(behaviour, None)
    }

    pub fn with_tls(behaviour: Behaviour, tls: Option<Tls>) -> Self {
        let service = Arc::new(Service { behaviour, ..Service::default() });
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (ready, port) = mpsc::channel();
        let (ours, encrypted) = (Arc::clone(&service), tls.is_some());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.spawn(async move {
                let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
                ready.send(incoming.local_addr().unwrap().port()).unwrap();
                let mut server = Tonic::builder();
                if let Some(Tls { certificate, key, clients }) = tls {
                    let mut config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
                    if let Some(clients) = clients {
                        config = config.client_ca_root(Certificate::from_pem(clients));
                    }
                    server = server.tls_config(config).unwrap();
                }
                let service = FlightServiceServer::new(Handle(ours)).max_encoding_message_size(usize::MAX);
                server.add_service(service).serve_with_incoming(incoming).await.unwrap();
            });
            // Whatever still runs then is cut off, as by a crash.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        });
        let port = port.recv().unwrap();
        Server { port, tls: encrypted, service, stop: Some(stop), thread: Some(thread) }
    }

    pub fn uri(&self) -> String {
        let scheme = if self.tls { "grpc+tls" } else { "grpc" };
        format!("{scheme}://localhost:{}", self.port)
    }

    /// What it was asked, call by call.
    pub fn log(&self) -> Vec<String> {
        self.service.log.lock().unwrap().clone()
    }

    /// How often it was asked that.
    pub fn count(&self, call: &str) -> usize {
        self.log().iter().filter(|line| line.starts_with(call)).count()
    }

    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// `google.protobuf.Any`, and a message whose first field is text or bytes.
#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct First {
    #[prost(bytes = "vec", tag = "1")]
    first: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct Created {
    #[prost(bytes = "vec", tag = "1")]
    handle: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    dataset_schema: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    parameter_schema: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct Options {
    #[prost(btree_map = "string, bytes", tag = "1")]
    options: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct OptionErrors {
    #[prost(btree_map = "string, message", tag = "1")]
    errors: BTreeMap<String, OptionError>,
}

#[derive(Clone, PartialEq, Message)]
struct OptionError {
    #[prost(int32, tag = "1")]
    value: i32,
}

fn unpack(bytes: &[u8]) -> (String, Vec<u8>) {
    let any = Any::decode(bytes).unwrap();
    let name = any.type_url.rsplit('.').next().unwrap().to_owned();
    (name, First::decode(any.value.as_slice()).unwrap().first)
}

fn schema_bytes(schema: &Schema) -> Bytes {
    let result: SchemaResult = SchemaAsIpc::new(schema, &IpcWriteOptions::default()).try_into().unwrap();
    result.schema
}

/// The messages of a stream, dictionaries as they are.
pub fn flight_data(schema: &Schema, batches: &[RecordBatch], options: &IpcWriteOptions) -> Vec<FlightData> {
    let generator = IpcDataGenerator::default();
    let mut tracker = DictionaryTracker::new(false);
    let first = generator.schema_to_bytes_with_dictionary_tracker(schema, &mut tracker, options);
    let mut messages: Vec<FlightData> = vec![first.into()];
    for batch in batches {
        let (dictionaries, data) =
            generator.encode(batch, &mut tracker, options, &mut IpcWriteContext::default()).unwrap();
        messages.extend(dictionaries.into_iter().map(FlightData::from));
        messages.push(FlightData { app_metadata: Bytes::from_static(b"a note"), ..data.into() });
    }
    messages
}

type Answers<T> = BoxStream<'static, Result<T, Status>>;

impl Service {
    /// Notes a call, and whether who makes it may.
    fn admit(&self, call: String, metadata: &MetadataMap) -> Result<(), Status> {
        let text = |name: &str| metadata.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let mut line = call;
        for name in ["cookie", "x-db", "grpc-timeout"] {
            let value = text(name);
            if !value.is_empty() {
                line = format!("{line} {name}={value}");
            }
        }
        self.log.lock().unwrap().push(line);
        let Some(token) = self.behaviour.token else { return Ok(()) };
        let mut calls = self.calls.lock().unwrap();
        *calls += 1;
        let over = self.behaviour.token_calls.is_some_and(|most| *calls > most);
        if over || text("authorization") != format!("Bearer {token}") {
            return Err(Status::unauthenticated(if over { "the token has expired" } else { "no valid token" }));
        }
        Ok(())
    }

    fn info(&self, sql: &str) -> FlightInfo {
        let behaviour = &self.behaviour;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let endpoint = |(number, endpoint): (usize, &Endpoint)| FlightEndpoint {
            ticket: Some(Ticket::new(format!("{number} {sql}"))),
            location: endpoint.locations.iter().map(|uri| Location { uri: uri.clone() }).collect(),
            expiration_time: endpoint
                .expires
                .map(|seconds| prost_types::Timestamp { seconds: i64::try_from(now).unwrap() + seconds, nanos: 0 }),
            app_metadata: Bytes::new(),
        };
        FlightInfo {
            schema: behaviour.announced.as_ref().map(schema_bytes).unwrap_or_default(),
            flight_descriptor: None,
            endpoint: behaviour.endpoints.iter().enumerate().map(endpoint).collect(),
            total_records: 12,
            total_bytes: -1,
            ordered: behaviour.ordered,
            app_metadata: Bytes::from_static(b"the query"),
        }
    }

    fn sql(&self, descriptor: &FlightDescriptor) -> Result<String, Status> {
        let (name, first) = unpack(&descriptor.cmd);
        match name.as_str() {
            "CommandStatementQuery" => Ok(String::from_utf8(first).unwrap()),
            "CommandPreparedStatementQuery" => {
                let prepared = self.prepared.lock().unwrap().get(&first).cloned();
                prepared.ok_or_else(|| Status::not_found("no such prepared statement"))
            }
            _ => Err(Status::invalid_argument(name)),
        }
    }

    async fn run(&self, descriptor: &FlightDescriptor) -> Result<FlightInfo, Status> {
        tokio::time::sleep(self.behaviour.slow).await;
        let sql = self.sql(descriptor)?;
        match &self.behaviour.failure {
            Some(status) => Err(status.clone()),
            None => Ok(self.info(&sql)),
        }
    }
}

struct Handle(Arc<Service>);

#[tonic::async_trait]
impl FlightService for Handle {
    type HandshakeStream = Answers<HandshakeResponse>;
    type ListFlightsStream = Answers<FlightInfo>;
    type DoGetStream = Pin<Box<dyn futures::Stream<Item = Result<FlightData, Status>> + Send>>;
    type DoPutStream = Answers<PutResult>;
    type DoExchangeStream = Answers<FlightData>;
    type DoActionStream = Answers<arrow_flight::Result>;
    type ListActionsStream = Answers<ActionType>;

    async fn handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        let behaviour = &self.0.behaviour;
        if behaviour.no_handshake {
            return Err(Status::unimplemented("no handshakes"));
        }
        let header = request.metadata().get("authorization").unwrap().to_str().unwrap().to_owned();
        self.0.log.lock().unwrap().push(format!("Handshake {header}"));
        let proof = request.into_inner().message().await?.unwrap().payload;
        let proof = BasicAuth::decode(proof).unwrap();
        if behaviour.user != Some((proof.username.as_str(), proof.password.as_str())) {
            return Err(Status::unauthenticated("wrong user or password"));
        }
        let token = behaviour.token.unwrap_or_default();
        let payload = if behaviour.token_in_message { Bytes::from(token) } else { Bytes::new() };
        let answer = HandshakeResponse { protocol_version: 0, payload };
        let mut response = Response::new(stream::iter([Ok(answer)]).boxed());
        if !behaviour.token_in_message {
            response.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        Ok(response)
    }

    async fn get_flight_info(&self, request: Request<FlightDescriptor>) -> Result<Response<FlightInfo>, Status> {
        let (name, _) = unpack(&request.get_ref().cmd);
        self.0.admit(format!("GetFlightInfo {name}"), request.metadata())?;
        if self.0.behaviour.no_get {
            return Err(Status::unimplemented("ask with PollFlightInfo"));
        }
        let mut response = Response::new(self.0.run(request.get_ref()).await?);
        if self.0.behaviour.cookies {
            response.metadata_mut().insert("set-cookie", "session=42; Path=/".parse().unwrap());
        }
        Ok(response)
    }

    async fn poll_flight_info(&self, request: Request<FlightDescriptor>) -> Result<Response<PollInfo>, Status> {
        self.0.admit("PollFlightInfo".into(), request.metadata())?;
        let Some(polls) = self.0.behaviour.polls else { return Err(Status::unimplemented("no polls")) };
        let (left, descriptor) = match request.get_ref().path.first() {
            None => (polls, request.get_ref().clone()),
            Some(left) => (left.parse().unwrap(), FlightDescriptor::new_cmd(request.get_ref().cmd.clone())),
        };
        let mut next = descriptor.clone();
        next.path = vec![(left.max(1) - 1).to_string()];
        let info = self.0.run(&descriptor).await?;
        let flight_descriptor = (left > 0).then_some(next);
        Ok(Response::new(PollInfo { info: Some(info), flight_descriptor, progress: None, expiration_time: None }))
    }

    async fn get_schema(&self, request: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        self.0.admit("GetSchema".into(), request.metadata())?;
        let behaviour = &self.0.behaviour;
        if !behaviour.told_by_get_schema {
            return Err(Status::unimplemented("no schemas"));
        }
        let schema = behaviour.endpoints[0].batches[0].schema();
        Ok(Response::new(SchemaResult { schema: schema_bytes(&schema) }))
    }

    async fn do_get(&self, request: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        let ticket = String::from_utf8(request.get_ref().ticket.to_vec()).unwrap();
        self.0.admit(format!("DoGet {ticket}"), request.metadata())?;
        let number: usize = ticket.split(' ').next().unwrap().parse().unwrap();
        let behaviour = &self.0.behaviour;
        let endpoint = behaviour.endpoints.get(number).ok_or_else(|| Status::not_found("no such ticket"))?.clone();
        let options = behaviour.options.clone().unwrap_or_default();
        let messages = endpoint.raw.unwrap_or_else(|| {
            let schema = endpoint.schema.or_else(|| Some(endpoint.batches.first()?.schema().as_ref().clone()));
            flight_data(&schema.unwrap_or_else(Schema::empty), &endpoint.batches, &options)
        });
        let messages = stream::iter(messages.into_iter().map(Ok)).chain(stream::iter(endpoint.failure.map(Err)));
        Ok(Response::new(if endpoint.hangs { messages.chain(stream::pending()).boxed() } else { messages.boxed() }))
    }

    async fn do_put(&self, request: Request<Streaming<FlightData>>) -> Result<Response<Self::DoPutStream>, Status> {
        let metadata = request.metadata().clone();
        let mut data = request.into_inner();
        let first = data.message().await?.unwrap();
        let (name, named) = unpack(&first.flight_descriptor.clone().unwrap().cmd);
        let mut messages = vec![first];
        while let Some(message) = data.message().await? {
            messages.push(message);
        }
        if name == "CommandStatementUpdate" {
            self.0.admit(format!("DoPut {}", String::from_utf8(named).unwrap()), &metadata)?;
            return Ok(Response::new(stream::empty().boxed()));
        }
        let batches = arrow_flight::utils::flight_data_to_batches(&messages).unwrap();
        self.0.admit(format!("DoPut {:?}", batches[0].columns()), &metadata)?;
        let mut answer = Bytes::new();
        if self.0.behaviour.replaces_handle {
            let sql = self.0.prepared.lock().unwrap().remove(&named).unwrap();
            self.0.prepared.lock().unwrap().insert(b"with values".to_vec(), sql);
            answer = First { first: b"with values".to_vec() }.encode_to_vec().into();
        }
        Ok(Response::new(stream::iter([Ok(PutResult { app_metadata: answer })]).boxed()))
    }

    async fn do_action(&self, request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        let Action { r#type: name, body } = request.get_ref().clone();
        let behaviour = &self.0.behaviour;
        let mut line = format!("DoAction {name}");
        let answer: Vec<u8> = match name.as_str() {
            "CreatePreparedStatement" if !behaviour.no_prepared => {
                let (_, sql) = unpack(&body);
                self.0.prepared.lock().unwrap().insert(b"prepared".to_vec(), String::from_utf8(sql).unwrap());
                let value = Created {
                    handle: b"prepared".to_vec(),
                    dataset_schema: Vec::new(),
                    parameter_schema: behaviour
                        .parameters
                        .as_ref()
                        .map(|schema| schema_bytes(schema).into())
                        .unwrap_or_default(),
                };
                let type_url =
                    "type.googleapis.com/arrow.flight.protocol.sql.ActionCreatePreparedStatementResult".into();
                Any { type_url, value: value.encode_to_vec() }.encode_to_vec()
            }
            "ClosePreparedStatement" => {
                line = format!("{line} {}", String::from_utf8(unpack(&body).1).unwrap());
                Vec::new()
            }
            "CancelFlightInfo" => {
                let info = CancelFlightInfoRequest::decode(body).unwrap().info.unwrap();
                line = format!("{line} {}", String::from_utf8(info.app_metadata.to_vec()).unwrap());
                Vec::new()
            }
            "RenewFlightEndpoint" => {
                let mut endpoint = RenewFlightEndpointRequest::decode(body).unwrap().endpoint.unwrap();
                let ticket = String::from_utf8(endpoint.ticket.unwrap().ticket.to_vec()).unwrap();
                endpoint.ticket = Some(Ticket::new(format!("{ticket} renewed")));
                endpoint.expiration_time = None;
                endpoint.encode_to_vec()
            }
            "SetSessionOptions" if !behaviour.session.is_empty() => {
                let names = Options::decode(body).unwrap().options;
                let wrong = names.into_keys().filter(|name| !behaviour.session.contains(&name.as_str()));
                OptionErrors { errors: wrong.map(|name| (name, OptionError { value: 1 })).collect() }.encode_to_vec()
            }
            "CloseSession" => Vec::new(),
            _ => return Err(Status::unimplemented(name)),
        };
        self.0.admit(line, request.metadata())?;
        Ok(Response::new(stream::iter([Ok(arrow_flight::Result { body: answer.into() })]).boxed()))
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        Err(Status::unimplemented("ListFlights"))
    }

    async fn do_exchange(&self, _: Request<Streaming<FlightData>>) -> Result<Response<Self::DoExchangeStream>, Status> {
        Err(Status::unimplemented("DoExchange"))
    }

    async fn list_actions(&self, _: Request<Empty>) -> Result<Response<Self::ListActionsStream>, Status> {
        Err(Status::unimplemented("ListActions"))
    }
}
