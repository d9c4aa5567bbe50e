//! The end of a gateway that is being read from.

use bowshot_core::{ErrorKind, Stream};
use nix::sys::signal::Signal;

use crate::server::{Server, rows, stream};

/// 100,000 rows, 200 MB: far more than all buffers between the database and a client that does not read.
const LARGE: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) \
                     SELECT i, hex(zeroblob(1000)) AS text FROM n";

/// Zeros would fit into buffers when compressed.
const PLAIN: &str = "header.bowshot-compression=none";

/// A large result of which one batch was read.
fn begun(server: &Server) -> (Stream, usize) {
    let mut stream = stream(server.plan(PLAIN, LARGE).unwrap());
    let first = stream.next().unwrap().unwrap().num_rows();
    assert!(first < 100_000);
    (stream, first)
}

#[test]
fn what_is_being_read_and_what_was_promised_ends_whole_and_new_work_is_refused() {
    let mut server = Server::start(&[]);
    let promised = server.plan(PLAIN, "SELECT 7 AS seven").unwrap();
    let (reading, first) = begun(&server);
    server.signal(Signal::SIGTERM);
    server.wait_for("ending: new work is refused");

    let refused = server.plan(PLAIN, "SELECT 1 AS one").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Connect, "{refused}");
    assert!(
        refused.to_string().contains("takes no new work") && refused.to_string().contains("Unavailable"),
        "{refused}"
    );

    assert_eq!(rows(stream(promised)).unwrap(), 1);
    assert_eq!(first + rows(reading).unwrap(), 100_000);
    let ended = server.end();
    assert!(ended.success(), "{ended}: {}", server.log());
}

#[test]
fn a_second_signal_ends_at_once_and_no_stream_looks_whole() {
    let mut server = Server::start(&[]);
    let (reading, _) = begun(&server);
    server.signal(Signal::SIGTERM);
    server.wait_for("ending: new work is refused");
    server.signal(Signal::SIGINT);
    // 128 and the number of SIGINT.
    assert_eq!(server.end().code(), Some(130));
    assert!(server.log().contains("ended at once"), "{}", server.log());
    rows(reading).unwrap_err();
}

#[test]
fn a_client_that_does_not_read_holds_the_end_up_no_longer_than_configured() {
    let mut server = Server::start(&["--set", "limits.drain_seconds=1"]);
    let (reading, _) = begun(&server);
    server.signal(Signal::SIGTERM);
    assert!(server.end().success(), "{}", server.log());
    assert!(server.log().contains("the time to drain is over"), "{}", server.log());
    rows(reading).unwrap_err();
}

#[test]
fn a_gateway_that_nobody_reads_from_ends_with_0() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut server = Server::start(&[]);
        assert_eq!(server.rows("", "SELECT 1 AS one").unwrap(), 1);
        server.signal(signal);
        assert!(server.end().success(), "{}", server.log());
    }
}
