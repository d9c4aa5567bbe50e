//! What goes wrong with a real server, and what is said of it.

use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options, Stream};
use bowshot_testkit::ClickHouse as Server;

use crate::common::{cells, plan, read, server};

#[test]
fn a_failure_in_mid_stream_is_an_error_after_the_rows_before_it() {
    let sql = "SELECT number, throwIf(number = 200000) AS b FROM system.numbers LIMIT 300000";
    let options = Options::default();
    let (plan, cancel) = plan(&server().uri(), sql, &options).unwrap();
    let mut stream = Stream::start(plan, &options, cancel);
    assert!(stream.next().unwrap().is_ok());
    let error = stream.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::Sql);
    assert!(error.message().contains("throwIf") && error.message().contains("code 395"), "{error}");
}

#[test]
fn a_mistake_is_shown_where_it_is() {
    let error = read(&server().uri(), "SELECT 'ü', 1 AS a b FROM system.one", &Options::default()).unwrap_err();
    assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(20)), "{error:?}");
    let error = read(&server().uri(), "SELECT 1 FORMAT CSV", &Options::default()).unwrap_err();
    assert!(error.hint().unwrap().contains("leave FORMAT out"), "{error:?}");
}

#[test]
fn the_port_of_other_clients_is_named() {
    let started = Instant::now();
    let error = read(&server().native_uri(), "SELECT 1", &Options::default()).unwrap_err();
    assert!(error.hint().unwrap().contains("HTTP port"), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn tls_is_verified_unless_the_uri_says_otherwise() {
    let uri = server().tls_uri();
    let error = read(&uri, "SELECT 1", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls, "{error:?}");
    for more in ["&verify=false".to_owned(), format!("&ca={}", server().certificates().root().display())] {
        assert_eq!(cells(&read(&format!("{uri}{more}"), "SELECT 1", &Options::default()).unwrap()), [["1"]], "{more}");
    }
    let other = format!("{uri}&ca={}", server().certificates().other_root().display());
    assert_eq!(read(&other, "SELECT 1", &Options::default()).unwrap_err().kind(), ErrorKind::Tls);
}

#[test]
fn a_killed_server_is_a_lost_connection() {
    let mut own = Server::start().unwrap();
    let sql = "SELECT number, toString(number) AS t FROM system.numbers LIMIT 100000000";
    let options = Options { buffer_bytes: 1 << 20, ..Options::default() };
    let (plan, cancel) = plan(&own.uri(), sql, &options).unwrap();
    let mut stream = Stream::start(plan, &options, cancel);
    assert!(stream.next().unwrap().is_ok());
    own.crash().unwrap();
    let error = stream.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error:?}");
}

#[test]
fn no_error_shows_the_password() {
    let uri = server().uri_of("bowshot", "geheim-wort", "default");
    let error = read(&uri, "SELECT 1", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication);
    assert!(!format!("{error:?}").contains("geheim-wort"));
}
