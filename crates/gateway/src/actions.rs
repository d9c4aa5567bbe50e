//! Flight's actions: prepared statements, ending and renewing results, the session.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use arrow_flight::sql::{
    ActionCancelQueryRequest, ActionCancelQueryResult, ActionClosePreparedStatementRequest,
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, Any, ProstMessageExt,
};
use arrow_flight::{
    Action, ActionType, CancelFlightInfoRequest, CancelFlightInfoResult, CancelStatus, FlightEndpoint, FlightInfo,
    RenewFlightEndpointRequest, Ticket,
};
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Params, Value};
use bowshot_gateway_access::{Claim, Handle};
use bowshot_gateway_wire::schema_bytes;
use bowshot_sql::parameters;
use prost::Message;
use prost::bytes::Bytes;
use prost_types::Timestamp;
use tonic::Status;

use crate::caller::Caller;
use crate::change::no_columns;
use crate::columns::shown;
use crate::gateway::Inner;
use crate::parameters::parameter_schema;
use crate::query::{Planned, new_id};
use crate::results::Id;
use crate::session_options;
use crate::status::{malformed, of_error, of_refusal, unimplemented};

/// The actions that are answered, and what they do.
const ACTIONS: [(&str, &str); 8] = [
    ("CreatePreparedStatement", "Prepares a query."),
    ("ClosePreparedStatement", "Forgets a prepared query."),
    ("CancelFlightInfo", "Ends a query, whoever reads it."),
    ("CancelQuery", "Ends a query, as clients before CancelFlightInfo do."),
    ("RenewFlightEndpoint", "Keeps an endpoint for longer, and its result to be fetched again where the source can."),
    ("SetSessionOptions", "Sets options of the session: catalog, bowshot-endpoints, bowshot-compression."),
    ("GetSessionOptions", "Tells the options of the session."),
    ("CloseSession", "Ends the session of the bearer."),
];

