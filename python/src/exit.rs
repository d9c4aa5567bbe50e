//! The end of the interpreter: what a database still works at for it is told to stop.
//!
//! A server notices that its client is gone only when it next sends something, which a query that computes may not do for hours.

use std::collections::HashMap;
use std::sync::LazyLock;

use bowshot_core::Cancel;
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::wait::farewell;

/// The work of this process, by its number. It is locked under the GIL alone, which a fork holds, too: a child never finds it locked
/// by a thread that it does not have.
static RUNNING: LazyLock<Mutex<Running>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Running {
    last: u64,
    work: HashMap<u64, (u32, Cancel)>,
}

/// Some work that goes on until it is dropped.
pub(crate) struct Work(u64);

impl Work {
    /// Work that `cancel` ends.
    pub(crate) fn new(_py: Python<'_>, cancel: &Cancel) -> Self {
        let mut running = RUNNING.lock();
        running.last += 1;
        let number = running.last;
        running.work.insert(number, (std::process::id(), cancel.clone()));
        Work(number)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // Outside of the lock: it may be the last that knows of its work.
        let ended = Python::try_attach(|_py| RUNNING.lock().work.remove(&self.0));
        drop(ended);
    }
}

/// Has `end` called when the interpreter ends.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let end = wrap_pyfunction!(end, module)?;
    module.py().import("atexit")?.call_method1("register", (end,))?;
    Ok(())
}

/// Ends all work of this process.
#[pyfunction]
fn end(py: Python<'_>) {
    let here = std::process::id();
    // In a forked child, what runs is its parent's.
    let work: Vec<Cancel> = RUNNING
        .lock()
        .work
        .values()
        .filter(|(process, _)| *process == here)
        .map(|(_, cancel)| cancel.clone())
        .collect();
    if !work.is_empty() {
        py.detach(|| farewell(move || work.iter().for_each(Cancel::cancel)));
    }
}
