//! The schema of a result.

use arrow_schema::SchemaRef;
use bowshot_core::{SOURCE_TYPE, format_type};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule;
use crate::error::guarded;

/// The columns of a result; pyarrow, Polars and others take it through `__arrow_c_schema__`.
#[pyclass(frozen, module = "bowshot")]
pub(crate) struct Schema(pub(crate) SchemaRef);

#[pymethods]
impl Schema {
    /// The columns' names.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The columns' Arrow types by name, as `types=` takes them.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| format_type(field.data_type())).collect()
    }

    /// The database's own names of the columns' types, where known.
    #[getter]
    fn source_types(&self) -> Vec<Option<&str>> {
        self.0.fields().iter().map(|field| field.metadata().get(SOURCE_TYPE).map(String::as_str)).collect()
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __repr__(&self) -> String {
        let line = |field: &arrow_schema::FieldRef| {
            let null = if field.is_nullable() { "" } else { " not null" };
            format!("{}: {}{null}", field.name(), format_type(field.data_type()))
        };
        self.0.fields().iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || capsule::schema(py, &self.0))
    }
}
