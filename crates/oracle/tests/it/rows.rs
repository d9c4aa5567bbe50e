//! Results as they come: in pages, in pieces, repeated, broken off, cancelled.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_core::{Cancel, ErrorKind, Options, Params, Query, Request, Source, Stream, Value};
use bowshot_oracle::Oracle;

use crate::answers::{Answer, number, text};
use crate::login::read;
use crate::server::{CLASSIC, Database, MODERN, Manner, is_query};
use crate::ttc::{self, Column, Row};

fn columns() -> Vec<Column> {
    vec![ttc::number("ID", 10, 0), ttc::column("NAME", 1), ttc::column("DOC", 112)]
}

fn many(count: i64) -> Vec<Row> {
    // Runs of equal names, which are sent once; a document that fits into no short length now and then.
    let row = |id: i64| {
        let name = if id % 7 == 0 { None } else { text(&format!("name {}", id / 5)) };
        vec![number(id), name, text(&"x".repeat(usize::try_from(id % 50 * 10).unwrap() + 1))]
    };
    (0..count).map(row).collect()
}

fn check(batches: &[RecordBatch], count: i64) {
    let ids: Vec<i64> =
        batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
    let mut id = 0;
    for batch in batches {
        for (name, doc) in batch.column(1).as_string::<i32>().iter().zip(batch.column(2).as_string::<i32>()) {
            let wanted = (id % 7 != 0).then(|| format!("name {}", id / 5));
            assert_eq!(name, wanted.as_deref(), "{id}");
            assert_eq!(doc.unwrap().len(), usize::try_from(id % 50 * 10).unwrap() + 1);
            id += 1;
        }
    }
}

#[test]
fn rows_come_in_pages_and_pieces() {
    for manner in [
        CLASSIC,
        MODERN,
        Manner { page: 7, ..CLASSIC },
        Manner { page: 7, ..MODERN },
        Manner { packet: 13, page: 100, ..CLASSIC },
        Manner { packet: 1, page: 500, ..MODERN },
    ] {
        let count = if manner.packet == 1 { 60 } else { 1000 };
        let database = Database::with(manner, Answer::Rows(columns(), many(count)));
        let batches = read(&database.uri(), "SELECT * FROM t", &Options::default()).unwrap();
        check(&batches, count);
    }
}

#[test]
fn batches_are_as_large_as_asked_for() {
    let database = Database::with(Manner { page: 50, ..CLASSIC }, Answer::Rows(columns(), many(2000)));
    let options = Options { batch_bytes: 20_000, ..Options::default() };
    let batches = read(&database.uri(), "SELECT * FROM t", &options).unwrap();
    assert!(batches.len() > 10, "{}", batches.len());
    check(&batches, 2000);
}

#[test]
fn an_empty_result_has_its_schema() {
    let database = Database::with(MODERN, Answer::Rows(columns(), Vec::new()));
    let source = Oracle::from_uri(&database.uri()).unwrap();
    let request = Request::new(Query::new("SELECT * FROM t"), Options::default());
    let plan = source.plan(&request, &Cancel::new()).unwrap();
    assert_eq!(plan.schema.fields().len(), 3);
    assert_eq!(plan.snapshot, None);
    assert_eq!(Stream::start(plan, &request.options, Cancel::new()).count(), 0);
}

#[test]
fn a_failure_in_the_middle_ends_the_stream_with_its_reason() {
    for manner in [CLASSIC, MODERN] {
        let broken = Answer::Breaks(columns(), many(500), 1555, "ORA-01555: snapshot too old");
        let database = Database::with(manner, broken);
        let error = read(&database.uri(), "SELECT * FROM t", &Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Sql, "{error}");
        assert!(error.to_string().contains("UNDO_RETENTION"), "{error}");
        let dead = Database::with(manner, Answer::Dies(columns(), many(500)));
        let error = read(&dead.uri(), "SELECT * FROM t", &Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
    }
}

#[test]
fn a_mistake_in_the_query_has_its_position() {
    for manner in [CLASSIC, MODERN] {
        let answer = Answer::Error(942, "ORA-00942: table or view does not exist", 14);
        let database = Database::with(manner, answer);
        let error = read(&database.uri(), "SELECT * FROM missing", &Options::default()).unwrap_err();
        assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(15)), "{error}");
        assert!(error.hint().unwrap().contains("schema"), "{error}");
    }
    let database = Database::with(CLASSIC, Answer::Done);
    let error = read(&database.uri(), "DROP TABLE t", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(database.connections(), 0);
}

