//! What a real server sends, read back: types over both protocols, long rows, parameters, procedures, ways to log in.

use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::{DurationMicrosecondType, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::array_value_to_string;
use bowshot_core::{Cancel, Error, ErrorKind, Impossible, Options, Params, Query, Request, Source, Stream, Value};
use bowshot_mysql::MySql;
use bowshot_testkit::{MariaDb, Result};

fn alone() -> Options {
    Options { connections: Some(1), ..Options::default() }
}

fn with_protocol(protocol: &str) -> Options {
    Options { protocol: Some(protocol.into()), ..alone() }
}

fn read(uri: &str, query: Query, options: Options) -> Result<Vec<RecordBatch>, Error> {
    let cancel = Cancel::new();
    let plan = MySql::from_uri(uri)?.plan(&Request::new(query, options.clone()), &cancel)?;
    Stream::start(plan, &options, cancel).collect()
}

/// The only cell of a result, as text.
fn cell(uri: &str, sql: &str, options: Options) -> Result<String, Error> {
    let batches = read(uri, Query::new(sql), options)?;
    Ok(array_value_to_string(batches[0].column(0), 0)?)
}

#[test]
fn one_server() -> Result<()> {
    // MariaDB 11.4 encrypts without being told to.
    let server = MariaDb::builder().setting("max_allowed_packet", "1G").setting("skip_ssl", "").start()?;
    durations(&server)?;
    long_rows(&server)?;
    many_packets(&server)?;
    parameters(&server)?;
    statements_that_are_no_select(&server)?;
    refused(&server)?;
    only_reading(&server)?;
    cancelled(&server)?;
    logins(&server)
}

fn durations(server: &MariaDb) -> Result<()> {
    server.sql(
        "CREATE TABLE times (id INT NOT NULL PRIMARY KEY, t TIME, t6 TIME(6));
         INSERT INTO times VALUES (1, '838:59:59', '-838:59:59.999999'), (2, '-01:00:00', '-00:00:00.000001'),
         (3, NULL, NULL), (4, '00:00:00', '23:59:59.5')",
    )?;
    for protocol in ["text", "binary"] {
        let batches = read(&server.uri(), Query::new("SELECT t, t6 FROM times ORDER BY id"), with_protocol(protocol))?;
        let column = |place: usize| -> Vec<Option<i64>> {
            batches[0].column(place).as_primitive::<DurationMicrosecondType>().iter().collect()
        };
        assert_eq!(column(0), [Some(3_020_399_000_000), Some(-3_600_000_000), None, Some(0)]);
        assert_eq!(column(1), [Some(-3_020_399_999_999), Some(-1), None, Some(86_399_500_000)]);
        let options =
            Options { types: [("t6".into(), arrow_schema::DataType::Utf8)].into(), ..with_protocol(protocol) };
        let text = cell(&server.uri(), "SELECT t6 FROM times", options)?;
        assert_eq!(text, "-838:59:59.999999");
    }
    Ok(())
}

fn long_rows(server: &MariaDb) -> Result<()> {
    // Around the length of one packet and of two, among short rows.
    let sql = "SELECT n, REPEAT('x', n) AS t, n AS again FROM (SELECT 10 AS n UNION ALL SELECT 16777190 UNION ALL \
               SELECT 16777200 UNION ALL SELECT 16777205 UNION ALL SELECT 16777215 UNION ALL SELECT 5 UNION ALL \
               SELECT 33554430 UNION ALL SELECT 33554420 UNION ALL SELECT 70000000 UNION ALL SELECT 250 UNION ALL \
               SELECT 251 UNION ALL SELECT 65536) AS lengths";
    for protocol in ["text", "binary"] {
        let batches = read(&server.uri(), Query::new(sql), with_protocol(protocol))?;
        let mut lengths = Vec::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                let length = batch.column(0).as_primitive::<Int32Type>().value(row);
                let text = batch.column(1).as_string::<i32>().value(row);
                assert_eq!(text.len(), usize::try_from(length)?);
                assert!(text.bytes().all(|byte| byte == b'x'));
                assert_eq!(batch.column(2).as_primitive::<Int32Type>().value(row), length);
                lengths.push(length);
            }
        }
        assert_eq!(lengths.len(), 12, "{protocol}");
    }
    Ok(())
}

