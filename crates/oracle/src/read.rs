//! Partitions into batches, on the connections of a plan.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{RecordBatch, RecordBatchOptions};
use bowshot_core::{Cancel, Connection, Error, ErrorKind, Hold, Options, Part, Partitioning, Reader, Result, Scan};
use parking_lot::Mutex;

use crate::connect::connect;
use crate::cursor::Cursor;
use crate::decode::Column;
use crate::describe::Description;
use crate::held;
use crate::session::Session;
use crate::snapshot::Snapshot;
use crate::uri::Location;

/// What every connection of a plan knows.
struct Shared {
    location: Location,
    before: Vec<String>,
    batch_bytes: usize,
    /// One for all parts, or one for each.
    descriptions: Vec<Description>,
    parts: Vec<Part>,
    snapshot: Snapshot,
    /// The state is one that a ticket names, and may be gone.
    joined: bool,
}

impl Shared {
    fn failed(&self, error: Error) -> Error {
        if self.joined { held::lost(error) } else { error }
    }
}

/// The live side of a plan.
pub(crate) struct Work {
    shared: Arc<Shared>,
    /// The session that made the plan, until somebody reads with it.
    first: Mutex<Option<Session>>,
    /// No second connection may read.
    alone: bool,
    taken: AtomicBool,
}

impl Work {
    pub(crate) fn new(
        location: &Location,
        options: &Options,
        descriptions: Vec<Description>,
        parts: Vec<Part>,
        snapshot: Snapshot,
        alone: bool,
        session: Session,
    ) -> Self {
        let shared = Shared {
            location: location.clone(),
            before: options.before.clone(),
            batch_bytes: options.batch_bytes.max(1),
            descriptions,
            parts,
            joined: matches!(options.partitioning, Partitioning::Part(_)) && snapshot != Snapshot::Own,
            snapshot,
        };
        Work { shared: Arc::new(shared), first: Mutex::new(Some(session)), alone, taken: AtomicBool::new(false) }
    }
}

impl Scan for Work {
    fn obstacle(&self) -> Option<String> {
        (self.shared.snapshot == Snapshot::Own).then(|| held::OBSTACLE.into())
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.shared.parts.get(index).cloned()
    }

    fn needs_holder(&self) -> bool {
        false
    }

    fn hold(&self, _: u128, _: &Cancel) -> Result<Box<dyn Hold>> {
        held::hold(&self.shared.snapshot)
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        let first = self.first.lock().take();
        let session = match first {
            Some(session) => session,
            None if self.alone && self.taken.load(Ordering::SeqCst) => {
                return Err(Error::new(
                    ErrorKind::ConnectionLimit,
                    "the parts of the result are read over one connection",
                ));
            }
            None => {
                let mut session = connect(&self.shared.location, &self.shared.before, cancel)?;
                self.shared.snapshot.enter(&mut session).map_err(|error| self.shared.failed(error))?;
                session
            }
        };
        self.taken.store(true, Ordering::SeqCst);
        Ok(Box::new(Reading { session, shared: Arc::clone(&self.shared), sql: String::new() }))
    }
}

/// A connection that reads.
struct Reading {
    session: Session,
    shared: Arc<Shared>,
    /// What the current partition is read with.
    sql: String,
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let shared = &self.shared;
        let nowhere = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let part = shared.parts.get(index).ok_or_else(nowhere)?;
        let description = shared.descriptions.get(index).or_else(|| shared.descriptions.first()).ok_or_else(nowhere)?;
        self.sql = description.reading(&part.sql);
        self.session.cancel().check()?;
        let cursor = Cursor::open(&mut self.session, &self.sql, &part.values, &description.layout, shared.batch_bytes)
            .map_err(|error| shared.failed(error))?;
        Ok(Box::new(Rows {
            shared,
            cursor,
            columns: description.columns(),
            description,
            batch_bytes: shared.batch_bytes,
            count: 0,
            ended: false,
        }))
    }
}

/// The rows of a partition.
struct Rows<'a> {
    shared: &'a Shared,
    cursor: Cursor<'a>,
    columns: Vec<Column>,
    description: &'a Description,
    batch_bytes: usize,
    /// Rows in `columns`.
    count: usize,
    ended: bool,
}

impl Reader for Rows<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.ended {
            if !self.cursor.advance().map_err(|error| self.shared.failed(error))? {
                self.ended = true;
                break;
            }
            let block = self.cursor.block();
            for (index, column) in self.columns.iter_mut().enumerate() {
                column.extend(block.column(index))?;
            }
            self.count += block.len();
            if self.columns.iter().map(Column::bytes).sum::<usize>() >= self.batch_bytes {
                break;
            }
        }
        if self.count == 0 {
            return Ok(None);
        }
        let arrays = self.columns.iter_mut().map(Column::finish).collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.count)));
        let batch = RecordBatch::try_new_with_options(self.description.read_schema(), arrays, &options)?;
        self.description.casts.apply(batch).map(Some)
    }
}
