//! Partitions into batches.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{
    Cancel, Casts, Connection, Error, ErrorKind, Hold, Part, Reader, Registration, Result, Scan, TimesOfDay, Value,
};
use parking_lot::Mutex;

use crate::channel::Channel;
use crate::execute::execute;
use crate::held;
use crate::lines::Lines;
use crate::open::{Begun, Open};
use crate::release::Executions;
use crate::session::Session;
use crate::sizes::Sizes;
use crate::types::Fit;
use crate::uri::{Address, Target};

/// One partition to read.
pub(crate) enum Job {
    /// Endpoints of an execution that the plan asked for, one after the other.
    Endpoints { execution: usize, endpoints: Vec<usize> },
    /// A query that is run when its turn comes.
    Query { sql: String, values: Arc<[Value]> },
}

/// What every connection of a plan knows.
pub(crate) struct Work {
    pub(crate) target: Arc<Target>,
    pub(crate) session: Arc<Session>,
    pub(crate) before: Arc<[String]>,
    /// What the server announced.
    pub(crate) schema: SchemaRef,
    /// The same in its own words, for tickets.
    pub(crate) columns: SchemaRef,
    /// What the user makes of it.
    pub(crate) times: TimesOfDay,
    pub(crate) casts: Casts,
    pub(crate) jobs: Vec<Job>,
    /// The query of each of them, where each has its own.
    pub(crate) parts: Vec<Part>,
    /// Why nobody else can read them.
    pub(crate) obstacle: Option<String>,
    /// A ticket names the endpoints, and the server may not know them any more.
    pub(crate) joined: bool,
    pub(crate) batch_bytes: usize,
    pub(crate) executions: Arc<Executions>,
    /// A connection to the server that nobody uses.
    pub(crate) idle: Mutex<Option<Channel>>,
    /// The first endpoint, where planning had to open it.
    pub(crate) begun: Mutex<Option<Begun>>,
    /// Places that could not be reached.
    pub(crate) duds: Mutex<BTreeSet<Address>>,
    /// Whether the queries are to be run one after the other.
    pub(crate) one_by_one: bool,
    pub(crate) taken: AtomicBool,
}

impl Work {
    /// A batch as the user wishes it.
    fn settled(&self, batch: RecordBatch) -> Result<RecordBatch> {
        self.casts.apply(self.times.apply(batch)?)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // A stream that was begun and never read holds the connection.
        let begun = self.begun.get_mut().take().and_then(|begun| begun.into_base());
        if let Some(channel) = self.idle.get_mut().take().or(begun) {
            self.executions.release(&channel);
        }
    }
}

/// The live side of a plan.
pub(crate) struct Shared(pub(crate) Arc<Work>);

impl Scan for Shared {
    fn obstacle(&self) -> Option<String> {
        self.0.obstacle.clone()
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.0.parts.get(index).cloned()
    }

    fn hold(&self, _: u128, cancel: &Cancel) -> Result<Box<dyn Hold>> {
        held::hold(&self.0, cancel)
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        let work = &self.0;
        if work.one_by_one && work.taken.swap(true, Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::ConnectionLimit, "the queries are run one after the other"));
        }
        let idle = work.idle.lock().take();
        let lines = Lines::new(Arc::clone(&work.target), Arc::clone(&work.session), Arc::clone(&work.before), idle);
        let executions = Arc::clone(&work.executions);
        let registration = cancel.on_cancel(move || executions.cancel());
        Ok(Box::new(Reading { work: Arc::clone(work), lines, cancel: cancel.clone(), _registration: registration }))
    }
}

/// A connection that reads.
struct Reading {
    work: Arc<Work>,
    lines: Lines,
    cancel: Cancel,
    _registration: Registration,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(channel) = self.lines.take_base() {
            // The plan needs one, to tell the server its end.
            *self.work.idle.lock() = Some(channel);
        }
        if self.work.one_by_one {
            self.work.taken.store(false, Ordering::SeqCst);
        }
    }
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let job = self.work.jobs.get(index);
        let job = job.ok_or_else(|| Error::new(ErrorKind::Internal, format!("the plan has no partition {index}")))?;
        let mut begun = None;
        let (execution, endpoints) = match job {
            Job::Endpoints { execution, endpoints } => {
                if index == 0 {
                    begun = self.work.begun.lock().take();
                }
                (*execution, endpoints.iter().copied().collect())
            }
            Job::Query { sql, values } => {
                let channel = self.lines.base(&self.cancel)?;
                let run = execute(channel, &self.work.target, sql, values, &self.cancel)?;
                let execution = self.work.executions.add(run);
                (execution, (0..self.work.executions.count(execution)).collect())
            }
        };
        let mut partition = Partition {
            sizes: Sizes::new(self.work.casts.schema(), self.work.batch_bytes),
            work: &self.work,
            cancel: &self.cancel,
            lines: &mut self.lines,
            execution,
            endpoints,
            open: None,
        };
        if let Some(begun) = begun {
            partition.endpoints.pop_front();
            let (lines, open) = begun.into_parts();
            *partition.lines = lines;
            let fit = Fit::new(&self.work.schema, open.stream.schema(), "the first endpoint")?;
            partition.open = Some((open, fit));
        }
        Ok(Box::new(partition))
    }
}

/// The endpoints of one partition, one after the other.
struct Partition<'a> {
    work: &'a Work,
    cancel: &'a Cancel,
    lines: &'a mut Lines,
    execution: usize,
    /// Those that were not opened yet.
    endpoints: VecDeque<usize>,
    open: Option<(Open, Fit)>,
    sizes: Sizes,
}

impl Partition<'_> {
    /// The next batch as the user wants it; `None` after the last endpoint.
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let (open, fit) = match &mut self.open {
                Some(open) => open,
                None => {
                    let Some(index) = self.endpoints.pop_front() else { return Ok(None) };
                    let open = Open::endpoint(self.work, self.lines, self.execution, index, self.cancel)
                        .map_err(|error| if self.work.joined { held::lost(error) } else { error })?;
                    let count = self.work.executions.count(self.execution);
                    let place = format!("endpoint {} of {count} at {}", index + 1, open.address(self.work));
                    let fit = Fit::new(&self.work.schema, open.stream.schema(), &place)?;
                    self.open.insert((open, fit))
                }
            };
            match open.next(&self.work.target, self.lines, self.cancel)? {
                Some(batch) => return self.work.settled(fit.apply(batch)?).map(Some),
                None => {
                    self.work.executions.finish(self.execution);
                    self.open = None;
                }
            }
        }
    }
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.cancel.check()?;
        if let Some(batch) = self.sizes.ready() {
            return Ok(Some(batch));
        }
        while let Some(batch) = self.batch()? {
            if let Some(batch) = self.sizes.push(batch)? {
                return Ok(Some(batch));
            }
        }
        self.sizes.flush()
    }
}
