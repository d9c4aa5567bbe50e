//! What clients put: parameters of queries, statements that change something, rows for tables.

use std::sync::Arc;
use std::time::Instant;

use arrow_flight::sql::{
    Command, CommandPreparedStatementQuery, CommandPreparedStatementUpdate, CommandStatementIngest,
    CommandStatementUpdate, DoPutPreparedStatementResult, DoPutUpdateResult, TableDefinitionOptions, TableExistsOption,
    TableNotExistOption,
};
use arrow_flight::{FlightData, PutResult};
use bowshot_core::{BatchRows, Cancel, Error, ErrorKind, Ingest, IngestMode, Params, Result};
use bowshot_sql::parameters;
use futures::{Stream, StreamExt, TryStreamExt};
use prost::Message;
use prost::bytes::Bytes;
use tonic::Status;

use crate::batches::put;
use crate::caller::Caller;
use crate::change::{no_parameters, read_only};
use crate::gateway::Inner;
use crate::parameters::read;
use crate::service::{command, unknown, unprepared};
use crate::status::{of_error, unimplemented};

impl Inner {
    /// Takes what a client puts.
    pub(crate) async fn put(
        self: &Arc<Self>,
        mut messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
        caller: &Caller,
    ) -> Result<PutResult, Status> {
        let first = messages.try_next().await?.ok_or_else(|| Status::invalid_argument("DoPut without a message"))?;
        let command = command(&first.flight_descriptor.clone().unwrap_or_default())?;
        let messages = futures::stream::iter([Ok(first)]).chain(messages);
        match command {
            Command::CommandPreparedStatementQuery(command) => self.bind(command, messages, caller).await,
            Command::CommandStatementUpdate(_)
            | Command::CommandPreparedStatementUpdate(_)
            | Command::CommandStatementIngest(_)
                if !self.is_writable() =>
            {
                Err(read_only(command.type_url().rsplit('.').next().unwrap_or_default()))
            }
            Command::CommandStatementUpdate(command) => self.update(command, caller).await,
            Command::CommandPreparedStatementUpdate(command) => self.run_update(command, messages, caller).await,
            Command::CommandStatementIngest(command) => self.take_rows(command, messages, caller).await,
            other => Err(unknown(&other)),
        }
    }

    /// Sets the parameters of a prepared statement.
    async fn bind(
        &self,
        command: CommandPreparedStatementQuery,
        messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
        caller: &Caller,
    ) -> Result<PutResult, Status> {
        let handle = command.prepared_statement_handle;
        let statement = self.statement(&handle, caller)?;
        let values = read(messages, self.limits.message_bytes).await?;
        if !self.statements.bind(statement, caller.user(), values, Instant::now()) {
            return Err(unprepared());
        }
        let result = DoPutPreparedStatementResult { prepared_statement_handle: Some(handle) };
        Ok(PutResult { app_metadata: result.encode_to_vec().into() })
    }

    /// Runs a statement that changes something.
    async fn update(self: &Arc<Self>, command: CommandStatementUpdate, caller: &Caller) -> Result<PutResult, Status> {
        refuse_transaction(command.transaction_id.as_ref())?;
        self.change(command.query, no_parameters(), Cancel::new(), caller).await.map(updated)
    }

    /// Runs a prepared statement that changes something, once for each row of parameters.
    async fn run_update(
        self: &Arc<Self>,
        command: CommandPreparedStatementUpdate,
        messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
        caller: &Caller,
    ) -> Result<PutResult, Status> {
        let statement = self.statement(&command.prepared_statement_handle, caller)?;
        let run = self.statements.run(statement, caller.user(), Instant::now()).ok_or_else(unprepared)?;
        let cancel = Cancel::new();
        let (schema, batches) = put(messages, self.limits.message_bytes, &cancel).await?;
        let rows: crate::change::Rows = match run.params {
            // They were bound before.
            Params::Positional(values) if schema.fields().is_empty() => Box::new(std::iter::once(Ok(values))),
            _ if parameters(&run.sql, self.dialect(caller.catalog().as_deref())) == 0 => no_parameters(),
            _ => Box::new(BatchRows::new(batches)),
        };
        self.change(run.sql, rows, cancel, caller).await.map(updated)
    }

    /// Puts rows into a table.
    async fn take_rows(
        self: &Arc<Self>,
        command: CommandStatementIngest,
        messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
        caller: &Caller,
    ) -> Result<PutResult, Status> {
        refuse_transaction(command.transaction_id.as_ref())?;
        if command.temporary {
            let message =
                "a temporary table would end with the session that makes it, which is that of the ingest alone";
            return Err(unimplemented(&format!("{message}; leave temporary out, and drop the table afterwards")));
        }
        let mode = mode(command.table_definition_options.as_ref()).map_err(|error| of_error(&error))?;
        let cancel = Cancel::new();
        let (columns, batches) = put(messages, self.limits.message_bytes, &cancel).await?;
        let schema = command.schema.filter(|schema| !schema.is_empty());
        let target = Ingest { schema, table: command.table, mode, columns };
        self.ingest(command.catalog, target, Box::new(batches), cancel, caller).await.map(updated)
    }
}

/// What becomes of the table, in the four words that ADBC has for it. Flight SQL has a default for none of them.
fn mode(options: Option<&TableDefinitionOptions>) -> Result<IngestMode> {
    let options = options.copied().unwrap_or_default();
    match (options.if_not_exist(), options.if_exists()) {
        (TableNotExistOption::Create, TableExistsOption::Fail) => Ok(IngestMode::Create),
        (TableNotExistOption::Create, TableExistsOption::Append) => Ok(IngestMode::CreateAppend),
        (TableNotExistOption::Create, TableExistsOption::Replace) => Ok(IngestMode::Replace),
        (TableNotExistOption::Fail, TableExistsOption::Append) => Ok(IngestMode::Append),
        _ => Err(Error::new(ErrorKind::Config, "it is not said what becomes of the table that rows are ingested into")
            .with_hint("ingest with one of the modes create, append, replace and create_append")),
    }
}

fn updated(rows: u64) -> PutResult {
    let record_count = i64::try_from(rows).unwrap_or(i64::MAX);
    PutResult { app_metadata: DoPutUpdateResult { record_count }.encode_to_vec().into() }
}

fn refuse_transaction(id: Option<&Bytes>) -> Result<(), Status> {
    match id.filter(|id| !id.is_empty()) {
        Some(_) => Err(unimplemented("there are no transactions of several statements: each is one of its own")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_modes_are_told_from_the_options() {
        let of = |if_not_exist: TableNotExistOption, if_exists: TableExistsOption| {
            let (if_not_exist, if_exists) = (if_not_exist.into(), if_exists.into());
            mode(Some(&TableDefinitionOptions { if_not_exist, if_exists }))
        };
        use {TableExistsOption as Exists, TableNotExistOption as Missing};
        assert_eq!(of(Missing::Create, Exists::Fail).unwrap(), IngestMode::Create);
        assert_eq!(of(Missing::Fail, Exists::Append).unwrap(), IngestMode::Append);
        assert_eq!(of(Missing::Create, Exists::Replace).unwrap(), IngestMode::Replace);
        assert_eq!(of(Missing::Create, Exists::Append).unwrap(), IngestMode::CreateAppend);
        for error in [of(Missing::Fail, Exists::Replace), of(Missing::Fail, Exists::Fail), mode(None)] {
            assert!(error.unwrap_err().to_string().contains("create_append"));
        }
    }
}
