//! A batch as a client is shown it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use bowshot_core::{Error, ErrorKind, Result, format_type};

use crate::nested::with_children;

/// The batch with the columns that were announced; what a client reads as it is, is not copied.
///
/// Views, dictionaries and run-end encoded columns become what [`presented`](crate::presented) says of them, and nothing else changes: a batch whose columns
/// are others would break the client, which trusts the schema of `FlightInfo`.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatch, StringViewArray};
/// use bowshot_gateway_wire::{Client, present, presented};
///
/// let views = Arc::new(StringViewArray::from(vec!["a text of more than twelve bytes"]));
/// let batch = RecordBatch::try_from_iter([("text", views as _)])?;
/// let schema = presented(&batch.schema(), Client::of(None));
/// assert_eq!(present(&batch, &schema)?.schema(), schema);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Of kind [`Internal`](ErrorKind::Internal), with the column's name: the batch has another column than was announced, or a NULL where
/// none was. Of kind [`Unsupported`](ErrorKind::Unsupported): one batch holds more than 2 GiB of text in a column of views.
pub fn present(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    if Arc::ptr_eq(batch.schema_ref(), schema) {
        return Ok(batch.clone());
    }
    check_names(batch.schema_ref(), schema)?;
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| shown(column, field)).collect::<Result<Vec<_>>>()?;
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)?)
}

/// Whether a batch has these columns by name.
fn check_names(ours: &Schema, announced: &Schema) -> Result<()> {
    let (count, wanted) = (ours.fields().len(), announced.fields().len());
    if count != wanted {
        return Err(differs(format!("a batch has {count} columns, and {wanted} were announced")));
    }
    match ours.fields().iter().zip(announced.fields()).find(|(ours, announced)| ours.name() != announced.name()) {
        None => Ok(()),
        Some((ours, announced)) => {
            let (ours, announced) = (ours.name(), announced.name());
            Err(differs(format!("a batch has a column \"{ours}\" where \"{announced}\" was announced"))
                .with_column(announced))
        }
    }
}

/// The column as its field says.
fn shown(column: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let name = field.name();
    let shown = as_type(column, field.data_type()).map_err(|error| {
        let [from, to] = [column.data_type(), field.data_type()].map(format_type);
        let text = format!("column \"{name}\" came as {from} and was announced as {to}: {}", error.message());
        let renamed = Error::new(error.kind(), text).with_column(name);
        match error.hint() {
            Some(hint) => renamed.with_hint(hint),
            None => renamed,
        }
    })?;
    if !field.is_nullable() && shown.null_count() > 0 {
        return Err(differs(format!("column \"{name}\" holds NULL and was announced as one without")).with_column(name));
    }
    Ok(shown)
}

fn differs(what: String) -> Error {
    Error::new(ErrorKind::Internal, what).with_hint("this is a mistake in Bowshot; please report it with the query")
}

/// The values as another type that shows the same.
fn as_type(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let from = array.data_type();
    if from == to {
        return Ok(Arc::clone(array));
    }
    match (from, to) {
        (DataType::Dictionary(..), _) => {
            let dictionary = array.as_any_dictionary();
            as_type(&take(dictionary.values().as_ref(), dictionary.keys(), None)?, to)
        }
        (DataType::RunEndEncoded(_, values), _) => as_type(&cast(array, values.data_type())?, to),
        (DataType::Utf8View, DataType::Utf8) => {
            check_length(array.as_string_view().lengths())?;
            Ok(cast(array, to)?)
        }
        (DataType::BinaryView, DataType::Binary) => {
            check_length(array.as_binary_view().lengths())?;
            Ok(cast(array, to)?)
        }
        (DataType::ListView(field), DataType::List(_)) => {
            as_type(&cast(array, &DataType::List(Arc::clone(field)))?, to)
        }
        (DataType::LargeListView(field), DataType::LargeList(_)) => {
            as_type(&cast(array, &DataType::LargeList(Arc::clone(field)))?, to)
        }
        _ => with_children(array, to, as_type)?
            .ok_or_else(|| differs(format!("{} is not {}", format_type(from), format_type(to)))),
    }
}

/// Whether offsets of 32 bits can say where these texts lie.
fn check_length(mut lengths: impl Iterator<Item = u32>) -> Result<()> {
    let total = lengths.try_fold(0_i32, |total, length| total.checked_add(i32::try_from(length).ok()?));
    match total {
        Some(_) => Ok(()),
        None => Err(Error::new(ErrorKind::Unsupported, "one batch holds more than 2 GiB of it")
            .with_hint("ask for smaller batches, or read it with a client that reads view types")),
    }
}

#[cfg(test)]
mod tests;
