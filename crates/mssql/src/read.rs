//! Partitions into batches, on the connections of a plan.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Part, Reader, Result, Scan};
use parking_lot::Mutex;

use crate::connect::connect;
use crate::decode::Columns;
use crate::rows::Rows;
use crate::session::{Event, Session};
use crate::token::Column;
use crate::uri::Config;

/// What every connection of a plan knows.
pub(crate) struct Work {
    pub(crate) config: Config,
    pub(crate) before: Vec<String>,
    /// As the columns are decoded.
    pub(crate) schema: SchemaRef,
    /// From there to the types that the user chose.
    pub(crate) casts: Casts,
    pub(crate) parts: Vec<Part>,
    /// Whether the SQL of the parts is the user's own.
    pub(crate) verbatim: bool,
    pub(crate) batch_bytes: usize,
    /// The connections that nobody uses.
    pub(crate) idle: Mutex<Vec<Idle>>,
    /// Whether there can be others: not on a snapshot.
    pub(crate) more: bool,
}

/// A connection that nobody uses.
pub(crate) struct Idle {
    pub(crate) session: Session,
    /// The columns of partition 0, where its query already runs here.
    pub(crate) begun: Option<Vec<Column>>,
}

/// The live side of a plan.
pub(crate) struct Shared(pub(crate) Arc<Work>);

impl Scan for Shared {
    fn obstacle(&self) -> Option<String> {
        Some("SQL Server cannot hand a snapshot from one connection to another".into())
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.0.parts.get(index).cloned()
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        let idle = self.0.idle.lock().pop();
        let (session, begun) = match idle {
            Some(Idle { mut session, begun }) => {
                session.follow(cancel);
                (session, begun)
            }
            None if self.0.more => (connect(&self.0.config, &self.0.before, cancel)?, None),
            None => {
                let message = "all connections that see the snapshot are reading";
                return Err(Error::new(ErrorKind::ConnectionLimit, message)
                    .with_hint("read with fewer connections, or plan with more"));
            }
        };
        Ok(Box::new(Reading { work: Arc::clone(&self.0), session: Some(session), begun }))
    }
}

/// A connection that reads; if it can still be used, it goes back to its plan when it is dropped.
struct Reading {
    work: Arc<Work>,
    session: Option<Session>,
    begun: Option<Vec<Column>>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(session) = self.session.take().filter(|session| !session.is_busy() || self.begun.is_some()) {
            self.work.idle.lock().push(Idle { session, begun: self.begun.take() });
        }
    }
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let missing = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let part = self.work.parts.get(index).ok_or_else(missing)?;
        let session = self.session.as_mut().ok_or_else(missing)?;
        let columns = match self.begun.take() {
            Some(columns) if index == 0 => columns,
            _ => {
                if self.work.verbatim {
                    session.start(&part.sql, &part.values)?;
                } else {
                    session.send(&part.sql, &part.values)?;
                }
                loop {
                    match session.event(None)? {
                        Event::Columns(columns) if columns.is_empty() => {}
                        Event::Columns(columns) => break columns,
                        _ => return Err(Error::new(ErrorKind::Sql, "the query returned no rows, not even none")),
                    }
                }
            }
        };
        let rows = Rows::new(columns.iter().map(|column| column.wire.framing).collect());
        let columns = Columns::new(&self.work.schema, &columns)?;
        Ok(Box::new(Batches { work: &self.work, session, rows, columns, ended: false }))
    }
}

/// The batches of one partition.
struct Batches<'a> {
    work: &'a Work,
    session: &'a mut Session,
    rows: Rows,
    columns: Columns,
    ended: bool,
}

impl Reader for Batches<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.ended {
            match self.session.event(Some(&mut self.rows))? {
                Event::Rows => {
                    self.columns.append(&self.rows, self.session.buffer())?;
                    self.session.used(&mut self.rows);
                    if self.columns.bytes() >= self.work.batch_bytes {
                        break;
                    }
                }
                Event::Columns(columns) if columns.is_empty() => {}
                Event::Columns(_) => {
                    return Err(Error::new(ErrorKind::Unsupported, "the query returns more than one result")
                        .with_hint(
                            "give the statements as a list of queries, or as before=… where they return nothing",
                        ));
                }
                Event::End => self.ended = true,
            }
        }
        if self.columns.rows() == 0 {
            return Ok(None);
        }
        Ok(Some(self.work.casts.apply(self.columns.finish()?)?))
    }
}
