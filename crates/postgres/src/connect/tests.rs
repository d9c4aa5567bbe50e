//! Against real servers, and against false ones where a real one behaves too well.

mod cancel;
mod hostile;
mod login;
mod reach;
mod tls;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_testkit::Postgres;

use super::Session;
use crate::uri::{Config, Environment};

/// One server without and one with TLS for all tests of this process.
static PLAIN: LazyLock<Postgres> = LazyLock::new(|| {
    let server = Postgres::builder()
        .rule("host all old 127.0.0.1/32 md5")
        .rule("host all clear 127.0.0.1/32 password")
        .rule("host all trusted 127.0.0.1/32 trust")
        .rule("host all nobody 127.0.0.1/32 reject")
        .start()
        .unwrap();
    server
        .psql(
            "CREATE ROLE \"Ünïcode @:/?#\" LOGIN PASSWORD 'päss @:/?# wörd''s'; CREATE ROLE trusted LOGIN;
             CREATE ROLE clear LOGIN PASSWORD 'clear'; CREATE ROLE nobody LOGIN; CREATE ROLE single LOGIN PASSWORD 'single'
             CONNECTION LIMIT 1; CREATE DATABASE \"a b\"; SET password_encryption = md5;
             CREATE ROLE old LOGIN PASSWORD 'old'",
        )
        .unwrap();
    server
});
static ENCRYPTED: LazyLock<Postgres> = LazyLock::new(|| {
    let server = Postgres::builder()
        .tls()
        .rule("hostssl certified postgres 127.0.0.1/32 cert")
        .rule("hostnossl all only_encrypted 127.0.0.1/32 reject")
        .rule("hostssl all only_plain 127.0.0.1/32 reject")
        .start()
        .unwrap();
    server
        .psql(
            "CREATE ROLE only_encrypted LOGIN PASSWORD 'x'; CREATE ROLE only_plain LOGIN PASSWORD 'x';
             CREATE DATABASE certified",
        )
        .unwrap();
    server
});

/// Nothing but the connection string.
fn parse(text: &str) -> Result<Config> {
    Config::parse_in(text, &surroundings(&|_| None))
}

fn surroundings(variable: &dyn Fn(&str) -> Option<String>) -> Environment<'_> {
    Environment {
        variable,
        user: Some("somebody".to_owned()),
        home: None,
        socket_folders: Vec::new(),
        system_folders: Vec::new(),
    }
}

fn open(text: &str) -> Result<Session> {
    Session::open(&parse(text)?, &Cancel::new())
}

/// The first value of a query.
fn value(session: &mut Session, sql: &str) -> String {
    session.query(sql).unwrap().remove(0).remove(0).unwrap()
}

/// The error of a connection that must fail within two seconds.
fn refused(text: &str) -> Error {
    let started = Instant::now();
    let error = open(text).err().unwrap();
    assert!(started.elapsed() < Duration::from_secs(2), "{error} took {:?}", started.elapsed());
    error
}

#[track_caller]
fn assert_refused(text: &str, kind: ErrorKind, parts: &[&str]) {
    let error = refused(text);
    assert_eq!(error.kind(), kind, "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    }
}

/// Waits up to two seconds for something to become true.
fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
