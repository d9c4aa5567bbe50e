use std::io::Read;
use std::thread;

use bowshot_testkit::FalseServer;

use super::*;

/// How many queries of this name the server runs.
fn running(server: &Postgres, name: &str) -> String {
    let query =
        format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' AND pid <> pg_backend_pid()");
    server.psql(&query).unwrap()
}

#[track_caller]
fn cancels_within_a_second(server: &Postgres, uri: &str, name: &str) {
    let cancel = Cancel::new();
    let separator = if uri.contains('?') { '&' } else { '?' };
    let uri = format!("{uri}{separator}application_name={name}");
    let mut session = Session::open(&parse(&uri).unwrap(), &cancel).unwrap();
    let reader = thread::spawn(move || {
        let outcome = session.query("SELECT pg_sleep(60)");
        (outcome.unwrap_err(), Instant::now())
    });
    assert!(eventually(|| running(server, name) == "1"));
    thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    cancel.cancel();
    assert!(started.elapsed() < Duration::from_secs(1), "cancelling took {:?}", started.elapsed());
    let (error, ended) = reader.join().unwrap();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(ended - started < Duration::from_secs(1));
    assert!(eventually(|| running(server, name) == "0"), "the query goes on in the server");
}

#[test]
fn a_cancelled_query_ends_here_and_there() {
    cancels_within_a_second(&PLAIN, &PLAIN.uri(), "cancel_tcp");
    cancels_within_a_second(&PLAIN, &PLAIN.socket_uri(), "cancel_unix");
    cancels_within_a_second(&ENCRYPTED, &format!("{}?sslmode=require", ENCRYPTED.uri()), "cancel_tls");
}

#[test]
fn dropping_a_busy_session_ends_its_query() {
    let uri = format!("{}?application_name=dropped", PLAIN.uri());
    let mut session = open(&uri).unwrap();
    let mut request = bytes::BytesMut::new();
    postgres_protocol::message::frontend::query("SELECT pg_sleep(60)", &mut request).unwrap();
    session.send(&request).unwrap();
    assert!(eventually(|| running(&PLAIN, "dropped") == "1"));
    drop(session);
    assert!(eventually(|| running(&PLAIN, "dropped") == "0"));
}

#[test]
fn an_idle_session_needs_no_request() {
    let server = FalseServer::with(|mut client| {
        while client.read(&mut [0; 64])? > 0 {}
        Ok(())
    })
    .unwrap();
    let cancel = Cancel::new();
    let config = parse(&server.uri()).unwrap();
    let mut session = Session::open(&config, &cancel).unwrap();
    cancel.cancel();
    assert_eq!(session.query("SELECT 1").unwrap_err().kind(), ErrorKind::Cancelled);
    drop(session);
    assert_eq!((server.cancels(), server.connections()), (0, 1));
    assert_eq!(Session::open(&config, &cancel).err().unwrap().kind(), ErrorKind::Cancelled);
    assert_eq!(server.connections(), 1, "cancelled work does not connect");

    let cancel = Cancel::new();
    let mut session = Session::open(&config, &cancel).unwrap();
    session.send(b"anything").unwrap();
    cancel.cancel();
    assert_eq!((server.cancels(), server.connections()), (1, 3));
}

#[test]
fn connecting_can_be_cancelled_too() {
    let silent = FalseServer::raw(|mut client| {
        while client.read(&mut [0; 64])? > 0 {}
        Ok(())
    })
    .unwrap();
    let cancel = Cancel::new();
    let config = parse(&silent.uri()).unwrap();
    let opening = {
        let cancel = cancel.clone();
        thread::spawn(move || Session::open(&config, &cancel).err().unwrap())
    };
    assert!(eventually(|| silent.connections() == 1));
    let started = Instant::now();
    cancel.cancel();
    assert_eq!(opening.join().unwrap().kind(), ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[test]
fn limits_of_the_server_are_told_from_requests() {
    let mut session = open(&PLAIN.uri()).unwrap();
    let error = session.query("SET statement_timeout = 50; SELECT pg_sleep(60)").unwrap_err();
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Timeout, Some("57014")), "{error}");
    let error = session.query("SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(1)").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    let error = session.query("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
}
