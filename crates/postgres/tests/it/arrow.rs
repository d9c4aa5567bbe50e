//! What the server's extension sends as Arrow is what COPY's binary format becomes here.

use std::sync::LazyLock;

use arrow_schema::DataType;
use bowshot_core::{ErrorKind, Impossible, Options};

use crate::reading::{Database, Read, over, read};

/// With the extension: dev/rust_test.sh names a server that has it.
static WITH: LazyLock<Database> = LazyLock::new(|| {
    Database::make(
        "with_extension",
        "CREATE EXTENSION bowshot;
         CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
         CREATE TABLE things (id int PRIMARY KEY, name text, price numeric(10, 2), mood mood, tags text[], at timestamp,
           place point);
         INSERT INTO things SELECT i, CASE WHEN i % 3 > 0 THEN 'thing ' || i END, i / 8.0,
           (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood, ARRAY['a', NULL, i::text], '2024-02-29 12:00', point(i, 1)
           FROM generate_series(1, 20000) i;
         CREATE TABLE wide AS SELECT i AS id, rpad('', 900, 'x') AS note FROM generate_series(1, 40000) i;
         ANALYZE;
         GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    )
});

static WITHOUT: LazyLock<Database> = LazyLock::new(|| Database::make("without_extension", "CREATE TABLE t (id int)"));

fn by(protocol: &str) -> Options {
    Options { protocol: Some(protocol.into()), ..over(1) }
}

#[test]
fn both_forms_have_one_schema_and_the_same_cells() {
    for sql in [
        "SELECT * FROM things ORDER BY id",
        "SELECT name, name AS name, sum(price) FROM things GROUP BY name, name ORDER BY name",
        "SELECT sum(price) AS s, 1 AS s, -price * 1.5 AS s FROM things GROUP BY price ORDER BY price",
        "SELECT * FROM things WHERE false",
        "SELECT",
        "TABLE things",
        "VALUES (1, 'one'), (2, NULL)",
        "WITH few AS (SELECT id FROM things WHERE id < 10) SELECT * FROM few -- a comment",
        "SELECT id, place FROM things",
        "SELECT NULL AS nothing, 'infinity'::text, ARRAY[1, NULL]",
        "SELECT repeat('é', 700000) FROM generate_series(1, 5)",
    ] {
        let arrow = read(&WITH.uri(), sql, &by("arrow")).unwrap();
        let copy = read(&WITH.uri(), sql, &by("copy")).unwrap();
        assert!(arrow.reason.contains("extension bowshot"), "{}", arrow.reason);
        assert!(!copy.reason.contains("extension"), "{}", copy.reason);
        assert_eq!(arrow.rows(), copy.rows(), "{sql}");
        if let (Some(arrow), Some(copy)) = (arrow.batches.first(), copy.batches.first()) {
            assert_eq!(arrow.schema(), copy.schema(), "{sql}");
        }
    }
}

#[test]
fn it_is_used_by_itself_and_in_partitions() {
    let whole = read(&WITH.uri(), "SELECT * FROM wide", &over(2)).unwrap();
    assert!(whole.reason.contains("in ranges; the server's extension bowshot"), "{}", whole.reason);
    assert!(whole.partitions > 1 && whole.snapshot.is_some());
    assert_eq!(whole.rows(), read(&WITH.uri(), "SELECT * FROM wide", &by("copy")).unwrap().rows());
}

#[test]
fn who_may_not_have_it_reads_as_before() {
    let read_by = |uri: &str, options: &Options| read(uri, "SELECT 1 AS n", options);
    assert!(!read_by(&WITHOUT.uri(), &over(1)).unwrap().reason.contains("extension"));
    let error = read_by(&WITHOUT.uri(), &by("arrow")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.hint().unwrap().contains("CREATE EXTENSION bowshot"), "{error}");
    // A user without rights on the extension's schema.
    let half = Database::make(
        "half_extension",
        "CREATE EXTENSION bowshot; REVOKE USAGE ON SCHEMA bowshot FROM PUBLIC; GRANT CONNECT ON DATABASE half_extension TO reader",
    );
    let uri = half.uri_of("reader", "reader");
    let read = read_by(&uri, &over(1)).unwrap();
    assert_eq!((read.rows(), read.reason.contains("extension")), (vec!["1".to_owned()], false));
    assert_eq!(read_by(&uri, &by("arrow")).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn types_that_the_user_chooses_are_as_before() {
    let sql = "SELECT id, price, name FROM things WHERE id = 7";
    let typed = |column: &str, wanted: DataType, protocol: Option<&str>| Options {
        types: [(column.to_owned(), wanted)].into(),
        protocol: protocol.map(str::to_owned),
        ..over(1)
    };
    for (column, wanted, by_extension) in [
        ("id", DataType::Int64, true),
        ("price", DataType::Float64, true),
        ("price", DataType::Utf8, true),
        ("price", DataType::Decimal128(20, 6), false),
        ("name", DataType::Binary, false),
    ] {
        let by_itself = read(&WITH.uri(), sql, &typed(column, wanted.clone(), None)).unwrap();
        let copy = read(&WITH.uri(), sql, &typed(column, wanted.clone(), Some("copy"))).unwrap();
        assert_eq!(by_itself.batches, copy.batches, "{column} as {wanted}");
        assert_eq!(by_itself.reason.contains("extension"), by_extension, "{}", by_itself.reason);
    }
    let error = read(&WITH.uri(), sql, &typed("name", DataType::Binary, Some("arrow"))).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("name")));
}

#[test]
fn errors_are_the_same_and_the_infinite_is_null_where_asked() {
    for sql in ["SELECT 1 / (id - 15000) FROM things", "SELECT date 'infinity' AS day", "SELECT 'NaN'::numeric AS n"] {
        let [arrow, copy] = ["arrow", "copy"].map(|name| read(&WITH.uri(), sql, &by(name)).unwrap_err());
        assert_eq!((arrow.kind(), arrow.column()), (copy.kind(), copy.column()), "{arrow}\n{copy}");
        assert_eq!(arrow.message(), copy.message());
    }
    let null = Options { infinity: Impossible::Null, ..by("arrow") };
    let sql = "SELECT date 'infinity', timestamp '-infinity'";
    assert_eq!(read(&WITH.uri(), sql, &null).unwrap().rows(), ["|"]);
    let error = read(&WITH.uri(), "SHOW server_version", &by("arrow")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config, "{error}");
}

#[test]
fn a_result_that_cannot_be_split_is_dealt_to_who_asks_for_parts() {
    let dealt = Options { deal: true, ..over(3) };
    for (sql, types) in [
        ("SELECT id, count(*), max(note) FROM wide GROUP BY id", vec![]),
        ("SELECT * FROM things", vec![]),
        ("SELECT DISTINCT mood, tags FROM things WHERE id < 0", vec![]),
        ("SELECT id, '\\', 'it''s', price FROM things LIMIT 10 -- a comment", vec![("price", DataType::Utf8)]),
    ] {
        let types = types.into_iter().map(|(name, wanted)| (name.to_owned(), wanted)).collect();
        let dealt = Options { types, ..dealt.clone() };
        let read_by = |options: &Options| read(&WITH.uri(), sql, options).unwrap();
        let parts = read_by(&dealt);
        assert_eq!(parts.partitions, 3, "{}", parts.reason);
        assert!(parts.reason.contains("executes it once and deals its rows, since"), "{}", parts.reason);
        let whole = read_by(&Options { protocol: Some("copy".into()), deal: false, ..dealt.clone() });
        assert_eq!(sorted(&parts), sorted(&whole), "{sql}");
    }
}

#[test]
fn what_is_ordered_or_needs_one_connection_is_not_dealt() {
    let dealt = Options { deal: true, ..over(3) };
    let ordered = read(&WITH.uri(), "SELECT id FROM things ORDER BY id DESC", &dealt).unwrap();
    assert_eq!((ordered.partitions, ordered.rows()[0].as_str()), (1, "20000"));
    assert!(ordered.reason.contains("does not deal it: it is ordered"), "{}", ordered.reason);
    for options in [over(3), Options { deal: true, ..over(1) }, Options { deal: true, ..by("copy") }] {
        let whole = read(&WITH.uri(), "SELECT id FROM things GROUP BY id", &options).unwrap();
        assert_eq!((whole.partitions, whole.reason.contains("deal")), (1, false), "{}", whole.reason);
    }
}

#[test]
fn an_error_in_what_is_dealt_is_the_query_s_own() {
    let sql = "SELECT count(*), 1 / (id - 15000) FROM things GROUP BY id";
    let error = read(&WITH.uri(), sql, &Options { deal: true, ..over(3) }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql);
    assert!(error.message().contains("division by zero"), "{error}");
}

/// The rows in an order of their own.
fn sorted(read: &Read) -> Vec<String> {
    let mut rows = read.rows();
    rows.sort_unstable();
    rows
}
