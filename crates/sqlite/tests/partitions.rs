//! Split or not, the result is the same, in the same order.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod common;

use bowshot_core::{Cancel, ErrorKind, Options, Partitioning, Query, Request, Value};
use common::{Database, connections, with_values};

/// A table of `rows` rows whose rowid is what `id` makes of `i`.
fn numbered(rows: usize, id: &str) -> Database {
    Database::new(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {rows} - 1)
         INSERT INTO t SELECT {id}, i, 'text number ' || i FROM n;"
    ))
}

/// Reads split and unsplit and compares; returns the number of partitions and the reason.
fn same(database: &Database, sql: &str) -> (usize, String) {
    let whole = database.read_with(sql, connections(1)).unwrap();
    let split = database.read_with(sql, connections(3)).unwrap();
    assert_eq!(whole.partitions, 1);
    assert_eq!(whole.schema, split.schema, "{sql}");
    assert_eq!(whole.rows(), split.rows(), "{sql}");
    let rows = |table: &common::Table| arrow_select(&table.batches, &table.schema);
    assert_eq!(rows(&whole), rows(&split), "{sql}");
    (split.partitions, split.reason)
}

fn arrow_select(batches: &[arrow_array::RecordBatch], schema: &arrow_schema::SchemaRef) -> arrow_array::RecordBatch {
    arrow_select::concat::concat_batches(schema, batches).unwrap()
}

#[test]
fn scans_of_a_table_are_split() {
    let database = numbered(200_000, "i");
    database.writer().execute_batch("CREATE INDEX t_a ON t (a);").unwrap();
    for sql in [
        "SELECT * FROM t",
        "SELECT b, a + 1 AS more FROM main.t AS x WHERE x.b LIKE '%7%' -- sevens",
        "SELECT t.* FROM t;",
        "SELECT upper(b), date(b), NULL FROM t WHERE b <> 'now is not now'",
        "SELECT id FROM \"t\" WHERE b > 'text number 5'",
    ] {
        let (partitions, reason) = same(&database, sql);
        assert!(partitions >= 8, "{sql}: {partitions} because {reason}");
    }
    let request = Request::new(
        with_values("SELECT a FROM t WHERE b > ?", vec![Value::Text("text number 9".into())]),
        connections(3),
    );
    let table = database.read_request(&request).unwrap();
    assert!(table.partitions > 1, "{}", table.reason);
    assert_eq!(table.rows(), 11_110);
}

#[test]
fn what_cannot_be_split_is_not() {
    let database = numbered(100_000, "i");
    database
        .writer()
        .execute_batch(
            "CREATE INDEX t_a ON t (a); CREATE VIEW v AS SELECT * FROM t;
             CREATE TABLE w (k INTEGER PRIMARY KEY, a) WITHOUT ROWID; INSERT INTO w SELECT id, a FROM t;
             CREATE TABLE other (rowid TEXT, _rowid_ TEXT, oid TEXT, x); INSERT INTO other SELECT 'r', 's', 'o', a FROM t;
             CREATE TABLE shadowed (rowid TEXT, x INTEGER); INSERT INTO shadowed SELECT 'r', a FROM t;
             CREATE VIRTUAL TABLE words USING fts5(word); INSERT INTO words SELECT b FROM t;",
        )
        .unwrap();
    for (sql, word) in [
        ("SELECT a FROM t WHERE a = 5", "scan"),
        ("SELECT a FROM t", "COVERING INDEX"),
        ("SELECT count(*) FROM t", "planning read all of it (1 row)"),
        ("SELECT max(b) FROM t", "(1 row)"),
        ("SELECT max(b) AS b, a FROM t GROUP BY a % 50000", ""),
        ("SELECT CAST(a AS INTEGER), b FROM t WHERE a IN (SELECT k FROM w)", ""),
        ("SELECT b FROM t LIMIT 60000", ""),
        ("SELECT * FROM t ORDER BY b", ""),
        ("SELECT DISTINCT b FROM t", ""),
        ("SELECT b, rowid FROM t", "rowid"),
        ("SELECT b, row_number() OVER () FROM t", ""),
        ("SELECT b FROM t UNION ALL SELECT b FROM t", ""),
        ("SELECT * FROM v", "not a table with rowids"),
        ("SELECT * FROM w", "not a table with rowids"),
        ("SELECT x FROM other", "not a table with rowids"),
        ("SELECT word FROM words", "not a table with rowids"),
        ("SELECT t.b, w.a FROM t JOIN w ON w.k = t.id", "more than one"),
        ("WITH t AS (SELECT * FROM w) SELECT * FROM t", ""),
    ] {
        let (partitions, reason) = same(&database, sql);
        assert_eq!(partitions, 1, "{sql}");
        assert!(reason.to_lowercase().contains(&word.to_lowercase()), "{sql}: {reason}");
    }
    // Their rows differ from read to read.
    for sql in [
        "SELECT b, random() FROM t",
        "SELECT b, current_timestamp FROM t",
        "SELECT b, datetime('now') FROM t",
        "SELECT b, julianday ( ) FROM t",
        "SELECT b, strftime('%s') FROM t",
        "SELECT b, last_insert_rowid() FROM t",
    ] {
        let table = database.read_with(sql, connections(3)).unwrap();
        assert_eq!((table.partitions, table.rows()), (1, 100_000), "{sql}");
    }
    // A column may be called rowid, as long as one of the rowid's names is free; the query may not mention it.
    assert!(same(&database, "SELECT x FROM shadowed").0 > 1);
    let reversed = Options { before: vec!["PRAGMA reverse_unordered_selects = 1".into()], ..connections(3) };
    assert_eq!(database.read_with("SELECT b FROM t", reversed).unwrap().partitions, 1);
    let single = Options { partitioning: Partitioning::Single, ..connections(3) };
    assert_eq!(database.read_with("SELECT b FROM t", single).unwrap().partitions, 1);
}

