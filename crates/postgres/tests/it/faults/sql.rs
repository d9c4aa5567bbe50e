//! The query itself is at fault.

use bowshot_core::{ErrorKind, Options};

use super::{DATA, ends_with_an_error, named};
use crate::leftovers::leaves_nothing;
use crate::reading::{SERVER, by, over, read, refused, start};

#[test]
fn the_place_is_shown_in_the_users_own_text() {
    for (sql, state, place) in [
        ("SELECT nope FROM big", "42703", Some("nope")),
        ("SELECT id,\n  'ä' AS a, nope FROM big", "42703", Some("nope")),
        ("SELECT id FROM nowhere", "42P01", Some("nowhere")),
        ("SELECT id FROM big WHERE", "42601", None),
        ("SELECT nofunction(id) FROM big", "42883", Some("nofunction")),
    ] {
        leaves_nothing(&SERVER, move |name| {
            for options in [over(4), over(1), by("id", 3, None), Options { protocol: Some("cursor".into()), ..over(1) }]
            {
                let error = refused(&named(&SERVER, "faults", name), sql, &options);
                assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some(state)), "{error}");
                let expected = place.map(|place| sql[..sql.find(place).unwrap()].chars().count() + 1);
                if expected.is_some() {
                    assert_eq!(error.position(), expected, "{sql}: {error}");
                }
            }
        });
    }
}

#[test]
fn an_error_in_mid_stream_ends_the_stream() {
    for protocol in ["copy", "extended", "cursor"] {
        leaves_nothing(&SERVER, move |name| {
            let options = Options { protocol: Some(protocol.into()), ..over(2) };
            let sql = "SELECT n, 1 / (1000000 - n) AS x FROM generate_series(1, 1000000) AS n";
            let error = ends_with_an_error(start(&named(&SERVER, "faults", name), sql, &options).unwrap());
            assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("22012")), "{error}");
            assert_eq!(error.position(), None, "the text is not at fault");
        });
    }
    for options in [over(4), by("id", 4, None)] {
        leaves_nothing(&SERVER, move |name| {
            let uri = named(&SERVER, "faults", name);
            let error = ends_with_an_error(start(&uri, "SELECT id, 1 / (id - 19999) AS x FROM big", &options).unwrap());
            assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("22012")), "{error}");
        });
    }
}

#[test]
fn nothing_can_be_written() {
    DATA.psql(
        "CREATE TABLE target (id int); CREATE SEQUENCE numbers;
         CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO target VALUES (1) RETURNING id';
         CREATE FUNCTION escapes() RETURNS text LANGUAGE sql AS
           $$SELECT set_config('transaction_read_only', 'off', true)$$;",
    );
    for (sql, state) in
        [("SELECT nextval('numbers')", "25006"), ("SELECT writes()", "25006"), ("SELECT escapes()", "25001")]
    {
        leaves_nothing(&SERVER, move |name| {
            let error = refused(&named(&SERVER, "faults", name), sql, &over(2));
            assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some(state)), "{sql}: {error}");
        });
    }
    for sql in [
        "INSERT INTO target VALUES (1) RETURNING id",
        "WITH w AS (DELETE FROM target RETURNING id) SELECT id FROM w",
        "SELECT id FROM big FOR UPDATE",
        "CREATE TABLE more (id int)",
        "UPDATE target SET id = 2",
        "VACUUM",
        "",
        "-- nothing",
        "COMMIT",
        "SELECT id FROM big; SELECT 1",
    ] {
        let error = refused(&DATA.uri(), sql, &over(2));
        assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Config), "{sql}: {error}");
    }
    assert_eq!(DATA.psql("SELECT count(*) FROM target"), "0");
    // A query that ends our transaction could write in the next one.
    let error = refused(&DATA.uri(), "COMMIT; INSERT INTO target VALUES (1) RETURNING id", &over(1));
    assert_eq!((error.kind(), error.position()), (ErrorKind::Unsupported, Some(1)), "{error}");
    assert_eq!(DATA.psql("SELECT count(*) FROM target"), "0");
}

#[test]
fn a_time_limit_of_the_server_is_a_timeout() {
    for sql in ["SELECT pg_sleep(60)", super::LONG_WHOLE] {
        leaves_nothing(&SERVER, move |name| {
            let options = Options { before: vec!["SET statement_timeout = 300".into()], ..super::narrow(2) };
            let mut stream = start(&named(&SERVER, "faults", name), sql, &options).unwrap();
            let error = loop {
                match stream.next() {
                    Some(Ok(_)) => std::thread::sleep(std::time::Duration::from_millis(20)),
                    Some(Err(error)) => break error,
                    None => panic!("it ended"),
                }
            };
            assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Timeout, Some("57014")), "{error}");
            assert!(error.is_temporary());
        });
    }
}

#[test]
fn what_runs_before_the_query_may_fail_too() {
    let options = Options { before: vec!["SET no_such_thing = 1".into()], ..over(2) };
    let error = read(&DATA.uri(), "SELECT 1", &options).unwrap_err();
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("42704")), "{error}");
}