fn many_packets(server: &MariaDb) -> Result<()> {
    // More than 256 rows, so that the packets' numbers begin again; batches of a few rows.
    for (protocol, batch_bytes) in [("text", 1 << 20), ("binary", 1 << 20), ("text", 100), ("binary", 1)] {
        let options = Options { batch_bytes, ..with_protocol(protocol) };
        let sql = "SELECT seq, IF(seq % 3 = 0, NULL, seq) AS n, CONCAT('row ', seq) AS t FROM seq_1_to_20000";
        let cancel = Cancel::new();
        let plan = MySql::from_uri(&server.uri())?.plan(&Request::new(Query::new(sql), options.clone()), &cancel)?;
        let mut expected = 1;
        // Batch by batch: ones without rows would never end.
        for batch in Stream::start(plan, &options, cancel) {
            let batch = batch?;
            assert!(batch.num_rows() > 0);
            let [counted, numbers] = [0, 1].map(|place| batch.column(place).as_primitive::<UInt64Type>());
            for row in 0..batch.num_rows() {
                assert_eq!(counted.value(row), expected);
                assert_eq!(numbers.is_null(row), expected % 3 == 0);
                assert_eq!(batch.column(2).as_string::<i32>().value(row), format!("row {expected}"));
                expected += 1;
            }
        }
        assert_eq!(expected, 20_001);
    }
    Ok(())
}

fn parameters(server: &MariaDb) -> Result<()> {
    let values = vec![
        Value::Int(i64::MIN),
        Value::Float(0.1),
        Value::Text("it's \u{1F3F9} \\ \"".into()),
        Value::Bytes(vec![0, 255, 39]),
        Value::Null,
        Value::Bool(true),
    ];
    let query = Query {
        sql: "SELECT ? AS i, ? AS f, ? AS t, ? AS b, ? AS n, ? AS o".into(),
        params: Params::Positional(values),
    };
    let batches = read(&server.uri(), query, alone())?;
    let row: Vec<String> =
        batches[0].columns().iter().map(|column| array_value_to_string(column, 0)).collect::<Result<_, _>>()?;
    assert_eq!(row, ["-9223372036854775808", "0.1", "it's \u{1F3F9} \\ \"", "00ff27", "", "1"]);
    let query = Query {
        sql: "SELECT seq FROM seq_1_to_10 WHERE seq > :least ORDER BY 1 LIMIT 2".into(),
        params: Params::Named(vec![("least".into(), Value::Int(4))]),
    };
    assert_eq!(read(&server.uri(), query.clone(), alone())?[0].num_rows(), 2);
    let error = read(&server.uri(), query, with_protocol("text")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    // What depends on a variable.
    let options = Options { before: vec!["SET @x = 1.50".into()], ..alone() };
    assert_eq!(cell(&server.uri(), "SELECT @x", options)?, "1.50");
    Ok(())
}

/// The same source, with the user's word for procedures.
fn with_calls(uri: &str) -> String {
    format!("{uri}{}calls=allow", if uri.contains('?') { '&' } else { '?' })
}

fn statements_that_are_no_select(server: &MariaDb) -> Result<()> {
    server.sql("CREATE PROCEDURE one() SELECT 1 AS x UNION ALL SELECT 2")?;
    server.sql("DELIMITER //\nCREATE PROCEDURE two() BEGIN SELECT 1 AS x; SELECT 2 AS y; END //")?;
    server.sql("CREATE PROCEDURE none() SET @y = 1")?;
    let uri = server.uri();
    let error = read(&uri, Query::new("CALL one()"), alone()).unwrap_err();
    assert!(error.to_string().contains("calls=allow"), "{error}");
    let uri = with_calls(&uri);
    assert_eq!(read(&uri, Query::new("CALL one()"), alone())?[0].num_rows(), 2);
    let error = read(&uri, Query::new("CALL two()"), alone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("more than one result"), "{error}");
    assert_eq!(read(&uri, Query::new("CALL none()"), alone()).unwrap_err().kind(), ErrorKind::Unsupported);
    assert!(!read(&uri, Query::new("SHOW DATABASES"), alone())?.is_empty());
    assert!(!read(&uri, Query::new("EXPLAIN SELECT 1"), alone())?.is_empty());
    for sql in ["SET @a = 1", "CREATE TABLE nothing (x INT)", "DO 1"] {
        let error = read(&uri, Query::new(sql), alone()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Sql), "{sql}: {error:?}");
    }
    assert_eq!(server.sql("SHOW TABLES LIKE 'nothing'")?, "");
    Ok(())
}

fn refused(server: &MariaDb) -> Result<()> {
    let uri = server.uri();
    server.sql("CREATE TABLE floats (f FLOAT)")?;
    let error = read(&uri, Query::new("SELECT f FROM floats"), with_protocol("text")).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("f")));
    let error = read(&uri, Query::new("SELECT 1"), with_protocol("csv")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("text and binary"), "{error}");
    let options = Options { types: [("x".into(), arrow_schema::DataType::Int32)].into(), ..alone() };
    let error = read(&uri, Query::new("SELECT 3000000000 AS x"), options.clone()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("x")));
    assert_eq!(read(&uri, Query::new("SELECT 7 AS x"), options)?[0].column(0).as_primitive::<Int32Type>().value(0), 7);
    // A view of an outer join makes NULLs in columns that are NOT NULL.
    server.sql(
        "CREATE TABLE l (i INT NOT NULL); CREATE TABLE r (i INT NOT NULL); INSERT INTO l VALUES (1);
         CREATE VIEW outer_join AS SELECT l.i AS a, r.i AS b FROM l LEFT JOIN r USING (i)",
    )?;
    for sql in ["SELECT a, b FROM outer_join", "SELECT l.i AS a, r.i AS b FROM l LEFT JOIN r ON l.i = r.i"] {
        let batches = read(&uri, Query::new(sql), alone())?;
        assert_eq!(batches[0].column(1).null_count(), 1);
    }
    let zero = Options { zero_dates: Impossible::Null, ..alone() };
    assert_eq!(cell(&uri, "SELECT CAST('0000-00-00' AS DATE)", zero)?, "");
    Ok(())
}

