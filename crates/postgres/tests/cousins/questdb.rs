//! QuestDB: no COPY, no shared snapshot, no cursors, no catalogue; binary for all but text.

use std::sync::LazyLock;

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::conformance::databases;
use bowshot_testkit::{QuestDb, Result};

use crate::reading::{all_cases, by, cancels, killed, narrow, plan, read, refused, with_protocol};

static SERVER: LazyLock<QuestDb> = LazyLock::new(|| {
    let server = QuestDb::start().unwrap();
    server
        .psql(
            "CREATE TABLE numbers (id LONG, half DOUBLE, word VARCHAR);
             INSERT INTO numbers SELECT x, x / 2.0, concat('word ', x) FROM long_sequence(1000);
             INSERT INTO numbers VALUES (-1, NULL, NULL)",
        )
        .unwrap();
    server
});

const LONG: &str = "SELECT x AS n, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' AS word FROM long_sequence(100000000)";

#[test]
fn cases() -> Result<()> {
    all_cases(&mut databases::QuestDb::start()?, 30)
}

#[test]
fn one_connection_reads_what_connections_cannot_see_alike() {
    let uri = SERVER.uri();
    let sql = "SELECT id, half, word FROM numbers";
    let plan = plan(&uri, sql, &Options::default()).unwrap();
    assert_eq!((plan.partitions.len(), plan.snapshot.as_deref()), (1, None));
    assert_eq!(plan.reason, "QuestDB shares no snapshot between connections");

    let whole = read(&uri, sql, &Options::default()).unwrap();
    assert_eq!(whole.len(), 1001);
    for (column, one_snapshot, partitions) in [("id", true, 1), ("id", false, 4), ("half", false, 4)] {
        let options = by(column, one_snapshot);
        assert_eq!(crate::reading::plan(&uri, sql, &options).unwrap().partitions.len(), partitions);
        let mut rows = read(&uri, sql, &options).unwrap();
        let mut expected = whole.clone();
        rows.sort();
        expected.sort();
        assert!(rows == expected, "{column}");
    }
    let error = refused(&uri, sql, &by("word", false));
    assert_eq!((error.kind(), error.hint()), (ErrorKind::Config, Some("partition_on takes a column of numbers")));
}

#[test]
fn nothing_can_be_written() {
    SERVER.psql("CREATE TABLE target (a INT)").unwrap();
    for sql in
        ["DROP TABLE target", "INSERT INTO target VALUES (3)", "TRUNCATE TABLE target", "ALTER TABLE target ADD b INT"]
    {
        let error = refused(&SERVER.uri(), sql, &Options::default());
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{sql}: {error}");
    }
    assert_eq!(SERVER.psql("SELECT count() FROM target").unwrap(), "0");
    assert_eq!(SERVER.psql("SELECT count() FROM (SHOW COLUMNS FROM target)").unwrap(), "1");
}

#[test]
fn protocols_that_it_lacks_are_refused_by_name() {
    for name in ["copy", "cursor"] {
        let error = refused(&SERVER.uri(), "SELECT 1", &with_protocol(name));
        assert_eq!(error.kind(), ErrorKind::Config);
        assert_eq!(
            error.to_string(),
            format!("QuestDB cannot be read with protocol=\"{name}\"; leave protocol= out, or use \"extended\"")
        );
    }
    let sql = "SELECT x FROM long_sequence(100000)";
    assert_eq!(read(&SERVER.uri(), sql, &with_protocol("extended")).unwrap().len(), 100_000);
}

#[test]
fn statements_that_are_no_queries_are_read() {
    let uri = SERVER.uri();
    assert!(read(&uri, "SHOW TABLES", &Options::default()).unwrap().contains(&"numbers".to_owned()));
    assert!(!read(&uri, "EXPLAIN SELECT * FROM numbers", &Options::default()).unwrap().is_empty());
}

#[test]
fn a_long_read_ends_when_it_is_told_to_and_when_its_server_dies() {
    let mut server = QuestDb::start().unwrap();
    let uri = server.uri();
    cancels(&uri, LONG, &narrow());
    assert_eq!(read(&uri, "SELECT 1 AS one", &Options::default()).unwrap(), ["1"]);
    killed(&uri, LONG, &narrow(), || server.crash().unwrap());
}
