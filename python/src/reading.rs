//! A stream that is read from Python: without the GIL, interruptible, reporting its progress.

use std::time::Instant;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use bowshot_core::{Cancel, Poll, Stream};
use pyo3::prelude::*;

use crate::error::ToPython;
use crate::exit::Work;
use crate::progress::Reporter;
use crate::wait::{SLICE, farewell};

/// A stream that is read from Python.
pub(crate) struct Reading {
    /// The schema of the batches, which a destination's map may have changed.
    schema: SchemaRef,
    /// `None` once it ended.
    stream: Option<Stream>,
    /// What an exit of the interpreter ends.
    work: Option<Work>,
    reporter: Option<Reporter>,
    /// What the last batch held beyond the rows that were asked for.
    rest: Option<RecordBatch>,
    /// When Python's signals were last looked at.
    looked: Instant,
}

impl Reading {
    /// Of a stream that `cancel` ends.
    pub(crate) fn new(
        py: Python<'_>,
        stream: Stream,
        schema: SchemaRef,
        reporter: Option<Reporter>,
        cancel: &Cancel,
    ) -> Self {
        let work = Some(Work::new(py, cancel));
        Reading { schema, stream: Some(stream), work, reporter, rest: None, looked: Instant::now() }
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// How many rows the database expects in all.
    pub(crate) fn rows_expected(&self) -> Option<u64> {
        self.stream.as_ref()?.progress().rows_expected
    }

    /// Lets the workers run ahead without a bound, for who keeps every row.
    pub(crate) fn keep_all(&self) {
        if let Some(stream) = &self.stream {
            stream.keep_all();
        }
    }

    /// All batches that are left.
    pub(crate) fn rest(&mut self, py: Python<'_>) -> PyResult<Vec<RecordBatch>> {
        self.keep_all();
        let mut batches = Vec::new();
        while let Some(batch) = self.next(py)? {
            batches.push(batch);
        }
        Ok(batches)
    }

    /// The next batch as the source made it; `None` at the end.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        loop {
            let Some(stream) = &mut self.stream else { return Ok(None) };
            let polled = py.detach(|| stream.poll(SLICE));
            if self.looked.elapsed() >= SLICE {
                self.looked = Instant::now();
                if let Err(interrupt) = py.check_signals().and_then(|()| self.report(py)) {
                    py.detach(|| self.close());
                    return Err(interrupt);
                }
            }
            match polled {
                Ok(Poll::Batch(batch)) => return Ok(Some(batch)),
                Ok(Poll::Pending) => {}
                Ok(Poll::Done) => {
                    let reported = self.report(py);
                    self.finish();
                    return reported.map(|()| None);
                }
                Err(error) => {
                    py.detach(|| self.close());
                    return Err(error).to_python(py);
                }
            }
        }
    }

    /// The next `most` rows at most: fewer when a batch ends before.
    pub(crate) fn next_slice(&mut self, py: Python<'_>, most: usize) -> PyResult<Option<RecordBatch>> {
        let Some(batch) = self.next(py)? else { return Ok(None) };
        if batch.num_rows() <= most {
            return Ok(Some(batch));
        }
        self.rest = Some(batch.slice(most, batch.num_rows() - most));
        Ok(Some(batch.slice(0, most)))
    }

    /// A batch of exactly `rows` rows, unless the result ends before.
    pub(crate) fn next_rows(&mut self, py: Python<'_>, rows: usize) -> PyResult<Option<RecordBatch>> {
        let mut parts = Vec::new();
        let mut missing = rows;
        while missing > 0 {
            let Some(part) = self.next_slice(py, missing)? else { break };
            missing -= part.num_rows();
            parts.push(part);
        }
        match parts.len() {
            0 => Ok(None),
            1 => Ok(parts.pop()),
            _ => py.detach(|| concat_batches(&self.schema, &parts)).to_python(py).map(Some),
        }
    }

    fn report(&mut self, py: Python<'_>) -> PyResult<()> {
        match (&self.reporter, &self.stream) {
            (Some(reporter), Some(stream)) => reporter.report(py, stream.progress()),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) {
        self.stream = None;
        self.work = None;
        if let Some(reporter) = self.reporter.take() {
            reporter.finish();
        }
    }

    /// Ends the query in the database if it still runs. Call it without the GIL.
    pub(crate) fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            farewell(move || drop(stream));
        }
        self.rest = None;
        self.finish();
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.stream.is_none() {
            return;
        }
        // Python may drop it while it holds the GIL, which a worker that reports needs.
        if Python::try_attach(|py| py.detach(|| self.close())).is_none() {
            self.close();
        }
    }
}
