//! One execution of a query: asked for, and where its result is to be had.

use arrow_flight::{Action, FlightDescriptor, FlightInfo, SchemaResult};
use arrow_schema::Schema;
use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};
use bytes::Bytes;
use prost::Message;
use tonic::codegen::tokio_stream;
use tonic::{Code, Request};

use crate::channel::{Channel, Client};
use crate::error::{failed, protocol};
use crate::messages::{
    ActionClosePreparedStatementRequest, ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult,
    CommandPreparedStatementQuery, CommandStatementQuery, DoPutPreparedStatementResult, Named,
};
use crate::parameters;
use crate::schema;
use crate::uri::{Address, Target};

/// A query that the server has run, or runs.
pub(crate) struct Execution {
    pub(crate) info: FlightInfo,
    /// What names the query again.
    pub(crate) descriptor: FlightDescriptor,
    /// The prepared statement that has to be closed.
    pub(crate) handle: Option<Bytes>,
}

/// Has the server run `sql`, once.
pub(crate) fn execute(
    channel: &Channel,
    target: &Target,
    sql: &str,
    values: &[Value],
    cancel: &Cancel,
) -> Result<Execution> {
    let call = Call { client: channel.client(), address: channel.address(), target };
    channel.wait(cancel, target.query_timeout, "the query", call.execute(sql, values))
}

/// The schema of what a query returns, without running it where the server can do that; `None` where it does not say.
pub(crate) fn schema_of(
    channel: &Channel,
    target: &Target,
    descriptor: &FlightDescriptor,
    cancel: &Cancel,
) -> Result<Option<Schema>> {
    channel.wait(cancel, target.query_timeout, "the question for the query's columns", async {
        match channel.client().get_schema(descriptor.clone()).await {
            Ok(answer) => {
                let SchemaResult { schema } = answer.into_inner();
                schema::read(&schema, channel.address())
            }
            Err(status) if status.code() == Code::Unimplemented => Ok(None),
            Err(status) => Err(failed(status, channel.address())),
        }
    })
}

/// Names a query that has no parameters.
pub(crate) fn descriptor(sql: &str) -> FlightDescriptor {
    FlightDescriptor::new_cmd(CommandStatementQuery { query: sql.to_owned() }.packed())
}

/// Has the server forget a prepared statement. Errors are of no use to anybody.
pub(crate) async fn close(client: &mut Client, handle: Bytes) {
    let body = ActionClosePreparedStatementRequest { handle }.packed();
    let action = Action { r#type: "ClosePreparedStatement".into(), body };
    if let Ok(answers) = client.do_action(action).await {
        let mut answers = answers.into_inner();
        while let Ok(Some(_)) = answers.message().await {}
    }
}

struct Call<'a> {
    client: Client,
    address: &'a Address,
    target: &'a Target,
}

impl Call<'_> {
    async fn execute(mut self, sql: &str, values: &[Value]) -> Result<Execution> {
        if values.is_empty() {
            let descriptor = descriptor(sql);
            match self.ask(&descriptor).await {
                // Some servers know prepared queries only.
                Err(error) if error.kind() == ErrorKind::Unsupported => {
                    return self.prepared(sql, values).await.map_err(|second| match second.kind() {
                        ErrorKind::Unsupported => error,
                        _ => second,
                    });
                }
                asked => return asked.map(|info| Execution { info, descriptor, handle: None }),
            }
        }
        self.prepared(sql, values).await
    }

    async fn prepared(&mut self, sql: &str, values: &[Value]) -> Result<Execution> {
        let mut prepared = self.prepare(sql).await.map_err(|error| match error.kind() {
            ErrorKind::Unsupported if !values.is_empty() => {
                Error::new(ErrorKind::Unsupported, "the server takes no parameters: it has no prepared statements")
                    .with_hint("write the values into the query")
            }
            _ => error,
        })?;
        match self.run(&mut prepared, values).await {
            Ok(mut execution) => {
                execution.handle = Some(prepared.handle);
                Ok(execution)
            }
            Err(error) => {
                close(&mut self.client, prepared.handle).await;
                Err(error)
            }
        }
    }

    async fn prepare(&mut self, sql: &str) -> Result<ActionCreatePreparedStatementResult> {
        let body = ActionCreatePreparedStatementRequest { query: sql.to_owned() }.packed();
        let action = Action { r#type: "CreatePreparedStatement".into(), body };
        let mut answers =
            self.client.do_action(action).await.map_err(|status| failed(status, self.address))?.into_inner();
        let answer = answers.message().await.map_err(|status| failed(status, self.address))?;
        answer
            .and_then(|answer| ActionCreatePreparedStatementResult::unpacked(answer.body))
            .ok_or_else(|| protocol(self.address, "no prepared statement where one was to be made"))
    }

    async fn run(&mut self, prepared: &mut ActionCreatePreparedStatementResult, values: &[Value]) -> Result<Execution> {
        let command = |handle: &Bytes| CommandPreparedStatementQuery { handle: handle.clone() }.packed();
        if !values.is_empty() {
            // A schema of parameters that cannot be read is as good as none: the server judges the values.
            let expected = schema::read(&prepared.parameter_schema, self.address).unwrap_or_default();
            let descriptor = FlightDescriptor::new_cmd(command(&prepared.handle));
            let messages = parameters::messages(values, expected.as_ref(), descriptor)?;
            let answers = self.client.do_put(tokio_stream::iter(messages)).await;
            let mut answers = answers.map_err(|status| failed(status, self.address))?.into_inner();
            while let Some(answer) = answers.message().await.map_err(|status| failed(status, self.address))? {
                // Servers without a memory put the values into a new name of the statement.
                if let Ok(DoPutPreparedStatementResult { handle: Some(handle) }) =
                    DoPutPreparedStatementResult::decode(answer.app_metadata)
                {
                    prepared.handle = handle;
                }
            }
        }
        let descriptor = FlightDescriptor::new_cmd(command(&prepared.handle));
        let info = self.ask(&descriptor).await?;
        Ok(Execution { info, descriptor, handle: None })
    }

    /// Asks where the result is to be had: with one call, or again and again until the query has run. A server that lacks
    /// the one way is asked the other way.
    async fn ask(&mut self, descriptor: &FlightDescriptor) -> Result<FlightInfo> {
        let first = if self.target.poll { self.poll(descriptor).await } else { self.get(descriptor).await };
        match first {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                let second = if self.target.poll { self.get(descriptor).await } else { self.poll(descriptor).await };
                second.map_err(|second| if second.kind() == ErrorKind::Unsupported { error } else { second })
            }
            first => first,
        }
    }

    async fn get(&mut self, descriptor: &FlightDescriptor) -> Result<FlightInfo> {
        let answer = self.client.get_flight_info(self.request(descriptor)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| failed(status, self.address))
    }

    async fn poll(&mut self, descriptor: &FlightDescriptor) -> Result<FlightInfo> {
        let mut next = descriptor.clone();
        loop {
            let answer = self.client.poll_flight_info(self.request(&next)).await;
            let answer = answer.map_err(|status| failed(status, self.address))?.into_inner();
            match (answer.flight_descriptor, answer.info) {
                (Some(descriptor), _) => next = descriptor,
                (None, Some(info)) => return Ok(info),
                (None, None) => return Err(protocol(self.address, "the end of a query without its result")),
            }
        }
    }

    /// The question, and until when we wait for its answer.
    fn request(&self, descriptor: &FlightDescriptor) -> Request<FlightDescriptor> {
        let mut request = Request::new(descriptor.clone());
        if let Some(limit) = self.target.query_timeout {
            request.set_timeout(limit);
        }
        request
    }
}
