//! What callers read: the batches of a plan while the core reads ahead, and batches that are there.

use adbc_core::error::Result as AdbcResult;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use bowshot_core::{Options, Plan, Result, Stream, contained};

use crate::error::{guarded, panicked};
use crate::running::Work;

/// What callers get.
pub(crate) type Reader = Box<dyn RecordBatchReader + Send + 'static>;

/// The batches of a plan. Dropping it ends the query in the database.
pub(crate) struct Batches {
    schema: SchemaRef,
    /// `None` once it ended.
    stream: Option<Stream>,
    /// Kept until the end: that is how long it can be cancelled.
    work: Option<Work>,
}

impl Batches {
    /// Starts to read.
    pub(crate) fn start(plan: Plan, options: &Options, work: Work) -> Self {
        let stream = Stream::start(plan, options, work.cancel.clone());
        Batches { schema: stream.schema(), stream: Some(stream), work: Some(work) }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let stream = self.stream.as_mut()?;
        // The consumer is another language's: no panic may reach it.
        let next = contained(|| stream.next()).unwrap_or_else(|_| Some(Err(panicked())));
        if !matches!(next, Some(Ok(_))) {
            self.stream = None;
            self.work = None;
        }
        next.map(|batch| batch.map_err(Into::into))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        // Whatever ends it, nothing unwinds into the caller.
        let stream = self.stream.take();
        let _ = guarded(|| {
            drop(stream);
            Ok(())
        });
    }
}

/// Batches that are there.
pub(crate) fn ready(schema: SchemaRef, batches: Vec<RecordBatch>) -> Reader {
    Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema))
}

/// A batch that is there.
pub(crate) fn one(batch: AdbcResult<RecordBatch>) -> AdbcResult<Reader> {
    batch.map(|batch| ready(batch.schema(), vec![batch]))
}
