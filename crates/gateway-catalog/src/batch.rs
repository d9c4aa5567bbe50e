//! From rows to the batches of Flight SQL.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray, UInt8Array};
use arrow_flight::error::FlightError;
use arrow_flight::{IpcMessage, SchemaAsIpc};
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};

/// A column of text that is always there.
pub(crate) fn names<'a>(names: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(names))
}

/// A column of text that may be NULL.
pub(crate) fn texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(texts.collect::<StringArray>())
}

pub(crate) fn numbers(numbers: impl Iterator<Item = i32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(numbers))
}

pub(crate) fn bytes(numbers: impl Iterator<Item = u8>) -> ArrayRef {
    Arc::new(UInt8Array::from_iter_values(numbers))
}

/// A column of schemas, each the encapsulated message of Arrow's IPC that announces it, and not a whole stream.
pub(crate) fn schemas<'a>(schemas: impl Iterator<Item = &'a Schema>) -> Result<ArrayRef> {
    let options = IpcWriteOptions::default();
    let message = |schema: &Schema| -> Result<_> { Ok(IpcMessage::try_from(SchemaAsIpc::new(schema, &options))?.0) };
    let messages = schemas.map(message).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(BinaryArray::from_iter_values(messages)))
}

pub(crate) fn batch(schema: SchemaRef, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// An error of Arrow's own builders, which are only given what they can hold.
pub(crate) fn internal(error: FlightError) -> Error {
    Error::new(ErrorKind::Internal, format!("Arrow Flight refused its own metadata: {error}")).with_source(error)
}
