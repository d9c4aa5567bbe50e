//! SQLite's driver.

use bowshot_core::{ErrorKind, Value};
use tempfile::TempDir;

use crate::drivers::{error, read, read_values, read_with, types};

/// A database with what `sql` makes, and its URI.
fn database(sql: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let uri = format!("adbc:sqlite?uri={}", path.display());
    (folder, uri)
}

#[test]
fn values_and_parameters() {
    let (_folder, uri) = database(
        "CREATE TABLE t (id INTEGER, name TEXT, x REAL, b BLOB); INSERT INTO t VALUES (1, 'ünï', 0.5, x'00ff'), (2, NULL, NULL, NULL)",
    );
    let table = read(&uri, "SELECT id, name, x, b FROM t ORDER BY id");
    assert_eq!(table.types(), ["int64", "utf8", "float64", "binary"]);
    let columns: Vec<Vec<String>> = (0..4).map(|column| table.shown(column)).collect();
    assert_eq!(columns, [["1", "2"], ["ünï", "null"], ["0.5", "null"], ["00ff", "null"]]);
    let table = read_values(
        &uri,
        "SELECT id FROM t WHERE name = ? AND x < ?",
        vec![Value::Text("ünï".into()), Value::Float(1.0)],
    );
    assert_eq!(table.unwrap().ints(0), [Some(1)]);
    assert_eq!(read_with(&uri, "SELECT id FROM t", types(&[("id", "int8")])).unwrap().types(), ["int8"]);
}

#[test]
fn text_that_is_none_is_found() {
    let (_folder, uri) = database("CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('good'), (CAST(x'ff41' AS TEXT))");
    let failed = error(&uri, "SELECT name FROM t");
    assert_eq!((failed.kind(), failed.column()), (ErrorKind::Value, Some("name")));
    assert!(failed.to_string().contains("not UTF-8") && failed.to_string().contains("binary"), "{failed}");
    assert_eq!(read(&uri, "SELECT CAST(name AS BLOB) FROM t").shown(0), ["676f6f64", "ff41"]);
}

#[test]
fn a_value_that_came_too_late_ends_the_result_with_an_error() {
    let (_folder, uri) = database(
        "CREATE TABLE t (n); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5000) SELECT i FROM r; INSERT INTO t VALUES ('text')",
    );
    let failed = error(&uri, "SELECT n FROM t");
    assert_eq!(failed.kind(), ErrorKind::Sql, "{failed}");
}

#[test]
fn nothing_is_written_and_no_file_is_made() {
    let (folder, uri) = database("CREATE TABLE t (n)");
    let failed = error(&uri, "INSERT INTO t VALUES (1) RETURNING n");
    assert!(failed.message().contains("INSERT"), "{failed}");
    let missing = folder.path().join("missing.db");
    for uri in [format!("adbc:sqlite?uri={}", missing.display()), format!("adbc:sqlite?uri=file:{}", missing.display())]
    {
        let failed = crate::drivers::source(&uri).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Io, "{uri}");
        assert!(!missing.exists());
    }
}

#[test]
fn statements_that_return_nothing_are_refused() {
    let (_folder, uri) = database("CREATE TABLE t (n)");
    let failed = error(&uri, "PRAGMA foreign_keys = 1");
    assert!(failed.message().contains("PRAGMA foreign_keys with a value"), "{failed}");
    let failed = error(&uri, "SELECT nome FROM t");
    assert!(failed.message().contains("no such column: nome"), "{failed}");
}
