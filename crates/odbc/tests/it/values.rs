//! Parameters, and values that the conformance cases cannot show.

use arrow_array::cast::AsArray;
use arrow_array::types::DurationMicrosecondType;
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{ErrorKind, Options, Value};

use crate::support::{
    POSTGRES_ANSI, batches, both, mariadb, mariadb_uri, plan, postgres, postgres_uri, request, rows, select, uri, with,
};

#[test]
fn parameters_of_every_kind() {
    let server = postgres();
    let uri = postgres_uri(server, "postgres");
    server.psql("CREATE TABLE held AS SELECT n, n::text AS word, date '2000-01-01' + n AS day FROM generate_series(1, 9) AS n").unwrap();
    for (sql, values, wanted) in [
        ("SELECT n FROM held WHERE n = ?", vec![Value::Int(3)], vec!["3"]),
        (
            "SELECT n FROM held WHERE word = ? OR n < ? ORDER BY n",
            vec![Value::Text("4".into()), Value::Int(2)],
            vec!["1", "4"],
        ),
        ("SELECT n FROM held WHERE day = ?", vec![Value::Text("2000-01-06".into())], vec!["5"]),
        (
            "SELECT day FROM held WHERE n = $1 AND word = $2",
            vec![Value::Int(1), Value::Text("1".into())],
            vec!["2000-01-02"],
        ),
        ("SELECT n FROM held WHERE n > ? AND n < 9 ORDER BY n", vec![Value::Float(6.5)], vec!["7", "8"]),
        ("SELECT length(?::text)", vec![Value::Text("ü🏹".into())], vec!["2"]),
        ("SELECT length(?::bytea)", vec![Value::Bytes(vec![0, 255, 0])], vec!["3"]),
        ("SELECT ?::int IS NULL", vec![Value::Null], vec!["true"]),
        // Not a whole number, for all that 1 is one.
        ("SELECT (? + 1)::float8", vec![Value::Float(0.5)], vec!["1.5"]),
        ("SELECT ? + 1", vec![Value::Float(0.5)], vec!["1.5"]),
        ("SELECT NOT ?", vec![Value::Bool(true)], vec!["false"]),
    ] {
        let found = rows(&uri, &with(sql, values)).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert_eq!(found.concat(), wanted, "{sql}");
    }
    let uri = mariadb_uri(mariadb(), "bowshot");
    for (sql, values, wanted) in [
        (
            "SELECT seq FROM seq_1_to_9 WHERE seq = ? OR seq < ? ORDER BY 1",
            vec![Value::Int(3), Value::Int(2)],
            vec!["1", "3"],
        ),
        ("SELECT char_length(?), ? IS NULL", vec![Value::Text("ü🏹".into()), Value::Null], vec!["2", "1"]),
        ("SELECT hex(?), ? + 0.25", vec![Value::Bytes(vec![0, 255]), Value::Float(0.5)], vec!["00FF", "0.75"]),
    ] {
        let found = rows(&uri, &with(sql, values)).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert_eq!(found.concat(), wanted, "{sql}");
    }
}

