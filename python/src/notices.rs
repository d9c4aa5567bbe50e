//! What databases say beside a result, as Python's warnings.

use bowshot_core::Notice;
use pyo3::prelude::*;

/// The warnings of notices, which nobody has been warned of yet.
pub(crate) fn to_python(py: Python<'_>, notices: &[Notice]) -> PyResult<Vec<Py<PyAny>>> {
    if notices.is_empty() {
        return Ok(Vec::new());
    }
    let class = py.import("bowshot.notices")?.getattr("DatabaseNotice")?;
    let warning = |notice: &Notice| {
        let arguments = (
            notice.to_string(),
            notice.severity().name(),
            notice.message(),
            notice.code(),
            notice.detail(),
            notice.hint(),
            notice.times(),
        );
        Ok(class.call1(arguments)?.unbind())
    };
    notices.iter().map(warning).collect()
}
