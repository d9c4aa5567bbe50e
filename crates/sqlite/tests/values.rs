//! What values are read as.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod common;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Int8Type, Time64MicrosecondType, TimestampMicrosecondType, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{ErrorKind, Options, Params, Query, Request, SOURCE_TYPE, Value};
use common::{Database, types, with_values};

#[test]
fn declared_types_decide() {
    let database = Database::new(
        "CREATE TABLE t (i INTEGER, r REAL, s VARCHAR(9), b BLOB, d DECIMAL(15,2));
         INSERT INTO t VALUES (9223372036854775807, 1, 'ä', x'00ff', 5), (NULL, NULL, NULL, NULL, NULL),
                              (-1, 2.5, '', x'', 0.1);",
    );
    let table = database.read("SELECT * FROM t");
    assert_eq!(
        table.types(),
        [DataType::Int64, DataType::Float64, DataType::Utf8, DataType::Binary, DataType::Float64]
    );
    assert_eq!(table.ints(0), [Some(i64::MAX), None, Some(-1)]);
    assert_eq!(table.floats(1), [Some(1.0), None, Some(2.5)]);
    assert_eq!(table.texts(2), [Some("ä".into()), None, Some("".into())]);
    assert_eq!(table.bytes(3), [Some(vec![0, 255]), None, Some(vec![])]);
    assert_eq!(table.floats(4), [Some(5.0), None, Some(0.1)]);
    assert_eq!(table.schema.field(4).metadata()[SOURCE_TYPE], "DECIMAL(15,2)");
}

#[test]
fn values_decide_where_nothing_is_declared() {
    let database = Database::new(
        "CREATE TABLE t (day DATE, flag BOOLEAN, mixed, numbers, at DATETIME);
         INSERT INTO t VALUES ('2024-01-01', 1, 1, 1, 1700000000), (NULL, 0, 'x', 0.5, 1700000001),
                              ('2024-01-02', NULL, 0.1, NULL, NULL);",
    );
    let table = database.read("SELECT *, flag + 1, NULL, upper(day) FROM t");
    let expected = [
        DataType::Utf8,
        DataType::Int64,
        DataType::Utf8,
        DataType::Float64,
        DataType::Int64,
        DataType::Int64,
        DataType::Null,
        DataType::Utf8,
    ];
    assert_eq!(table.types(), expected);
    assert_eq!(table.texts(2), [Some("1".into()), Some("x".into()), Some("0.1".into())]);
    assert_eq!(table.floats(3), [Some(1.0), Some(0.5), None]);
}

#[test]
fn nulls_before_the_first_value_decide_nothing() {
    let nulls = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO t SELECT NULL FROM n;";
    let database = Database::new(&format!("CREATE TABLE t (a); {nulls} INSERT INTO t VALUES ('late');"));
    let table = database.read("SELECT a FROM t");
    assert_eq!(table.types(), [DataType::Utf8]);
    assert_eq!(table.rows(), 2001);
    assert_eq!(table.texts(0)[2000], Some("late".into()));

    let database = Database::new(&format!("CREATE TABLE t (a); {nulls}"));
    let table = database.read("SELECT a FROM t");
    assert_eq!(table.types(), [DataType::Null]);
    assert_eq!(table.rows(), 2000);
    let table = database.read("SELECT a FROM t WHERE 0");
    assert_eq!((table.types(), table.rows()), (vec![DataType::Null], 0));
}

#[test]
fn only_nulls_in_the_sample_of_a_longer_result_are_text() {
    let database = Database::new(
        "CREATE TABLE t (a);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) INSERT INTO t SELECT NULL FROM n;
         INSERT INTO t VALUES (7);",
    );
    let table = database.read("SELECT a FROM t");
    assert_eq!(table.types(), [DataType::Utf8]);
    assert_eq!(table.rows(), 100_002);
    assert_eq!(table.texts(0)[100_001], Some("7".into()));
}

