//! What goes wrong is said clearly and soon, and leaves nothing behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod common;

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Options, Query, Request, Source, Stream};
use bowshot_sqlite::Sqlite;
use common::{Database, connections};

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

fn plan_error(uri: &str) -> bowshot_core::Error {
    let request = Request::new(Query::new("SELECT 1 AS a"), Options::default());
    match Sqlite::from_uri(uri).and_then(|source| source.plan(&request, &Cancel::new())) {
        Ok(_) => panic!("{uri} was opened"),
        Err(error) => error,
    }
}

#[test]
fn files_that_are_no_databases() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let error = plan_error(&path("missing.db").display().to_string());
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.message().contains("missing.db"), "{error}");
    assert!(!path("missing.db").exists(), "a read created the file");
    let error = plan_error(&folder.path().display().to_string());
    assert!(error.message().contains("folder"), "{error}");
    std::fs::write(path("text.db"), "this is no database, and long enough to be sure of that".repeat(20)).unwrap();
    let error = plan_error(&path("text.db").display().to_string());
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.message().contains("text.db") && error.message().contains("not a SQLite database"), "{error}");
    assert_eq!(plan_error(":memory:").kind(), ErrorKind::Unsupported);
    // ConnectorX's way to write an absolute path means another file here.
    let error = plan_error(&format!("sqlite://{}", path("text.db").display()));
    assert!(error.hint().unwrap().contains("four slashes"), "{error}");
    // SQLite takes an empty file for an empty database.
    std::fs::write(path("empty.db"), "").unwrap();
    let source = Sqlite::from_uri(&path("empty.db").display().to_string()).unwrap();
    let request = Request::new(Query::new("SELECT name FROM sqlite_schema"), Options::default());
    assert!(source.plan(&request, &Cancel::new()).is_ok());
}

#[test]
fn damaged_files_end_in_an_error() {
    let database = Database::new(
        "CREATE TABLE t (a INTEGER, b TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
         INSERT INTO t SELECT i, 'some text' FROM n;",
    );
    let mut bytes = std::fs::read(&database.path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40_000].fill(0xa5);
    std::fs::write(&database.path, bytes).unwrap();
    let error = database.error("SELECT * FROM t", connections(2));
    assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::Value), "{error:?}");
}

#[test]
fn mistakes_in_the_query() {
    let database = Database::new("CREATE TABLE t (a INTEGER);");
    let error = database.error("SELECT nix FROM t", Options::default());
    assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(8)), "{error}");
    assert!(error.message().contains("no such column: nix"), "{error}");
    let error = database.error("SELEC 1", Options::default());
    assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(1)), "{error}");
    for sql in ["", " -- nothing"] {
        assert_eq!(database.error(sql, Options::default()).kind(), ErrorKind::Config, "{sql}");
    }
    for sql in ["PRAGMA cache_size = 5", "BEGIN", "SELECT 1; SELECT 2"] {
        assert_eq!(database.error(sql, Options::default()).kind(), ErrorKind::Unsupported, "{sql}");
    }
    for sql in ["INSERT INTO t VALUES (1) RETURNING a", "CREATE TABLE u (a)", "DELETE FROM t RETURNING a"] {
        let error = database.error(sql, Options::default());
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
    // An error in the middle of the rows is no short result.
    let error = database.error(
        &format!("{ENDLESS} SELECT abs(iif(i < 3000, i, -9223372036854775808)) AS a FROM n"),
        Options::default(),
    );
    assert_eq!(error.kind(), ErrorKind::Sql);
    assert!(error.message().contains("integer overflow"), "{error}");
    let error = database.error("SELECT 1 AS a", Options { protocol: Some("copy".into()), ..Options::default() });
    assert_eq!(error.kind(), ErrorKind::Config);
    let error = database.error("SELECT 1 AS a", Options { before: vec!["PRAGMA".into()], ..Options::default() });
    assert_eq!(error.kind(), ErrorKind::Sql);
}

