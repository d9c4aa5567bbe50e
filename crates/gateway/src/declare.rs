//! `DECLARE`, `FETCH` and `CLOSE`, answered: see [`crate::cursors`].

use std::sync::Arc;
use std::time::Instant;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_flight::{FlightDescriptor, FlightInfo};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Cancel, Plan, Result as CoreResult};

use tonic::Status;

use crate::caller::Caller;
use crate::columns::shown;
use crate::cursors::{Cursor, gone};
use crate::gateway::Inner;
use crate::query::{Planned, info};
use crate::status::of_error;

impl Inner {
    /// Keeps a planned query under a name; the answer says which, and how many endpoints it has.
    pub(crate) fn declare(
        &self,
        name: &str,
        planned: Planned,
        count: usize,
        caller: &Caller,
    ) -> Result<Planned, Status> {
        let (schema, cancel) = (Arc::clone(&planned.plan.schema), planned.cancel.clone());
        let (result, endpoints) = self.keep(planned, Some(count), caller)?;
        let is_known = |id| self.results.is_known(id);
        let declared = self.cursors.declare(caller.user(), name, Cursor { result, schema, endpoints, count }, is_known);
        if declared.is_err() {
            self.results.cancel(result, caller.user());
            cancel.cancel();
        }
        declared.and_then(|()| told(name, endpoints)).map_err(|error| of_error(&error))
    }

    /// Ends the result that a name stands for.
    pub(crate) fn close(&self, name: &str, caller: &Caller) -> Result<Planned, Status> {
        let closed = self.cursors.close(caller.user(), name).and_then(|cursor| {
            self.results.cancel(cursor.result, caller.user());
            told(name, 0)
        });
        closed.map_err(|error| of_error(&error))
    }

    /// Where one endpoint of a named result is fetched.
    pub(crate) fn fetch_of(
        &self,
        name: &str,
        index: usize,
        caller: &Caller,
        descriptor: FlightDescriptor,
    ) -> Result<FlightInfo, Status> {
        let failed = |error| of_error(&error);
        let cursor = self.cursors.get(caller.user(), name).map_err(failed)?;
        if index >= cursor.count {
            let message = format!("\"{name}\" was declared INTO {}: connections count from 0", cursor.count);
            return Err(Status::invalid_argument(message));
        }
        let schema = shown(&cursor.schema, caller.client);
        if index >= cursor.endpoints {
            // The result has fewer parts than were asked for: this one has no rows.
            return self.offer(nothing(&cursor.schema), caller, descriptor);
        }
        let now = Instant::now();
        if !self.results.renew(cursor.result, caller.user(), now, now + self.limits.ticket_lifetime) {
            return Err(failed(gone(name)));
        }
        let endpoint = u32::try_from(index).unwrap_or(u32::MAX);
        self.tickets(cursor.result, endpoint..endpoint.saturating_add(1), info(&schema, descriptor)?, caller)
    }
}

/// The columns of the answer to `DECLARE` and `CLOSE`: the cursor's name, and how many endpoints it has now.
pub(crate) fn told_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("cursor", DataType::Utf8, false),
        Field::new("endpoints", DataType::Int64, false),
    ]))
}

fn told(name: &str, endpoints: usize) -> CoreResult<Planned> {
    let endpoints = i64::try_from(endpoints).unwrap_or(i64::MAX);
    let columns: Vec<arrow_array::ArrayRef> =
        vec![Arc::new(StringArray::from(vec![name])), Arc::new(Int64Array::from(vec![endpoints]))];
    let batch = RecordBatch::try_new(told_schema(), columns)?;
    Ok(at_once(Plan::ready(batch, "the gateway itself knows the answer")))
}

/// A part without rows.
fn nothing(schema: &SchemaRef) -> Planned {
    let batch = RecordBatch::new_empty(Arc::clone(schema));
    at_once(Plan { partitions: Vec::new(), ..Plan::ready(batch, "the part is empty") })
}

fn at_once(plan: Plan) -> Planned {
    Planned { plan, cancel: Cancel::new(), is_ordered: false, work: None, origin: None }
}
