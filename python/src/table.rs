//! Batches in memory, for libraries that speak Arrow.

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::SchemaRef;
use bowshot_core::bytes_of;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule;
use crate::destination;
use crate::error::{ToPython, guarded};
use crate::schema::Schema;

/// Some rows of a result: `pyarrow.record_batch(batch)`, `polars.from_arrow(batch)` and others take it.
#[pyclass(frozen, name = "RecordBatch", module = "bowshot")]
pub(crate) struct Batch(pub(crate) RecordBatch);

#[pymethods]
impl Batch {
    /// The columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema())
    }

    /// Bytes of Arrow memory.
    #[getter]
    fn nbytes(&self) -> usize {
        bytes_of(&self.0)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The same rows in types that Polars has, by this batch's values where those settle the type.
    fn for_polars(&self, py: Python<'_>) -> PyResult<Table> {
        guarded(py, || Table::new(self.0.schema(), vec![self.0.clone()]).in_polars_types(py))
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatch {} rows x {} columns>", self.0.num_rows(), self.0.num_columns())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || capsule::schema(py, self.0.schema_ref()))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        guarded(py, || capsule::array(py, &self.0))
    }
}

/// A whole result in Arrow memory: `pyarrow.table(table)`, `polars.from_arrow(table)` and others take it, again and
/// again, without a copy.
#[pyclass(frozen, module = "bowshot")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Table { schema, batches }
    }

    pub(crate) fn in_polars_types(&self, py: Python<'_>) -> PyResult<Table> {
        let (schema, batches) = py.detach(|| destination::for_polars(&self.schema, &self.batches)).to_python(py)?;
        Ok(Table { schema, batches })
    }
}

#[pymethods]
impl Table {
    /// The columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.schema.clone())
    }

    /// Bytes of Arrow memory.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batches.iter().map(bytes_of).sum()
    }

    /// Number of batches.
    #[getter]
    fn num_batches(&self) -> usize {
        self.batches.len()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<Table {} rows x {} columns>", self.__len__(), self.schema.fields().len())
    }

    /// The same values in types that Polars has; `docs/types.md` has the table.
    fn for_polars(&self, py: Python<'_>) -> PyResult<Table> {
        guarded(py, || self.in_polars_types(py))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || capsule::schema(py, &self.schema))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(py, || {
            let batches = self.batches.clone().into_iter().map(Ok);
            capsule::stream(py, Box::new(RecordBatchIterator::new(batches, self.schema.clone())))
        })
    }
}
