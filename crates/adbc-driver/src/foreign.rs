//! Rows that another program hands over by Arrow's C interfaces.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};

/// The rows of one array, if rows are what it holds.
#[expect(unsafe_code, reason = "Arrow's C interface")]
pub(crate) fn rows(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<ArrayData> {
    // SAFETY: whoever hands over an array promises that it is valid and of this schema.
    let data = unsafe { from_ffi(array, schema) }.map_err(not_arrow)?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        let message = format!("what is bound must be a struct array with a field a column, not {}", data.data_type());
        return Err(Error::new(ErrorKind::Value, message).with_hint("bind a record batch"));
    }
    no_null_rows(&data)?;
    Ok(data)
}

/// The batches of a stream of another program.
pub(crate) struct ForeignBatches {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
}

impl ForeignBatches {
    #[expect(unsafe_code, reason = "Arrow's C interface")]
    pub(crate) fn new(mut stream: FFI_ArrowArrayStream) -> Result<Self> {
        let Some(get_schema) = stream.get_schema else {
            return Err(Error::new(ErrorKind::Value, "the stream that was bound has been read already"));
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is not released, and the function its own.
        let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
        if status != 0 {
            return Err(Error::new(ErrorKind::Value, format!("the rows that were bound: {}", last_error(&mut stream))));
        }
        let schema = Schema::try_from(&schema).map_err(not_arrow)?;
        Ok(ForeignBatches { stream, schema: schema.into() })
    }

    #[expect(unsafe_code, reason = "Arrow's C interface")]
    fn read(&mut self) -> std::result::Result<Option<RecordBatch>, ArrowError> {
        let Some(get_next) = self.stream.get_next else { return Ok(None) };
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released, and the function its own.
        let status = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if status != 0 {
            return Err(ArrowError::CDataInterface(last_error(&mut self.stream)));
        }
        if array.is_released() {
            return Ok(None);
        }
        let fields = self.schema.fields().clone();
        // SAFETY: a stream promises that its arrays are valid and of its schema.
        let data = unsafe { from_ffi_and_data_type(array, DataType::Struct(fields)) }?;
        no_null_rows(&data).map_err(|error| ArrowError::InvalidArgumentError(error.to_string()))?;
        let options = RecordBatchOptions::new().with_row_count(Some(data.len()));
        RecordBatch::try_new_with_options(self.schema.clone(), StructArray::from(data).into_parts().1, &options)
            .map(Some)
    }
}

impl Iterator for ForeignBatches {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

impl RecordBatchReader for ForeignBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// A row that is NULL as a whole has no values, whatever lies below it.
fn no_null_rows(data: &ArrayData) -> Result<()> {
    let Some(row) = data.nulls().and_then(|nulls| (0..nulls.len()).find(|&row| nulls.is_null(row))) else {
        return Ok(());
    };
    let message =
        format!("row {row} of the struct array that was bound is NULL as a whole, and so is no row of values");
    Err(Error::new(ErrorKind::Value, message).with_hint("leave such rows out, or make each of their fields NULL"))
}

/// What is no valid Arrow data.
pub(crate) fn not_arrow(error: ArrowError) -> Error {
    Error::new(ErrorKind::Value, format!("what was bound is no Arrow data that this driver knows: {error}"))
}

#[expect(unsafe_code, reason = "Arrow's C interface")]
fn last_error(stream: &mut FFI_ArrowArrayStream) -> String {
    let Some(get_last_error) = stream.get_last_error else { return "an unknown error".to_owned() };
    // SAFETY: the stream is not released, and the function its own.
    let text = unsafe { get_last_error(stream) };
    if text.is_null() {
        return "an unknown error".to_owned();
    }
    // SAFETY: a text that ends with a zero and lives until the stream's next call.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
