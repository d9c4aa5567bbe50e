use std::time::Instant;

use super::*;

fn database() -> (tempfile::TempDir, Database) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a INTEGER, b TEXT)").unwrap();
    let database = Database::open(&format!("file://{}", path.display()), &path, Duration::ZERO).unwrap();
    (folder, database)
}

#[test]
fn cells_have_the_class_that_sqlite_gave_them() {
    let (_folder, mut database) = database();
    database.start("SELECT NULL, 7, 0.5, 'a' || char(0) || 'b', x'', x'00ff', ''").unwrap();
    let row = database.step().unwrap().unwrap();
    let cells: Vec<Cell<'_>> = (0..8).map(|index| row.cell(index)).collect();
    assert_eq!(
        cells,
        [
            Cell::Null,
            Cell::Integer(7),
            Cell::Real(0.5),
            Cell::Text(b"a\0b"),
            Cell::Blob(b""),
            Cell::Blob(b"\0\xff"),
            Cell::Text(b""),
            Cell::Null
        ]
    );
    assert!(database.step().unwrap().is_none());
    assert!(database.step().unwrap().is_none(), "a statement that ended does not begin again");
}

#[test]
fn one_statement_at_a_time() {
    let (_folder, mut database) = database();
    assert_eq!(database.start("SELECT 1; -- done").unwrap(), "SELECT 1;");
    let error = database.start("SELECT 1; SELECT 2").unwrap_err();
    assert!(error.message().contains("more than one"), "{error}");
    let error = database.start(" -- nothing").unwrap_err();
    assert!(error.message().contains("empty"), "{error}");
    assert_eq!(database.start("SELECT 1\0").unwrap_err().kind(), ErrorKind::Config);
    database.execute("PRAGMA cache_size = 10; ; PRAGMA cache_size = 20 -- twenty").unwrap();
    assert_eq!(database.scalar("PRAGMA cache_size", &[]).unwrap(), Value::Int(20));
}

#[test]
fn errors_point_at_a_character() {
    let (_folder, mut database) = database();
    let error = database.start("SELECT 'ä', nix FROM t").unwrap_err();
    assert_eq!(error.position(), Some(13), "{error}");
    assert_eq!(error.kind(), ErrorKind::Sql);
}

#[test]
fn values_go_in_as_they_come_out() {
    let (_folder, database) = database();
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Float(0.1),
        Value::Text("a\0ä".into()),
        Value::Bytes(vec![0, 255]),
    ];
    let rows = database.rows("SELECT ?, ?, ?, ?, ?, ?", &values).unwrap();
    let mut expected = values.to_vec();
    expected[1] = Value::Int(1);
    assert_eq!(rows, [expected]);
}

#[test]
fn an_interrupt_before_the_first_step_is_not_forgotten() {
    let (_folder, mut database) = database();
    let cancel = Cancel::new();
    database.watch(&cancel);
    database.start("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n").unwrap();
    cancel.cancel();
    let began = Instant::now();
    assert_eq!(database.step().map(|_| ()).unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(2));
}
