//! The scale of expressions over columns is proven from the query's text and the catalogue, the same over each protocol.

use std::sync::LazyLock;

use arrow_schema::DataType;
use bowshot_core::{ErrorKind, Options};

use crate::reading::{Database, over, plan, plan_list, read, read_list, refused};

static DATABASE: LazyLock<Database> = LazyLock::new(|| Database::make("scale", SETUP));

const SETUP: &str = r#"
    CREATE EXTENSION bowshot;
    CREATE DOMAIN money_amount AS numeric(12, 3);
    CREATE TABLE orders (id int PRIMARY KEY, big bigint, amount numeric(15, 2), rate numeric(6, 4), loose numeric, wide numeric(38, 2),
        fine numeric(38, 30), hundreds numeric(5, -2), fee money_amount, weight float8, note text, "Odd ""Name" numeric(9, 1));
    INSERT INTO orders SELECT i, i * 1000000007::bigint, i * 1.25 - 300, i / 1000.0, i / 7.0, i, i / 3.0, i * 100, i / 8.0, i / 4.0,
        (i % 3)::text, i / 2.0 FROM generate_series(1, 1000) i;
    INSERT INTO orders (id) VALUES (1001);
    CREATE TABLE parts (id int, price numeric(10, 3)) PARTITION BY RANGE (id);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
    CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (100) TO (200);
    INSERT INTO parts SELECT i, i / 8.0 FROM generate_series(0, 199) i;
    CREATE VIEW shown AS SELECT amount, amount * rate AS product, note FROM orders;
    CREATE SCHEMA "Other shop";
    CREATE TABLE "Other shop"."Line items" (amount numeric(15, 4), note text);
    INSERT INTO "Other shop"."Line items" VALUES (1.0001, '1'), (2.5, '2'), (NULL, '0');
    CREATE TABLE nothing (amount numeric(15, 2));
    CREATE TABLE special (amount numeric(15, 2));
    INSERT INTO special VALUES ('NaN'), (1);
    CREATE TABLE full_up (amount numeric(38, 2));
    INSERT INTO full_up SELECT repeat('9', 36)::numeric FROM generate_series(1, 2);
"#;

const PROTOCOLS: [&str; 4] = ["arrow", "copy", "extended", "cursor"];

/// A query of one column, which is a decimal128 of this scale.
const PROVEN: &[(&str, i8)] = &[
    ("SELECT sum(amount) FROM orders", 2),
    ("SELECT min(wide) - max(amount) FROM orders", 2),
    ("SELECT amount + rate FROM orders ORDER BY id", 4),
    ("SELECT amount - id FROM orders ORDER BY id", 2),
    ("SELECT amount * rate FROM orders ORDER BY id", 6),
    ("SELECT -amount * big FROM orders ORDER BY id", 2),
    ("SELECT abs(-rate) FROM orders ORDER BY id", 4),
    ("SELECT sum(amount * (1 - rate) * (1 + rate)) FROM orders", 10),
    ("SELECT sum(big) FROM orders", 0),
    ("SELECT sum(hundreds) FROM orders", 0),
    ("SELECT sum(fee) FROM orders", 3),
    ("SELECT max(fine) FROM orders", 30),
    ("SELECT coalesce(amount, rate, 0) FROM orders ORDER BY id", 4),
    ("SELECT sum(CASE WHEN note = '1' THEN amount ELSE 0 END) FROM orders GROUP BY note ORDER BY 1", 2),
    ("SELECT sum(DISTINCT amount) FILTER (WHERE id < 50) FROM orders", 2),
    ("SELECT sum(amount) OVER (PARTITION BY note ORDER BY id ROWS 2 PRECEDING) FROM orders ORDER BY id", 2),
    ("SELECT sum(sum(amount)) OVER (ORDER BY note) FROM orders GROUP BY note ORDER BY note", 2),
    ("SELECT sum(\"Odd \"\"Name\") FROM public.orders", 1),
    ("SELECT SUM(l.Amount * o.rate) FROM \"Other shop\".\"Line items\" AS l LEFT JOIN orders o USING (note)", 8),
    ("SELECT sum(\"Line items\".amount) FROM \"Other shop\".\"Line items\", orders WHERE id < 5", 4),
    ("SELECT sum(amount) FROM shown", 2),
    ("SELECT sum(price) FROM parts", 3),
    ("SELECT price * 2 FROM parts ORDER BY id", 3),
    ("SELECT sum(amount) FROM nothing", 2),
    ("SELECT amount * 1.125 FROM nothing", 5),
    ("SELECT sum(amount) FROM orders WHERE id = 1001 GROUP BY note", 2),
    ("SELECT sum(weight::numeric(9, 1)) FROM orders", 1),
];

