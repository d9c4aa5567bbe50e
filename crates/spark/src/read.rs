//! A partition on an executor: a ticket, read as batches.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Cancel, Connection, Error, ErrorKind, Plan, Reader, Result, Ticket};
use parking_lot::Mutex;

use crate::ask::resolved;
use crate::plan::absent;

type Batches<'a> = Box<dyn Reader + 'a>;

self_cell::self_cell! {
    /// A reader, and the connection that it borrows.
    struct Open {
        owner: self_cell::MutBorrow<Box<dyn Connection>>,
        #[not_covariant]
        dependent: Batches,
    }
}

/// The batches of one partition, in the thread of the task that asks for them.
pub struct Reading {
    schema: SchemaRef,
    /// Where the columns that Spark asks for stand in the batches.
    places: Vec<usize>,
    cancel: Cancel,
    /// `None` after the last batch. The plan is dropped after its connection.
    open: Mutex<Option<(Open, Plan)>>,
}

impl Reading {
    /// Joins the plan that the ticket is of, at its address, and starts to read `columns` of it.
    ///
    /// # Errors
    /// Of kind [`SnapshotGone`](ErrorKind::SnapshotGone) where the plan has ended or the columns have changed, of kind
    /// [`ConnectionLimit`](ErrorKind::ConnectionLimit) where the database has no connection left, and others of a database.
    pub fn open(uri: &str, ticket: &[u8], columns: &[String]) -> Result<Self> {
        Self::open_with(uri, ticket, columns, Cancel::new())
    }

    /// The same, with what stops it from another thread.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(uri: &str, ticket: &[u8], columns: &[String], cancel: Cancel) -> Result<Self> {
        let source = bowshot_connect::connect(&resolved(uri)?)?;
        let plan = source.join(&Ticket::from_bytes(ticket)?, &cancel)?;
        Self::of_plan(plan, columns, cancel)
    }

    /// Reads the only partition of a plan.
    pub(crate) fn of_plan(plan: Plan, columns: &[String], cancel: Cancel) -> Result<Self> {
        let place = |column: &String| plan.schema.index_of(column).map_err(|_| absent(column, &plan.schema));
        let places: Vec<usize> = columns.iter().map(place).collect::<Result<_>>()?;
        let schema =
            plan.schema.project(&places).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        let connection = plan.scan.connect(&cancel)?;
        let open = Open::try_new(self_cell::MutBorrow::new(connection), |connection| connection.borrow_mut().open(0))?;
        Ok(Reading { schema: Arc::new(schema), places, cancel, open: Mutex::new(Some((open, plan))) })
    }

    /// The columns of its batches.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The next batch that has rows; `None` after the last one.
    ///
    /// # Errors
    /// Those of reading; after one, there is nothing more.
    pub fn next(&self) -> Result<Option<RecordBatch>> {
        let mut open = self.open.lock();
        let Some((reader, _)) = open.as_mut() else { return Ok(None) };
        loop {
            let read = self.cancel.check().and_then(|()| reader.with_dependent_mut(|_, reader| reader.next()));
            match read {
                Ok(Some(batch)) if batch.num_rows() == 0 => {}
                Ok(Some(batch)) => return self.chosen(&batch).map(Some),
                Ok(None) => {
                    *open = None;
                    return Ok(None);
                }
                Err(error) => {
                    *open = None;
                    return Err(if self.cancel.is_cancelled() { Error::cancelled() } else { error });
                }
            }
        }
    }

    /// Stops a read that another thread waits for; the query ends in the database.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    fn chosen(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let missing = || Error::new(ErrorKind::Internal, "a batch has fewer columns than its plan");
        let columns = self.places.iter().map(|place| batch.columns().get(*place).cloned().ok_or_else(missing));
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns.collect::<Result<_>>()?, &rows)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("a batch is not as its plan says: {error}")))
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // A query that was not read to its end is not to go on in the database.
        if self.open.get_mut().is_some() {
            self.cancel.cancel();
        }
    }
}
