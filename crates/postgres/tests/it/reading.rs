//! Reads a query and shows its rows as `psql` prints them.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bowshot_core::{Cancel, Error, Options, Partitioning, Plan, Query, Request, Result, Source, Stream};
use bowshot_postgres::Postgres;
use bowshot_testkit::Postgres as Server;

/// One server for all tests that do not break theirs; each concern has a database of its own in it.
pub(crate) static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let server = Server::builder()
        .setting("max_connections", "80")
        // Statistics change only when a test says so.
        .setting("autovacuum", "off")
        .rule("host all trusted 127.0.0.1/32 trust")
        .start()
        .unwrap();
    server
        .psql(
            "CREATE ROLE reader LOGIN PASSWORD 'reader'; CREATE ROLE limited LOGIN PASSWORD 'limited';
             CREATE ROLE trusted LOGIN SUPERUSER",
        )
        .unwrap();
    server
});

/// A database of the shared server, made once, and how to get there.
pub(crate) struct Database {
    name: &'static str,
}

impl Database {
    /// Makes it with this SQL.
    pub(crate) fn make(name: &'static str, setup: &str) -> Self {
        SERVER.psql(&format!("CREATE DATABASE {name}")).unwrap();
        let database = Database { name };
        database.psql(setup);
        database
    }

    pub(crate) fn psql(&self, sql: &str) -> String {
        SERVER.psql_in(self.name, sql).unwrap()
    }

    pub(crate) fn uri(&self) -> String {
        self.uri_of(SERVER.superuser(), SERVER.password())
    }

    pub(crate) fn uri_of(&self, user: &str, password: &str) -> String {
        SERVER.uri_of(user, password, self.name)
    }
}

/// What was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) reason: String,
    pub(crate) partitions: usize,
    pub(crate) snapshot: Option<String>,
    pub(crate) batches: Vec<RecordBatch>,
}

impl Read {
    /// The rows as `psql -At` prints them, in their order.
    pub(crate) fn rows(&self) -> Vec<String> {
        self.batches.iter().flat_map(rows).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// The rows of a batch, columns between bars, NULL as nothing.
pub(crate) fn rows(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::default();
    let columns: Vec<_> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    let row = |row| columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join("|");
    (0..batch.num_rows()).map(row).collect()
}

pub(crate) fn over(connections: usize) -> Options {
    Options { connections: Some(connections), ..Options::default() }
}

/// Partitions by a column, over three connections.
pub(crate) fn by(column: &str, count: usize, range: Option<(i64, i64)>) -> Options {
    Options { partitioning: Partitioning::Column { column: column.into(), count, range }, ..over(3) }
}

pub(crate) fn plan(uri: &str, sql: &str, options: &Options) -> Result<Plan> {
    plan_list(uri, &[sql], options)
}

pub(crate) fn plan_list(uri: &str, queries: &[&str], options: &Options) -> Result<Plan> {
    let queries = queries.iter().map(|sql| Query::new(*sql)).collect();
    Postgres::from_uri(uri)?.plan(&Request { queries, options: options.clone() }, &Cancel::new())
}

pub(crate) fn start(uri: &str, sql: &str, options: &Options) -> Result<Stream> {
    Ok(Stream::start(plan(uri, sql, options)?, options, Cancel::new()))
}

pub(crate) fn read(uri: &str, sql: &str, options: &Options) -> Result<Read> {
    finish(plan(uri, sql, options)?, options)
}

pub(crate) fn read_list(uri: &str, queries: &[&str], options: &Options) -> Result<Read> {
    finish(plan_list(uri, queries, options)?, options)
}

/// Reads a plan to its end.
pub(crate) fn finish(plan: Plan, options: &Options) -> Result<Read> {
    let (reason, partitions, snapshot) = (plan.reason.clone(), plan.partitions.len(), plan.snapshot.clone());
    let batches = Stream::start(plan, options, Cancel::new()).collect::<Result<Vec<_>>>()?;
    Ok(Read { reason, partitions, snapshot, batches })
}

/// The error of a read, however late it comes.
#[track_caller]
pub(crate) fn refused(uri: &str, sql: &str, options: &Options) -> Error {
    read(uri, sql, options).err().unwrap()
}

/// Waits up to ten seconds for something to become true.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
