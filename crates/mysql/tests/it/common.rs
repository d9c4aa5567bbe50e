//! What the tests share: servers, and reading to the end.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_core::{Cancel, Error, Options, Plan, Query, Request, Source, Stream};
use bowshot_mysql::MySql;
use bowshot_testkit::MariaDb;

/// A server without a binary log, for tests that change nothing of the server itself.
pub(crate) fn server() -> &'static MariaDb {
    static SERVER: OnceLock<MariaDb> = OnceLock::new();
    SERVER.get_or_init(|| MariaDb::start().unwrap())
}

/// A server with a binary log.
pub(crate) fn logging_server() -> &'static MariaDb {
    static SERVER: OnceLock<MariaDb> = OnceLock::new();
    SERVER.get_or_init(|| MariaDb::builder().setting("log_bin", "changes").start().unwrap())
}

pub(crate) fn source(uri: &str) -> MySql {
    MySql::from_uri(uri).unwrap()
}

pub(crate) fn connections(count: usize) -> Options {
    Options { connections: Some(count), ..Options::default() }
}

pub(crate) fn plan(uri: &str, sql: &str, options: &Options) -> Result<Plan, Error> {
    source(uri).plan(&Request::new(Query::new(sql), options.clone()), &Cancel::new())
}

pub(crate) fn finish(plan: Plan, options: &Options) -> Result<Vec<RecordBatch>, Error> {
    Stream::start(plan, options, Cancel::new()).collect()
}

pub(crate) fn read(uri: &str, sql: &str, options: &Options) -> Result<Vec<RecordBatch>, Error> {
    finish(plan(uri, sql, options)?, options)
}

/// The sum of a result's only column of bigint, and how many rows there are.
pub(crate) fn total(batches: &[RecordBatch]) -> (i64, usize) {
    let sum = |batch: &RecordBatch| batch.column(0).as_primitive::<Int64Type>().values().iter().sum::<i64>();
    (batches.iter().map(sum).sum(), batches.iter().map(RecordBatch::num_rows).sum())
}

/// A table `accounts` with this many rows of 1000 each, in a database of its own; the database's URI.
pub(crate) fn accounts(server: &MariaDb, database: &str, rows: usize) -> String {
    server
        .sql(&format!(
            "CREATE DATABASE {database}; USE {database}; \
             CREATE TABLE accounts (id INT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL, padding VARCHAR(40) NOT NULL); \
             INSERT INTO accounts SELECT seq, 1000, REPEAT('x', 40) FROM seq_1_to_{rows}"
        ))
        .unwrap();
    server.uri_of(server.user(), server.password(), database)
}

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
