//! Reads a query and shows its rows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bowshot_core::{Cancel, Error, ErrorKind, Options, Partitioning, Plan, Query, Request, Result, Source, Stream};
use bowshot_postgres::Postgres;
use bowshot_testkit::conformance::{Database, run};

/// Every case of a database.
pub(crate) fn all_cases(database: &mut dyn Database, at_least: usize) -> bowshot_testkit::Result<()> {
    let connect = |uri: &str| -> Result<Arc<dyn Source>> { Ok(Arc::new(Postgres::from_uri(uri)?)) };
    let checked = run(database, &connect)?;
    assert!(checked >= at_least, "only {checked} cases were found");
    Ok(())
}

pub(crate) fn plan(uri: &str, sql: &str, options: &Options) -> Result<Plan> {
    let request = Request { queries: vec![Query::new(sql)], options: options.clone() };
    Postgres::from_uri(uri)?.plan(&request, &Cancel::new())
}

pub(crate) fn start(uri: &str, sql: &str, options: &Options) -> Result<Stream> {
    Ok(Stream::start(plan(uri, sql, options)?, options, Cancel::new()))
}

/// The rows, columns between bars, NULL as nothing.
pub(crate) fn read(uri: &str, sql: &str, options: &Options) -> Result<Vec<String>> {
    let batches = start(uri, sql, options)?.collect::<Result<Vec<_>>>()?;
    Ok(batches.iter().flat_map(rows).collect())
}

fn rows(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::default();
    let columns: Vec<_> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    let row = |row| columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join("|");
    (0..batch.num_rows()).map(row).collect()
}

/// The error of a read, however late it comes.
#[track_caller]
pub(crate) fn refused(uri: &str, sql: &str, options: &Options) -> Error {
    read(uri, sql, options).err().unwrap()
}

pub(crate) fn with_protocol(protocol: &str) -> Options {
    Options { protocol: Some(protocol.into()), ..Options::default() }
}

/// Three ranges of a column, over three connections.
pub(crate) fn by(column: &str, one_snapshot: bool) -> Options {
    let partitioning = Partitioning::Column { column: column.into(), count: 3, range: None };
    Options { partitioning, connections: Some(3), one_snapshot, ..Options::default() }
}

/// Small batches and little room, so that the server soon has to wait for the consumer.
pub(crate) fn narrow() -> Options {
    Options { batch_bytes: 16 << 10, buffer_bytes: 64 << 10, ..Options::default() }
}

/// Cancels a read from which something has come; it has to end within a second.
#[track_caller]
pub(crate) fn cancels(uri: &str, sql: &str, options: &Options) {
    let mut stream = start(uri, sql, options).unwrap();
    assert!(stream.next().unwrap().is_ok());
    let started = Instant::now();
    stream.cancel().cancel();
    let error = stream.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(started.elapsed() < Duration::from_millis(1100), "{:?}", started.elapsed());
}

/// The error of a read whose server is ended after the first batch.
pub(crate) fn killed(uri: &str, sql: &str, options: &Options, crash: impl FnOnce()) {
    let mut stream = start(uri, sql, options).unwrap();
    assert!(stream.next().unwrap().is_ok());
    crash();
    let started = Instant::now();
    let error = stream.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let error = refused(uri, "SELECT 1", options);
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
}