#[test]
fn what_does_not_fit_is_named() {
    let late = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO t(a) SELECT i FROM n;";
    let database = Database::new(&format!(
        "CREATE TABLE t (a, b INTEGER); {late} INSERT INTO t VALUES ('{}', 1);",
        "x".repeat(200)
    ));
    let error = database.error("SELECT a FROM t", Options::default());
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("a")));
    assert!(error.message().contains("row 1501 of the whole result"), "{error}");
    assert!(error.message().contains(&format!("TEXT \"{}\"…", "x".repeat(60))), "{error}");
    assert!(error.hint().unwrap().contains("types={\"a\": \"utf8\"}"), "{error}");
    let table = database.read_with("SELECT a FROM t", types(&[("a", "utf8")])).unwrap();
    assert_eq!(table.texts(0)[1499..], [Some("1500".into()), Some("x".repeat(200))]);

    for (declared, value, way_out) in [
        ("INTEGER", "'x'", "utf8"),
        ("INTEGER", "1.5", "float64"),
        ("INTEGER", "x'00'", "binary"),
        ("TEXT", "x'00'", "binary"),
        ("REAL", "'x'", "utf8"),
        ("BLOB", "'x'", "utf8"),
        ("DECIMAL(20)", "9007199254740993", "utf8"),
    ] {
        let database = Database::new(&format!("CREATE TABLE t (\"a b\" {declared}); INSERT INTO t VALUES ({value});"));
        let error = database.error("SELECT * FROM t", Options::default());
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("a b")), "{declared} {value}: {error}");
        assert!(error.message().contains(declared), "{error}");
        // The way out is one.
        assert!(error.hint().unwrap().contains(way_out), "{declared} {value}: {error}");
        let table = database.read_with("SELECT * FROM t", types(&[("a b", way_out)])).unwrap();
        assert_eq!(table.rows(), 1);
    }
}

#[test]
fn text_is_whole_and_utf8() {
    let database = Database::new(
        "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('fine'), ('a' || char(0) || 'b'), (CAST(x'61ff62' AS TEXT));",
    );
    let error = database.error("SELECT a FROM t", Options::default());
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(error.message().contains("row 3"), "{error}");
    assert!(error.message().contains("not UTF-8"), "{error}");
    let table = database.read_with("SELECT a FROM t", types(&[("a", "binary")])).unwrap();
    assert_eq!(table.bytes(0)[1..], [Some(b"a\0b".to_vec()), Some(b"a\xffb".to_vec())]);
    let table = database.read("SELECT a FROM t LIMIT 2");
    assert_eq!(table.texts(0)[1], Some("a\0b".into()));
    // Each value must be UTF-8, not only all together.
    let database =
        Database::new("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'c3' AS TEXT)), (CAST(x'a4' AS TEXT));");
    let error = database.error("SELECT a FROM t", Options::default());
    assert!(error.message().contains("row 1 "), "{error}");
}

#[test]
fn utf16_databases_are_read_as_utf8() {
    let database =
        Database::new("PRAGMA encoding = 'UTF-16'; CREATE TABLE t (ä TEXT); INSERT INTO t VALUES ('größe'), ('𝄞');");
    let table = database.read("SELECT ä FROM t");
    assert_eq!(table.texts(0), [Some("größe".into()), Some("𝄞".into())]);
}

#[test]
fn the_user_settles_types() {
    let database = Database::new(
        "CREATE TABLE t (n, d DATE, at DATETIME, clock TIME, price DECIMAL(15,2), big TEXT, flag BOOLEAN);
         INSERT INTO t VALUES (-128, '2024-02-29', '2024-02-29 12:00:00.5', '23:59:59', 0.1, '18446744073709551615', 'true'),
                              (NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                              ('5', '1969-12-31', '1970-01-01T00:00:00', '00:00', 7, 3, 0);",
    );
    let options = types(&[
        ("n", "int8"),
        ("d", "date32"),
        ("at", "timestamp[us]"),
        ("clock", "time64[us]"),
        ("price", "decimal128(15, 2)"),
        ("big", "uint64"),
        ("flag", "bool"),
    ]);
    let table = database.read_with("SELECT * FROM t", options.clone()).unwrap();
    let expected: Vec<DataType> =
        table.schema.fields().iter().map(|field| options.types[field.name()].clone()).collect();
    assert_eq!(table.types(), expected);
    let batch = &table.batches[0];
    assert_eq!(batch.column(0).as_primitive::<Int8Type>().iter().collect::<Vec<_>>(), [Some(-128), None, Some(5)]);
    assert_eq!(batch.column(1).as_primitive::<Date32Type>().iter().collect::<Vec<_>>(), [Some(19782), None, Some(-1)]);
    let at: Vec<_> = batch.column(2).as_primitive::<TimestampMicrosecondType>().iter().collect();
    assert_eq!(at, [Some(1_709_208_000_500_000), None, Some(0)]);
    let clock: Vec<_> = batch.column(3).as_primitive::<Time64MicrosecondType>().iter().collect();
    assert_eq!(clock, [Some(86_399_000_000), None, Some(0)]);
    let price: Vec<_> = batch.column(4).as_primitive::<Decimal128Type>().iter().collect();
    assert_eq!(price, [Some(10), None, Some(700)]);
    assert_eq!(
        batch.column(5).as_primitive::<UInt64Type>().iter().collect::<Vec<_>>(),
        [Some(u64::MAX), None, Some(3)]
    );
    assert_eq!(batch.column(6).as_boolean().iter().collect::<Vec<_>>(), [Some(true), None, Some(false)]);

    let zoned = types(&[("at", "timestamp[us, UTC]")]);
    let table = database.read_with("SELECT '2024-01-01T00:00:00+02:00' AS at", zoned).unwrap();
    assert_eq!(table.types(), [DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))]);
    let at = table.batches[0].column(0).as_primitive::<TimestampMicrosecondType>().value(0);
    assert_eq!(at, 1_704_060_000_000_000);
}

