//! What sources are asked.

use bowshot_core::Value;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;

use crate::common::{serve, sqlite, text_file};

#[test]
fn columns_filters_and_limits_are_asked_of_postgresql() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start().unwrap();
    server
        .psql(
            "CREATE TABLE sales (id int NOT NULL, day date, at timestamp, price numeric(15,2), share float8, name text, ok bool);
             INSERT INTO sales SELECT n, date '2024-01-01' + n, timestamp '2024-01-01' + n * interval '1 hour',
                                      n * 1.01, n / 8.0, 'name ' || n, n % 2 = 0 FROM generate_series(1, 1000) n;
             INSERT INTO sales VALUES (2000, 'infinity', NULL, NULL, 'NaN', NULL, NULL)",
        )
        .unwrap();
    let csv = text_file(folder.path(), "ids.csv", "id\n5\n500\n");
    let served = serve(&[("db", &server.uri(), Some(Dialect::Postgres)), ("ids", &csv, None)]);
    let joined = |condition: &str| format!("SELECT s.id FROM sales s JOIN ids USING (id) WHERE {condition} ORDER BY 1");
    for (condition, rows, asked) in [
        ("s.day < date '2024-02-01'", vec!["5"], "\"day\" < DATE '2024-02-01'"),
        ("s.price >= 100 AND s.name = 'name 500'", vec!["500"], "\"name\" = 'name 500'"),
        (
            "s.at BETWEEN '2024-01-01 04:00:00' AND '2024-01-01 06:00:00'",
            vec!["5"],
            "\"at\" >= TIMESTAMP '2024-01-01 04:00:00'",
        ),
        ("s.ok", vec!["500"], "\"ok\""),
        ("s.name IS NOT NULL", vec!["5", "500"], "\"name\" IS NOT NULL"),
        ("s.name LIKE 'name 5%' AND s.share > 1", vec!["500"], ""),
    ] {
        served.asked("sales");
        assert_eq!(served.rows(&joined(condition)), rows, "{condition}");
        let sql = served.asked("sales");
        assert_eq!(sql.len(), 1, "{sql:?}");
        assert!(sql[0].contains(asked), "{condition}: {sql:?}");
        assert!(!sql[0].contains("LIKE") && !sql[0].contains("share\" >"), "{sql:?}");
    }
    served.asked("sales");
    assert_eq!(served.rows("SELECT count(*) FROM (SELECT id FROM sales LIMIT 7)"), ["7"]);
    assert_eq!(served.asked("sales").len(), 1);
    let parameters = vec![Value::Text("2024-02-01".into()), Value::Int(3)];
    let rows =
        served.rows_with("SELECT s.id FROM sales s JOIN ids USING (id) WHERE s.day < ? AND s.id > ?", parameters);
    assert_eq!(rows.unwrap(), ["5"]);
    let sql = served.asked("sales").remove(0);
    assert!(sql.contains("\"day\" < DATE '2024-02-01'") && sql.contains("\"id\" > 3"), "{sql}");
    // NaN and the infinite date are other values in DataFusion: what is asked without them is answered.
    assert_eq!(served.rows("SELECT count(*) FROM sales s, ids WHERE s.day IS NULL"), ["0"]);
}

#[test]
fn explain_shows_what_a_source_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let lite =
        sqlite(&folder, "a.db", "CREATE TABLE t (id INTEGER, name TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')");
    let served = serve(&[("a", &lite, Some(Dialect::Sqlite))]);
    let plan = served.rows("EXPLAIN SELECT name FROM a.t WHERE id = 2").join("\n");
    assert!(plan.contains("SELECT \"name\" FROM \"main\".\"t\" WHERE \"id\" = 2"), "{plan}");
    assert_eq!(served.rows("SELECT name FROM a.t WHERE id = 2"), ["y"]);
    assert_eq!(served.rows("SELECT count(*) FROM a.t WHERE name > 'x'"), ["1"]);
}
