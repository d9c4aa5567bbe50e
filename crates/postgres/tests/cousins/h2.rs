//! H2: ancient PostgreSQL by its own word, no COPY, no shared snapshot, text for most types.

use std::sync::LazyLock;

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::conformance::databases;
use bowshot_testkit::{H2, Result};

use crate::reading::{all_cases, by, cancels, killed, plan, read, refused, with_protocol};

static SERVER: LazyLock<H2> = LazyLock::new(|| {
    let server = H2::start().unwrap();
    let setup = "CREATE TABLE numbers (id INTEGER PRIMARY KEY, half DOUBLE PRECISION, word VARCHAR(20));
        INSERT INTO numbers SELECT \"X\", \"X\" / 2.0, 'word ' || \"X\" FROM system_range(1, 1000);
        INSERT INTO numbers VALUES (-1, NULL, NULL)";
    server.psql("data", setup).unwrap();
    server
});

/// Without this, H2 makes a result whole before it sends the first row.
fn lazy() -> Options {
    Options { before: vec!["SET LAZY_QUERY_EXECUTION 1".into()], ..crate::reading::narrow() }
}

const LONG: &str = "SELECT \"X\" AS n, repeat('x', 100) AS word FROM system_range(1, 100000000)";

#[test]
fn cases() -> Result<()> {
    all_cases(&mut databases::H2::start()?, 30)
}

#[test]
fn one_connection_reads_what_connections_cannot_see_alike() {
    let uri = SERVER.uri("data");
    let sql = "SELECT id, half, word FROM numbers";
    let plan = plan(&uri, sql, &Options::default()).unwrap();
    assert_eq!((plan.partitions.len(), plan.snapshot.as_deref()), (1, None));
    assert_eq!(plan.reason, "H2 shares no snapshot between connections");

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
fn a_query_sees_one_state_and_leaves_nothing() {
    let uri = SERVER.uri("data");
    SERVER.psql("data", "CREATE TABLE changes (a INTEGER); INSERT INTO changes VALUES (1)").unwrap();
    let options = Options::default();
    // The first batch is not there before the plan is read.
    let plan = plan(&uri, "SELECT count(*) FROM changes", &options).unwrap();
    drop(plan);
    let error = refused(&uri, "SELECT a FROM FINAL TABLE (INSERT INTO changes VALUES (2))", &options);
    assert!(error.message().contains("INSERT"), "{error}");
    assert_eq!(SERVER.psql("data", "SELECT count(*) FROM changes").unwrap(), "1");
    for sql in ["DROP TABLE changes", "INSERT INTO changes VALUES (3)", "DELETE FROM changes"] {
        let error = refused(&uri, sql, &options);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
    assert_eq!(SERVER.psql("data", "SELECT count(*) FROM changes").unwrap(), "1");
}

#[test]
fn protocols_that_it_lacks_are_refused_by_name() {
    for name in ["copy", "binary"] {
        let error = refused(&SERVER.uri("data"), "SELECT 1", &with_protocol(name));
        assert_eq!(error.kind(), ErrorKind::Config);
        assert_eq!(
            error.to_string(),
            format!(
                "H2 cannot be read with protocol=\"{name}\"; leave protocol= out, or use \"extended\" or \"cursor\""
            )
        );
    }
    for name in ["extended", "cursor"] {
        let sql = "SELECT \"X\" FROM system_range(1, 100000)";
        assert_eq!(read(&SERVER.uri("data"), sql, &with_protocol(name)).unwrap().len(), 100_000, "{name}");
    }
}

#[test]
fn statements_that_are_no_queries_are_read() {
    let uri = SERVER.uri("data");
    assert!(read(&uri, "SHOW TABLES", &Options::default()).unwrap().contains(&"numbers|public".to_owned()));
    assert!(read(&uri, "EXPLAIN SELECT * FROM numbers", &Options::default()).unwrap()[0].contains("numbers"));
}

#[test]
fn a_long_read_ends_when_it_is_told_to_and_when_its_server_dies() {
    let mut server = H2::start().unwrap();
    let uri = server.uri("data");
    cancels(&uri, LONG, &lazy());
    assert_eq!(read(&uri, "SELECT 1 AS one", &Options::default()).unwrap(), ["1"]);
    killed(&uri, LONG, &lazy(), || server.crash().unwrap());
}
