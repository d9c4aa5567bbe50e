//! What was bound to a statement: rows of parameters, or rows for a table.

use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Error, ErrorKind, Result};

/// Rows that wait for the statement to run.
pub(crate) struct Bound {
    pub(crate) schema: SchemaRef,
    batches: Batches,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

impl Bound {
    /// One batch.
    pub(crate) fn batch(batch: RecordBatch) -> Self {
        let schema = batch.schema();
        Bound { schema, batches: Box::new(std::iter::once(checked(batch))) }
    }

    /// The batches of a stream, as the statement asks for them.
    pub(crate) fn stream(reader: Box<dyn RecordBatchReader + Send>) -> Self {
        let schema = reader.schema();
        let broken = |error| {
            Error::new(ErrorKind::Value, format!("the rows that were bound end with an error: {error}"))
                .with_hint("nothing was changed")
        };
        Bound { schema, batches: Box::new(reader.map(move |batch| batch.map_err(broken).and_then(checked))) }
    }

    /// The batches, until the work is to stop.
    pub(crate) fn into_batches(self, cancel: &Cancel) -> impl Iterator<Item = Result<RecordBatch>> + Send + use<> {
        let cancel = cancel.clone();
        self.batches.map(move |batch| cancel.check().and(batch))
    }
}

/// The batch, if it is valid: it comes from another program, and arrays are trusted from here on.
fn checked(batch: RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema();
    for (column, field) in batch.columns().iter().zip(schema.fields()) {
        column.to_data().validate_full().map_err(|error| {
            Error::new(ErrorKind::Value, format!("the rows that were bound are no valid Arrow data: {error}"))
                .with_column(field.name())
        })?;
    }
    Ok(batch)
}
