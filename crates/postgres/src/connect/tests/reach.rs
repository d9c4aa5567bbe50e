use std::io::Read;
use std::net::TcpListener;

use bowshot_testkit::FalseServer;

use super::*;

/// A port on which nobody listens.
fn closed_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn unix_sockets_are_reached_in_every_spelling() {
    let (folder, port) = (PLAIN.socket_folder().to_str().unwrap(), PLAIN.port());
    for text in [
        PLAIN.socket_uri(),
        format!("postgresql://postgres:bowshot@/postgres?host={folder}&port={port}"),
        format!("host={folder} port={port} user=postgres password=bowshot"),
    ] {
        let mut session = open(&text).unwrap();
        let address = session.query("SELECT inet_server_addr()").unwrap();
        assert_eq!(address, [[None]]);
        drop(session);
    }
    // TLS is no matter on a socket, as in libpq.
    assert!(open(&format!("{}?sslmode=require", PLAIN.socket_uri())).is_ok());
    // The folder is found by itself.
    let mut environment = surroundings(&|_| None);
    environment.socket_folders = vec!["/nowhere".into(), folder.into()];
    let text = format!("port={port} user=postgres password=bowshot");
    let config = Config::parse_in(&text, &environment).unwrap();
    assert!(Session::open(&config, &Cancel::new()).is_ok());
}

#[test]
fn what_cannot_be_reached_is_said_at_once() {
    let port = closed_port();
    let kind = ErrorKind::Connect;
    assert_refused(&format!("host=127.0.0.1 port={port}"), kind, &["no server listens at 127.0.0.1:", "running"]);
    assert_refused("postgresql://no-such-host.invalid/x", kind, &["\"no-such-host.invalid\" could not be found"]);
    assert_refused("host=/nowhere", kind, &["/nowhere/.s.PGSQL.5432"]);
    assert_refused("host=a,b port=1,2,3", ErrorKind::Config, &["3 ports for 2 hosts"]);
}

#[test]
fn the_first_server_that_answers_is_taken() {
    let (dead, port) = (closed_port(), PLAIN.port());
    let uri = format!("postgresql://postgres:bowshot@127.0.0.1:{dead},no-such-host.invalid,127.0.0.1:{port}/postgres");
    let mut session = open(&uri).unwrap();
    assert_eq!(value(&mut session, "SELECT inet_server_port()"), port.to_string());

    // Others connect to the same server, not to the first that answers them.
    let other = session.same_server(&parse(&uri).unwrap());
    assert_eq!(other.hosts.len(), 1);
    assert!(Session::open(&other, &Cancel::new()).is_ok());

    let error = refused(&format!("postgresql://127.0.0.1:{dead},no-such-host.invalid,127.0.0.1:{dead}/postgres"));
    assert_eq!(error.kind(), ErrorKind::Connect);
    let text = error.to_string();
    assert_eq!(text.matches("no server listens").count(), 1, "{text}");
    assert_eq!(text.matches("could not be found").count(), 1, "{text}");
}

#[test]
fn order_can_be_left_to_chance() {
    let port = PLAIN.port();
    let uri =
        format!("postgresql://postgres:bowshot@127.0.0.1:{port},localhost:{port}/postgres?load_balance_hosts=random");
    let mut names = std::collections::BTreeSet::new();
    for _ in 0..40 {
        names.insert(format!("{:?}", open(&uri).unwrap().host.place));
    }
    assert_eq!(names.len(), 2, "both hosts had their turn: {names:?}");
}

#[test]
fn the_kind_of_server_can_be_chosen() {
    let uri = |target: &str| format!("{}?target_session_attrs={target}", PLAIN.uri());
    for target in ["any", "read-write", "primary", "prefer-standby"] {
        assert!(open(&uri(target)).is_ok(), "{target}");
    }
    assert_refused(&uri("standby"), ErrorKind::Connect, &["no standby"]);
    assert_refused(&uri("read-only"), ErrorKind::Connect, &["not read-only"]);
    let read_only = |target: &str| format!("{}&options=-c%20default_transaction_read_only%3Don", uri(target));
    assert!(open(&read_only("read-only")).is_ok());
    assert_refused(&read_only("read-write"), ErrorKind::Connect, &["read-only"]);
    assert_refused(&uri("master"), ErrorKind::Config, &["prefer-standby"]);
}

#[test]
fn a_silent_server_is_given_up() {
    let silent = FalseServer::raw(|mut client| {
        while client.read(&mut [0; 64])? > 0 {}
        Ok(())
    })
    .unwrap();
    for mode in ["disable", "prefer", "require"] {
        let uri = format!("{}?connect_timeout=1&sslmode={mode}", silent.uri());
        assert_refused(&uri, ErrorKind::Timeout, &["did not answer in time"]);
    }
    // Then the next one has its own time.
    let text = format!(
        "host=127.0.0.1,127.0.0.1 port={},{} user=postgres password=bowshot connect_timeout=1",
        silent.port(),
        PLAIN.port()
    );
    assert!(open(&text).is_ok());
}

/// A port whose queue of connections is full: what knocks there gets no answer at all, as behind a firewall.
#[cfg(target_os = "linux")]
fn deaf_port() -> (u16, Vec<socket2::Socket>) {
    use socket2::{Domain, SockAddr, Socket, Type};
    let any: SockAddr = std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into();
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.bind(&any).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let port = address.as_socket().unwrap().port();
    let mut sockets = vec![listener];
    for _ in 0..4 {
        let knocking = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        knocking.set_nonblocking(true).unwrap();
        // "In progress", from the second one on for ever.
        let _ = knocking.connect(&address);
        sockets.push(knocking);
    }
    std::thread::sleep(Duration::from_millis(100));
    (port, sockets)
}

#[test]
#[cfg(target_os = "linux")]
fn a_deaf_server_is_given_up_or_cancelled() {
    let (port, _sockets) = deaf_port();
    let uri = |options: &str| format!("postgresql://127.0.0.1:{port}/x?{options}");
    assert_refused(&uri("connect_timeout=1"), ErrorKind::Timeout, &["within 1 s", "firewall"]);
    for options in ["connect_timeout=0", "connect_timeout=60"] {
        let cancel = Cancel::new();
        let config = parse(&uri(options)).unwrap();
        let opening = {
            let cancel = cancel.clone();
            std::thread::spawn(move || Session::open(&config, &cancel).err().unwrap())
        };
        std::thread::sleep(Duration::from_millis(200));
        assert!(!opening.is_finished());
        let started = Instant::now();
        cancel.cancel();
        assert_eq!(opening.join().unwrap().kind(), ErrorKind::Cancelled);
        assert!(started.elapsed() < Duration::from_secs(1));
    }
}
