//! Stopping: the server is told, and within a second nobody waits any more.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Options, Poll, Query, Request, Source, Stream};
use bowshot_mssql::MsSql;

use super::mock::{Mock, Reply, Seen};
use super::support::{plan, uri};
use super::tokens::{self, column, described, int, row};

fn stalling(during_describe: bool) -> Mock {
    Mock::start(move |request| {
        let head = [tokens::columns(&[column("n", tokens::INT)]), row(&[int(1)])].concat();
        match request.is_describe() {
            true if during_describe => Reply::Stall(Vec::new()),
            true => Reply::Tokens(tokens::description(&[described("n", 56, "int", 10, 0)])),
            false => Reply::Stall(head),
        }
    })
}

/// Waits until something is so, but not for ever.
fn eventually(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(5), "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn attentions(mock: &Mock) -> usize {
    mock.seen().iter().filter(|seen| **seen == Seen::Attention).count()
}

#[test]
fn a_read_that_waits_is_cancelled_within_a_second() {
    let mock = stalling(false);
    let cancel = Cancel::new();
    let request = Request::new(Query::new("SELECT n FROM t"), Options::default());
    let plan = MsSql::from_uri(&uri(mock.port)).unwrap().plan(&request, &cancel).unwrap();
    let mut stream = Stream::start(plan, &request.options, cancel.clone());
    assert!(matches!(stream.poll(Duration::from_millis(200)), Ok(Poll::Pending)));
    let start = Instant::now();
    cancel.cancel();
    let error = loop {
        match stream.poll(Duration::from_secs(5)) {
            Err(error) => break error,
            Ok(Poll::Pending) => {}
            Ok(other) => panic!("{other:?}"),
        }
    };
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    drop(stream);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    eventually(|| attentions(&mock) == 1 && mock.open() == 0);
}

#[test]
fn planning_is_cancelled_too() {
    let mock = stalling(true);
    let cancel = Cancel::new();
    let request = Request::new(Query::new("SELECT n FROM t"), Options::default());
    let source = MsSql::from_uri(&uri(mock.port)).unwrap();
    let planning = std::thread::spawn({
        let cancel = cancel.clone();
        move || source.plan(&request, &cancel).map(|_| ())
    });
    eventually(|| mock.queries().len() == 1);
    let start = Instant::now();
    cancel.cancel();
    assert_eq!(planning.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(1));
    eventually(|| attentions(&mock) == 1);
}

#[test]
fn a_stream_that_is_dropped_stops_the_server() {
    let mock = Mock::start(|request| {
        let head = tokens::columns(&[column("n", tokens::INT)]);
        match request.is_describe() {
            true => Reply::Tokens(tokens::description(&[described("n", 56, "int", 10, 0)])),
            false => Reply::Endless(head, (0..1000).flat_map(|n| row(&[int(n)])).collect()),
        }
    });
    let options = Options { batch_bytes: 64 << 10, buffer_bytes: 256 << 10, ..Options::default() };
    let plan = plan(&uri(mock.port), Query::new("SELECT n FROM t"), &options).unwrap();
    let mut stream = Stream::start(plan, &options, Cancel::new());
    assert!(stream.next().unwrap().unwrap().num_rows() > 10_000);
    let start = Instant::now();
    drop(stream);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    eventually(|| attentions(&mock) == 1 && mock.open() == 0);
}

#[test]
fn a_plan_that_nobody_reads_closes_its_connection() {
    let mock = stalling(false);
    drop(plan(&uri(mock.port), Query::new("SELECT n FROM t"), &Options::default()).unwrap());
    eventually(|| mock.open() == 0);
    assert_eq!(attentions(&mock), 0);
}

#[test]
fn connecting_is_cancelled() {
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let cancel = Cancel::new();
    let source = MsSql::from_uri(&format!("mssql://u:p@127.0.0.1:{port}/d")).unwrap();
    let planning = std::thread::spawn({
        let cancel = cancel.clone();
        move || source.plan(&Request::new(Query::new("SELECT 1"), Options::default()), &cancel).map(|_| ())
    });
    std::thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    cancel.cancel();
    assert_eq!(planning.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(1));
}
