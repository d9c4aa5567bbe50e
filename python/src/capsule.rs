//! The Arrow PyCapsule interface: C structures in capsules, for any library that knows it, without pyarrow.
//!
//! A consumer moves the structure out of its capsule; what stays is released when the capsule is.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::Schema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::ToPython;

/// A capsule named `arrow_schema`.
pub(crate) fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).to_python(py)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Capsules named `arrow_schema` and `arrow_array`, with a batch as a struct array.
pub(crate) fn array<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let columns: FFI_ArrowArray = to_ffi(&StructArray::from(batch.clone()).to_data()).to_python(py)?.0;
    Ok((schema(py, batch.schema_ref())?, PyCapsule::new_with_value(py, columns, c"arrow_array")?))
}

/// A capsule named `arrow_array_stream`.
pub(crate) fn stream(py: Python<'_>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}
