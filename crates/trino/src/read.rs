//! Partitions into batches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Part, Reader, Result, Scan, same_columns};
use parking_lot::Mutex;

use crate::decode::{Decoder, Place, schema};
use crate::page::Page;
use crate::parameters;
use crate::plan::in_the_users_text;
use crate::snapshot::OBSTACLE;
use crate::statement::{Cluster, Statement};
use crate::types::{Column, columns};

/// The first part's query, which planning began.
pub(crate) struct Begun(pub(crate) Statement);

/// What every connection of a plan knows.
pub(crate) struct Work {
    pub(crate) cluster: Cluster,
    /// The user's own texts.
    pub(crate) asked: Arc<[String]>,
    pub(crate) types: BTreeMap<String, DataType>,
    pub(crate) columns: Arc<[Column]>,
    /// As the columns are decoded.
    pub(crate) source_schema: SchemaRef,
    /// What the user makes of them.
    pub(crate) casts: Casts,
    /// Whether the queries are to be run one after the other.
    pub(crate) one_by_one: bool,
    pub(crate) parts: Vec<Part>,
    pub(crate) batch_bytes: usize,
    pub(crate) begun: Mutex<Option<Begun>>,
    pub(crate) taken: AtomicBool,
}

/// The live side of a plan.
pub(crate) struct Shared(pub(crate) Arc<Work>);

impl Scan for Shared {
    fn obstacle(&self) -> Option<String> {
        Some(OBSTACLE.into())
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.0.parts.get(index).cloned()
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        if self.0.one_by_one && self.0.taken.swap(true, Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::ConnectionLimit, "the queries are run one after the other"));
        }
        Ok(Box::new(Reading { work: Arc::clone(&self.0), cancel: cancel.clone() }))
    }
}

/// Reads one query after the other; each has a connection of its own.
struct Reading {
    work: Arc<Work>,
    cancel: Cancel,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.work.one_by_one {
            self.work.taken.store(false, Ordering::SeqCst);
        }
    }
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let work = &self.work;
        let part = work.parts.get(index);
        let part = part.ok_or_else(|| Error::new(ErrorKind::Internal, format!("the plan has no partition {index}")))?;
        let begun = if index == 0 { work.begun.lock().take() } else { None };
        let statement = match begun {
            Some(Begun(statement)) => statement,
            None => self.start(part, index).map_err(|error| in_the_users_text(error, &part.sql, &work.asked))?,
        };
        let decoder = Decoder::new(Arc::clone(&work.columns), work.batch_bytes);
        Ok(Box::new(Rows { work, part, cancel: &self.cancel, statement, decoder, page: None }))
    }
}

impl Reading {
    fn start(&self, part: &Part, index: usize) -> Result<Statement> {
        let text = parameters::text(&part.sql, &part.values);
        let mut statement = Statement::start(&self.work.cluster, &part.sql, &text, &self.cancel)?;
        let found = columns(statement.columns(&self.cancel)?, &self.work.types)?;
        same_columns(&self.work.source_schema, &schema(&found), index + 1)?;
        Ok(statement)
    }
}

/// The rows of one partition.
struct Rows<'a> {
    work: &'a Work,
    part: &'a Part,
    cancel: &'a Cancel,
    statement: Statement,
    decoder: Decoder,
    /// The page that is being decoded.
    page: Option<(Page, Place)>,
}

impl Rows<'_> {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some((page, place)) = &mut self.page {
                if self.decoder.read(page.rows(), place)? {
                    return self.decoder.finish();
                }
                self.page = None;
            }
            match self.statement.next(self.cancel)? {
                Some(page) => self.page = Some((page, Place::default())),
                None => return self.decoder.finish(),
            }
        }
    }
}

impl Reader for Rows<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.cancel.check()?;
        let batch = self.batch().map_err(|error| in_the_users_text(error, &self.part.sql, &self.work.asked))?;
        batch.map(|batch| self.work.casts.apply(batch)).transpose()
    }
}