#[test]
fn what_does_not_fit_a_settled_type_is_named() {
    let database = Database::new("");
    for (value, data_type, word) in [
        ("128", "int8", "range"),
        ("-1", "uint64", "range"),
        ("1.5", "int64", "whole"),
        ("2", "bool", "neither"),
        ("'01.02.2024'", "date32", "YYYY-MM-DD"),
        ("1700000000", "timestamp[us]", "ISO 8601"),
        ("'2024-01-01 00:00:00Z'", "timestamp[us]", "offset"),
        ("0.125", "decimal128(15, 2)", "digits"),
        ("x'00'", "utf8", "cannot"),
    ] {
        let error = database.error(&format!("SELECT {value} AS a"), types(&[("a", data_type)]));
        assert_eq!(error.kind(), ErrorKind::Value, "{error}");
        assert!(error.message().contains(word), "{error}");
    }
    let error = database.error("SELECT 1 AS a", types(&[("a", "month_day_nano_interval")]));
    assert_eq!(error.kind(), ErrorKind::Config);
    let error = database.error("SELECT 1 AS a", types(&[("b", "utf8")]));
    assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("b")));
}

#[test]
fn not_null_columns_are_not_nullable() {
    let database = Database::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT);
         CREATE TABLE composite (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
         CREATE TABLE text_key (k TEXT PRIMARY KEY);
         CREATE TABLE descending (id INTEGER PRIMARY KEY DESC);
         CREATE TABLE without (k TEXT PRIMARY KEY) WITHOUT ROWID;
         CREATE VIEW v AS SELECT t.id, u.a FROM t LEFT JOIN t AS u ON u.id = t.id + 1;
         INSERT INTO t VALUES (1, 'a', 'b');
         INSERT INTO composite VALUES (NULL, 1); INSERT INTO text_key VALUES (NULL); INSERT INTO descending VALUES (NULL);",
    );
    for (sql, nullable) in [
        ("SELECT id, a, b, a || 'x' FROM t", &[false, false, true, true][..]),
        ("SELECT * FROM t ORDER BY b LIMIT 1", &[false, false, true]),
        ("SELECT t.id, u.a FROM t LEFT JOIN t AS u ON u.id = t.id + 1", &[true, true]),
        ("SELECT * FROM v", &[true, true]),
        ("SELECT x, y FROM composite", &[true, true]),
        ("SELECT k FROM text_key", &[true]),
        ("SELECT id FROM descending", &[true]),
        ("SELECT k FROM without", &[false]),
    ] {
        let table = database.read(sql);
        let found: Vec<bool> = table.schema.fields().iter().map(|field| field.is_nullable()).collect();
        assert_eq!(found, nullable, "{sql}");
    }
}

