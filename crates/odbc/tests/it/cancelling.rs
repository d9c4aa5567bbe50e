//! A cancel ends the read, and the query in the database, within a second or two.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Options, Source, Stream};
use bowshot_odbc::Odbc;

use crate::support::{both, mariadb, postgres, request};

/// How many queries with this mark run.
fn running(name: &str, mark: &str) -> String {
    if name == "postgres" {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND query LIKE '%{mark}%' AND pid <> pg_backend_pid()"
        );
        postgres().psql(&sql).unwrap()
    } else {
        let sql = format!(
            "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%{mark}%' AND id <> connection_id()"
        );
        mariadb().sql(&sql).unwrap().trim().to_owned()
    }
}

fn ends_soon(name: &str, mark: &str) {
    let started = Instant::now();
    while running(name, mark) != "0" {
        assert!(started.elapsed() < Duration::from_secs(3), "{name}: the query still runs");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_query_that_has_not_yielded_a_row() {
    for (name, uri, _) in both() {
        let sql = if name == "postgres" {
            "SELECT 'mark_one'::varchar(9), pg_sleep(60)::varchar(3)"
        } else {
            "SELECT 'mark_one', sum(a.seq % b.seq) FROM seq_1_to_1000000 a, seq_1_to_1000000 b"
        };
        let request = request(sql, Options::default());
        let cancel = Cancel::new();
        let plan = Odbc::from_uri(&uri).unwrap().plan(&request, &cancel).unwrap();
        let later = cancel.clone();
        let asked = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            let started = Instant::now();
            later.cancel();
            assert!(started.elapsed() < Duration::from_secs(1));
            started
        });
        let error = Stream::start(plan, &request.options, cancel).find_map(Result::err).unwrap();
        let took = asked.join().unwrap().elapsed();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{name}: {error:?}");
        assert!(took < Duration::from_secs(1), "{name}: {took:?}");
        ends_soon(name, "mark_one");
    }
}

#[test]
fn a_result_that_nobody_wants_any_more() {
    for (name, uri, many) in both() {
        let sql = many(if name == "postgres" { 50_000_000 } else { 300_000 }).replacen(
            "SELECT ",
            "SELECT /* mark_two */ ",
            1,
        );
        let options = Options { batch_bytes: 1 << 16, buffer_bytes: 1 << 16, ..Options::default() };
        let request = request(&sql, options);
        let cancel = Cancel::new();
        let plan = Odbc::from_uri(&uri).unwrap().plan(&request, &cancel).unwrap();
        let mut stream = Stream::start(plan, &request.options, cancel);
        stream.next().unwrap().unwrap();
        let started = Instant::now();
        drop(stream);
        assert!(started.elapsed() < Duration::from_secs(1), "{name}: {:?}", started.elapsed());
        ends_soon(name, "mark_two");
    }
}

#[test]
fn a_cancel_while_planning() {
    for (name, uri, _) in both() {
        let before = if name == "postgres" { "SELECT pg_sleep(60)" } else { "SELECT sleep(60)" };
        let request = request("SELECT 1", Options { before: vec![before.to_owned()], ..Options::default() });
        let cancel = Cancel::new();
        let later = cancel.clone();
        let asked = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            later.cancel();
            Instant::now()
        });
        let error = Odbc::from_uri(&uri).unwrap().plan(&request, &cancel).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error:?}");
        assert!(asked.join().unwrap().elapsed() < Duration::from_secs(1));
        ends_soon(name, "leep(60)");
    }
}
