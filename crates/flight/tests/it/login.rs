//! Who we are, and who the server is.

use std::fs::read_to_string;
use std::path::Path;
use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::Certificates;

use crate::server::{Behaviour, Server, Tls};
use crate::{assert_numbers, behaviour, connections, error, read};

fn with_user(token_in_message: bool) -> Behaviour {
    Behaviour { user: Some(("ada", "p@ss:word")), token: Some("t0ken"), token_in_message, ..behaviour(4) }
}

#[test]
fn a_password_is_shown_once_and_a_token_after() {
    for token_in_message in [false, true] {
        let server = Server::start(with_user(token_in_message));
        let uri = format!("grpc://ada:p%40ss%3Aword@localhost:{}", server.port);
        assert_numbers(&read(&uri, "SELECT 1", connections(3)).unwrap(), 120);
        assert_eq!(server.count("Handshake"), 1);
        assert_eq!(server.count("Handshake Basic YWRhOnBAc3M6d29yZA=="), 1);
        let started = Instant::now();
        let error = error(&format!("{}?username=ada&password=wrong", server.uri()), Options::default());
        assert_eq!(error.kind(), ErrorKind::Authentication);
        assert!(error.message().contains("wrong user or password"), "{error}");
        assert!(!format!("{error:?}").contains("=wrong") && started.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_server_without_handshakes_sees_the_password_in_every_call() {
    let server = Server::start(Behaviour { no_handshake: true, ..behaviour(1) });
    let uri = format!("grpc://ada:x@localhost:{}", server.port);
    assert_numbers(&read(&uri, "SELECT 1", Options::default()).unwrap(), 30);
}

#[test]
fn tokens_and_headers_and_cookies_go_with_every_call() {
    let server = Server::start(Behaviour { token: Some("t0ken"), cookies: true, ..behaviour(2) });
    assert_numbers(
        &read(&format!("{}?token=t0ken&header.x-db=sales", server.uri()), "SELECT 1", connections(2)).unwrap(),
        60,
    );
    assert_eq!(server.log().iter().filter(|line| line.contains("x-db=sales")).count(), 3);
    assert_eq!(server.log().iter().filter(|line| line.contains("cookie=session=42")).count(), 2);
    assert_eq!(server.count("Handshake"), 0);
    for uri in [server.uri(), format!("{}?token=other", server.uri())] {
        let error = error(&uri, Options::default());
        assert_eq!(error.kind(), ErrorKind::Authentication, "{error}");
        assert!(error.message().contains("no valid token"), "{error}");
    }
}

#[test]
fn a_token_that_expires_in_the_middle_is_an_error() {
    let server = Server::start(Behaviour { token: Some("t0ken"), token_calls: Some(3), ..behaviour(4) });
    let error = error(&format!("{}?token=t0ken", server.uri()), connections(1));
    assert_eq!(error.kind(), ErrorKind::Authentication);
    assert!(error.message().contains("the token has expired"), "{error}");
}

fn pem(path: &Path) -> String {
    read_to_string(path).unwrap()
}

#[test]
fn the_server_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ada").unwrap();
    let [root, other] = [certificates.root(), certificates.other_root()].map(|path| path.display().to_string());
    let tls = || Tls { certificate: pem(&certificates.server()), key: pem(&certificates.server_key()), clients: None };
    let server = Server::with_tls(behaviour(2), Some(tls()));
    for uri in [
        format!("{}?ca={root}", server.uri()),
        format!("{}?tls_skip_verify=1", server.uri()),
        format!("grpcs://127.0.0.1:{}?ca={root}", server.port),
        format!("grpcs://127.0.0.1:{}?ca={root}&tls_server_name=localhost", server.port),
        format!("flightsql://localhost:{}?ca={root}", server.port),
    ] {
        assert_numbers(&read(&uri, "SELECT 1", connections(2)).unwrap(), 60);
    }
    for uri in [
        server.uri(),
        format!("{}?ca={other}", server.uri()),
        format!("{}?ca={root}&tls_server_name=example.com", server.uri()),
    ] {
        let started = Instant::now();
        let error = error(&uri, Options::default());
        assert_eq!(error.kind(), ErrorKind::Tls, "{uri}: {error}");
        assert!(error.hint().unwrap().contains("ca=FILE"), "{uri}: {error}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    // The one side encrypted, the other not.
    let plain = Server::start(behaviour(1));
    let mixed = error(&format!("grpc+tls://localhost:{}?ca={root}", plain.port), Options::default());
    assert_eq!(mixed.kind(), ErrorKind::Tls, "{mixed}");
    let mixed = error(&format!("grpc://localhost:{}", server.port), Options::default());
    assert_eq!(mixed.kind(), ErrorKind::Connect, "{mixed:?}");
    assert!(mixed.hint().unwrap().contains("grpc+tls://"), "{mixed:?}");
    for name in ["ca", "cert"] {
        let uri = format!("{}?{name}=/nowhere.pem&key=/nowhere.pem", server.uri());
        let uri = if name == "ca" { uri.replace("&key=/nowhere.pem", "") } else { uri };
        let missing = error(&uri, Options::default());
        assert_eq!(missing.kind(), ErrorKind::Config, "{missing}");
        assert!(missing.message().contains("/nowhere.pem"), "{missing}");
    }
}

#[test]
fn the_server_may_verify_us() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ada").unwrap();
    let tls = Tls {
        certificate: pem(&certificates.server()),
        key: pem(&certificates.server_key()),
        clients: Some(pem(&certificates.root())),
    };
    let server = Server::with_tls(behaviour(2), Some(tls));
    let uri = format!("{}?ca={}", server.uri(), certificates.root().display());
    let ours = format!("&cert={}&key={}", certificates.client().display(), certificates.client_key().display());
    assert_numbers(&read(&format!("{uri}{ours}"), "SELECT 1", connections(2)).unwrap(), 60);
    let error = error(&uri, Options::default());
    assert!(matches!(error.kind(), ErrorKind::Tls | ErrorKind::ConnectionLost | ErrorKind::Connect), "{error:?}");
}

#[test]
fn credentials_do_not_leave_the_encrypted_world() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ada").unwrap();
    let plain = Server::start(behaviour(1));
    let mut behaviour = behaviour(1);
    behaviour.endpoints[0].locations = vec![format!("grpc://localhost:{}", plain.port)];
    let tls = Tls { certificate: pem(&certificates.server()), key: pem(&certificates.server_key()), clients: None };
    let server = Server::with_tls(behaviour, Some(tls));
    let error = error(&format!("{}?ca={}&token=x", server.uri(), certificates.root().display()), Options::default());
    assert!(error.message().contains("not encrypted"), "{error}");
    assert_eq!(plain.log().len(), 0);
}
