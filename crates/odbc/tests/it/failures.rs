//! What goes wrong: each within seconds, with its kind, its SQLSTATE and a way out.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options};
use bowshot_odbc::Odbc;
use bowshot_testkit::{MariaDb, Postgres};

use crate::support::{
    MARIADB, POSTGRES, both, mariadb, mariadb_uri, plan, postgres, postgres_uri, request, select, stream, uri,
};

fn failure(uri: &str, sql: &str) -> bowshot_core::Error {
    let started = Instant::now();
    let error = select(uri, sql).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}: {error}", started.elapsed());
    error
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn wrong_password() {
    let (postgres, mariadb) = (postgres(), mariadb());
    for uri in [
        uri(POSTGRES, postgres.port(), "postgres", "not;the}word", "postgres")
            .replace("not;the}word", "{not;the}}word}"),
        uri(MARIADB, mariadb.port(), "root", "not-the-word", "bowshot"),
    ] {
        let error = failure(&uri, "SELECT 1");
        assert_eq!(error.kind(), ErrorKind::Authentication, "{error:?}");
        assert!(!format!("{error:?} {:?}", Odbc::from_uri(&uri)).contains("word}"), "{error:?}");
        assert!(!format!("{:?}", Odbc::from_uri(&uri)).contains("the-word"));
    }
}

#[test]
fn dead_host() {
    for driver in [POSTGRES, MARIADB] {
        let error = failure(&uri(driver, free_port(), "a", "b", "c"), "SELECT 1");
        assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
        assert!(error.to_string().contains("127.0.0.1"), "{error}");
    }
}

#[test]
fn silent_host() {
    // The system accepts what nobody accepts.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    for driver in [POSTGRES, MARIADB] {
        let uri = uri(driver, listener.local_addr().unwrap().port(), "a", "b", "c");
        let error = failure(&format!("{uri};LoginTimeout=2"), "SELECT 1");
        assert!(matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Connect), "{error:?}");
    }
}

#[test]
fn unknown_database() {
    for uri in [postgres_uri(postgres(), "nowhere"), mariadb_uri(mariadb(), "nowhere")] {
        let error = failure(&uri, "SELECT 1");
        assert_eq!(error.kind(), ErrorKind::Config, "{error:?}");
        assert!(error.message().contains("nowhere"), "{error}");
    }
}

#[test]
fn unknown_data_source_and_unknown_driver() {
    for (uri, state) in [("odbc:no_such_source", "IM002"), ("odbc:Driver={No such driver};Server=x", "01000")] {
        let error = failure(uri, "SELECT 1");
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Config, Some(state)), "{error:?}");
        let hint = error.hint().unwrap();
        assert!(hint.contains(POSTGRES) && hint.contains(MARIADB), "{hint}");
    }
}

#[test]
fn bad_sql_keeps_its_state() {
    for (_, uri, _) in both() {
        for (sql, states) in [
            ("SELECT * FROM nowhere", ["42P01", "42S02"]),
            ("SELECT nothing", ["42703", "42S22"]),
            ("SELECT 1 WHERE WHERE", ["42601", "42000"]),
        ] {
            let error = failure(&uri, sql);
            assert_eq!(error.kind(), ErrorKind::Sql, "{error:?}");
            assert!(states.contains(&error.sqlstate().unwrap()), "{error:?}");
            assert!(!error.message().contains('['), "{error}");
        }
    }
}

#[test]
fn statements_without_a_result_are_refused() {
    for (_, uri, _) in both() {
        let error = failure(&uri, "SET @x = 1");
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error:?}");
    }
}

#[test]
fn nothing_is_written() {
    postgres().psql("CREATE TABLE kept (a int)").unwrap();
    mariadb().sql("CREATE TABLE kept (a int)").unwrap();
    for (name, uri, _) in both() {
        let error = failure(&uri, "INSERT INTO kept VALUES (1) RETURNING a");
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}: {error:?}");
        assert!(error.message().contains("INSERT"), "{error}");
    }
    assert_eq!(postgres().psql("SELECT count(*) FROM kept").unwrap(), "0");
    assert_eq!(mariadb().sql("SELECT count(*) FROM kept").unwrap().trim(), "0");
}

#[test]
fn failure_in_mid_stream_is_the_last_thing() {
    for (name, uri, _) in both() {
        let (sql, state) = if name == "postgres" {
            ("SELECT 1 / (90000 - n) FROM generate_series(1, 100000) AS n", "22012")
        } else {
            ("SELECT IF(seq = 90000, (SELECT seq FROM seq_1_to_2), seq) FROM seq_1_to_100000", "21000")
        };
        let options = Options { batch_bytes: 1 << 14, ..Options::default() };
        let mut stream = stream(&uri, &request(sql, options)).unwrap();
        let mut count = 0;
        let error = loop {
            match stream.next().expect("an error ends it") {
                Ok(batch) => count += batch.num_rows(),
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some(state)), "{name}: {error:?}");
        assert!(count < 90_000 && stream.next().is_none());
    }
}

#[test]
fn before_runs_first_and_its_errors_show() {
    for (name, uri, _) in both() {
        let (set, get) = if name == "postgres" {
            ("SET application_name = 'before'", "SELECT current_setting('application_name')::varchar(20)")
        } else {
            ("SET @word = 'before'", "SELECT CAST(@word AS CHAR(20))")
        };
        let options = Options { before: vec![set.to_owned()], ..Options::default() };
        assert_eq!(crate::support::rows(&uri, &request(get, options)).unwrap(), [["before"]]);
        let options = Options { before: vec!["SELEC".to_owned()], ..Options::default() };
        assert_eq!(plan(&uri, &request(get, options)).unwrap_err().kind(), ErrorKind::Sql);
    }
}

#[test]
fn a_server_killed_in_mid_stream_is_an_error() {
    let mut postgres = Postgres::start().unwrap();
    let uri = postgres_uri(&postgres, "postgres");
    let sql = "SELECT n, repeat('x', 100)::varchar(100) FROM generate_series(1, 10000000) AS n";
    let options = Options { batch_bytes: 1 << 16, buffer_bytes: 1 << 16, ..Options::default() };
    let mut stream = stream(&uri, &request(sql, options)).unwrap();
    stream.next().unwrap().unwrap();
    postgres.crash().unwrap();
    let started = Instant::now();
    let error = stream.find_map(Result::err).expect("a short result never looks like a whole one");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error:?}");
}

#[test]
fn a_server_killed_while_it_computes_is_an_error() {
    let mut mariadb = MariaDb::start().unwrap();
    let uri = mariadb_uri(&mariadb, "bowshot");
    let reading = std::thread::spawn(move || {
        select(&uri, "SELECT sum(a.seq % b.seq) FROM seq_1_to_1000000 a, seq_1_to_1000000 b").unwrap_err()
    });
    std::thread::sleep(Duration::from_secs(1));
    mariadb.crash().unwrap();
    let started = Instant::now();
    let error = reading.join().unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error:?}");
}

#[test]
fn time_limits_of_the_server() {
    for (name, uri, _) in both() {
        let (before, sql) = if name == "postgres" {
            ("SET statement_timeout = '200ms'", "SELECT pg_sleep(30)::varchar(3)")
        } else {
            ("SET max_statement_time = 0.2", "SELECT sum(a.seq % b.seq) FROM seq_1_to_1000000 a, seq_1_to_1000000 b")
        };
        let options = Options { before: vec![before.to_owned()], ..Options::default() };
        let started = Instant::now();
        let error = crate::support::rows(&uri, &request(sql, options)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