#[test]
fn a_value_that_is_missing_or_too_many_is_refused() {
    for (_, uri, _) in both() {
        let error = rows(&uri, &with("SELECT ? + ?", vec![Value::Int(1)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{error}");
    }
}

#[test]
fn times_of_mariadb_are_lengths_of_time() {
    let uri = mariadb_uri(mariadb(), "bowshot");
    let sql = "SELECT TIME'-01:00:00' AS t UNION ALL SELECT TIME'838:59:59' UNION ALL SELECT TIME'-00:00:00.5' UNION ALL SELECT NULL";
    let batches = batches(&uri, &request(sql, Options::default())).unwrap();
    let column = batches[0].column(0);
    assert_eq!(column.data_type(), &DataType::Duration(TimeUnit::Microsecond));
    let values: Vec<Option<i64>> = column.as_primitive::<DurationMicrosecondType>().iter().collect();
    assert_eq!(values, [Some(-3_600_000_000), Some(3_020_399_000_000), Some(-500_000), None]);
}

#[test]
fn values_of_many_megabytes_are_whole() {
    for (name, uri, _) in both() {
        let (text, bytes) = if name == "postgres" {
            ("repeat('aü', 10000000)", "decode(repeat('00ff7f80', 8000000), 'hex')")
        } else {
            ("repeat('aü', 5000000)", "repeat(x'00ff7f80', 3500000)")
        };
        let batches =
            batches(&uri, &request(&format!("SELECT {text} AS a, {bytes} AS b, 1 AS c"), Options::default())).unwrap();
        let (a, b) =
            (batches[0].column(0).as_string::<i32>().value(0), batches[0].column(1).as_binary::<i32>().value(0));
        let (count, wide) = if name == "postgres" { (20_000_000, 32_000_000) } else { (10_000_000, 14_000_000) };
        assert_eq!((a.chars().count(), b.len()), (count, wide), "{name}");
        assert!(a.chars().step_by(2).all(|character| character == 'a') && a.ends_with('ü'), "{name}");
        assert!(b.chunks(4).all(|chunk| chunk == [0, 255, 127, 128]), "{name}");
    }
}

#[test]
fn random_floats_survive() {
    // Every bit pattern of exponents and mantissas in turn, from the server's own values.
    let server = mariadb();
    server.sql("CREATE TABLE floats (id INT PRIMARY KEY, f FLOAT, d DOUBLE)").unwrap();
    let mut seed = 42_u64;
    let mut wanted = Vec::new();
    let mut values = Vec::new();
    for id in 0..2000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (f, d) = (f32::from_bits((seed >> 32) as u32), f64::from_bits(seed));
        let (f, d) = (if f.is_normal() { f } else { 0.1 }, if d.is_normal() { d } else { 0.1 });
        values.push(format!("({id}, {f:e}, {d:e})"));
        wanted.push(vec![format!("{f:?}"), format!("{d:?}")]);
    }
    server.sql(&format!("INSERT INTO floats VALUES {}", values.join(", "))).unwrap();
    let found = select(&mariadb_uri(server, "bowshot"), "SELECT f, d FROM floats ORDER BY id").unwrap();
    assert_eq!(found, wanted);
    let server = postgres();
    let values: Vec<String> =
        wanted.iter().map(|row| format!("('{}'::float4, '{}'::float8)", row[0], row[1])).collect();
    let found =
        select(&postgres_uri(server, "postgres"), &format!("SELECT * FROM (VALUES {}) AS v", values.join(", ")))
            .unwrap();
    assert_eq!(found, wanted);
}

#[test]
fn the_driver_without_w_functions_reads_the_same() {
    let server = postgres();
    let uri = uri(POSTGRES_ANSI, server.port(), server.superuser(), server.password(), "postgres");
    let sql = "SELECT 'plain' AS a, 'x'::varchar(3) AS b, date 'infinity' AS c, 1.50::numeric(5, 2) AS d";
    let mut options = Options::default();
    options.types.insert("c".into(), DataType::Utf8);
    assert_eq!(rows(&uri, &request(sql, options)).unwrap(), [["plain", "x", "infinity", "1.50"]]);
}

#[test]
fn a_query_that_cannot_be_cast_is_refused_not_spoiled() {
    let uri = postgres_uri(postgres(), "postgres");
    let sql = "FETCH ALL FROM days";
    let before = vec!["DECLARE days CURSOR WITH HOLD FOR SELECT date '2020-01-01' AS day".to_owned()];
    let error = plan(&uri, &request(sql, Options { before, ..Options::default() })).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("day")), "{error}");
    assert!(error.to_string().contains("psqlodbc"), "{error}");
}

#[test]
fn names_of_types_and_protocols_are_checked() {
    for (_, uri, _) in both() {
        let mut options = Options::default();
        options.types.insert("nowhere".into(), DataType::Int8);
        let error = plan(&uri, &request("SELECT 1 AS a", options)).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("nowhere")), "{error}");
        let options = Options { protocol: Some("copy".into()), ..Options::default() };
        let error = plan(&uri, &request("SELECT 1 AS a", options)).unwrap_err();
        assert!(error.to_string().contains("\"block\"") && error.to_string().contains("\"row\""), "{error}");
    }
    let options = Options { protocol: Some("block".into()), ..Options::default() };
    let error = plan(&postgres_uri(postgres(), "postgres"), &request("SELECT 'x' AS a", options)).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("a")), "{error}");
}

#[test]
fn what_no_cursor_serves_is_read_as_it_is() {
    let uri = postgres_uri(postgres(), "postgres");
    for (sql, wanted) in [
        ("SHOW server_encoding", "UTF8"),
        ("VALUES (1)", "1"),
        ("(SELECT 1)", "1"),
        ("-- one\nSELECT 1;", "1"),
        ("/* one */ WITH one AS (SELECT 1 AS n) TABLE one -- one", "1"),
        ("SELECT 1 FETCH FIRST ROW ONLY", "1"),
    ] {
        let found = select(&uri, sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert_eq!(found.concat(), [wanted], "{sql}");
    }
    let plan = select(&uri, "EXPLAIN SELECT 1").unwrap();
    assert!(plan[0][0].starts_with("Result"), "{plan:?}");
}

#[test]
fn a_transaction_of_the_users_own_stays_open() {
    let uri = postgres_uri(postgres(), "postgres");
    let before = vec!["BEGIN".to_owned(), "SET LOCAL application_name = 'theirs'".to_owned()];
    let options = Options { before, ..Options::default() };
    // Planning has ended its cursor before the read; the second takes none.
    for sql in ["SELECT current_setting('application_name')", "SHOW application_name"] {
        assert_eq!(rows(&uri, &request(sql, options.clone())).unwrap().concat(), ["theirs"], "{sql}");
    }
}
