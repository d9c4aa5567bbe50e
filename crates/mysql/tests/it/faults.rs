//! Servers and networks that fail, and readers that change their mind.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Options, Query, Request, Source, Stream};
use bowshot_testkit::MariaDb;

use super::common::{accounts, connections, eventually, plan, read, server, source};

/// Reads a little of a result that takes long, lets `fault` happen, and reads on: the error, and how long it took.
fn error_after(uri: &str, sql: &str, fault: impl FnOnce(&mut Stream, &Cancel)) -> (Error, Duration) {
    let options = Options { buffer_bytes: 1 << 16, batch_bytes: 1 << 14, ..connections(2) };
    let cancel = Cancel::new();
    let plan = source(uri).plan(&Request::new(Query::new(sql), options.clone()), &cancel).unwrap();
    let mut stream = Stream::start(plan, &options, cancel.clone());
    stream.next().unwrap().unwrap();
    fault(&mut stream, &cancel);
    let started = Instant::now();
    let error = stream.find_map(Result::err).expect("the result came to its end");
    (error, started.elapsed())
}

const LONG: &str = "SELECT a.seq, REPEAT('x', 500) FROM seq_1_to_100000000 a";

#[test]
fn a_crash_in_mid_read_is_a_lost_connection() {
    let mut server = MariaDb::start().unwrap();
    let uri = server.uri();
    let (error, took) = error_after(&uri, LONG, |_, _| server.crash().unwrap());
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    // The same source reads again when the server is back.
    server.start_again().unwrap();
    assert_eq!(read(&uri, "SELECT 1", &connections(1)).unwrap()[0].num_rows(), 1);
    let (error, took) = error_after(&uri, LONG, |_, _| server.stop().unwrap());
    assert!(matches!(error.kind(), ErrorKind::ConnectionLost | ErrorKind::Cancelled), "{error:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn kill_ends_a_read_with_an_error() {
    let sql = format!("{LONG} WHERE 'kill me' <> ''");
    let thread = || {
        server().sql("SELECT MIN(ID) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%kill me%' AND ID <> CONNECTION_ID()").unwrap()
    };
    let (error, took) = error_after(&server().uri(), &sql, |_, _| {
        server().sql(&format!("KILL {}", thread())).unwrap();
    });
    assert!(matches!(error.kind(), ErrorKind::ConnectionLost | ErrorKind::Cancelled), "{error:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn cancelling_ends_the_query_in_the_server() {
    let sql = format!("{LONG} WHERE 'cancel me' <> ''");
    let running = || {
        server()
            .sql("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%cancel me%' AND ID <> CONNECTION_ID()")
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    let (error, took) = error_after(&server().uri(), &sql, |_, cancel| {
        assert_eq!(running(), 1);
        let started = Instant::now();
        cancel.cancel();
        assert!(started.elapsed() < Duration::from_secs(1));
    });
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(eventually(|| running() == 0));
}

#[test]
fn cancelling_a_plan_that_waits() {
    let cancel = Cancel::new();
    let started = Instant::now();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        let request = Request::new(Query::new("SELECT SLEEP(30)"), connections(1));
        let plan = source(&server().uri()).plan(&request, &cancel)?;
        Stream::start(plan, &request.options, cancel.clone()).collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn limits_of_the_server_are_errors_with_their_kind() {
    accounts(server(), "limits", 1000);
    let before = |statement: &str| Options { before: vec![statement.to_owned()], ..connections(1) };
    let error = read(&server().uri(), "SELECT SLEEP(20)", &before("SET max_statement_time = 0.3")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error:?}");
    // Somebody has locked the table.
    let uri = server().uri_of(server().user(), server().password(), "limits");
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| server().sql("USE limits; LOCK TABLES accounts WRITE; SELECT SLEEP(4)").unwrap());
        assert!(eventually(|| server()
            .sql("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = 'SELECT SLEEP(4)'")
            .unwrap()
            != "0"));
        let started = Instant::now();
        let error = read(&uri, "SELECT * FROM accounts", &before("SET lock_wait_timeout = 1")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(3));
        holder.join().unwrap();
    });
}

#[test]
fn addresses_that_lead_nowhere_are_told_at_once() {
    let server = server();
    let dead = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        format!("mysql://root@127.0.0.1:{}/x", listener.local_addr().unwrap().port())
    };
    for (uri, kind) in [
        (server.uri_of("root", "wrong", "bowshot"), ErrorKind::Authentication),
        (server.uri_of("nobody-at-all", "x", "bowshot"), ErrorKind::Authentication),
        (server.uri_of("root", server.password(), "nowhere"), ErrorKind::Config),
        (dead, ErrorKind::Connect),
    ] {
        let started = Instant::now();
        let error = plan(&uri, "SELECT 1", &connections(1)).unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(!format!("{error:?}").contains("wrong"), "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(3), "{uri}");
    }
}

#[test]
fn over_the_socket_and_inside_tls() {
    let server = MariaDb::builder().tls().start().unwrap();
    assert_eq!(read(&server.socket_uri(), "SELECT 1", &connections(1)).unwrap()[0].num_rows(), 1);
    let certificates = server.certificates().unwrap();
    let encrypted =
        |root: &std::path::Path| format!("{}?ssl-mode=VERIFY_IDENTITY&ssl-ca={}", server.uri(), root.display());
    let sql = "SELECT VARIABLE_VALUE <> '' FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'";
    let answer = read(&encrypted(&certificates.root()), sql, &connections(1)).unwrap();
    assert_eq!(arrow_cast::display::array_value_to_string(answer[0].column(0), 0).unwrap(), "1");
    let error = plan(&encrypted(&certificates.other_root()), sql, &connections(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls, "{error:?}");
}

#[test]
fn a_thousand_reads_leave_nothing_behind() {
    let uri = server().uri();
    for _ in 0..1000 {
        assert_eq!(read(&uri, "SELECT 1, 'a'", &connections(1)).unwrap()[0].num_rows(), 1);
    }
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(files < 200, "{files} open files");
}