#[test]
fn results_of_any_shape() {
    let database = Database::new(
        "CREATE TABLE t (a INTEGER, a2 TEXT); CREATE TABLE filled (x TEXT); INSERT INTO filled VALUES ('v');",
    );
    let table = database.read("SELECT * FROM t");
    assert_eq!((table.rows(), table.types()), (0, vec![DataType::Int64, DataType::Utf8]));
    let table = database.read("SELECT x, x AS x, 1 AS x FROM filled;  -- done");
    assert_eq!(table.schema.fields().len(), 3);
    assert!(table.schema.fields().iter().all(|field| field.name() == "x"));
    let table = database.read("PRAGMA table_info(t)");
    assert_eq!(table.rows(), 2);
    let table = database.read("VALUES (1, 'a'), (2, 'b')");
    assert_eq!(table.ints(0), [Some(1), Some(2)]);
    assert_eq!(database.read("EXPLAIN QUERY PLAN SELECT * FROM t").rows(), 1);
    let wide: Vec<String> = (0..2000).map(|index| format!("{index} AS c{index}")).collect();
    let table = database.read(&format!("SELECT {}", wide.join(", ")));
    assert_eq!(table.ints(1999), [Some(1999)]);
    // The sampled rows are not read twice, and none is lost.
    let rows =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, random() AS r FROM n";
    let table = database.read(rows);
    assert_eq!(table.ints(0), (1..=5000).map(Some).collect::<Vec<_>>());
}

#[test]
fn batches_have_about_the_size_asked_for() {
    let database = Database::new(
        "CREATE TABLE t (a INTEGER, b TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO t SELECT i, printf('%050d', i) FROM n;",
    );
    let options = Options { batch_bytes: 100_000, ..Options::default() };
    let table = database.read_with("SELECT * FROM t", options).unwrap();
    assert_eq!(table.rows(), 20_000);
    for batch in &table.batches[..table.batches.len() - 1] {
        let bytes = batch.get_array_memory_size();
        assert!((100_000..110_000).contains(&bytes), "{bytes}");
    }
    // One value of 20 MB is one batch.
    let table = database.read("SELECT zeroblob(20000000) AS b UNION ALL SELECT x'01'");
    assert_eq!(table.batches.len(), 2);
    assert_eq!(table.bytes(0)[0].as_ref().unwrap().len(), 20_000_000);
}

#[test]
fn parameters_of_all_styles() {
    let database = Database::new("CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y');");
    let read =
        |query: Query| database.read_request(&Request::new(query, Options::default())).map(|table| table.ints(0));
    for sql in ["SELECT a FROM t WHERE b = ?", "SELECT a FROM t WHERE b = $1", "SELECT a FROM t WHERE b = %s"] {
        assert_eq!(read(with_values(sql, vec![Value::Text("y".into())])).unwrap(), [Some(2)], "{sql}");
    }
    let named = Params::Named(vec![("b".into(), Value::Text("x".into()))]);
    let query = Query { sql: "SELECT a FROM t WHERE b = :b OR b = :b".into(), params: named };
    assert_eq!(read(query).unwrap(), [Some(1)]);
    let all = vec![Value::Null, Value::Bool(true), Value::Int(3), Value::Float(0.5), Value::Bytes(vec![1])];
    assert_eq!(
        read(with_values("SELECT a FROM t WHERE ? IS NULL AND ? = 1 AND ? = 3 AND ? = 0.5 AND ? = x'01'", all))
            .unwrap()
            .len(),
        2
    );
    let error = read(Query::new("SELECT a FROM t WHERE b = ?")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config, "{error}");
    assert_eq!(read(with_values("SELECT a FROM t", vec![Value::Int(1)])).unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn null_bitmaps_mark_the_right_rows() {
    let database = Database::new(
        "CREATE TABLE t (a INTEGER, b TEXT, c BLOB, d REAL);
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
         INSERT INTO t SELECT iif(i % 3, i, NULL), iif(i % 5, 't' || i, NULL), iif(i % 7, x'01', NULL), iif(i % 2, i, NULL) FROM n;",
    );
    let table = database.read_with("SELECT * FROM t", Options { batch_bytes: 1000, ..Options::default() }).unwrap();
    let expected: Vec<Option<i64>> = (0..10_000).map(|i| (i % 3 != 0).then_some(i)).collect();
    assert_eq!(table.ints(0), expected);
    let expected: Vec<Option<String>> = (0..10_000).map(|i| (i % 5 != 0).then(|| format!("t{i}"))).collect();
    assert_eq!(table.texts(1), expected);
    assert!(table.bytes(2).iter().enumerate().all(|(i, value)| value.is_none() == (i % 7 == 0)));
    assert!(table.floats(3).iter().enumerate().all(|(i, value)| value.is_none() == (i % 2 == 0)));
}
