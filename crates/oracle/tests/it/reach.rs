//! Hosts that are dead, ports that never answer, listeners that refuse, send on, or encrypt.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Options, Query, Request, Source};
use bowshot_oracle::Oracle;
use bowshot_testkit::FalseServer;

use crate::answers::{Answer, number};
use crate::login::read;
use crate::server::{CLASSIC, Database};
use crate::ttc;

/// The error of a read, which may take three seconds.
fn error(uri: &str) -> Error {
    let started = Instant::now();
    let error = read(uri, "SELECT 1 FROM dual", &Options::default()).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    error
}

/// A listener that answers every request to connect with one packet.
fn listener(kind: u8, body: &'static [u8]) -> FalseServer {
    FalseServer::raw(move |mut client| {
        let _ = client.read(&mut [0; 4096])?;
        let length = u16::try_from(body.len() + 8).unwrap().to_be_bytes();
        client.write_all(&[&length, [0, 0, kind, 0, 0, 0].as_slice(), body].concat())?;
        // The client closes first.
        client.read(&mut [0; 10]).map(|_| ())
    })
    .unwrap()
}

fn uri(server: &FalseServer) -> String {
    format!("oracle://u:p@127.0.0.1:{}/sales?connect_timeout=3", server.port())
}

#[test]
fn nobody_listens() {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let error = error(&format!("oracle://u:p@127.0.0.1:{free}/s"));
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn no_such_host() {
    let error = error("oracle://u:p@no-such-host.invalid/s?connect_timeout=3");
    assert!(matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout), "{error}");
}

#[test]
fn a_port_that_never_answers() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let started = Instant::now();
    let error = error(&format!("oracle://u:p@127.0.0.1:{port}/s?connect_timeout=1"));
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.to_string().contains("connect_timeout"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_silent_port_can_be_left_at_once() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let source = Oracle::from_uri(&format!("oracle://u:p@127.0.0.1:{port}/s?connect_timeout=30")).unwrap();
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        stop.cancel();
    });
    let started = Instant::now();
    let request = Request::new(Query::new("SELECT 1 FROM dual"), Options::default());
    let error = source.plan(&request, &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(started.elapsed() < Duration::from_millis(1200), "{:?}", started.elapsed());
    stopper.join().unwrap();
}

#[test]
fn listeners_say_why_they_refuse() {
    for (text, kind, word) in [
        (
            b"\x22\x00\x00\x2d(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=12514))    ".as_slice(),
            ErrorKind::Connect,
            "no service \"sales\"",
        ),
        (b"\x22\x00\x00\x0b(ERR=12505)", ErrorKind::Connect, "SID"),
        (b"\x22\x00\x00\x0b(ERR=12519)", ErrorKind::ConnectionLimit, "ORA-12519"),
        (b"", ErrorKind::Connect, "without a reason"),
    ] {
        let server = listener(4, text);
        let error = error(&uri(&server));
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn listeners_send_on() {
    let database = Database::with(CLASSIC, Answer::Rows(vec![ttc::number("N", 5, 0)], vec![vec![number(1)]]));
    let port = database.port();
    let server = FalseServer::raw(move |mut client| {
        let _ = client.read(&mut [0; 4096])?;
        let text = format!(
            "(ADDRESS=(PROTOCOL=tcp)(HOST=127.0.0.1)(PORT={port}))\0(DESCRIPTION=(CONNECT_DATA=(SERVICE_NAME=sales)))"
        );
        let data = u16::try_from(text.len()).unwrap().to_be_bytes();
        client.write_all(&[[0, 10, 0, 0, 5, 0, 0, 0].as_slice(), &data].concat())?;
        let length = u16::try_from(text.len() + 10).unwrap().to_be_bytes();
        client.write_all(&[&length, [0, 0, 6, 0, 0, 0, 0, 0].as_slice(), text.as_bytes()].concat())?;
        client.read(&mut [0; 10]).map(|_| ())
    })
    .unwrap();
    let uri = format!("oracle://scott:ti%2Fger@127.0.0.1:{}/sales", server.port());
    let batches = read(&uri, "SELECT n FROM t", &Options::default()).unwrap();
    assert_eq!(batches.len(), 1);
}

#[test]
fn circles_end() {
    let server = FalseServer::raw(|mut client| {
        let port = client.local_addr()?.port();
        let _ = client.read(&mut [0; 4096])?;
        let text = format!("\0\0(ADDRESS=(PROTOCOL=tcp)(HOST=127.0.0.1)(PORT={port}))");
        let mut body = text.into_bytes();
        let inside = u16::try_from(body.len() - 2).unwrap().to_be_bytes();
        body[..2].copy_from_slice(&inside);
        let length = u16::try_from(body.len() + 8).unwrap().to_be_bytes();
        client.write_all(&[&length, [0, 0, 5, 0, 0, 0].as_slice(), &body].concat())
    })
    .unwrap();
    assert_eq!(error(&uri(&server)).kind(), ErrorKind::Connect);
    let again = FalseServer::raw(|mut client| {
        while client.read(&mut [0; 4096])? > 0 {
            client.write_all(&[0, 8, 0, 0, 11, 0, 0, 0])?;
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(error(&uri(&again)).kind(), ErrorKind::Connect);
}

#[test]
fn a_server_without_tls_is_no_server_with_it() {
    let server = listener(4, b"(ERR=12514)");
    let uri = format!("oracle+tcps://u:p@127.0.0.1:{}/s?connect_timeout=3", server.port());
    let error = error(&uri);
    assert!(matches!(error.kind(), ErrorKind::Tls | ErrorKind::ConnectionLost), "{error}");
}

#[test]
fn old_servers_are_named_as_such() {
    let server = listener(2, &[1, 0x3a, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let error = error(&uri(&server));
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("12.1"), "{error}");
}
