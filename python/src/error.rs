//! From Rust's error, and from a panic, to Python's exception.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bowshot_core::{Error, ErrorKind};
use pyo3::prelude::*;

/// The Python exception of an error.
pub(crate) fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let arguments = (
            format!("{:?}", error.kind()),
            error.to_string(),
            error.column(),
            error.sqlstate(),
            error.position(),
            error.hint(),
            error.is_temporary(),
        );
        let exception = py.import("bowshot.exceptions")?.getattr("_exception")?.call1(arguments)?;
        Ok(PyErr::from_value(exception))
    };
    make().unwrap_or_else(|failure| failure)
}

/// Runs an entry point; a panic becomes `bowshot.InternalError`, which `except Exception` catches.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    // What a panic may have left half-done is behind locks that do not poison, and each is of one read only.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(to_python(py, &Error::new(ErrorKind::Internal, "a panic inside Bowshot; please report this")))
    })
}

/// `?` for Bowshot's results where Python is attached.
pub(crate) trait ToPython<T> {
    /// Turns the error into Python's.
    fn to_python(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<Error>> ToPython<T> for Result<T, E> {
    fn to_python(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| to_python(py, &error.into()))
    }
}