#[test]
fn whoever_cancels_waits_no_second_and_the_server_is_told() {
    for manner in [CLASSIC, MODERN] {
        let late = Answer::Late(Duration::from_secs(60), Box::new(Answer::Rows(columns(), many(3))));
        for answer in [Answer::Hangs(columns(), many(3)), late] {
            let database = Database::with(manner, answer);
            let source = Oracle::from_uri(&database.uri()).unwrap();
            let request = Request::new(Query::new("SELECT * FROM t"), Options::default());
            let cancel = Cancel::new();
            let plan = source.plan(&request, &cancel).unwrap();
            let mut stream = Stream::start(plan, &request.options, cancel.clone());
            let stopper = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                let started = Instant::now();
                cancel.cancel();
                started
            });
            let error = stream.by_ref().find_map(Result::err).unwrap();
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
            drop(stream);
            let waited = stopper.join().unwrap().elapsed();
            assert!(waited < Duration::from_secs(1), "{waited:?}");
            assert_eq!(database.seen.breaks.load(Ordering::SeqCst), 1, "the server was told to stop");
        }
    }
}

#[test]
fn a_stream_that_nobody_reads_any_more_is_broken_off() {
    let database = Database::with(Manner { page: 50, ..CLASSIC }, Answer::Rows(columns(), many(100_000)));
    let source = Oracle::from_uri(&database.uri()).unwrap();
    let options = Options { batch_bytes: 10_000, buffer_bytes: 50_000, ..Options::default() };
    let request = Request::new(Query::new("SELECT * FROM t"), options);
    let cancel = Cancel::new();
    let plan = source.plan(&request, &cancel).unwrap();
    let mut stream = Stream::start(plan, &request.options, cancel);
    assert!(stream.next().unwrap().unwrap().num_rows() > 0);
    let started = Instant::now();
    drop(stream);
    assert!(started.elapsed() < Duration::from_secs(1));
    // Most of it was never asked for.
    assert!(database.seen.fetches.load(Ordering::SeqCst) < 1000);
}

#[test]
fn parameters_arrive_as_they_are() {
    let database = Database::start(CLASSIC, |sql, values| {
        if sql.contains("ALL_TABLES") {
            return Answer::Rows(vec![ttc::column("OWNER", 1)], Vec::new());
        }
        if !is_query(sql) || values.is_empty() {
            return if is_query(sql) { Answer::Rows(vec![ttc::column("V", 1)], Vec::new()) } else { Answer::Done };
        }
        assert!(sql.contains(":1") && sql.contains(":4"), "{sql}");
        let rows = values.iter().map(|value| vec![Some(format!("{value:?}").into_bytes())]).collect();
        Answer::Rows(vec![ttc::column("V", 1)], rows)
    });
    let source = Oracle::from_uri(&database.uri()).unwrap();
    let values = vec![Value::Int(-12), Value::Text("it's".into()), Value::Null, Value::Bool(true)];
    let query = Query {
        sql: "SELECT v FROM t WHERE a = ? AND b = ? AND c = ? AND d = ?".into(),
        params: Params::Positional(values),
    };
    let request = Request::new(query, Options::default());
    let cancel = Cancel::new();
    let plan = source.plan(&request, &cancel).unwrap();
    let batches: Vec<RecordBatch> = Stream::start(plan, &request.options, cancel).collect::<Result<_, _>>().unwrap();
    let seen: Vec<String> = batches
        .iter()
        .flat_map(|batch| {
            batch.column(0).as_string::<i32>().iter().map(|value| value.unwrap().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    let wanted = [number(-12), text("it's"), None, number(1)].map(|value| format!("{value:?}"));
    assert_eq!(seen, wanted);
}

#[test]
fn a_protocol_is_known_or_refused() {
    let database = Database::with(CLASSIC, Answer::Rows(columns(), many(1)));
    let options = |protocol: &str| Options { protocol: Some(protocol.into()), ..Options::default() };
    assert!(read(&database.uri(), "SELECT * FROM t", &options("tns")).is_ok());
    let error = read(&database.uri(), "SELECT * FROM t", &options("binary")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("tns"));
}
