//! Partitions into batches, on the connections of a plan.

use std::collections::VecDeque;
use std::sync::Arc;

use adbc_core::error::Error as AdbcError;
use adbc_core::{Connection as _, Statement};
use adbc_driver_manager::ManagedDatabase;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Cancel, Connection, Error, ErrorKind, Hold, Part, Reader, Result, Scan, Site, Value, same_columns};
use parking_lot::Mutex;

use crate::batches::{Finish, fetch};
use crate::connect::{connect_again, prepare};
use crate::duckdb;
use crate::error::{Phase, from_driver};
use crate::held;
use crate::session::Session;
use crate::uri::Location;

/// One partition to read.
#[derive(Clone, Debug)]
pub(crate) enum Job {
    /// A query; so many characters of it stand before the user's own.
    Sql { sql: String, before: usize, values: Arc<[Value]>, label: String },
    /// What the driver gave out for it.
    Token(Vec<u8>),
}

/// What every connection of a plan knows.
pub(crate) struct Work {
    pub(crate) location: Arc<Location>,
    pub(crate) database: ManagedDatabase,
    pub(crate) before: Vec<String>,
    /// The schema that the driver promised.
    pub(crate) raw: SchemaRef,
    pub(crate) finish: Finish,
    pub(crate) jobs: Vec<Job>,
    /// Those of them that are queries, as they were divided.
    pub(crate) parts: Vec<Part>,
    /// The plan is of one partition that a ticket names.
    pub(crate) joined: bool,
    /// How many connections may see the plan's state.
    pub(crate) most: usize,
    /// That state is lost with its connection.
    pub(crate) bound: bool,
}

/// A connection that nobody uses.
pub(crate) struct Idle {
    session: Session,
    /// Partition 0 already runs on it.
    begun: bool,
}

pub(crate) struct Connections {
    idle: Vec<Idle>,
    /// How many there are, idle or not.
    count: usize,
}

impl Connections {
    /// Takes the connection that planned away from the readers, if none has it.
    pub(crate) fn hold(&mut self) -> Option<Idle> {
        let idle = self.idle.pop();
        self.count -= usize::from(idle.is_some());
        idle
    }
}

/// What the readers of a plan share.
pub(crate) type Shared = Arc<(Work, Mutex<Connections>)>;

/// The live side of a plan.
pub(crate) struct Scanning(Shared);

impl Scanning {
    /// `session` made the plan; with `begun`, its stream is that of partition 0.
    pub(crate) fn new(work: Work, session: Session, begun: bool) -> Self {
        Scanning(Arc::new((work, Mutex::new(Connections { idle: vec![Idle { session, begun }], count: 1 }))))
    }
}

impl Scan for Scanning {
    fn site(&self) -> Site {
        Site::Driver
    }

    fn obstacle(&self) -> Option<String> {
        held::obstacle(&self.0.0)
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.0.0.parts.get(index).cloned()
    }

    fn hold(&self, _plan: u128, _cancel: &Cancel) -> Result<Box<dyn Hold>> {
        Ok(Box::new(held::Holding::new(Arc::clone(&self.0))))
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        let (work, connections) = &*self.0;
        let idle = {
            let mut connections = connections.lock();
            let idle = connections.idle.pop();
            if idle.is_none() {
                if connections.count >= work.most {
                    let message = format!("all {} connections that see the plan's state are reading", work.most);
                    return Err(
                        Error::new(ErrorKind::ConnectionLimit, message).with_hint("read with fewer connections")
                    );
                }
                connections.count += 1;
            }
            idle
        };
        let idle = match idle {
            Some(idle) => Ok(idle),
            None => connect_again(&work.location, &work.database, &work.before, cancel)
                .map(|session| Idle { session, begun: false }),
        };
        match idle {
            Ok(idle) => Ok(Box::new(Reading {
                shared: Arc::clone(&self.0),
                idle: Some(idle),
                whole: true,
                cancel: cancel.clone(),
            })),
            Err(error) => {
                connections.lock().count -= 1;
                Err(error)
            }
        }
    }
}

