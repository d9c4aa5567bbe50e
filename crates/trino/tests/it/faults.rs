//! What can go wrong: each within seconds, with its kind.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Query, Request, Source, Stream};

use super::*;
use crate::cluster::{Answer, Asked, Cluster, numbers, page};

fn data(rows: &str) -> Answer {
    page(&format!("{},\"data\":{rows}", numbers()))
}

#[test]
fn the_clusters_errors_keep_their_words_and_place() {
    let failure = r#""error":{"message":"line 2:3: Column 'x' cannot be resolved","errorCode":47,"errorName":"COLUMN_NOT_FOUND",
        "errorType":"USER_ERROR","errorLocation":{"lineNumber":2,"columnNumber":3},"failureInfo":{"stack":["a"]}}"#;
    let cluster = Cluster::with(|_| (page(failure), false));
    let error = fails(&cluster.uri(), "SELECT\n  x");
    assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(10)));
    assert!(error.message().ends_with("resolved (COLUMN_NOT_FOUND)"), "{error}");
}

#[test]
fn a_failure_in_mid_stream_ends_the_stream() {
    let cluster = Cluster::start(vec![
        data("[[1]]"),
        data("[[2]]"),
        page(r#""error":{"message":"Division by zero","errorName":"DIVISION_BY_ZERO","errorType":"USER_ERROR"}"#),
    ]);
    let request = Request::new(Query::new("SELECT n FROM t"), Options { batch_bytes: 1, ..Options::default() });
    let plan = Trino::from_uri(&cluster.uri()).unwrap().plan(&request, &Cancel::new()).unwrap();
    let items: Vec<_> = Stream::start(plan, &request.options, Cancel::new()).collect();
    let error = items.last().unwrap().as_ref().unwrap_err();
    assert_eq!(error.to_string(), "Division by zero (DIVISION_BY_ZERO)");
    assert_eq!(cluster.count("DELETE"), 0);
}

#[test]
fn a_busy_cluster_is_asked_again() {
    let busy = |status| Answer::Status(status, "later");
    let cluster = Cluster::start(vec![busy(503), busy(429), data("[[1]]"), busy(502), busy(504), data("[[2]]")]);
    // The false cluster counts its answers: the ones that are no pages do not move the query on.
    let rows: usize =
        read(&cluster.uri(), "SELECT 1", &Options::default()).unwrap().iter().map(RecordBatch::num_rows).sum();
    assert_eq!(rows, 2);
    assert_eq!(cluster.count("POST"), 3);
}

#[test]
fn a_cluster_that_stays_busy_is_given_up() {
    let cluster = Cluster::with(|_| (Answer::Status(503, "full"), false));
    let error = fails(&format!("{}?connect_timeout=1", cluster.uri()), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.message().contains("503") && cluster.count("POST") > 2, "{error}");
}

#[test]
fn a_page_is_asked_for_again_where_the_connection_broke_and_a_query_is_not() {
    let cluster = Cluster::start(vec![data("[[1]]"), Answer::HangUp, Answer::HangUp, data("[[2]]")]);
    let rows: usize =
        read(&cluster.uri(), "SELECT 1", &Options::default()).unwrap().iter().map(RecordBatch::num_rows).sum();
    assert_eq!(rows, 2);
    let cluster = Cluster::start(vec![Answer::HangUp, data("[[1]]")]);
    let error = fails(&cluster.uri(), "SELECT nextval FROM t");
    assert_eq!((error.kind(), cluster.count("POST")), (ErrorKind::ConnectionLost, 1), "{error}");
}

#[test]
fn a_cluster_that_goes_away_is_missed_soon() {
    let cluster = Cluster::with(|asked: &Asked| match asked.method.as_str() {
        "POST" => (data("[[1]]"), true),
        _ => (Answer::HangUp, false),
    });
    let error = fails(&cluster.uri(), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
    // A page of which half arrives.
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":".to_vec();
    let cluster = Cluster::with(move |asked: &Asked| match asked.method.as_str() {
        "POST" => (data("[[1]]"), true),
        _ => (Answer::Bytes(half.clone()), false),
    });
    assert_eq!(fails(&cluster.uri(), "SELECT 1").kind(), ErrorKind::ConnectionLost);
}

#[test]
fn who_is_not_let_in_hears_so() {
    for (status, kind) in [
        (401, ErrorKind::Authentication),
        (403, ErrorKind::Authentication),
        (404, ErrorKind::Protocol),
        (410, ErrorKind::Sql),
        (302, ErrorKind::Config),
        (500, ErrorKind::Protocol),
    ] {
        let cluster = Cluster::with(move |_| (Answer::Status(status, "no"), false));
        let error = fails(&cluster.uri(), "SELECT 1");
        assert_eq!((error.kind(), cluster.count("POST")), (kind, 1), "{error}");
    }
}

#[test]
fn nobody_and_silence_are_noticed() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = fails(&format!("trino://ada@127.0.0.1:{port}"), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let error = fails("trino://ada@no.such.host.invalid", "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let silent = Cluster::with(|_| (Answer::Silence, false));
    let error = fails(&format!("{}?connect_timeout=0.5", silent.uri()), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    let silent = Cluster::with(|asked: &Asked| match asked.method.as_str() {
        "POST" => (data("[[1]]"), true),
        _ => (Answer::Silence, false),
    });
    let error = fails(&format!("{}?fetch_timeout=0.5", silent.uri()), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert_eq!(silent.count("DELETE"), 1);
}

#[test]
fn a_cancel_ends_the_query_within_a_second() {
    let cluster = Cluster::with(|asked: &Asked| match asked.method.as_str() {
        "POST" => (page(&numbers()), true),
        _ => (Answer::Silence, true),
    });
    let request = Request::new(Query::new("SELECT n FROM t"), Options::default());
    let cancel = Cancel::new();
    let plan = Trino::from_uri(&cluster.uri()).unwrap().plan(&request, &cancel).unwrap();
    let mut stream = Stream::start(plan, &request.options, cancel.clone());
    let later = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        cancel.cancel();
        Instant::now()
    });
    let error = stream.next().unwrap().unwrap_err();
    let ended = Instant::now();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(ended.duration_since(later.join().unwrap()) < Duration::from_secs(1));
    drop(stream);
    let last = cluster.asked().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("DELETE", "/v1/statement/executing/q1/1"));
}

#[test]
fn a_stream_that_is_dropped_ends_its_query() {
    let cluster = Cluster::with(|_| (data("[[1]]"), true));
    let request = Request::new(Query::new("SELECT n FROM t"), Options { batch_bytes: 1, ..Options::default() });
    let cancel = Cancel::new();
    let plan = Trino::from_uri(&cluster.uri()).unwrap().plan(&request, &cancel).unwrap();
    let mut stream = Stream::start(plan, &request.options, cancel);
    stream.next().unwrap().unwrap();
    drop(stream);
    assert_eq!(cluster.asked().pop().unwrap().method, "DELETE");
}

#[test]
fn hostile_answers_are_errors() {
    let deep = format!("[[{}1{}]]", "[".repeat(50_000), "]".repeat(50_000));
    for rows in [
        "[1]",
        "[[]]",
        "[[1,2]]",
        "[[\"x\"]]",
        "[[true]]",
        "[[1.5]]",
        "[[1e3]]",
        "[[9223372036854775808]]",
        "[[[1]]]",
        "[[{}]]",
        "[[1]",
        "[[1] [2]]",
        "{}",
        "7",
        deep.as_str(),
    ] {
        let rows = rows.to_owned();
        let cluster = Cluster::with(move |_| (data(&rows), false));
        let error = fails(&cluster.uri(), "SELECT n FROM t");
        assert!(matches!(error.kind(), ErrorKind::Protocol | ErrorKind::Value), "{error}");
    }
    for bytes in [
        &b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"[..],
        b"\x15\x03\x01\x00\x02\x02\x16",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        b"SSH-2.0-OpenSSH\r\n",
    ] {
        let cluster = Cluster::with(move |_| (Answer::Bytes(bytes.to_vec()), false));
        let error = fails(&cluster.uri(), "SELECT 1");
        assert!(matches!(error.kind(), ErrorKind::Protocol | ErrorKind::ConnectionLost), "{error}");
    }
    let circle = Cluster::with(|_| (page(r#""nextUri":"http://h/v1/statement/x/0","stats":{}"#), false));
    let error = fails(&circle.uri(), "SELECT 1");
    assert!(error.message().contains("circle"), "{error}");
}
