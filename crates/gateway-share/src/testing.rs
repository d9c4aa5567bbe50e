//! A query that can be executed once, watched and disturbed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{
    Cancel, Connection, Error, ErrorKind, Estimate, Options, Partition, Plan, Reader, Result, Scan, Stream,
};

/// Rows of each batch, of 8 bytes.
pub(crate) const ROWS: usize = 100;

/// What a test sees of an execution.
#[derive(Default)]
pub(crate) struct Seen {
    /// Connections that were ever made, and those that are open.
    pub(crate) connections: AtomicUsize,
    pub(crate) open: AtomicUsize,
    /// Batches that were produced.
    pub(crate) produced: AtomicUsize,
    /// Whether the database was told to stop.
    pub(crate) interrupted: AtomicBool,
}

/// A query of so many batches, with the fault that follows them.
#[derive(Clone)]
pub(crate) struct Query {
    pub(crate) batches: usize,
    pub(crate) fault: Fault,
    pub(crate) seen: Arc<Seen>,
}

/// What follows the last batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    None,
    Error,
    Panic,
    /// Nothing, until the query is cancelled.
    Silence,
}

impl Query {
    pub(crate) fn of(batches: usize) -> Self {
        Query { batches, fault: Fault::None, seen: Arc::default() }
    }

    pub(crate) fn then(self, fault: Fault) -> Self {
        Query { fault, ..self }
    }

    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schema: schema(),
            snapshot: Some("a test".into()),
            partitions: vec![Partition::default()],
            reason: "a test says so".into(),
            estimate: Estimate::default(),
            scan: Arc::new(self.clone()),
        }
    }

    /// The rows of the whole result.
    pub(crate) fn rows(&self) -> BTreeSet<i64> {
        (0..i64::try_from(self.batches * ROWS).unwrap()).collect()
    }
}

impl Scan for Query {
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        self.seen.connections.fetch_add(1, Ordering::SeqCst);
        self.seen.open.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(QueryConnection { query: self.clone(), cancel: cancel.clone() }))
    }
}

struct QueryConnection {
    query: Query,
    cancel: Cancel,
}

impl Connection for QueryConnection {
    fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(QueryReader { query: self.query.clone(), cancel: self.cancel.clone(), next: 0 }))
    }
}

impl Drop for QueryConnection {
    fn drop(&mut self) {
        self.query.seen.open.fetch_sub(1, Ordering::SeqCst);
    }
}

struct QueryReader {
    query: Query,
    cancel: Cancel,
    next: usize,
}

impl Reader for QueryReader {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if self.cancel.is_cancelled() {
            self.query.seen.interrupted.store(true, Ordering::SeqCst);
            return Err(Error::cancelled());
        }
        if self.next == self.query.batches {
            return match self.query.fault {
                Fault::None => Ok(None),
                Fault::Error => Err(Error::new(ErrorKind::Sql, "division by zero").with_sqlstate("22012")),
                Fault::Panic => panic!("as told"),
                Fault::Silence => {
                    wait_until("the cancel", || self.cancel.is_cancelled());
                    self.next()
                }
            };
        }
        let start = i64::try_from(self.next * ROWS).unwrap();
        let end = i64::try_from((self.next + 1) * ROWS).unwrap();
        self.next += 1;
        self.query.seen.produced.fetch_add(1, Ordering::SeqCst);
        Ok(Some(RecordBatch::try_new(schema(), vec![Arc::new(Int64Array::from_iter_values(start..end))]).unwrap()))
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
}

/// The rows of a batch.
pub(crate) fn rows_of(batch: &RecordBatch) -> Vec<i64> {
    batch.column(0).as_primitive::<Int64Type>().values().to_vec()
}

/// A part as a gateway reads it: one connection, under a cancel of its own.
pub(crate) fn stream(part: Plan) -> Stream {
    let options = Options { connections: Some(1), buffer_bytes: 1, ..Options::default() };
    Stream::start(part, &options, Cancel::new())
}

/// All rows of a part.
pub(crate) fn read(part: Plan) -> Result<Vec<i64>> {
    let mut rows = Vec::new();
    for batch in stream(part) {
        rows.extend(rows_of(&batch?));
    }
    Ok(rows)
}

/// Waits for what other threads bring about.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(30), "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(1));
    }
}
