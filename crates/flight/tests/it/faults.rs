//! What goes wrong is said clearly and soon, and leaves nothing behind.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use arrow_flight::FlightData;
use arrow_ipc::writer::IpcWriteOptions;
use bowshot_core::{Cancel, ErrorKind, Options, Query, Request, Source, Stream};
use bowshot_flight::Flight;
use bowshot_testkit::FalseServer;
use tonic::Status;

use crate::server::{Behaviour, Endpoint, Server, flight_data};
use crate::{assert_numbers, behaviour, connections, error, numbers, plan, read, schema, whole};

#[test]
fn the_servers_own_words_are_kept() {
    for (status, kind) in [
        (Status::invalid_argument("no column nix"), ErrorKind::Sql),
        (Status::internal("no column nix"), ErrorKind::Sql),
        (Status::unavailable("no column nix"), ErrorKind::Connect),
        (Status::resource_exhausted("no column nix"), ErrorKind::Sql),
        (Status::permission_denied("no column nix"), ErrorKind::Sql),
    ] {
        let server = Server::start(Behaviour { failure: Some(status), ..behaviour(1) });
        let error = error(&server.uri(), Options::default());
        assert_eq!(error.kind(), kind);
        assert!(error.message().contains("no column nix"), "{error}");
    }
}

#[test]
fn a_stream_that_fails_in_the_middle_is_no_short_result() {
    let mut behaviour = behaviour(4);
    behaviour.endpoints[2].failure = Some(Status::internal("division by zero"));
    let server = Server::start(behaviour);
    for workers in [1, 4] {
        let error = error(&server.uri(), connections(workers));
        assert_eq!(error.kind(), ErrorKind::Sql);
        assert!(error.message().contains("division by zero"), "{error}");
    }
}

#[test]
fn a_server_that_dies_in_the_middle_is_a_lost_connection() {
    let mut behaviour = behaviour(2);
    behaviour.endpoints[0].batches = vec![numbers(0, 100_000)];
    behaviour.endpoints[0].hangs = true;
    let mut server = Server::start(behaviour);
    let options = connections(1);
    let mut stream = Stream::start(plan(&server.uri(), "SELECT 1", &options).unwrap(), &options, Cancel::new());
    assert!(stream.next().unwrap().is_ok());
    server.stop();
    let started = Instant::now();
    let error = stream.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(stream.next().is_none());
}

#[test]
fn a_broken_connection_between_plan_and_read_is_replaced_or_said() {
    let mut server = Server::start(behaviour(1));
    let options = connections(1);
    let plan = plan(&server.uri(), "SELECT 1", &options).unwrap();
    server.stop();
    let error = whole(plan, &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect | ErrorKind::ConnectionLost), "{error:?}");
}

#[test]
fn a_cancel_ends_everything_within_a_second() {
    let mut behaviour = behaviour(3);
    behaviour.endpoints[1].hangs = true;
    let server = Server::start(behaviour);
    let cancel = Cancel::new();
    let request = Request::new(Query::new("SELECT 1"), connections(2));
    let plan = Flight::from_uri(&server.uri()).unwrap().plan(&request, &cancel).unwrap();
    let stream = Stream::start(plan, &request.options, cancel.clone());
    let reader = std::thread::spawn(move || stream.filter_map(Result::err).next());
    std::thread::sleep(Duration::from_millis(300));
    let started = Instant::now();
    cancel.cancel();
    assert_eq!(reader.join().unwrap().unwrap().kind(), ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(server.count("DoAction CancelFlightInfo the query"), 1, "{:?}", server.log());
}

#[test]
fn a_cancel_while_the_query_runs_ends_it_too() {
    let server = Server::start(Behaviour { slow: Duration::from_secs(60), ..behaviour(1) });
    let cancel = Cancel::new();
    let later = cancel.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        later.cancel();
    });
    let started = Instant::now();
    let request = Request::new(Query::new("SELECT 1"), Options::default());
    let error = Flight::from_uri(&server.uri()).unwrap().plan(&request, &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_millis(1300));
    canceller.join().unwrap();
}

