//! What is a query, and what is none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::DataType;
use bowshot_core::{Cancel, ErrorKind, Options, Params, Query, Request, Value};
use bowshot_gateway_catalog::TablePath;
use bowshot_gateway_engine::{Asker, Engine, EngineLimits, System};

use crate::common::{lines, options, read, serve, text_file};

#[test]
fn only_queries_are_run() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n");
    let served = serve(&[("n", &csv, None)]);
    let out = folder.path().join("out.csv");
    for sql in [
        "CREATE TABLE t AS SELECT 1".to_owned(),
        "CREATE VIEW t AS SELECT 1".into(),
        format!("CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '{csv}'"),
        "INSERT INTO n VALUES (2)".into(),
        "UPDATE n SET n = 2".into(),
        "DELETE FROM n".into(),
        "DROP TABLE n".into(),
        format!("COPY n TO '{}'", out.display()),
        format!("COPY (SELECT 1) TO '{}' STORED AS CSV", out.display()),
        "SET datafusion.execution.batch_size = 1".into(),
        "SHOW TABLES".into(),
        "SHOW ALL".into(),
        "DESCRIBE n".into(),
        "PREPARE p AS SELECT 1".into(),
        "EXPLAIN INSERT INTO n VALUES (2)".into(),
        "EXPLAIN ANALYZE DELETE FROM n".into(),
        "BEGIN".into(),
        "SELECT 1 INTO t".into(),
    ] {
        let error = served.error(&sql);
        assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Sql), "{sql}: {error}");
    }
    assert!(!out.exists());
    let error = served.error("SELECT 1; SELECT 2");
    assert!(error.message().contains("single"), "{error}");
}

#[test]
fn only_the_files_served_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n");
    let secret = text_file(folder.path(), "secret.csv", "n\n1\n");
    let served = serve(&[("n", &csv, None)]);
    for sql in [
        format!("SELECT * FROM '{secret}'"),
        format!("SELECT * FROM \"{secret}\""),
        format!("SELECT * FROM read_csv('{secret}')"),
        "SELECT * FROM information_schema.tables".into(),
        "SELECT * FROM secret".into(),
        "SELECT * FROM n.secret".into(),
    ] {
        let error = served.error(&sql);
        assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Sql), "{sql}: {error}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n");
    let served = serve(&[("n", &csv, None)]);
    let deep = 10_000;
    for sql in [
        format!("SELECT {}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("{}SELECT 1{}", "SELECT * FROM (".repeat(deep), ")".repeat(deep)),
        format!("SELECT {} 1", "NOT ".repeat(deep)),
        format!("SELECT {} 1", "- ".repeat(deep)),
        format!("SELECT 1{}", " + 1".repeat(deep)),
        format!("SELECT n FROM n WHERE n = 1{}", " OR n = 1".repeat(deep)),
        format!("SELECT {}1{}", "abs(".repeat(deep), ")".repeat(deep)),
        format!("SELECT {}1{}", "CASE WHEN true THEN ".repeat(deep), " END".repeat(deep)),
    ] {
        let error = served.error(&sql);
        assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Sql), "{error}");
    }
    let wide = format!("SELECT n FROM n WHERE n IN (1{})", ", 2".repeat(deep));
    assert_eq!(served.rows(&wide), ["1"]);
    let long = format!("SELECT n FROM n WHERE n = 1{}", " OR n > 5".repeat(300));
    assert_eq!(served.rows(&long), ["1"]);
}

#[test]
fn parameters_stand_for_values() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n,d,t\n1,2024-01-01,a?\n2,2024-01-02,b\n");
    let served = serve(&[("n", &csv, None)]);
    let text = |text: &str| Value::Text(text.into());
    for (sql, values) in [
        ("SELECT n FROM n WHERE d = $1 AND n < $2", vec![text("2024-01-01"), Value::Int(5)]),
        ("SELECT n FROM n WHERE t = ?", vec![text("a?")]),
        ("SELECT n FROM n WHERE t <> '?' AND n = %s", vec![Value::Int(1)]),
        ("SELECT n FROM n WHERE n = ? AND t IS NOT NULL", vec![text("1")]),
    ] {
        assert_eq!(served.rows_with(sql, values).unwrap(), ["1"], "{sql}");
    }
    assert_eq!(served.rows_with("SELECT n FROM n WHERE n = ?", vec![Value::Null]).unwrap(), Vec::<String>::new());
    let error = served.rows_with("SELECT n FROM n WHERE d = ?", vec![text("soon")]).unwrap_err();
    assert!(error.message().contains("parameter 1"), "{error}");
    assert!(served.plan("SELECT n FROM n WHERE n = $1").is_err());
}

