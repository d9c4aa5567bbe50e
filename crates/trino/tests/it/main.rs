//! Conversations with clusters of the tests' own: recorded ones, and ones that no honest cluster would hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may panic as tests do")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asking;
mod cluster;
mod faults;
mod security;
mod values;

use std::time::Duration;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Error, Options, Query, Request, Result, Source, Stream};
use bowshot_trino::Trino;

/// Longer than anything here may take.
const SOON: Duration = Duration::from_secs(10);

/// Everything that a query returns.
fn read(uri: &str, sql: &str, options: &Options) -> Result<Vec<RecordBatch>> {
    let request = Request::new(Query::new(sql), options.clone());
    let cancel = Cancel::new();
    let plan = Trino::from_uri(uri)?.plan(&request, &cancel)?;
    Stream::start(plan, options, cancel).collect()
}

fn fails(uri: &str, sql: &str) -> Error {
    let started = std::time::Instant::now();
    let error = read(uri, sql, &Options::default()).unwrap_err();
    assert!(started.elapsed() < SOON, "{error}");
    error
}
