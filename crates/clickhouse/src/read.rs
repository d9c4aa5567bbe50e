//! The live side of a plan: each worker has a session, which reads one partition after the other.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Part, Reader, Result, Scan, bytes_of};
use parking_lot::Mutex;

use crate::answer::Answer;
use crate::block::Expected;
use crate::connect::Session;
use crate::decode::Column;
use crate::input::Input;
use crate::literal;
use crate::login::Facts;
use crate::plan::{Columns, OBSTACLE};
use crate::types::Type;
use crate::uri::Location;

/// How many rows a block has at most; ClickHouse's own default is about that.
const MOST_ROWS: usize = 1 << 16;

/// And how few are still worth a block.
const FEWEST_ROWS: usize = 128;

/// What every worker needs.
pub(crate) struct Work {
    pub(crate) location: Arc<Location>,
    pub(crate) facts: Arc<Facts>,
    pub(crate) before: Vec<String>,
    /// The schema before the user's types.
    pub(crate) own: SchemaRef,
    pub(crate) casts: Casts,
    /// One for each query of a list, or one.
    pub(crate) columns: Vec<Columns>,
    pub(crate) parts: Vec<Part>,
    pub(crate) batch_bytes: usize,
}

/// The work, and the session that planned it.
pub(crate) struct Shared {
    work: Arc<Work>,
    first: Mutex<Option<Session>>,
}

impl Shared {
    pub(crate) fn new(work: Work, session: Session) -> Self {
        Shared { work: Arc::new(work), first: Mutex::new(Some(session)) }
    }
}

impl Scan for Shared {
    fn obstacle(&self) -> Option<String> {
        Some(OBSTACLE.into())
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.work.parts.get(index).cloned()
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let work = Arc::clone(&self.work);
        let first = self.first.lock().take();
        let session = match first {
            Some(session) => session,
            None => Session::another(&work.location, &work.facts, &work.before, cancel)?,
        };
        Ok(Box::new(Reading { work, session, cancel: cancel.clone() }))
    }
}

struct Reading {
    work: Arc<Work>,
    session: Session,
    cancel: Cancel,
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let Reading { work, session, cancel } = self;
        let missing = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let part = work.parts.get(index).ok_or_else(missing)?;
        let columns = work.columns.get(index).filter(|_| work.columns.len() > 1).or(work.columns.first());
        let Columns { kinds, select } = columns.ok_or_else(missing)?;
        let mut sql = literal::bound(&part.sql, &part.values)?;
        if let Some(select) = select {
            sql = format!("SELECT {select} FROM (\n{sql}\n) AS bowshot");
        }
        let width: usize = kinds.iter().map(Type::width).sum();
        let rows = (work.batch_bytes / width.max(1)).clamp(FEWEST_ROWS, MOST_ROWS);
        let input = session.query(&sql, &[("max_block_size", rows.to_string())], None, cancel)?;
        Ok(Box::new(Partition {
            work,
            input,
            expected: Expected::new(kinds.clone(), Arc::clone(&work.own), Arc::clone(&work.facts.zone)),
            columns: kinds.iter().map(Column::new).collect(),
            waiting: VecDeque::new(),
            over: false,
        }))
    }
}

/// The rows of one partition.
struct Partition<'a> {
    work: &'a Work,
    input: Input<Answer<'a>>,
    expected: Expected,
    columns: Vec<Column>,
    /// The rest of a batch that was too large.
    waiting: VecDeque<RecordBatch>,
    over: bool,
}

impl Partition<'_> {
    /// Reads blocks until the columns have the size of a batch, or the answer ends; how many rows there are.
    fn fill(&mut self) -> Result<usize> {
        let mut rows = 0;
        while !self.over {
            match self.expected.append(&mut self.input, &mut self.columns)? {
                None => self.over = true,
                Some(more) => rows += more,
            }
            if self.columns.iter().map(Column::bytes).sum::<usize>() >= self.work.batch_bytes || rows >= MOST_ROWS * 4 {
                break;
            }
        }
        Ok(rows)
    }

    fn batch(&mut self, rows: usize) -> Result<RecordBatch> {
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (place, column) in self.columns.iter_mut().enumerate() {
            arrays.push(column.finish().map_err(|error| self.expected.named(place, error))?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.work.own), arrays, &options)?;
        self.work.casts.apply(batch)
    }
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(batch) = self.waiting.pop_front() {
            return Ok(Some(batch));
        }
        let rows = self.fill()?;
        if rows == 0 {
            return Ok(None);
        }
        let batch = self.batch(rows)?;
        // A block may be larger than a batch should be: its rows are handed out in slices.
        let slices = bytes_of(&batch).div_ceil(self.work.batch_bytes.max(1).saturating_mul(2)).clamp(1, rows);
        let each = rows.div_ceil(slices);
        let slice = |start: usize| batch.slice(start, each.min(rows - start));
        self.waiting.extend((0..rows).step_by(each).map(slice));
        Ok(self.waiting.pop_front())
    }
}