/// Queries of one column that has no certain scale.
const OPEN: &[&str] = &[
    "SELECT avg(amount) FROM orders",
    "SELECT amount / 3 FROM orders WHERE id < 9",
    "SELECT sum(loose) FROM orders WHERE id % 7 = 0",
    "SELECT amount * loose FROM orders WHERE id = 7",
    "SELECT sum(fine) FROM orders WHERE id % 3 = 0",
    "SELECT fine * rate FROM orders WHERE id = 3",
    "SELECT product FROM shown",
    "SELECT sum(amount) FROM (SELECT amount FROM orders) AS o",
    "SELECT (SELECT sum(amount) FROM orders)",
    "WITH o AS (SELECT * FROM orders) SELECT sum(amount) FROM o",
    "SELECT sum(amount) FROM orders UNION ALL SELECT 1.005",
    "SELECT 1.50 * 2",
];

fn by(protocol: &str) -> Options {
    Options { protocol: Some(protocol.into()), ..over(1) }
}

fn type_of(uri: &str, sql: &str, options: &Options) -> DataType {
    plan(uri, sql, options).unwrap_or_else(|error| panic!("{sql}: {error}")).schema.field(0).data_type().clone()
}

#[test]
fn proven_scales_are_the_same_over_each_protocol() {
    let uri = DATABASE.uri();
    for (sql, scale) in PROVEN {
        // The bar keeps NULL at the end.
        let text =
            DATABASE.psql(&format!("SELECT coalesce(x::numeric(38, {scale})::text, '') || '|' FROM ({sql}) AS q (x)"));
        let expected: Vec<&str> = text.lines().collect();
        for protocol in PROTOCOLS {
            let options = by(protocol);
            assert_eq!(type_of(&uri, sql, &options), DataType::Decimal128(38, *scale), "{protocol}: {sql}");
            let read = read(&uri, sql, &options).unwrap_or_else(|error| panic!("{protocol}: {sql}: {error}"));
            let rows: Vec<String> = read.rows().iter().map(|row| format!("{row}|")).collect();
            assert!(rows == expected, "{protocol}: {sql}");
        }
    }
}

#[test]
fn what_is_in_doubt_stays_as_wide_as_it_may_be() {
    let uri = DATABASE.uri();
    for sql in OPEN {
        assert_eq!(type_of(&uri, sql, &over(1)), DataType::Decimal256(76, 38), "{sql}");
    }
    let read = read(&uri, "SELECT *, amount * rate AS product FROM orders WHERE id = 8", &over(1)).unwrap();
    let schema = read.batches[0].schema();
    assert_eq!(schema.field_with_name("product").unwrap().data_type(), &DataType::Decimal128(38, 6));
    assert_eq!(schema.field_with_name("loose").unwrap().data_type(), &DataType::Decimal256(76, 38));
}

#[test]
fn splits_and_lists_have_the_type_too() {
    let uri = DATABASE.uri();
    let lists = [
        (["SELECT sum(amount) AS s FROM orders", "SELECT sum(rate) AS s FROM orders"], DataType::Decimal128(38, 4)),
        (["SELECT sum(amount) AS s FROM orders", "SELECT avg(rate) AS s FROM orders"], DataType::Decimal256(76, 38)),
    ];
    for (queries, wanted) in lists {
        let plan = plan_list(&uri, &queries, &over(2)).unwrap();
        assert_eq!(plan.schema.field(0).data_type(), &wanted, "{queries:?}");
        drop(plan);
        assert_eq!(read_list(&uri, &queries, &over(2)).unwrap().count(), 2);
    }
    let dealt = Options { deal: true, ..over(2) };
    let grouped = read(&uri, "SELECT note, sum(amount) FROM orders GROUP BY note", &dealt).unwrap();
    assert!(grouped.reason.contains("deals") && grouped.count() == 4, "{}", grouped.reason);
    assert_eq!(grouped.batches[0].schema().field(1).data_type(), &DataType::Decimal128(38, 2));
    let options = crate::reading::by("id", 4, None);
    let read = read(&uri, "SELECT id, amount * rate FROM orders", &options).unwrap();
    assert!(read.partitions > 1 && read.count() == 1001);
    assert_eq!(read.batches[0].schema().field(1).data_type(), &DataType::Decimal128(38, 6));
}