#[test]
fn the_places_of_parameters_tell_their_types() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n,d,t,p\n1,2024-01-01,a?,1.50\n2,2024-01-02,b,2.50\n");
    let served = serve(&[("n", &csv, None)]);
    let sql = "SELECT n FROM (SELECT n, d, t, CAST(p AS decimal(9, 2)) AS p FROM n) s WHERE n = ? AND d > ? AND t = ? AND p = ?";
    let nulls = Query { sql: sql.into(), params: Params::Positional(vec![Value::Null; 4]) };
    let types = served.plan_with(nulls, &options()).unwrap().scan.parameters();
    let expected = [DataType::Int64, DataType::Date32, DataType::Utf8, DataType::Decimal128(9, 2)];
    assert_eq!(types, expected.map(Some));
    let nowhere = Query { sql: "SELECT ? AS a".into(), params: Params::Positional(vec![Value::Null]) };
    assert_eq!(served.plan_with(nowhere, &options()).unwrap().scan.parameters(), [None]);

    let with = |price: &str| {
        let text = |text: &str| Value::Text(text.into());
        served.rows_with(sql, vec![Value::Int(1), text("2023-12-31"), text("a?"), text(price)]).unwrap()
    };
    assert_eq!((with("1.5"), with("1.500")), (vec!["1".to_owned()], vec!["1".to_owned()]));
    assert_eq!(with("1.504"), Vec::<String>::new(), "what is finer than the column is not rounded");
}

#[test]
fn names_of_other_users_tables_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (text_file(folder.path(), "a.csv", "n\n1\n"), text_file(folder.path(), "b.csv", "n\n2\n"));
    let served = serve(&[("a", &a, None), ("b", &b, None)]);
    let request = |sql: &str| Request::new(Query::new(sql), Options::default());
    let visible = |path: &TablePath| path.catalog == "a";
    let asker = Asker { default_member: Some("b"), visible: &visible, ..Asker::default() };
    for sql in ["SELECT * FROM b.b", "SELECT * FROM b", "SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b.data)"] {
        let error = served.engine.plan(&request(sql), &asker, &Cancel::new()).err().unwrap();
        assert_eq!(error.sqlstate(), Some("42P01"), "{sql}: {error}");
    }
    // A query of the table `b` is never told apart by its name inside a WITH.
    let shadowed = "WITH b AS (SELECT n FROM a) SELECT n FROM b";
    let plan = served.engine.plan(&request(shadowed), &asker, &Cancel::new()).unwrap();
    assert_eq!(lines(&read(plan).unwrap()), ["1"]);
}

#[test]
fn the_gateways_own_tables_are_asked_once_a_query() {
    let calls = Arc::new(AtomicUsize::new(0));
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("ms", column)]).unwrap();
    let system = System {
        schema: "bowshot".into(),
        name: "queries".into(),
        columns: batch.schema(),
        batches: {
            let calls = Arc::clone(&calls);
            Arc::new(move || {
                calls.fetch_add(1, Ordering::SeqCst);
                Ok(batch.clone())
            })
        },
    };
    let engine = Engine::new(Vec::new(), EngineLimits::default()).unwrap();
    let sql = "SELECT count(*), (SELECT max(ms) FROM bowshot.queries) FROM bowshot.queries a JOIN bowshot.queries b USING (ms)";
    let request = Request::new(Query::new(sql), Options::default());
    let own = [system];
    let asker = Asker { system: &own, ..Asker::default() };
    let plan = engine.plan(&request, &asker, &Cancel::new()).unwrap();
    assert_eq!(lines(&read(plan).unwrap()), ["3|3"]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let hidden = |_: &TablePath| false;
    assert!(engine.plan(&request, &Asker { visible: &hidden, ..asker }, &Cancel::new()).is_err());
}
