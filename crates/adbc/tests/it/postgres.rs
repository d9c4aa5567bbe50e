//! PostgreSQL's driver.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Impossible, Options, Query, Request, SOURCE_TYPE, Source, Stream, Value};
use bowshot_testkit::Postgres;

use crate::cancelling::stop;
use crate::drivers::{error, read, read_request, read_values, read_with, source, types};

/// One server for all, since each takes seconds to start.
#[test]
fn the_driver_of_postgresql() {
    let server = Postgres::start().unwrap();
    let uri = format!("adbc:postgresql?uri={}", server.uri());
    values(&uri);
    numerics(&uri);
    infinity(&uri);
    mistakes(&uri, &server);
    lists(&uri);
    cancelling(&uri, &server);
    a_killed_backend(&uri, &server);
}

fn values(uri: &str) {
    let table = read(uri, "SELECT i::int8 AS n, 't' || i AS name FROM generate_series(1, 100000) AS i");
    assert_eq!(table.rows(), 100_000);
    assert_eq!(table.ints(0)[99_999], Some(100_000));
    assert_eq!(table.shown(1)[99_999], "t100000");
    assert_eq!(table.partitions, 1);
    let table = read_values(
        uri,
        "SELECT $1::int8 + 1, $2::text, $3::bool, $4::bytea, $5::text",
        vec![Value::Int(41), Value::Text("x".into()), Value::Bool(true), Value::Bytes(vec![0, 255]), Value::Null],
    );
    let table = table.unwrap();
    let row: Vec<String> = (0..5).map(|column| table.shown(column).remove(0)).collect();
    assert_eq!(row, ["42", "x", "true", "00ff", "null"]);
    let options = Options { before: vec!["SET TimeZone TO 'Asia/Tokyo'".into()], ..Options::default() };
    assert_eq!(read_with(uri, "SELECT current_setting('TimeZone')", options).unwrap().shown(0), ["Asia/Tokyo"]);
    // Above 2^31, which the driver counts as negative.
    assert_eq!(read(uri, "SELECT 4294967295::oid AS o").shown(0), ["4294967295"]);
    let failed = error(uri, "SELECT 1::money AS price");
    assert_eq!((failed.kind(), failed.column()), (ErrorKind::Unsupported, Some("price")), "{failed}");
    let table = read(uri, "SELECT '::1'::inet AS a, '{}'::jsonb AS b, 1::int4 AS c");
    let sources = table.schema.fields().iter().map(|field| field.metadata()[SOURCE_TYPE].clone()).collect::<Vec<_>>();
    assert_eq!(sources, ["inet", "jsonb", "int4"]);
    assert_eq!(table.schema.field(1).metadata()["ARROW:extension:name"], "arrow.json");
    let failed = error(uri, "CREATE TABLE written (n int)");
    assert_eq!(failed.kind(), ErrorKind::Unsupported, "{failed}");
}

fn numerics(uri: &str) {
    let sql = "SELECT 12345678901234567890.12::numeric(22, 2) AS price";
    let table = read(uri, sql);
    assert_eq!((table.types(), table.shown(0)), (vec!["utf8".to_owned()], vec!["12345678901234567890.12".to_owned()]));
    assert_eq!(table.schema.field(0).metadata()[SOURCE_TYPE], "numeric");
    assert!(!table.schema.field(0).metadata().contains_key("ARROW:extension:name"));
    let table = read_with(uri, sql, types(&[("price", "decimal128(22, 2)")])).unwrap();
    assert_eq!(
        (table.types(), table.shown(0)),
        (vec!["decimal128(22, 2)".to_owned()], vec!["12345678901234567890.12".to_owned()])
    );
    let failed = read_with(uri, sql, types(&[("price", "decimal128(22, 1)")])).unwrap_err();
    assert_eq!((failed.kind(), failed.column()), (ErrorKind::Value, Some("price")), "{failed}");
}