#[test]
fn the_user_and_their_parameters_decide_first() {
    let uri = DATABASE.uri();
    let sql = "SELECT sum(amount) AS s FROM orders";
    for wanted in [DataType::Decimal256(76, 38), DataType::Utf8, DataType::Float64, DataType::Decimal128(20, 2)] {
        let options = Options { types: [("s".to_owned(), wanted.clone())].into(), ..over(1) };
        assert_eq!(type_of(&uri, sql, &options), wanted);
        assert_eq!(read(&uri, sql, &options).unwrap().count(), 1);
    }
}

#[test]
fn what_does_not_fit_is_an_error_with_a_way_out_that_works() {
    let uri = DATABASE.uri();
    for (table, value, nines) in
        [("full_up", "holds 1999999999999999999999999999999999998", false), ("special", "holds NaN", true)]
    {
        let sql = format!("SELECT sum(amount) AS total FROM {table}");
        for protocol in PROTOCOLS {
            let error = refused(&uri, &sql, &by(protocol));
            assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("total")), "{error}");
            assert!(error.message().contains(value), "{error}");
            let way_out = if nines { "types={\"total\": \"float64\"}" } else { "types={\"total\": \"utf8\"}" };
            assert!(error.hint().unwrap().contains(way_out), "{error}");
        }
        for wanted in [DataType::Utf8, DataType::Float64, DataType::Decimal256(76, 38)] {
            let fits = !nines || !matches!(wanted, DataType::Decimal256(..));
            let options = Options { types: [("total".to_owned(), wanted)].into(), ..over(1) };
            assert_eq!(read(&uri, &sql, &options).is_ok(), fits, "{sql}");
        }
    }
}

#[test]
fn functions_and_operators_of_the_users_prove_nothing() {
    let database = Database::make(
        "own_sum",
        "CREATE TABLE t (a numeric(15, 2), n int); INSERT INTO t VALUES (1.25, 3);
         CREATE SCHEMA mine; GRANT USAGE ON SCHEMA mine TO PUBLIC;
         CREATE FUNCTION mine.abs(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 7';
         CREATE FUNCTION mine.times(int, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1 / ($2 * 7)';
         CREATE OPERATOR mine.* (LEFTARG = int, RIGHTARG = numeric, FUNCTION = mine.times)",
    );
    let uri = database.uri();
    let own = DataType::Decimal256(76, 38);
    assert_eq!(type_of(&uri, "SELECT abs(a) FROM t", &over(1)), DataType::Decimal128(38, 2));
    assert_eq!(type_of(&uri, "SELECT n * a FROM t", &over(1)), DataType::Decimal128(38, 2));
    assert_eq!(type_of(&uri, "SELECT mine.abs(a) FROM t", &over(1)), own);
    let before = vec!["SET search_path = mine, pg_catalog, public".to_owned()];
    let options = Options { before, ..over(1) };
    for sql in ["SELECT abs(a) FROM t", "SELECT n * a FROM t", "SELECT sum(a) FROM t"] {
        assert_eq!(type_of(&uri, sql, &options), own, "{sql}");
    }
}

#[test]
fn a_refused_question_leaves_the_type_as_it_was() {
    let database = Database::make(
        "scale_refused",
        "CREATE TABLE t (a numeric(15, 2)); INSERT INTO t VALUES (1.25); GRANT SELECT ON t TO reader;
         REVOKE SELECT ON pg_catalog.pg_operator FROM PUBLIC",
    );
    let uri = database.uri_of("reader", "reader");
    assert_eq!(type_of(&uri, "SELECT sum(a) FROM t", &over(1)), DataType::Decimal256(76, 38));
    assert_eq!(read(&uri, "SELECT sum(a)::text FROM t", &over(1)).unwrap().rows(), ["1.25"]);
    assert_eq!(read(&uri, "SELECT sum(a) FROM t", &over(1)).unwrap().count(), 1);
}
