//! The compiled half of the Python package `bowshot`: conversions between Python and Rust, and nothing else.
//!
//! Everything public is in `python/bowshot/*.py`; what stands here is described to type checkers in `_bowshot.pyi`.

mod capsule;
mod destination;
mod error;
mod exit;
mod frame;
mod notices;
mod options;
mod own;
mod plan;
mod profile;
mod progress;
mod reading;
mod schema;
mod stream;
mod table;
mod wait;

use pyo3::prelude::*;

#[global_allocator]
static MEMORY: bowshot_memory::Memory = bowshot_memory::Memory;

/// Whether a text is the address of a database rather than SQL.
#[pyfunction]
fn is_uri(text: &str) -> bool {
    bowshot_connect::is_uri(text)
}

/// Whether a text can be nothing but the address of a database: no query, and no name of a file.
#[pyfunction]
fn is_connection_string(text: &str) -> bool {
    bowshot_connect::is_connection_string(text)
}

/// What people may see of an address.
#[pyfunction]
fn shown_address(uri: &str) -> String {
    bowshot_core::Address::new(uri).to_string()
}

/// The database's kind, the text, the quotes of names, what it calls.
type Subquery = (&'static str, String, (char, char), Vec<String>);

/// A query as one that a longer one may be written around.
#[pyfunction]
fn subquery(uri: &str, sql: &str) -> Option<Subquery> {
    let inner = bowshot_connect::subquery(&plan::resolved(uri).ok()?, sql)?;
    Some((inner.scheme, inner.sql, inner.quotes, inner.functions))
}

/// The kind of source that an address names: `postgresql`, `file`, …
#[pyfunction]
fn scheme(uri: &str) -> Option<&'static str> {
    bowshot_connect::scheme(&plan::resolved(uri).ok()?)
}

#[pymodule]
fn _bowshot(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PARTITION_BYTES_OF_TASKS", bowshot_core::Options::PARTITION_BYTES_OF_TASKS)?;
    module.add_function(wrap_pyfunction!(is_uri, module)?)?;
    module.add_function(wrap_pyfunction!(is_connection_string, module)?)?;
    module.add_function(wrap_pyfunction!(shown_address, module)?)?;
    module.add_function(wrap_pyfunction!(scheme, module)?)?;
    module.add_function(wrap_pyfunction!(subquery, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(plan::join, module)?)?;
    module.add_function(wrap_pyfunction!(plan::look_at_ticket, module)?)?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<schema::Schema>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<table::Batch>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<progress::Progress>()?;
    module.add_class::<frame::FrameReader>()?;
    module.add_class::<frame::FrameColumn>()?;
    module.add_class::<frame::Values>()?;
    exit::register(module)
}