fn infinity(uri: &str) {
    for sql in [
        "SELECT 'infinity'::date AS c",
        "SELECT '-infinity'::date AS c",
        "SELECT 'infinity'::timestamp AS c",
        "SELECT '-infinity'::timestamptz AS c",
        "SELECT '24:00'::time AS c",
    ] {
        let failed = error(uri, sql);
        assert_eq!((failed.kind(), failed.column()), (ErrorKind::Value, Some("c")), "{sql}: {failed}");
    }
    let options = Options { infinity: Impossible::Null, ..Options::default() };
    let sql = "SELECT x FROM unnest(ARRAY['infinity', '-infinity', '2000-02-29', '5874897-12-31', '4713-01-01 BC']::date[]) AS x";
    let shown = read_with(uri, sql, options).unwrap().shown(0);
    assert_eq!(shown[..3], ["null", "null", "2000-02-29"]);
    assert!(!shown[3..].contains(&"null".to_owned()), "{shown:?}");
}

fn mistakes(uri: &str, server: &Postgres) {
    let failed = error(uri, "SELECT nome FROM pg_class");
    assert_eq!(
        (failed.kind(), failed.sqlstate(), failed.position()),
        (ErrorKind::Sql, Some("42703"), Some(8)),
        "{failed}"
    );
    let failed = error(uri, "SELECT 1 / (50000 - i) FROM generate_series(1, 100000) AS i");
    // The stream of a driver passes on the text alone.
    assert!(failed.kind() == ErrorKind::Sql && failed.message().contains("division by zero"), "{failed}");
    let failed = error(uri, "SELECT 1 / 0");
    assert_eq!((failed.kind(), failed.sqlstate()), (ErrorKind::Sql, Some("22012")), "{failed}");
    let begin = Instant::now();
    let wrong = format!("adbc:postgresql?uri={}", server.uri_of("postgres", "hunter22", "postgres"));
    let failed = error(&wrong, "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Authentication, "{failed}");
    assert!(!format!("{failed:?}").contains("hunter22"));
    let unknown = format!("adbc:postgresql?uri={}", server.uri_of("postgres", server.password(), "nowhere"));
    let failed = error(&unknown, "SELECT 1");
    assert!(failed.kind() == ErrorKind::Config && failed.message().contains("\"nowhere\" does not exist"), "{failed}");
    let failed = error("adbc:postgresql?uri=postgresql://127.0.0.1:1/x", "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Connect, "{failed}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

fn lists(uri: &str) {
    let queries = ["SELECT txid_current_snapshot()::text AS s", "SELECT txid_current_snapshot()::text AS s"];
    let queries = queries.map(Query::new).to_vec();
    let table = read_request(uri, &Request { queries, options: Options::default() }).unwrap();
    let shown = table.shown(0);
    assert_eq!((table.partitions, &shown[0]), (2, &shown[1]));
}

fn a_killed_backend(uri: &str, server: &Postgres) {
    let request = Request::new(Query::new("SELECT i FROM generate_series(1, 100000000) AS i"), Options::default());
    let plan = source(uri).unwrap().plan(&request, &Cancel::new()).unwrap();
    let mut stream = Stream::start(plan, &request.options, Cancel::new());
    assert!(stream.next().unwrap().is_ok());
    server.kill_backends().unwrap();
    let failed = stream.find_map(|batch| batch.err()).expect("the end of the result would be a lie");
    assert_eq!(failed.kind(), ErrorKind::ConnectionLost, "{failed}");
}

fn cancelling(uri: &str, server: &Postgres) {
    for sql in ["SELECT pg_sleep(60)", "SELECT i FROM generate_series(1, 1000000000) AS i"] {
        let took = stop(uri, sql, Duration::from_millis(500));
        assert!(took < Duration::from_secs(1), "{sql}: {took:?}");
    }
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query NOT LIKE '%pg_stat%' AND backend_type = 'client backend'";
    let begin = Instant::now();
    while server.psql(running).unwrap() != "0" {
        assert!(begin.elapsed() < Duration::from_secs(3), "the queries still run");
        std::thread::sleep(Duration::from_millis(50));
    }
}
