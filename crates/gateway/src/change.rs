//! Statements that change something, and rows for tables: each is a transaction of its own in its source.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_flight::{FlightDescriptor, FlightInfo};
use arrow_schema::{DataType, Schema, SchemaRef};
use bowshot_core::{Cancel, Error, ErrorKind, Ingest, Params, Result, Value, Writer};
use bowshot_gateway_access::TablePath;
use bowshot_gateway_monitor::Sent;
use bowshot_gateway_route::{ChangeRoute, Refused};
use bowshot_sql::{is_change, is_of_session};
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Inner;
use crate::query::{CancelOnDrop, info};
use crate::route::Asking;
use crate::status::{of_error, of_no_turn, of_refused};

/// The rows of parameters that a statement is run with, one after the other.
pub(crate) type Rows = Box<dyn Iterator<Item = Result<Vec<Value>>> + Send>;

/// The batches of rows for a table.
pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

impl Inner {
    /// Whether any source may be changed.
    pub(crate) fn is_writable(&self) -> bool {
        self.router.served().iter().any(bowshot_gateway_route::Served::is_writable)
    }

    /// Whether the caller may change something in some source.
    pub(crate) fn may_write(&self, caller: &Caller) -> bool {
        let rights = caller.session.identity().rights();
        self.router.served().iter().any(|served| served.is_writable() && rights.may_write_source(served.name()))
    }

    /// Whether a statement is one that this gateway runs as a change. Where no source is writable, all are queries.
    pub(crate) fn is_change(&self, sql: &str, caller: &Caller) -> bool {
        self.is_writable() && is_change(sql, self.dialect(caller.catalog().as_deref()))
    }

    /// Runs a statement once for each row of parameters; how many rows it changed.
    pub(crate) async fn change(
        self: &Arc<Self>,
        sql: String,
        rows: Rows,
        cancel: Cancel,
        caller: &Caller,
    ) -> Result<u64, Status> {
        let text = sql.clone();
        let changed = self.write(&text, cancel, caller, move |inner, asking, cancel| {
            let ChangeRoute { index, sql } = inner.route_change(&sql, asking, cancel)?;
            let mut rows = rows;
            let changed = inner.writer(index)?.update(&sql, &mut rows, cancel)?;
            Ok((changed, changed))
        });
        changed.await
    }

    /// Runs a statement that came as a query; the answer of a result without columns, which tells how many rows it changed.
    pub(crate) async fn answer_change(
        self: &Arc<Self>,
        sql: String,
        params: Params,
        caller: &Caller,
        descriptor: FlightDescriptor,
    ) -> Result<FlightInfo, Status> {
        let row = match params {
            Params::Positional(values) => values,
            Params::None | Params::Named(_) => Vec::new(),
        };
        let changed = self.change(sql, Box::new(std::iter::once(Ok(row))), Cancel::new(), caller).await?;
        let info = info(&no_columns(), descriptor)?;
        Ok(info.with_total_records(i64::try_from(changed).unwrap_or(i64::MAX)))
    }

    /// Whether the caller may send a statement; and what its source says of its parameters, if it has any.
    pub(crate) async fn describe_change(
        self: &Arc<Self>,
        sql: String,
        parameters: usize,
        caller: &Caller,
    ) -> Result<Vec<Option<DataType>>, Status> {
        let text = sql.clone();
        let routed = move |inner: &Inner, asking: &Asking, cancel: &Cancel| inner.route_change(&sql, asking, cancel);
        if parameters > 0 {
            let described = self.write(&text, Cancel::new(), caller, move |inner, asking, cancel| {
                let ChangeRoute { index, sql } = routed(inner, asking, cancel)?;
                Ok((inner.writer(index)?.parameters(&sql, cancel)?, 0))
            });
            return described.await;
        }
        // The database says what is wrong with it when it is run.
        let (inner, asking, cancel) = (Arc::clone(self), Asking::of(caller), Cancel::new());
        let _guard = CancelOnDrop::of(&cancel);
        let allowed = tokio::task::spawn_blocking(move || routed(&inner, &asking, &cancel).map(|_| Vec::new()));
        let allowed = allowed.await.unwrap_or_else(|_| Err(Refused::Error(panicked())));
        allowed.map_err(|refused| of_refused(&refused))
    }