#[test]
fn statements_before_run_on_every_connection() {
    let database = Database::new(
        "CREATE TABLE t (a INTEGER, b TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
         INSERT INTO t SELECT i, 'some text that takes room' FROM n;",
    );
    let before = vec!["PRAGMA case_sensitive_like = 1; PRAGMA cache_size = 100".to_owned()];
    let options = Options { before, ..connections(3) };
    let table = database.read_with("SELECT a FROM t WHERE b LIKE 'SOME%'", options).unwrap();
    assert_eq!(table.rows(), 0);
    assert_eq!(database.read("SELECT a FROM t WHERE b LIKE 'SOME%'").rows(), 100_000);
}

#[test]
fn a_locked_database_is_a_temporary_error() {
    let database = Database::new("CREATE TABLE t (a INTEGER);");
    let writer = database.writer();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let began = Instant::now();
    let error = plan_error(&format!("{}?timeout=0.3", database.uri()));
    assert!((250..3000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.is_temporary() && error.hint().unwrap().contains("timeout="), "{error}");
    // Waiting pays when the writer ends in time.
    let uri = database.uri();
    let reader = std::thread::spawn(move || {
        let request = Request::new(Query::new("SELECT a FROM t"), Options::default());
        Sqlite::from_uri(&uri).unwrap().plan(&request, &Cancel::new()).is_ok()
    });
    std::thread::sleep(Duration::from_millis(200));
    writer.execute_batch("COMMIT").unwrap();
    assert!(reader.join().unwrap());
}

#[test]
fn cancelling_stops_at_once() {
    let database = Database::new("CREATE TABLE t (a INTEGER);");
    // A query without rows, one with many, one that waits for a lock.
    for sql in [format!("{ENDLESS} SELECT count(*) AS c FROM n"), format!("{ENDLESS} SELECT i FROM n")] {
        let cancel = Cancel::new();
        let began = Instant::now();
        let stopper = {
            let cancel = cancel.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(150));
                cancel.cancel();
                Instant::now()
            })
        };
        let request = Request::new(Query::new(sql), Options::default());
        let source = Sqlite::from_uri(&database.uri()).unwrap();
        let outcome = source.plan(&request, &cancel).and_then(|plan| {
            Stream::start(plan, &request.options, cancel.clone())
                .map(|batch| batch.map(|batch| batch.num_rows()))
                .sum::<bowshot_core::Result<usize>>()
        });
        let ended = Instant::now();
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Cancelled);
        let cancelled = stopper.join().unwrap();
        assert!(ended.duration_since(cancelled) < Duration::from_millis(500), "{:?}", ended.duration_since(cancelled));
        assert!(began.elapsed() < Duration::from_secs(5));
    }
    let writer = database.writer();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let cancel = Cancel::new();
    let stopper = {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        })
    };
    let began = Instant::now();
    let source = Sqlite::from_uri(&format!("{}?timeout=60", database.uri())).unwrap();
    let request = Request::new(Query::new("SELECT a FROM t"), Options::default());
    assert!(source.plan(&request, &cancel).is_err());
    assert!(began.elapsed() < Duration::from_secs(5));
    stopper.join().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_reads_leave_nothing_behind() {
    let database = Database::new(
        "CREATE TABLE t (a INTEGER, b TEXT, c);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
         INSERT INTO t SELECT i, 'some text that takes room', i FROM n;",
    );
    // Other tests of this binary open files too: only those of this database count.
    let files = || {
        std::fs::read_dir("/proc/self/fd")
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .filter(|target| target.starts_with(database.folder.path()))
            .count()
    };
    for round in 0..1000 {
        match round % 10 {
            0 => assert!(database.read_with("SELECT * FROM t", connections(2)).unwrap().partitions > 1),
            1 => assert!(database.read_with("SELECT nix FROM t", connections(2)).is_err()),
            2 => {
                let request = Request::new(Query::new("SELECT * FROM t"), connections(2));
                let plan = database.plan(&request).unwrap();
                // Dropped after its first batch.
                assert!(Stream::start(plan, &request.options, Cancel::new()).next().unwrap().is_ok());
            }
            3 => drop(database.plan(&Request::new(Query::new("SELECT * FROM t"), connections(2))).unwrap()),
            _ => assert_eq!(database.read("SELECT a, c FROM t LIMIT 3").rows(), 3),
        }
    }
    assert_eq!(files(), 0);
}
