//! What a database would answer otherwise is refused.

use bowshot_core::ErrorKind;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;

use crate::common::{serve, sqlite, text_file};

#[test]
fn text_with_another_equality_than_that_of_bytes_is_not_compared_here() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start().unwrap();
    server
        .psql(
            "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
             CREATE TABLE people (id int, name text COLLATE nocase, code char(5), label text COLLATE \"C\",
                                  sorted text COLLATE \"en-x-icu\", price numeric(10,2));
             INSERT INTO people VALUES (1, 'ada', 'a', 'b', 'c', 1), (2, 'ADA', 'a', 'B', 'C', 2)",
        )
        .unwrap();
    let csv = text_file(folder.path(), "names.csv", "name,n\nada,1\n");
    let served = serve(&[("hr", &server.uri(), Some(Dialect::Postgres)), ("names", &csv, None)]);
    for (sql, column) in [
        ("SELECT n FROM people p JOIN names f ON p.name = f.name", "name"),
        ("SELECT n FROM people p JOIN names f USING (name)", "name"),
        ("SELECT count(*) FROM people p, names f WHERE p.name = 'ada'", "name"),
        ("SELECT count(*) FROM people p, names f WHERE f.name = p.code", "code"),
        ("SELECT count(*) FROM people p, names f WHERE upper(p.name) LIKE 'A%'", "name"),
        ("SELECT name, count(*) FROM people GROUP BY name", "name"),
        ("SELECT DISTINCT x FROM (SELECT name AS x FROM people) q", "name"),
        ("SELECT name FROM people UNION SELECT name FROM names", "name"),
        ("SELECT count(DISTINCT name) FROM people", "name"),
        ("SELECT min(name || 'x') FROM people", "name"),
        ("SELECT CASE name WHEN 'ada' THEN 1 END FROM people", "name"),
        ("SELECT n FROM names WHERE name IN (SELECT name FROM people)", "name"),
        ("SELECT n FROM names f WHERE EXISTS (SELECT 1 FROM people p WHERE p.name = f.name)", "name"),
        ("SELECT (SELECT max(p.label) FROM people p WHERE p.name = f.name) FROM names f", "name"),
        ("WITH q AS (SELECT name AS m FROM people) SELECT 1 FROM q ORDER BY m", "name"),
        ("SELECT row_number() OVER (PARTITION BY name) FROM people", "name"),
        ("SELECT row_number() OVER (ORDER BY sorted) FROM people", "sorted"),
        ("SELECT sorted FROM people ORDER BY 1", "sorted"),
        ("SELECT max(sorted) FROM people", "sorted"),
        ("SELECT count(*) FROM people WHERE sorted > 'a'", "sorted"),
        ("SELECT avg(price) FROM people", "price"),
        ("SELECT sum(price) / 3 FROM people", "price"),
        ("EXPLAIN SELECT name FROM people ORDER BY name", "name"),
    ] {
        let error = served.error(sql);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{sql}: {error}");
        assert_eq!(error.column(), Some(column), "{sql}: {error}");
        assert!(error.message().contains(&format!("hr.public.people.{column}")) && error.hint().is_some(), "{error}");
    }
    for (sql, rows) in [
        ("SELECT people.name, upper(people.name) FROM people, names WHERE id = 2", vec!["ADA|ADA"]),
        ("SELECT count(*) FROM people WHERE length(name) = 3", vec!["2"]),
        ("SELECT label FROM people ORDER BY label", vec!["B", "b"]),
        ("SELECT count(*) FROM people GROUP BY sorted HAVING count(*) > 1", vec![]),
        ("SELECT n FROM people p JOIN names f ON p.sorted = f.name", vec![]),
        ("SELECT id FROM people p JOIN names f ON CAST(p.name AS BYTEA) = CAST(f.name AS BYTEA)", vec!["1"]),
        ("SELECT sum(price), avg(CAST(price AS DOUBLE)) FROM people", vec!["3.00|1.5"]),
        ("SELECT count(name) FROM people", vec!["2"]),
    ] {
        assert_eq!(served.rows(sql), rows, "{sql}");
    }
}

#[test]
fn the_text_of_sqlite_is_compared_unless_a_collation_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let lite = sqlite(
        &folder,
        "a.db",
        "CREATE TABLE plain (t TEXT); INSERT INTO plain VALUES ('b'), ('B'), ('a');
         CREATE TABLE loose (t TEXT COLLATE NOCASE); INSERT INTO loose VALUES ('b'), ('B');
         CREATE VIEW seen AS SELECT t FROM loose",
    );
    let served = serve(&[("a", &lite, Some(Dialect::Sqlite))]);
    assert_eq!(served.rows("SELECT t FROM plain ORDER BY t"), ["B", "a", "b"]);
    assert_eq!(served.rows("SELECT count(*) FROM plain WHERE t = 'b'"), ["1"]);
    for table in ["loose", "seen"] {
        let error = served.error(&format!("SELECT count(*) FROM {table} WHERE t = 'b'"));
        assert!(error.message().contains(&format!("a.main.{table}.t")), "{error}");
    }
}
