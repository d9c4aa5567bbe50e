//! Dates of MariaDB come as structures, in which the driver calls `0000-00-00` NULL.

use bowshot_core::{ErrorKind, Impossible, Options};

use crate::support::{mariadb, mariadb_uri, request, rows};

/// Zero dates, NULLs and dates in turn, more than a block holds.
const MIXED: &str = "SET sql_mode = '';
    CREATE TABLE mixed (id INT NOT NULL PRIMARY KEY, d DATE, dt DATETIME(6), ts TIMESTAMP(6) NULL, word TEXT);
    INSERT INTO mixed SELECT seq,
        CASE seq % 4 WHEN 0 THEN '0000-00-00' WHEN 1 THEN NULL ELSE DATE'1000-01-01' + INTERVAL (seq * 141) DAY END,
        CASE seq % 5 WHEN 0 THEN '0000-00-00' WHEN 1 THEN NULL ELSE TIMESTAMP'1000-01-01 00:00:00.000001' + INTERVAL (seq * 141) DAY END,
        CASE seq % 3 WHEN 0 THEN '0000-00-00' WHEN 1 THEN NULL ELSE TIMESTAMP'1970-01-02 01:02:03.45' + INTERVAL seq DAY END,
        'x' FROM seq_1_to_20000";

fn options(protocol: Option<&str>, zero_dates: Impossible) -> Options {
    Options { protocol: protocol.map(str::to_owned), zero_dates, ..Options::default() }
}

#[test]
fn zero_dates_are_told_from_nulls_in_blocks_and_row_by_row() {
    let server = mariadb();
    server.sql(MIXED).unwrap();
    let uri = mariadb_uri(server, "bowshot");
    let truth = "SELECT id, IF(d = '0000-00-00', NULL, CAST(d AS CHAR)), IF(dt = '0000-00-00', NULL, CAST(dt AS CHAR)), \
        IF(ts = '0000-00-00', NULL, CAST(ts AS CHAR)) FROM mixed ORDER BY id";
    let truth = rows(&uri, &request(truth, Options::default())).unwrap();
    assert_eq!(truth.len(), 20_000);
    let same = |shown: &str, text: &str| {
        let digits = |text: &str| -> String { text.trim_end_matches(['Z', '0', '.', ':', ' ']).into() };
        digits(shown) == digits(text)
    };
    // A text column makes it row by row.
    for (sql, protocol) in [
        ("SELECT id, d, dt, ts FROM mixed ORDER BY id", None),
        ("SELECT id, d, dt, ts FROM mixed ORDER BY id", Some("row")),
        ("SELECT id, d, dt, ts, word FROM mixed ORDER BY id", None),
    ] {
        let found = rows(&uri, &request(sql, options(protocol, Impossible::Null))).unwrap();
        assert_eq!(found.len(), truth.len(), "{sql}");
        for (found, truth) in found.iter().zip(&truth) {
            let right = found.iter().zip(truth).all(|(found, truth)| same(found, truth));
            assert!(right, "{sql} by {protocol:?}: {found:?}, not {truth:?}");
        }
    }
    for (sql, row, value) in [
        ("SELECT d AS x FROM mixed ORDER BY id", 4, "0000-00-00"),
        ("SELECT dt AS x FROM mixed ORDER BY id", 5, "0000-00-00 00:00:00"),
        ("SELECT ts AS x FROM mixed ORDER BY id", 3, "0000-00-00 00:00:00"),
        ("SELECT d AS x FROM mixed WHERE id % 4 = 1 OR id = 20000 ORDER BY id", 5_001, "0000-00-00"),
    ] {
        for protocol in [None, Some("row")] {
            let error = rows(&uri, &request(sql, options(protocol, Impossible::Error))).unwrap_err();
            assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("x")), "{sql}: {error}");
            let wanted = format!("holds {value} in row {row} ");
            assert!(error.message().contains(&wanted), "{sql} by {protocol:?}: {error}");
        }
    }
}

#[test]
fn zero_dates_are_found_where_the_session_forbids_them() {
    let server = mariadb();
    server
        .sql("SET sql_mode = ''; CREATE TABLE forbidden (d DATE NOT NULL); INSERT INTO forbidden VALUES ('0000-00-00')")
        .unwrap();
    let before = vec!["SET sql_mode = 'TRADITIONAL'".to_owned()];
    let options = Options { before, ..Options::default() };
    let error = rows(&mariadb_uri(server, "bowshot"), &request("SELECT d FROM forbidden", options)).unwrap_err();
    assert!(error.message().contains("holds 0000-00-00 in row 1 "), "{error}");
}

#[test]
fn a_day_that_no_calendar_has_is_named() {
    let server = mariadb();
    let sql = "SET sql_mode = 'ALLOW_INVALID_DATES'; CREATE TABLE invalid (d DATE); INSERT INTO invalid VALUES ('2024-02-31')";
    server.sql(sql).unwrap();
    let options = Options { before: vec!["SET sql_mode = 'ALLOW_INVALID_DATES'".into()], ..Options::default() };
    let error = rows(&mariadb_uri(server, "bowshot"), &request("SELECT d FROM invalid", options)).unwrap_err();
    assert!(error.message().contains("holds \"2024-02-31\" in row 1 "), "{error}");
}