/// What `ListActions` says.
pub(crate) fn list() -> impl Iterator<Item = ActionType> {
    ACTIONS.into_iter().map(|(name, description)| ActionType { r#type: name.into(), description: description.into() })
}

impl Inner {
    /// Does what an action asks; its answer, if it has one.
    pub(crate) async fn act(
        self: &Arc<Self>,
        action: Action,
        caller: &Caller,
        authorization: Option<&str>,
    ) -> Result<Option<Bytes>, Status> {
        match action.r#type.as_str() {
            "CreatePreparedStatement" => self.prepare(unpacked(&action.body)?, caller).await.map(Some),
            "ClosePreparedStatement" => {
                let request: ActionClosePreparedStatementRequest = unpacked(&action.body)?;
                self.statements.close(self.statement(&request.prepared_statement_handle, caller)?, caller.user());
                Ok(None)
            }
            "CancelFlightInfo" => {
                let request: CancelFlightInfoRequest = message("CancelFlightInfo", action.body)?;
                self.cancel(request.info.unwrap_or_default(), caller).map(Some)
            }
            "CancelQuery" => {
                let request: ActionCancelQueryRequest = unpacked(&action.body)?;
                let cancelled = self.cancel(message("the query's FlightInfo", request.info)?, caller)?;
                // CancelFlightInfoResult's numbers: both enumerations begin alike.
                let status = CancelFlightInfoResult::decode(cancelled).map(|cancelled| cancelled.status);
                let result = status.map_err(|error| malformed("the answer", error))?;
                Ok(Some(ActionCancelQueryResult { result }.as_any().encode_to_vec().into()))
            }
            "RenewFlightEndpoint" => {
                let request: RenewFlightEndpointRequest = message("RenewFlightEndpoint", action.body)?;
                self.renew(request.endpoint.unwrap_or_default(), caller).await.map(Some)
            }
            "SetSessionOptions" => {
                if !caller.session.is_kept() {
                    let message = "this call has no session that could keep options";
                    return Err(Status::failed_precondition(format!("{message}: log in first (any name will do)")));
                }
                let request = message("SetSessionOptions", action.body)?;
                let is_source = |name: &str| self.sources.iter().any(|served| served.name == name);
                let result = session_options::set(&mut caller.session.options(), request, is_source);
                Ok(Some(result.encode_to_vec().into()))
            }
            "GetSessionOptions" => Ok(Some(session_options::get(&caller.session.options()).encode_to_vec().into())),
            "CloseSession" => {
                self.access.close(authorization);
                // CloseSessionResult { status: CLOSED }.
                Ok(Some(Bytes::from_static(&[0x08, 0x01])))
            }
            other => Err(unimplemented(&format!("there is no action \"{other}\""))),
        }
    }

    async fn prepare(
        self: &Arc<Self>,
        request: ActionCreatePreparedStatementRequest,
        caller: &Caller,
    ) -> Result<Bytes, Status> {
        let sql = request.query;
        let dialect = self.dialect(caller.catalog().as_deref());
        let mut count = parameters(&sql, dialect);
        if self.is_change(&sql, caller) {
            let types = self.describe_change(sql.clone(), count, caller).await?;
            return self.prepared(Preparing { sql, schema: no_columns(), planned: None, count, types }, caller);
        }
        // The columns do not depend on the values.
        let nulls = Params::Positional(vec![Value::Null; count]);
        let (schema, planned) = match self.columns(sql.clone(), nulls, caller).await {
            Ok(described) => described,
            // PostgreSQL's JSON has operators of question marks, which look like parameters.
            Err(error) if count > 0 => {
                count = 0;
                self.columns(sql.clone(), Params::None, caller).await.map_err(|_| error)?
            }
            Err(error) => return Err(error),
        };
        let types = planned.as_ref().map(|planned| planned.plan.scan.parameters()).unwrap_or_default();
        let planned = planned.filter(|_| count == 0);
        self.prepared(Preparing { sql, schema, planned, count, types }, caller)
    }

    /// Keeps a statement that was prepared, and says what the client must know of it.
    fn prepared(&self, preparing: Preparing, caller: &Caller) -> Result<Bytes, Status> {
        let Preparing { sql, schema, planned, count, types } = preparing;
        let dataset_schema = schema_bytes(&shown(&schema, caller.client)).map_err(|error| of_error(&error))?;
        let parameter_schema = parameter_schema(count, &types, caller.client);
        let parameter_schema = schema_bytes(&parameter_schema).map_err(|error| of_error(&error))?;
        let statement = new_id()?;
        if !self.statements.add(statement, caller.user(), sql, schema, planned, Instant::now()) {
            return Err(Status::resource_exhausted("too many prepared statements are open: close some"));
        }
        let handle = self.access.tickets().seal_handle(&Handle { statement, user: caller.user().to_owned() });
        let prepared_statement_handle = handle.into();
        let result =
            ActionCreatePreparedStatementResult { prepared_statement_handle, dataset_schema, parameter_schema };
        Ok(result.as_any().encode_to_vec().into())
    }

    /// The statement that a handle stands for.
    pub(crate) fn statement(&self, handle: &[u8], caller: &Caller) -> Result<Id, Status> {
        let handle = self.access.tickets().open_handle(handle).map_err(|error| of_refusal(&error.into()))?;
        self.access.admit(&handle.user, caller.session.identity()).map_err(|refusal| of_refusal(&refusal))?;
        Ok(handle.statement)
    }

    fn cancel(&self, info: FlightInfo, caller: &Caller) -> Result<Bytes, Status> {
        let endpoint = info.endpoint.into_iter().next().unwrap_or_default();
        let claim = self.claim(&endpoint, caller)?;
        let status = match self.results.cancel(claim.query, &claim.user) {
            true => CancelStatus::Cancelled,
            false => CancelStatus::NotCancellable,
        };
        Ok(CancelFlightInfoResult::new(status).encode_to_vec().into())
    }

    /// Keeps an endpoint for longer. Where nobody has begun to fetch the result and its source can hold the snapshot, its endpoints can be
    /// fetched again from then on: who renews has given them to somebody who may need them twice.
    async fn renew(&self, endpoint: FlightEndpoint, caller: &Caller) -> Result<Bytes, Status> {
        let claim = self.claim(&endpoint, caller)?;
        if let Some((whole, cancel)) = self.results.whole(claim.query, &claim.user) {
            let limits = self.limits.clone();
            let held = tokio::task::spawn_blocking(move || whole.hold(&limits, &cancel)).await;
            // Without it, an endpoint is handed out once.
            match held {
                Ok(Ok(again)) => self.results.keep(claim.query, again),
                Ok(Err(error)) => tracing::info!(%error, "a result cannot be fetched again"),
                Err(error) => tracing::warn!(%error, "holding the snapshot of a result failed"),
            }
        }
        let (now, lifetime) = (Instant::now(), self.limits.ticket_lifetime);
        if !self.results.renew(claim.query, &claim.user, now, now + lifetime) {
            return Err(Status::not_found("there is no such result any more: run the query again"));
        }
        let expires = SystemTime::now() + lifetime;
        let ticket = self.access.tickets().seal(&Claim { expires, ..claim });
        let renewed = endpoint.with_ticket(Ticket::new(ticket)).with_expiration_time(Timestamp::from(expires));
        Ok(renewed.encode_to_vec().into())
    }

    /// What an endpoint's ticket stands for.
    fn claim(&self, endpoint: &FlightEndpoint, caller: &Caller) -> Result<Claim, Status> {
        let ticket = endpoint.ticket.as_ref().map(|ticket| ticket.ticket.clone()).unwrap_or_default();
        self.open(&ticket, caller)
    }
}

/// A statement that is being prepared.
struct Preparing {
    sql: String,
    /// The columns of its result.
    schema: SchemaRef,
    /// What its first run needs.
    planned: Option<Planned>,
    /// How many parameters it has.
    count: usize,
    /// Their types, as far as they are known.
    types: Vec<Option<DataType>>,
}

fn message<M: Message + Default>(name: &str, body: Bytes) -> Result<M, Status> {
    M::decode(body).map_err(|error| malformed(name, error))
}

/// A message under its name, as Flight SQL's actions have it.
fn unpacked<M: ProstMessageExt>(body: &Bytes) -> Result<M, Status> {
    let any: Any = message("the action", body.clone())?;
    any.unpack()
        .map_err(|error| malformed("the action", error))?
        .ok_or_else(|| Status::invalid_argument(format!("the action's body is a {}", any.type_url)))
}