    /// Puts rows into a table; how many they were.
    pub(crate) async fn ingest(
        self: &Arc<Self>,
        source: Option<String>,
        target: Ingest,
        batches: Batches,
        cancel: Cancel,
        caller: &Caller,
    ) -> Result<u64, Status> {
        let source = source.unwrap_or_default();
        let path = TablePath { source, schema: target.schema.clone(), table: target.table.clone() };
        // There is no statement of the client's that the history could show.
        let text = format!("INGEST INTO {} ({:?})", path.to_string().trim_start_matches('.'), target.mode);
        let ingested = self.write(&text, cancel, caller, move |inner, asking, cancel| {
            let (rights, preferred) = (asking.rights(), asking.preferred());
            let index = inner.router.route_ingest(&path, preferred, rights, &inner.catalogs, cancel)?;
            let mut batches = batches;
            let count = inner.writer(index)?.ingest(&target, &mut batches, cancel)?;
            Ok((count, count))
        });
        ingested.await
    }

    fn route_change(&self, sql: &str, asking: &Asking, cancel: &Cancel) -> Result<ChangeRoute, Refused> {
        if is_of_session(sql, self.dialect(asking.preferred())) {
            let message = "each statement has a session and a transaction of its own, which this one would be about";
            return Err(Refused::Error(Error::new(ErrorKind::Unsupported, message).with_hint(
                "send the statements alone, many rows as parameters of one, or ingest them; each happens whole or not at all",
            )));
        }
        self.router.route_change(sql, asking.preferred(), asking.rights(), &self.catalogs, cancel)
    }

    fn writer(&self, index: usize) -> Result<&dyn Writer> {
        let served = self.sources.get(index);
        served.ok_or_else(|| Error::new(ErrorKind::Internal, "there is no such source"))?.source.writer()
    }

    /// Lets something in that changes a source, and does it when its turn comes: `work` says what came of it, and how many rows were
    /// changed. A caller who gives up ends it, and so does the limit of time; then nothing has happened.
    async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        text: &str,
        cancel: Cancel,
        caller: &Caller,
        work: impl FnOnce(&Inner, &Asking, &Cancel) -> Result<(T, u64), Refused> + Send + 'static,
    ) -> Result<T, Status> {
        let guard = CancelOnDrop::of(&cancel);
        let admitted = self.admit(caller.statement(text), &cancel).await.map_err(|reason| of_no_turn(&reason))?;
        let (inner, asking, doing) = (Arc::clone(self), Asking::of(caller), cancel.clone());
        let mut task = tokio::task::spawn_blocking(move || work(&inner, &asking, &doing));
        let in_time = match self.limits.query_time {
            Some(limit) => tokio::time::timeout(limit, &mut task).await.map_err(|_| limit),
            None => Ok((&mut task).await),
        };
        let (outcome, late) = match in_time {
            Ok(outcome) => (outcome, None),
            Err(limit) => {
                // Telling the source may block. Its last word counts: the change may have been done by now.
                drop(tokio::task::spawn_blocking(move || cancel.cancel()));
                (task.await, Some(limit))
            }
        };
        guard.disarm_if(true);
        let outcome = outcome.unwrap_or_else(|_| Err(Refused::Error(panicked())));
        let (outcome, rows) = outcome.map_err(|refused| {
            let refused = match late {
                Some(limit) if refused.error().kind() == ErrorKind::Cancelled => Refused::Error(too_late(limit)),
                _ => refused,
            };
            admitted.running.failed(refused.error());
            of_refused(&refused)
        })?;
        admitted.running.planned(1, "it changes something, in one transaction", None);
        let mut reading = admitted.running.endpoint(0);
        reading.opened();
        reading.sent(&Sent { rows, bytes: 0, wire_bytes: 0, waited: Duration::ZERO, codec: "none" });
        reading.done();
        Ok(outcome)
    }
}

/// What a statement without parameters is run with.
pub(crate) fn no_parameters() -> Rows {
    Box::new(std::iter::once(Ok(Vec::new())))
}

/// The columns of what returns no rows.
pub(crate) fn no_columns() -> SchemaRef {
    Arc::new(Schema::empty())
}

fn too_late(limit: Duration) -> Error {
    let message = format!("the statement took longer than the gateway's limit, {limit:?}; nothing was changed");
    Error::new(ErrorKind::Timeout, message).with_hint("send less at a time, or ask for a higher limit")
}

fn panicked() -> Error {
    Error::new(ErrorKind::Internal, "a change panicked; please report this")
}

/// What a client is told whose command changes something, where nothing is writable.
pub(crate) fn read_only(command: &str) -> Status {
    let message = format!("{command} changes something, and no source of this gateway is writable");
    let hint = "who runs it can set writable = true for a source; or use the database's own client";
    of_error(&Error::new(ErrorKind::Unsupported, message).with_hint(hint))
}