#[test]
fn sparse_skewed_and_extreme_rowids_are_balanced() {
    for (name, id) in [
        ("sparse", "i * 1000000007"),
        ("negative", "-i - 1"),
        ("around zero", "i - 50000"),
        ("skewed", "iif(i < 99990, i, i * 1000000000000)"),
        ("two heaps", "iif(i % 2, i, 4000000000000000000 + i)"),
        ("extremes", "iif(i = 0, -9223372036854775807 - 1, iif(i = 1, 9223372036854775807, i))"),
        ("ever sparser", "i * i * i"),
    ] {
        let database = numbered(100_000, id);
        let request = Request::new(Query::new("SELECT id, b FROM t"), connections(2));
        let plan = database.plan(&request).unwrap();
        assert!(plan.partitions.len() >= 6, "{name}: {} because {}", plan.partitions.len(), plan.reason);
        let rows = plan.estimate.rows.unwrap();
        assert!((50_000..200_000).contains(&rows), "{name}: about {rows} rows");
        let mut most = 0;
        let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
        for index in 0..plan.partitions.len() {
            let mut reader = connection.open(index).unwrap();
            let mut rows = 0;
            while let Some(batch) = reader.next().unwrap() {
                rows += batch.num_rows();
            }
            most = most.max(rows);
        }
        assert!(most <= 30_000, "{name}: a partition of {most} rows");
        drop(connection);
        drop(plan);
        assert!(same(&database, "SELECT id, b FROM t").0 > 1, "{name}");
    }
}

#[test]
fn small_and_empty_tables_are_not_split() {
    let database = numbered(1000, "i");
    database
        .writer()
        .execute_batch(
            "CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(5000000)); CREATE TABLE none (x TEXT);",
        )
        .unwrap();
    assert_eq!(same(&database, "SELECT * FROM t").0, 1);
    assert_eq!(same(&database, "SELECT * FROM none").0, 1);
}

