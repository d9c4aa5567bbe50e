//! Flight's calls, each handed to who answers it.

use std::sync::Arc;
use std::time::Instant;

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::{Any, Command};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightEndpoint, FlightInfo, HandshakeRequest,
    HandshakeResponse, PollInfo, PutResult, SchemaResult, Ticket,
};
use bowshot_core::Params;
use bowshot_gateway_access::Now;
use bowshot_gateway_wire::{presented, schema_bytes};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use prost::Message;
use prost::bytes::Bytes;
use tonic::metadata::AsciiMetadataValue;
use tonic::{Request, Response, Status, Streaming};

use crate::caller::{Caller, authorization, peer};
use crate::columns::shown;
use crate::fetch::{Messages, messages_of};
use crate::gateway::Inner;
use crate::prepared::Run;
use crate::query::info;
use crate::status::{malformed, of_error, of_refusal, unimplemented};
use crate::{actions, metadata};

/// A stream of answers.
type Answers<T> = BoxStream<'static, Result<T, Status>>;

/// The gateway as a Flight service. Written out here, since arrow-flight's own `FlightSqlService` answers neither `GetSchema`
/// nor `PollFlightInfo`.
pub(crate) struct Service(pub(crate) Arc<Inner>);

#[tonic::async_trait]
impl FlightService for Service {
    type HandshakeStream = Answers<HandshakeResponse>;
    type ListFlightsStream = Answers<FlightInfo>;
    type DoGetStream = Answers<FlightData>;
    type DoPutStream = Answers<PutResult>;
    type DoExchangeStream = Answers<FlightData>;
    type DoActionStream = Answers<arrow_flight::Result>;
    type ListActionsStream = Answers<ActionType>;

    async fn handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        let header = authorization(&request)?.map(str::to_owned);
        let (inner, peer) = (Arc::clone(&self.0), peer(&request));
        // Checking a password costs a while, on purpose.
        let checked = tokio::task::spawn_blocking(move || inner.access.handshake(header.as_deref(), peer, Now::read()));
        let checked = checked.await.map_err(|_| Status::internal("the login panicked; please report this"))?;
        let (token, _) = checked.map_err(|refusal| {
            self.0.monitor.login_refused();
            of_refusal(&refusal)
        })?;
        let answer = HandshakeResponse { protocol_version: 0, payload: Bytes::from(token.reveal().to_owned()) };
        let mut response = Response::new(futures::stream::iter([Ok(answer)]).boxed());
        let header: AsciiMetadataValue =
            token.header().parse().map_err(|_| Status::internal("a token is no header"))?;
        response.metadata_mut().insert("authorization", header);
        Ok(response)
    }

    async fn get_flight_info(&self, request: Request<FlightDescriptor>) -> Result<Response<FlightInfo>, Status> {
        let caller = Caller::of(&request, &self.0.access)?;
        let descriptor = request.into_inner();
        self.info(descriptor, &caller).await.map(Response::new)
    }

    async fn poll_flight_info(&self, request: Request<FlightDescriptor>) -> Result<Response<PollInfo>, Status> {
        let caller = Caller::of(&request, &self.0.access)?;
        // Planned is ready: the endpoints are known, and each yields its batches as they come.
        let info = self.info(request.into_inner(), &caller).await?;
        let done = PollInfo::new().with_info(info).try_with_progress(1.0);
        Ok(Response::new(done.map_err(|error| Status::internal(error.to_string()))?))
    }

    async fn get_schema(&self, request: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        let caller = Caller::of(&request, &self.0.access)?;
        let schema = match command(&request.into_inner())? {
            Command::CommandStatementQuery(command) => self.0.columns(command.query, Params::None, &caller).await?.0,
            Command::CommandPreparedStatementQuery(command) => {
                let statement = self.0.statement(&command.prepared_statement_handle, &caller)?;
                let schema = self.0.statements.schema(statement, caller.user(), Instant::now());
                schema.ok_or_else(unprepared)?
            }
            other => {
                let columns = metadata::columns(&other).ok_or_else(|| unknown(&other))?;
                let schema = schema_bytes(&presented(&columns, caller.client)).map_err(|error| of_error(&error))?;
                return Ok(Response::new(SchemaResult { schema }));
            }
        };
        let schema = schema_bytes(&shown(&schema, caller.client)).map_err(|error| of_error(&error))?;
        Ok(Response::new(SchemaResult { schema }))
    }

    async fn do_get(&self, request: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        // What the trait asks for; `answer.rs` stands in front of it and sends the pieces.
        Ok(self.messages(request).await?.map(|messages| messages.map_ok(FlightData::from).boxed()))
    }

    async fn do_action(&self, request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        let caller = Caller::of(&request, &self.0.access)?;
        let header = authorization(&request)?.map(str::to_owned);
        let answer = self.0.act(request.into_inner(), &caller, header.as_deref()).await?;
        let answers = answer.into_iter().map(|body| Ok(arrow_flight::Result { body }));
        Ok(Response::new(futures::stream::iter(answers.collect::<Vec<_>>()).boxed()))
    }

    async fn list_actions(&self, request: Request<Empty>) -> Result<Response<Self::ListActionsStream>, Status> {
        Caller::of(&request, &self.0.access)?;
        Ok(Response::new(futures::stream::iter(actions::list().map(Ok).collect::<Vec<_>>()).boxed()))
    }

    async fn do_put(&self, request: Request<Streaming<FlightData>>) -> Result<Response<Self::DoPutStream>, Status> {
        let caller = Caller::of(&request, &self.0.access)?;
        let answer = self.0.put(request.into_inner(), &caller).await?;
        Ok(Response::new(futures::stream::iter([Ok(answer)]).boxed()))
    }

    async fn list_flights(&self, request: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        Caller::of(&request, &self.0.access)?;
        Err(unimplemented("ListFlights lists nothing: tables are asked for with GetTables"))
    }

    async fn do_exchange(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        Caller::of(&request, &self.0.access)?;
        Err(unimplemented("DoExchange exchanges nothing"))
    }
}

