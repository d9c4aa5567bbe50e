//! The Flight SQL driver, with servers that others wrote; `dev/flight_setup.sh` installs them.

use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::{Roapi, Sail};

use crate::cancelling::stop;
use crate::drivers::{error, read, read_with, types};

#[test]
fn a_dead_host_fails_at_once_and_tells_no_secret() {
    let begin = Instant::now();
    let uri = "adbc:flightsql?uri=grpc://127.0.0.1:1&username=ada&password=hunter2";
    let failed = error(uri, "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Connect, "{failed}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert!(!format!("{failed:?}").contains("hunter2"), "{failed:?}");
}

#[test]
fn roapi_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    std::fs::write(&file, "id,name\n1,one\n2,ünï\n3,\n").unwrap();
    let server = Roapi::start(&[("t", file.as_path())]).unwrap();
    let uri = format!("adbc:flightsql?uri={}", server.uri());
    let table = read(&uri, "SELECT id, name FROM t ORDER BY id");
    assert_eq!(table.shown(0), ["1", "2", "3"]);
    assert_eq!(table.shown(1)[1], "ünï");
    assert_eq!(table.snapshot.as_deref(), Some("the result of one execution"));
    assert_eq!(read_with(&uri, "SELECT id FROM t", types(&[("id", "int16")])).unwrap().types(), ["int16"]);
    let alone = Options { connections: Some(1), ..Options::default() };
    assert_eq!(read_with(&uri, "SELECT id FROM t", alone).unwrap().rows(), 3);
    let failed = error(&uri, "SELECT nome FROM t");
    assert!(failed.kind() == ErrorKind::Sql && failed.message().contains("nome"), "{failed}");
    // Nobody has to wait for a server that computes.
    let endless = "SELECT sum(a.i * b.i) FROM generate_series(1, 300000) AS a(i), generate_series(1, 300000) AS b(i)";
    let took = stop(&uri, endless, Duration::from_millis(300));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn sail_is_read() {
    let server = Sail::start().unwrap();
    let uri = format!("adbc:flightsql?uri={}", server.uri());
    let table = read(&uri, "SELECT id, CAST(id AS DECIMAL(10, 2)) AS price FROM range(50000) ORDER BY id");
    assert_eq!((table.rows(), table.ints(0)[49_999]), (50_000, Some(49_999)));
    assert_eq!(table.types(), ["int64", "decimal128(10, 2)"]);
    assert_eq!(table.shown(1)[7], "7.00");
}