fn only_reading(server: &MariaDb) -> Result<()> {
    server.sql(
        "CREATE TABLE kept (i INT); INSERT INTO kept VALUES (1);
         CREATE PROCEDURE deletes() DELETE FROM kept RETURNING i",
    )?;
    for sql in ["DELETE FROM kept RETURNING i", "CALL deletes()", "INSERT INTO kept VALUES (2) RETURNING i"] {
        let error = read(&with_calls(&server.uri()), Query::new(sql), alone()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Sql | ErrorKind::Unsupported), "{sql}: {error:?}");
    }
    assert_eq!(server.sql("SELECT count(*), max(i) FROM kept")?.trim(), "1\t1");
    Ok(())
}

fn cancelled(server: &MariaDb) -> Result<()> {
    let cancel = Cancel::new();
    let options = alone();
    let sql = "SELECT a.seq FROM seq_1_to_100000000 a";
    let plan = MySql::from_uri(&server.uri())?.plan(&Request::new(Query::new(sql), options.clone()), &cancel)?;
    let mut stream = Stream::start(plan, &options, cancel.clone());
    stream.next().ok_or("nothing came")??;
    let begin = Instant::now();
    cancel.cancel();
    assert!(begin.elapsed() < Duration::from_secs(1));
    assert!(stream.any(|batch| batch.is_err_and(|error| error.kind() == ErrorKind::Cancelled)));
    drop(stream);
    let running = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT a.seq%'";
    while server.sql(running)?.trim() != "0" {
        assert!(begin.elapsed() < Duration::from_secs(2), "the query still runs");
    }
    Ok(())
}

fn logins(server: &MariaDb) -> Result<()> {
    assert_eq!(cell(&server.socket_uri(), "SELECT 1", alone())?, "1");
    let long = "ü".repeat(40);
    server.sql(&format!("CREATE USER native IDENTIFIED BY '{long}'; CREATE USER empty"))?;
    assert_eq!(cell(&server.uri_of("native", &long, ""), "SELECT 1", alone())?, "1");
    assert_eq!(cell(&server.uri_of("empty", "", ""), "SELECT 1", alone())?, "1");
    if server.sql("INSTALL SONAME 'auth_ed25519'").is_ok() {
        server.sql("CREATE USER edward IDENTIFIED VIA ed25519 USING PASSWORD('secret')")?;
        assert_eq!(cell(&server.uri_of("edward", "secret", ""), "SELECT 1", alone())?, "1");
        let error = cell(&server.uri_of("edward", "other", ""), "SELECT 1", alone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
    }
    let error = cell(&format!("{}?ssl-mode=REQUIRED", server.uri()), "SELECT 1", alone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
    Ok(())
}

#[test]
fn encrypted() -> Result<()> {
    let server = MariaDb::builder().tls().start()?;
    let certificates = server.certificates().ok_or("no certificates")?;
    let encrypted = "SELECT count(*) FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher' AND variable_value <> ''";
    let root = certificates.root().display().to_string();
    for (options, count) in [
        ("", 1),
        ("ssl-mode=DISABLED", 0),
        ("ssl-mode=REQUIRED", 1),
        (&format!("ssl-ca={root}"), 1),
        (&format!("ssl-mode=VERIFY_CA&ssl-ca={root}"), 1),
        (&format!("ssl-mode=VERIFY_IDENTITY&ssl-ca={root}"), 1),
    ] {
        let uri = format!("{}?{options}", server.uri().replace("127.0.0.1", "localhost"));
        let batches = read(&uri, Query::new(encrypted), alone())?;
        assert_eq!(batches[0].column(0).as_primitive::<Int64Type>().value(0), count, "{options}");
        // More than one record of TLS.
        let batches = read(&uri, Query::new("SELECT REPEAT('x', 5000) FROM seq_1_to_1000"), alone())?;
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 1000);
    }
    // Nobody who is trusted here has signed it.
    let error = cell(&format!("{}?ssl-mode=VERIFY_CA", server.uri()), "SELECT 1", alone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
    Ok(())
}
