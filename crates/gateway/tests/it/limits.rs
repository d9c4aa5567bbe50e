//! What a statement may cost, and how a result is divided.

use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_connect::connect;
use bowshot_core::{ErrorKind, Query};
use bowshot_gateway::{AdmissionLimits, Limits};
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;
use tonic::Code;

use crate::faults::{ENDLESS, assert_let_go, descriptor};
use crate::raw::client;
use crate::reading::read;
use crate::running::Running;

fn gateway(server: &Postgres, limits: Limits) -> Running {
    Running::open(&[("shop", connect(&server.uri()).unwrap(), Dialect::Postgres)], limits)
}

#[test]
fn a_query_that_cannot_be_split_is_executed_once_for_all_endpoints() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders AS SELECT n::int8 AS id, n % 50000 AS part FROM generate_series(1, 300000) n; CREATE SEQUENCE runs; ANALYZE").unwrap();
    let gateway = gateway(&server, Limits::default());
    let uri = format!("{}/?header.bowshot-endpoints=4", gateway.uri(""));
    let sql = "SELECT sum(id)::int8 AS total, repeat('x', 100) AS text FROM orders GROUP BY part";
    let (batches, endpoints) = read(&uri, Query::new(sql)).unwrap();
    let total: i64 =
        batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).sum();
    assert_eq!((endpoints, total), (4, 300_000 * 300_001 / 2));
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 50_000);
    let (batches, endpoints) = read(&uri, Query::new("SELECT id FROM orders ORDER BY id")).unwrap();
    assert_eq!(endpoints, 1, "its order matters");
    let ids = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec());
    assert!(ids.eq(1..=300_000));
}

#[test]
fn a_result_has_so_many_bytes_and_no_more() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits { result_bytes: Some(4 << 20), ..Limits::default() });
    let error = read(&gateway.uri(""), Query::new(ENDLESS)).unwrap_err();
    assert!(error.to_string().contains("limit on the bytes of a result, 4194304"), "{error}");
    assert_let_go(&server, Duration::from_secs(10));
}

#[test]
fn a_statement_takes_so_long_and_no_longer() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits { query_time: Some(Duration::from_secs(1)), ..Limits::default() });
    let started = Instant::now();
    let error = read(&gateway.uri(""), Query::new("SELECT pg_sleep(600)::text")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_let_go(&server, Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_no_place_is_told_when_to_come_back() {
    let server = Postgres::start().unwrap();
    let admission = AdmissionLimits { running: 1, queued: 0, ..AdmissionLimits::default() };
    let gateway = gateway(&server, Limits { admission, ..Limits::default() });
    let mut client = client(&gateway).await;
    client.get_flight_info(descriptor("SELECT 1")).await.unwrap();
    let busy = client.get_flight_info(descriptor("SELECT 2")).await.unwrap_err();
    assert_eq!(busy.code(), Code::Unavailable, "{busy}");
    let seconds: u64 = busy.metadata().get("retry-after").unwrap().to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds));
}