#[test]
fn a_plan_that_nobody_reads_is_released() {
    let server = Server::start(behaviour(2));
    drop(plan(&server.uri(), "SELECT 1", &Options::default()).unwrap());
    assert_eq!(server.count("DoAction CancelFlightInfo the query"), 1);
    // And one of which somebody reads a part.
    let options = connections(1);
    let mut stream = Stream::start(plan(&server.uri(), "SELECT 1", &options).unwrap(), &options, Cancel::new());
    assert!(stream.next().unwrap().is_ok());
    drop(stream);
}

#[test]
fn a_silent_stream_is_a_timeout_if_that_is_asked_for() {
    let mut behaviour = behaviour(1);
    behaviour.endpoints[0].hangs = true;
    let server = Server::start(behaviour);
    let started = Instant::now();
    let error = error(&format!("{}?fetch_timeout=0.3", server.uri()), Options::default());
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn nobody_there_is_said_at_once() {
    let free = FalseServer::raw(|_| Ok(())).unwrap();
    let port = free.port();
    drop(free);
    for uri in [format!("grpc://127.0.0.1:{port}"), "grpc://no-such-host.invalid:1".to_owned()] {
        let started = Instant::now();
        let error = error(&uri, Options::default());
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        assert!(error.hint().is_some() && started.elapsed() < Duration::from_secs(8), "{error}");
    }
    // Somebody who never answers.
    let silent = FalseServer::raw(|client| {
        std::thread::sleep(Duration::from_secs(3));
        drop(client);
        Ok(())
    })
    .unwrap();
    for options in ["?connect_timeout=0.3&username=a", "?connect_timeout=0.3"] {
        let error = error(&format!("grpc://127.0.0.1:{}{options}", silent.port()), Options::default());
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    }
    let error = error(&format!("grpc+tls://127.0.0.1:{}?connect_timeout=0.3", silent.port()), Options::default());
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[test]
fn bytes_that_are_no_http_are_refused() {
    for bytes in [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".to_vec(),
        vec![0xff; 10_000],
        // A frame of HTTP/2 that is not the first.
        vec![0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1],
    ] {
        let server = FalseServer::raw(move |mut client| {
            let _ = client.read(&mut [0; 100])?;
            client.write_all(&bytes)
        })
        .unwrap();
        let started = Instant::now();
        let error = error(&format!("grpc://127.0.0.1:{}", server.port()), Options::default());
        assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
        assert!(error.message().contains("does not speak HTTP/2"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn messages_that_are_no_arrow_are_refused() {
    let sound = flight_data(&schema(), &[numbers(0, 10)], &IpcWriteOptions::default());
    let with = |change: &dyn Fn(&mut Vec<FlightData>)| {
        let mut messages = sound.clone();
        change(&mut messages);
        messages
    };
    let cases: Vec<(Vec<FlightData>, &str)> = vec![
        (vec![], "without a schema"),
        (with(&|messages| drop(messages.remove(0))), "does not begin with a schema"),
        (with(&|messages| messages[0].data_header = vec![1, 2, 3].into()), "does not begin with a schema"),
        (with(&|messages| messages[1].data_header = vec![0xff; 100].into()), "metadata that cannot be read"),
        (with(&|messages| messages[1].data_body = messages[1].data_body.slice(..100)), "a buffer outside of"),
        (with(&|messages| messages.push(sound[0].clone())), "a second schema"),
    ];
    for (raw, words) in cases {
        let endpoint = Endpoint { raw: Some(raw), ..Endpoint::default() };
        let server =
            Server::start(Behaviour { endpoints: vec![endpoint], announced: Some(schema()), ..Behaviour::default() });
        let error = error(&server.uri(), Options::default());
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
        assert!(error.message().contains(words), "{words}: {error}");
    }
    // Messages without anything of Arrow are notes of the server's own.
    let note = FlightData { app_metadata: "a note".into(), ..FlightData::default() };
    let mut raw = vec![note.clone(), sound[0].clone(), note.clone()];
    raw.extend((0..3).map(|batch| {
        flight_data(&schema(), &[numbers(batch * 10, batch * 10 + 10)], &IpcWriteOptions::default()).remove(1)
    }));
    let endpoint = Endpoint { raw: Some(raw), ..Endpoint::default() };
    let server =
        Server::start(Behaviour { endpoints: vec![endpoint], announced: Some(schema()), ..Behaviour::default() });
    assert_numbers(&read(&server.uri(), "SELECT 1", Options::default()).unwrap(), 30);
}
