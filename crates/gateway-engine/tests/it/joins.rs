//! Joins across sources.

use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;

use crate::common::{serve, sqlite, text_file};

#[test]
fn files_join_with_tables_of_postgresql_and_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start().unwrap();
    server
        .psql(
            "CREATE TABLE people (id int PRIMARY KEY, name text COLLATE \"C\", born date);
             INSERT INTO people VALUES (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (3, 'Edsger', NULL)",
        )
        .unwrap();
    let lite = sqlite(
        &folder,
        "shop.db",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, person INTEGER, amount INTEGER);
         INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5), (4, 9, 1)",
    );
    let csv = text_file(folder.path(), "rates.csv", "person,rate\n1,2\n2,3\n3,4\n");
    let served = serve(&[
        ("hr", &server.uri(), Some(Dialect::Postgres)),
        ("shop", &lite, Some(Dialect::Sqlite)),
        ("rates", &csv, None),
    ]);
    let plan = served
        .plan(
            "SELECT p.name, sum(o.amount * r.rate) AS total, count(*) AS orders
             FROM hr.public.people p JOIN shop.main.orders o ON o.person = p.id JOIN rates r ON r.person = p.id
             GROUP BY p.name",
        )
        .unwrap();
    assert_eq!(plan.snapshot, None);
    assert!(plan.reason.contains("hr, rates, shop; several sources have no common snapshot"), "{}", plan.reason);
    let mut rows = crate::common::lines(&crate::common::read(plan).unwrap());
    rows.sort();
    assert_eq!(rows, ["Ada|60|2", "Grace|15|1"]);
    // Outer joins keep what has no partner, and names without a source are found.
    let outer = "SELECT p.name, o.id FROM people p FULL JOIN orders o ON o.person = p.id ORDER BY 1 NULLS LAST, 2";
    assert_eq!(served.rows(outer), ["Ada|1", "Ada|2", "Edsger|NULL", "Grace|3", "NULL|4"]);
    let anti = "SELECT id FROM orders WHERE person NOT IN (SELECT id FROM people)";
    assert_eq!(served.rows(anti), ["4"]);
}

#[test]
fn a_recursive_query_reads_its_table_in_every_turn() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "parts.csv", "part,parent\n2,1\n3,2\n4,3\n5,1\n");
    let served = serve(&[("parts", &csv, None)]);
    let rows = served.rows(
        "WITH RECURSIVE tree AS (SELECT part FROM parts WHERE parent = 1
                                 UNION ALL SELECT p.part FROM parts p JOIN tree t ON p.parent = t.part)
         SELECT part FROM tree ORDER BY part",
    );
    assert_eq!(rows, ["2", "3", "4", "5"]);
}

#[test]
fn every_row_of_a_large_table_is_read_once_on_one_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start().unwrap();
    server
        .psql("CREATE TABLE big AS SELECT n::int8 AS id, n % 100 AS k, repeat('x', 100) AS filler FROM generate_series(1, 200000) n; ANALYZE big")
        .unwrap();
    let csv = text_file(folder.path(), "keys.csv", "k\n1\n2\n3\n");
    let served = serve(&[("db", &server.uri(), Some(Dialect::Postgres)), ("keys", &csv, None)]);
    let plan = served.plan("SELECT count(*), sum(id), count(DISTINCT id) FROM big JOIN keys USING (k)").unwrap();
    // What is written after the plan is not seen.
    server.psql("UPDATE big SET id = -1; INSERT INTO big SELECT 7, 1, 'late' FROM generate_series(1, 1000)").unwrap();
    assert_eq!(crate::common::lines(&crate::common::read(plan).unwrap()), ["6000|599712000|6000"]);
}
