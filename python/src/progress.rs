//! How far a read has come, told to a Python callable or drawn in the terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pyo3::prelude::*;

/// How far a read has come, as the callable given as `progress` receives it.
#[pyclass(frozen, get_all, module = "bowshot")]
pub(crate) struct Progress {
    /// Rows that have arrived.
    rows: u64,
    /// Bytes of Arrow memory that have arrived.
    bytes: u64,
    /// Partitions read to their end.
    partitions_done: usize,
    /// Partitions in all.
    partitions: usize,
    /// About how many rows there will be, if the database has an idea.
    rows_expected: Option<u64>,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        let expected = self.rows_expected.map_or(String::new(), |rows| format!(" of about {rows}"));
        format!("<Progress {} rows{expected}, {} of {} partitions>", self.rows, self.partitions_done, self.partitions)
    }
}

/// Who is told.
pub(crate) enum Reporter {
    /// A Python callable.
    Callback(Py<PyAny>),
    /// A bar on standard error.
    Bar(ProgressBar),
}

impl Reporter {
    /// `True` draws a bar where standard error is a terminal, `"always"` wherever it goes; a callable is called.
    pub(crate) fn from_python(wish: Option<Bound<'_, PyAny>>) -> PyResult<Option<Self>> {
        let Some(wish) = wish else { return Ok(None) };
        if wish.is_callable() {
            return Ok(Some(Reporter::Callback(wish.unbind())));
        }
        let always = wish.extract::<&str>().is_ok_and(|wish| wish == "always");
        let shown = always || (wish.is_truthy()? && std::io::stderr().is_terminal());
        if !shown {
            return Ok(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        Ok(Some(Reporter::Bar(bar)))
    }

    /// Tells how far the read has come.
    pub(crate) fn report(&self, py: Python<'_>, progress: bowshot_core::Progress) -> PyResult<()> {
        match self {
            Reporter::Callback(callback) => {
                let bowshot_core::Progress { rows, bytes, partitions_done, partitions, rows_expected } = progress;
                callback.call1(py, (Progress { rows, bytes, partitions_done, partitions, rows_expected },)).map(drop)
            }
            Reporter::Bar(bar) => {
                draw(bar, &progress);
                Ok(())
            }
        }
    }

    /// Leaves the terminal as it was.
    pub(crate) fn finish(&self) {
        if let Reporter::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Draws partitions where there are several, else the rows as far as an end is known.
fn draw(bar: &ProgressBar, progress: &bowshot_core::Progress) {
    if bar.position() == 0 {
        let shape = if progress.partitions > 1 || progress.rows_expected.is_some() {
            "{elapsed} {wide_bar} {percent} % {msg}"
        } else {
            "{elapsed} {spinner} {msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(shape) {
            bar.set_style(style);
        }
    }
    let parts = u64::try_from(progress.partitions).ok().zip(u64::try_from(progress.partitions_done).ok());
    match (parts, progress.rows_expected) {
        (Some((all, done)), _) if all > 1 => {
            bar.set_length(all);
            bar.set_position(done);
        }
        // The estimate may be too low.
        (_, Some(expected)) => {
            bar.set_length(expected.max(progress.rows));
            bar.set_position(progress.rows);
        }
        _ => bar.tick(),
    }
    bar.set_message(format!("{} rows, {} MB", progress.rows, progress.bytes / 1_000_000));
}
