//! CockroachDB and Redshift, which do not run here: PostgreSQL stands in for them and says of itself at login what they
//! say. That shows that what is sent to them is PostgreSQL's own language, and that what they send as text is decoded;
//! not that they are like this.

use std::io::{Read, Write, copy};
use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;
use std::thread;

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::{Postgres, Result};

use crate::reading::{by, plan, read, refused, with_protocol};

static SERVER: LazyLock<Postgres> = LazyLock::new(|| {
    let server = Postgres::start().unwrap();
    server
        .psql(
            "CREATE TABLE things (id int, n numeric(10, 2), w text, d date, t time, ts timestamp, tz timestamptz, b bytea,
               u uuid, z boolean, f float8, j jsonb, a int[], i interval);
             INSERT INTO things VALUES (1, 1.50, 'é', '2024-02-29', '12:34:56.5', '2024-01-02 03:04:05.123456',
               '2024-01-02 03:04:05+02', '\\x00ff', '7b2cb2bb-4b5e-4b5e-9b5e-7b2cb2bb4b5e', true, 0.1, '{\"a\": 1}', '{1,NULL}',
               '1 day 2 hours');
             INSERT INTO things VALUES (2);
             CREATE SCHEMA other;
             CREATE FUNCTION other.version() RETURNS text LANGUAGE sql AS
               $$SELECT 'PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.1'$$",
        )
        .unwrap();
    server
});

/// The columns of `things` that both send as values of their types.
const SQL: &str = "SELECT id, n, w, d, t, ts, z, f, j, a, i FROM things ORDER BY id";
const ROWS: [&str; 2] = [
    "1|1.50|é|2024-02-29|12:34:56.500|2024-01-02T03:04:05.123456|true|0.1|{\"a\": 1}|{1,NULL}|1 day 02:00:00",
    "2||||||||||",
];

/// The URI of a server that says one thing more of itself.
fn says(name: &str, value: &str, options: &str) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let body = format!("{name}\0{value}\0");
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    let message = [b"S".as_slice(), &length, body.as_bytes()].concat();
    thread::spawn(move || {
        for client in listener.incoming() {
            let message = message.clone();
            // Who hangs up in the middle of it is no concern of the test's.
            thread::spawn(move || relay(client?, &message));
        }
    });
    format!(
        "postgresql://{}:{}@127.0.0.1:{port}/postgres?sslmode=disable{options}",
        SERVER.superuser(),
        SERVER.password()
    )
}

/// Between a client and the server, with `extra` in front of the server's first ReadyForQuery.
fn relay(mut client: TcpStream, extra: &[u8]) -> std::io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", SERVER.port()))?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        copy(&mut from, &mut to)?;
        to.shutdown(std::net::Shutdown::Write)
    });
    loop {
        let mut header = [0; 5];
        server.read_exact(&mut header)?;
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        let mut body = vec![0; length as usize - 4];
        server.read_exact(&mut body)?;
        if header[0] == b'Z' {
            client.write_all(extra)?;
        }
        client.write_all(&[header.as_slice(), &body].concat())?;
        if header[0] == b'Z' {
            break;
        }
    }
    copy(&mut server, &mut client)?;
    client.shutdown(std::net::Shutdown::Both)
}

#[track_caller]
fn reads_all(uri: &str, name: &str) -> Result<()> {
    let plan = plan(uri, SQL, &Options::default())?;
    assert_eq!((plan.partitions.len(), plan.snapshot.as_deref()), (1, None));
    assert_eq!(plan.reason, format!("{name} shares no snapshot between connections"));
    drop(plan);
    for protocol in ["extended", "cursor"] {
        assert_eq!(read(uri, SQL, &with_protocol(protocol))?, ROWS, "{protocol}");
    }
    let error = refused(uri, SQL, &with_protocol("copy"));
    assert!(error.kind() == ErrorKind::Config && error.to_string().contains(name), "{error}");
    let error = refused(uri, "DELETE FROM things RETURNING id", &Options::default());
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    let mut rows = read(uri, "SELECT id FROM things", &by("id", false))?;
    rows.sort();
    assert_eq!(rows, ["1", "2"]);
    Ok(())
}

#[test]
fn cockroachdb() -> Result<()> {
    let uri = says("crdb_version", "CockroachDB CCL v25.1.0", "");
    reads_all(&uri, "CockroachDB")?;
    let binary =
        read(&uri, "SELECT b, u, tz::text = '2024-01-02 01:04:05+00' FROM things WHERE id = 1", &Options::default())?;
    assert_eq!(binary, ["00ff|7b2cb2bb4b5e4b5e9b5e7b2cb2bb4b5e|true"]);
    Ok(())
}

#[test]
fn redshift() -> Result<()> {
    // Its own version() hides PostgreSQL's.
    let uri = says("server_version", "8.0.2", "&options=-csearch_path%3Dother,pg_catalog,public");
    reads_all(&uri, "Redshift")
}

#[test]
fn an_old_postgresql_is_none_of_them() -> Result<()> {
    let uri = says("server_version", "8.4.22", "");
    assert_eq!(read(&uri, "SELECT id FROM things ORDER BY id", &with_protocol("copy"))?, ["1", "2"]);
    Ok(())
}