#[test]
fn ranges_of_a_column() {
    let database = numbered(1000, "i");
    database
        .writer()
        .execute_batch("CREATE TABLE k (k, v TEXT); INSERT INTO k SELECT a, b FROM t; INSERT INTO k VALUES (NULL, 'n1'), (NULL, 'n2');")
        .unwrap();
    let by = |column: &str, count, range| Options {
        partitioning: Partitioning::Column { column: column.into(), count, range },
        ..connections(2)
    };
    let table = database.read_with("SELECT k, v FROM k", by("k", 4, None)).unwrap();
    assert_eq!((table.partitions, table.rows()), (5, 1002));
    let mut keys = table.ints(0);
    assert_eq!(keys.iter().filter(|key| key.is_none()).count(), 2);
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 1001);
    // Only what lies in a given range is read, as in ConnectorX.
    let table = database.read_with("SELECT k, v FROM k", by("k", 3, Some((10, 19)))).unwrap();
    assert_eq!(table.ints(0), (10..=19).map(Some).collect::<Vec<_>>());
    // The extremes of 64 bits have a place.
    let extremes = "SELECT -9223372036854775807 - 1 AS k UNION ALL SELECT 0 UNION ALL SELECT 9223372036854775807";
    let table = database.read_with(extremes, by("k", 3, None)).unwrap();
    assert_eq!(table.ints(0), [Some(i64::MIN), Some(0), Some(i64::MAX)]);
    let table = database.read_with("SELECT k / 7.0 AS f FROM k", by("f", 3, None)).unwrap();
    assert_eq!(table.rows(), 1002);
    let table = database.read_with("SELECT k FROM k WHERE k IS NULL", by("k", 3, None)).unwrap();
    assert_eq!((table.rows(), table.partitions), (2, 1));
    let grouped = "SELECT a % 10 AS g, count(*) AS c FROM t GROUP BY 1 -- ten";
    assert_eq!(database.read_with(grouped, by("g", 4, None)).unwrap().rows(), 10);

    for (options, sql) in [
        (by("nix", 2, None), "SELECT k FROM k"),
        (by("k", 0, None), "SELECT k FROM k"),
        (by("k", 2, Some((5, 4))), "SELECT k FROM k"),
        (by("v", 2, None), "SELECT v FROM k"),
        (by("k", 2, None), "SELECT 1e300 AS k"),
    ] {
        let error = database.error(sql, options);
        assert!(matches!(error.kind(), ErrorKind::Config | ErrorKind::Unsupported), "{error}");
        assert!(error.column().is_some() && error.hint().is_some(), "{error}");
    }
}

#[test]
fn lists_of_queries() {
    let database = numbered(1000, "i");
    let list = |queries: &[&str]| Request {
        queries: queries.iter().map(|sql| Query::new(*sql)).collect(),
        options: connections(2),
    };
    let read = |queries: &[&str]| database.read_request(&list(queries));
    let table = read(&[
        "SELECT a, b FROM t WHERE a < 10",
        "SELECT a, b FROM t WHERE a BETWEEN 500 AND 502;",
        "SELECT a, b FROM t WHERE 0",
    ])
    .unwrap();
    assert_eq!(table.partitions, 3);
    assert_eq!(table.ints(0), (0..10).chain(500..503).map(Some).collect::<Vec<_>>());
    // What the values of one query leave open, another may settle.
    let table = read(&["SELECT NULL AS x", "SELECT 'late' AS x", "SELECT 1 AS x"]).unwrap();
    assert_eq!(table.texts(0), [None, Some("late".into()), Some("1".into())]);
    let error = read(&["SELECT a FROM t", "SELECT b AS a FROM t"]).err().unwrap();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("a")), "{error}");
    assert_eq!(read(&["SELECT a FROM t", "SELECT a, b FROM t"]).err().unwrap().kind(), ErrorKind::Config);
    assert_eq!(read(&["SELECT a FROM t", "SELECT a AS z FROM t"]).err().unwrap().kind(), ErrorKind::Config);
    assert_eq!(read(&[]).err().unwrap().kind(), ErrorKind::Config);
}

#[test]
fn connections_are_handed_out_and_taken_back() {
    let database = numbered(100_000, "i");
    let plan = database.plan(&Request::new(Query::new("SELECT * FROM t"), connections(2))).unwrap();
    let cancel = Cancel::new();
    let first = plan.scan.connect(&cancel).unwrap();
    let second = plan.scan.connect(&cancel).unwrap();
    let error = plan.scan.connect(&cancel).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLimit);
    drop(first);
    let mut third = plan.scan.connect(&cancel).unwrap();
    // A reader that is dropped in the middle leaves a connection that works.
    drop(third.open(0).unwrap());
    let mut reader = third.open(1).unwrap();
    assert!(reader.next().unwrap().is_some());
    drop(reader);
    drop(third);
    drop(second);
}

#[test]
fn a_plan_can_be_read_again() {
    let database = numbered(10, "i");
    let plan = database.plan(&Request::new(Query::new("SELECT upper(b) AS b FROM t"), connections(2))).unwrap();
    for _ in 0..3 {
        let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
        let mut reader = connection.open(0).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().num_rows(), 10);
        assert!(reader.next().unwrap().is_none());
        assert!(reader.next().unwrap().is_none());
    }
}
