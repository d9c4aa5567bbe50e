//! The batches of a plan, for Python and for consumers of Arrow's C stream.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use bowshot_core::Cancel;
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule;
use crate::error::{ToPython, guarded};
use crate::notices;
use crate::own::Own;
use crate::reading::Reading;
use crate::schema::Schema;
use crate::table::{Batch, Table};

/// The batches of a plan, in order. It is read once: by batches, as a table or through `__arrow_c_stream__`.
#[pyclass(frozen, module = "bowshot")]
pub(crate) struct Stream {
    schema: SchemaRef,
    reading: Arc<Own<Reading>>,
    /// The work that the database speaks of.
    cancel: Cancel,
    /// What ended the C stream, whose consumer is told no more than the text.
    failure: Arc<Mutex<Option<PyErr>>>,
}

impl Stream {
    pub(crate) fn new(reading: Reading, cancel: Cancel) -> Self {
        Stream { schema: reading.schema(), reading: Arc::new(Own::new(reading)), cancel, failure: Arc::default() }
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Python<'_>, &mut Reading) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        with(py, &self.reading, work)
    }
}

/// Locks without the GIL: the thread that holds the lock may wait for the GIL.
fn with<T: Send>(
    py: Python<'_>,
    reading: &Own<Reading>,
    work: impl FnOnce(Python<'_>, &mut Reading) -> PyResult<T> + Send,
) -> PyResult<T> {
    py.detach(|| {
        let reading = reading.lock();
        Python::attach(|py| work(py, &mut *reading.to_python(py)?))
    })
}

#[pymethods]
impl Stream {
    /// The schema of every batch.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.schema.clone())
    }

    /// The next batch, with exactly `rows` rows if that is given (fewer at the end); `None` at the end.
    #[pyo3(signature = (rows=None))]
    fn next_batch(&self, py: Python<'_>, rows: Option<usize>) -> PyResult<Option<Batch>> {
        guarded(py, || {
            let batch = self.with(py, |py, reading| match rows {
                Some(rows) => reading.next_rows(py, rows),
                None => reading.next(py),
            })?;
            Ok(batch.map(Batch))
        })
    }

    /// All batches that are left.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        guarded(py, || {
            let batches = self.with(py, |py, reading| reading.rest(py))?;
            Ok(Table::new(self.schema.clone(), batches))
        })
    }

    /// What the database has said so far.
    #[getter]
    fn notices(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        guarded(py, || notices::to_python(py, &self.cancel.notices().all()))
    }

    /// What ended the C stream, if it was an error: it is handed out once.
    fn failure(&self) -> Option<PyErr> {
        self.failure.lock().take()
    }

    /// Ends the query in the database if it still runs.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            if let Ok(mut reading) = self.reading.lock() {
                reading.close();
            }
        });
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || capsule::schema(py, &self.schema))
    }

    /// A consumer that asks for another schema gets this one, as the interface allows, and casts by itself.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(py, || {
            let (reading, failure) = (Arc::clone(&self.reading), Arc::clone(&self.failure));
            capsule::stream(py, Box::new(Pull { schema: self.schema.clone(), reading, failure }))
        })
    }
}

/// The side that a consumer of the C stream pulls, from any thread, with or without the GIL.
struct Pull {
    schema: SchemaRef,
    reading: Arc<Own<Reading>>,
    failure: Arc<Mutex<Option<PyErr>>>,
}

impl Iterator for Pull {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let pulled = Python::try_attach(|py| {
            let next = |py| with(py, &self.reading, |py, reading| reading.next(py));
            guarded(py, || next(py)).map_err(|error| {
                let told = ArrowError::CDataInterface(error.value(py).to_string());
                *self.failure.lock() = Some(error);
                told
            })
        });
        match pulled {
            Some(pulled) => pulled.transpose(),
            None => Some(Err(ArrowError::CDataInterface("Python is shutting down".into()))),
        }
    }
}

impl RecordBatchReader for Pull {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