impl Service {
    /// The messages that a ticket stands for.
    pub(crate) async fn messages(&self, request: Request<Ticket>) -> Result<Response<Messages>, Status> {
        let caller = Caller::of(&request, &self.0.access)?;
        let ticket = request.into_inner().ticket;
        // The ticket of a command about metadata is the command itself: it holds nothing, and may be used again.
        let command = Any::decode(ticket.clone()).ok().and_then(|any| Command::try_from(any).ok());
        let messages = match command.filter(|command| metadata::columns(command).is_some()) {
            None => self.0.fetch(&ticket, &caller)?,
            Some(command) => {
                let caller = Arc::new(caller);
                messages_of(&self.0.describe(command, Arc::clone(&caller)).await?, &caller)?
            }
        };
        Ok(Response::new(messages))
    }

    async fn info(&self, descriptor: FlightDescriptor, caller: &Caller) -> Result<FlightInfo, Status> {
        match command(&descriptor)? {
            Command::CommandStatementQuery(command) => {
                self.0.answer(command.query, Params::None, caller, descriptor).await
            }
            Command::CommandPreparedStatementQuery(command) => {
                let run = self.run(&command.prepared_statement_handle, caller)?;
                match run.planned {
                    // Preparing it has planned it, a moment ago.
                    Some(planned) => self.0.offer(planned, caller, descriptor),
                    None => self.0.answer(run.sql, run.params, caller, descriptor).await,
                }
            }
            other => {
                let columns = metadata::columns(&other).ok_or_else(|| unknown(&other))?;
                let ticket = Ticket::new(descriptor.cmd.clone());
                let info = info(&presented(&columns, caller.client), descriptor)?;
                Ok(info.with_endpoint(FlightEndpoint::new().with_ticket(ticket)))
            }
        }
    }

    /// What the next run of a prepared statement needs.
    fn run(&self, handle: &[u8], caller: &Caller) -> Result<Run, Status> {
        let statement = self.0.statement(handle, caller)?;
        let run = self.0.statements.run(statement, caller.user(), Instant::now());
        run.ok_or_else(unprepared)
    }
}

/// The command that a descriptor holds.
pub(crate) fn command(descriptor: &FlightDescriptor) -> Result<Command, Status> {
    let any = Any::decode(descriptor.cmd.clone()).map_err(|error| malformed("the command", error))?;
    Command::try_from(any).map_err(|error| malformed("the command", error))
}

pub(crate) fn unknown(command: &Command) -> Status {
    unimplemented(&format!("{} is not answered", command.type_url()))
}

pub(crate) fn unprepared() -> Status {
    Status::not_found("there is no such prepared statement any more: prepare it again")
}
