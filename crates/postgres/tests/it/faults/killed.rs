//! The server goes away in mid-stream.

use std::process::Command;

use bowshot_core::{ErrorKind, Stream};
use bowshot_testkit::Postgres as Server;

use super::{LONG_SPLIT, LONG_WHOLE, SETUP, ends_with_an_error, narrow};
use crate::leftovers::{connections, leaves_nothing};
use crate::reading::{eventually, over, read, start};

/// A long read of which something has arrived, over all its connections.
fn under_way(server: &Server, sql: &str) -> Stream {
    let uri = format!("{}?application_name=long", server.uri());
    let mut stream = start(&uri, sql, &narrow(3)).unwrap();
    assert!(stream.next().unwrap().is_ok());
    let expected = if sql == LONG_SPLIT { 3 } else { 1 };
    assert!(eventually(|| connections(server, "long") == expected));
    stream
}

#[track_caller]
fn loses_its_connection(stream: Stream) {
    let error = ends_with_an_error(stream);
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
    assert!(error.is_temporary());
}

/// The process of one connection.
fn process(server: &Server) -> String {
    server.psql("SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'long'").unwrap()
}

#[test]
fn a_server_that_goes_away_is_an_error_at_once() {
    let mut server = Server::start().unwrap();
    server.psql(SETUP).unwrap();
    for sql in [LONG_SPLIT, LONG_WHOLE] {
        let stream = under_way(&server, sql);
        server.psql(&format!("SELECT pg_terminate_backend({})", process(&server))).unwrap();
        loses_its_connection(stream);
        assert!(eventually(|| connections(&server, "long") == 0));
    }

    // One process dies; the postmaster then ends all others and recovers.
    let stream = under_way(&server, LONG_SPLIT);
    assert!(Command::new("kill").args(["-KILL", &process(&server)]).status().unwrap().success());
    loses_its_connection(stream);
    assert!(eventually(|| connections(&server, "long") == 0));
    assert_eq!(read(&server.uri(), "SELECT id FROM big", &over(3)).unwrap().count(), 20_000);

    let stream = under_way(&server, LONG_SPLIT);
    let uri = server.uri();
    server.crash().unwrap();
    leaves_nothing(&server, move |_| {
        loses_its_connection(stream);
        let error = read(&uri, "SELECT 1", &over(3)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    });
}

#[test]
fn a_server_that_shuts_down_is_an_error_at_once() {
    let mut server = Server::start().unwrap();
    server.psql(SETUP).unwrap();
    let stream = under_way(&server, LONG_SPLIT);
    server.stop().unwrap();
    loses_its_connection(stream);
}
