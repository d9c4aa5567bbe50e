//! Work that is asked to stop.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Options, Query, Request, Source, Stream};

use crate::drivers::source;

/// Begins to read, asks to stop after a while, and returns how long that took.
pub fn stop(uri: &str, sql: &str, after: Duration) -> Duration {
    let request = Request::new(Query::new(sql), Options::default());
    let cancel = Cancel::new();
    let stopper = cancel.clone();
    let told = std::thread::spawn(move || {
        std::thread::sleep(after);
        let begin = Instant::now();
        stopper.cancel();
        begin
    });
    let source = source(uri).unwrap();
    let outcome = source.plan(&request, &cancel).and_then(|plan| {
        Stream::start(plan, &request.options, cancel.clone()).map(|batch| batch.map(|_| ())).collect()
    });
    let outcome: Result<Vec<()>, _> = outcome;
    let ended = Instant::now();
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Cancelled, "{sql}");
    ended - told.join().unwrap()
}

#[test]
fn duckdb_stops_within_a_second() {
    for sql in [
        "SELECT count(*) FROM range(100000000000) WHERE hash(range) % 7 = 1",
        "SELECT hash(range) FROM range(100000000000)",
    ] {
        let took = stop("duckdb:", sql, Duration::from_millis(400));
        assert!(took < Duration::from_secs(1), "{sql}: {took:?}");
    }
}

#[test]
fn whoever_waits_for_a_driver_without_cancellation_is_free_within_a_second() {
    let sql = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 30000000) SELECT max(i) FROM r";
    let took = stop("adbc:sqlite?uri=:memory:", sql, Duration::from_millis(400));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_result_that_is_left_in_the_middle_costs_nothing() {
    let request = Request::new(Query::new("SELECT range FROM range(100000000000)"), Options::default());
    let plan = source("duckdb:").unwrap().plan(&request, &Cancel::new()).unwrap();
    let mut stream = Stream::start(plan, &request.options, Cancel::new());
    assert!(stream.next().unwrap().unwrap().num_rows() > 0);
    let begin = Instant::now();
    drop(stream);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}
