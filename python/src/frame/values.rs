//! Memory of Rust that is an array of NumPy.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A vector that NumPy uses as its own memory: `numpy.asarray(values)` copies nothing and keeps this object alive.
#[pyclass(module = "bowshot._bowshot")]
pub(crate) struct Values {
    data: Memory,
    /// NumPy's name of the element type.
    typestr: String,
}

/// The vectors that columns end in.
pub(crate) enum Memory {
    Words(Vec<i64>),
    Floats(Vec<f64>),
    Bytes(Vec<u8>),
    Days(Vec<i32>),
}

impl Values {
    pub(crate) fn new(data: Memory, typestr: impl Into<String>) -> Self {
        Values { data, typestr: typestr.into() }
    }
}

#[pymethods]
impl Values {
    /// NumPy's array interface, version 3. The memory is writable: nobody else looks at it.
    #[getter]
    fn __array_interface__<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (address, length) = match &mut self.data {
            Memory::Words(values) => (values.as_mut_ptr().expose_provenance(), values.len()),
            Memory::Floats(values) => (values.as_mut_ptr().expose_provenance(), values.len()),
            Memory::Bytes(values) => (values.as_mut_ptr().expose_provenance(), values.len()),
            Memory::Days(values) => (values.as_mut_ptr().expose_provenance(), values.len()),
        };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", &self.typestr)?;
        interface.set_item("shape", (length,))?;
        interface.set_item("data", (address, false))?;
        Ok(interface)
    }
}