/// A connection that reads; it goes back to its plan when it is dropped whole.
struct Reading {
    shared: Shared,
    idle: Option<Idle>,
    /// No partition was left in the middle.
    whole: bool,
    cancel: Cancel,
}

impl Drop for Reading {
    fn drop(&mut self) {
        let idle = self.idle.take();
        if self.whole {
            self.shared.1.lock().idle.extend(idle);
        } else {
            // Closed before another one may open.
            drop(idle);
            if !self.shared.0.bound {
                self.shared.1.lock().count -= 1;
            }
        }
    }
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let work = &self.shared.0;
        let missing = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let job = work.jobs.get(index).ok_or_else(missing)?;
        let idle = self.idle.as_mut().ok_or_else(missing)?;
        // Whole again when the reader has come to its end.
        self.whole = false;
        if !(std::mem::take(&mut idle.begun) && index == 0) {
            let schema = start(&idle.session, &work.location, job, &self.cancel);
            let schema = if work.joined { schema.map_err(held::lost) } else { schema }?;
            expect(&work.raw, &schema, index, job)?;
        }
        Ok(Box::new(Batches {
            work,
            session: &idle.session,
            cancel: &self.cancel,
            pieces: VecDeque::new(),
            whole: &mut self.whole,
        }))
    }
}

/// Starts to read a partition; returns the schema of its stream.
pub(crate) fn start(session: &Session, location: &Arc<Location>, job: &Job, cancel: &Cancel) -> Result<SchemaRef> {
    let (told, job) = (Arc::clone(location), job.clone());
    session.call(cancel, None, move |objects| {
        let failed = |error: AdbcError| from_driver(&error, Phase::Query, &told.secrets);
        let stream: Box<dyn RecordBatchReader + Send> = match &job {
            Job::Sql { sql, before, values, .. } => prepare(objects, &told, sql, values)
                .and_then(|mut statement| statement.execute().map_err(failed))
                .map_err(|error| duckdb::in_users_text(error, *before))?,
            Job::Token(token) => {
                objects.stream = None;
                objects.ahead = None;
                let closed = || Error::new(ErrorKind::Internal, "an ADBC session without a connection");
                objects.connection.as_ref().ok_or_else(closed)?.read_partition(token).map_err(failed)?
            }
        };
        let schema = stream.schema();
        objects.stream = Some(stream);
        Ok(schema)
    })
}

/// An error where the stream has other columns than the plan.
fn expect(promised: &Schema, found: &Schema, index: usize, job: &Job) -> Result<()> {
    same_columns(promised, found, index + 1).map_err(|error| match job {
        Job::Sql { label, .. } if label.starts_with("query ") => error,
        _ => {
            let mut wrong = Error::new(
                ErrorKind::Protocol,
                format!("the driver returns other columns than it promised: {}", error.message()),
            )
            .with_hint("somebody may have changed the table meanwhile: try again");
            if let Some(column) = error.column() {
                wrong = wrong.with_column(column);
            }
            wrong
        }
    })
}

/// The batches of one partition.
struct Batches<'a> {
    work: &'a Work,
    session: &'a Session,
    cancel: &'a Cancel,
    /// What is left of the last batch.
    pieces: VecDeque<RecordBatch>,
    whole: &'a mut bool,
}

impl Reader for Batches<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.cancel.check()?;
        if let Some(piece) = self.pieces.pop_front() {
            return Ok(Some(piece));
        }
        let (told, target) = (Arc::clone(&self.work.location), self.work.finish.batch_bytes);
        match self.session.call(self.cancel, None, move |objects| fetch(objects, &told, target))? {
            None => {
                *self.whole = true;
                Ok(None)
            }
            Some(batch) => {
                self.pieces = self.work.finish.pieces(batch)?;
                Ok(self.pieces.pop_front())
            }
        }
    }
}
