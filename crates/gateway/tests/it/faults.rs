//! What goes wrong, and what it leaves behind: nothing.

use std::time::{Duration, Instant};

use arrow_flight::sql::{CommandStatementQuery, ProstMessageExt};
use arrow_flight::{Action, FlightData, FlightDescriptor, FlightInfo};
use bowshot_connect::connect;
use bowshot_core::Query;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;
use futures::{StreamExt, TryStreamExt};
use prost::Message;
use tonic::{Code, Request};

use crate::raw::{Client, client, tickets};
use crate::reading::read;
use crate::running::Running;

/// Rows without an end in sight; a series in FROM would be written to the disk first.
pub const ENDLESS: &str = "SELECT generate_series(1, 1000000000) AS n, repeat('x', 200) AS text";

fn gateway(server: &Postgres, limits: Limits) -> Running {
    Running::open(&[("shop", connect(&server.uri()).unwrap(), Dialect::Postgres)], limits)
}

pub fn descriptor(sql: &str) -> FlightDescriptor {
    let command = CommandStatementQuery { query: sql.into(), transaction_id: None };
    FlightDescriptor::new_cmd(command.as_any().encode_to_vec())
}

async fn info(client: &mut Client, sql: &str) -> FlightInfo {
    client.get_flight_info(descriptor(sql)).await.unwrap().into_inner()
}

/// The gateway still answers others.
async fn assert_answers(gateway: &Running) {
    let uri = gateway.uri("");
    let answer = tokio::task::spawn_blocking(move || read(&uri, Query::new("SELECT 1")));
    assert_eq!(answer.await.unwrap().unwrap().0[0].num_rows(), 1);
}

/// How many connections the gateway has to the database.
fn connections(server: &Postgres) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    server.psql(sql).unwrap().trim().parse().unwrap()
}

/// Waits until the gateway has let go of the database.
pub fn assert_let_go(server: &Postgres, within: Duration) {
    let started = Instant::now();
    while connections(server) > 0 {
        assert!(started.elapsed() < within, "the query goes on for nobody");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_lost_in_mid_stream_ends_its_query() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    let info = info(&mut client, ENDLESS).await;
    let mut stream = client.do_get(tickets(&info).remove(0)).await.unwrap().into_inner();
    for _ in 0..3 {
        stream.next().await.unwrap().unwrap();
    }
    assert!(connections(&server) > 0);
    drop((stream, client));
    // A second is the promise; the rest is the machine's to waste.
    assert_let_go(&server, Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_nobody_fetches_lets_go_of_the_database() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits { ticket_lifetime: Duration::from_secs(1), ..Limits::default() });
    let mut client = client(&gateway).await;
    info(&mut client, ENDLESS).await;
    assert!(connections(&server) > 0);
    assert_let_go(&server, Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_dies_in_mid_stream_is_an_error_and_never_a_short_result() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    let info = info(&mut client, ENDLESS).await;
    let mut stream = client.do_get(tickets(&info).remove(0)).await.unwrap().into_inner();
    stream.next().await.unwrap().unwrap();
    server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()").unwrap();
    let status = stream.try_for_each(|_| async { Ok(()) }).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_of_a_gateway_before_its_restart_says_so() {
    let server = Postgres::start().unwrap();
    let ticket = {
        let before = gateway(&server, Limits::default());
        tickets(&info(&mut client(&before).await, "SELECT 1").await).remove(0)
    };
    let after = gateway(&server, Limits::default());
    let status = client(&after).await.do_get(ticket).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    assert!(status.message().contains("restarted") && status.message().contains("run the query again"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_changes_between_plan_and_read_is_read_as_it_was_planned() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders AS SELECT n AS id FROM generate_series(1, 1000) n").unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    let info = info(&mut client, "SELECT * FROM orders").await;
    server.psql("DELETE FROM orders WHERE id > 10").unwrap();
    let blocked = server.psql("SET lock_timeout = '300ms'; ALTER TABLE orders ADD COLUMN more int").unwrap_err();
    assert!(blocked.to_string().contains("lock timeout"), "the plan keeps its table as it is: {blocked}");
    let mut rows = 0;
    for ticket in tickets(&info) {
        let messages: Vec<FlightData> = client.do_get(ticket).await.unwrap().into_inner().try_collect().await.unwrap();
        rows += messages.iter().filter_map(rows_of).sum::<i64>();
    }
    assert_eq!(rows, 1000);
}

/// The rows of a batch's message.
fn rows_of(message: &FlightData) -> Option<i64> {
    arrow_ipc::root_as_message(&message.data_header).unwrap().header_as_record_batch().map(|batch| batch.length())
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_parameters_are_refused() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    let hostile = [
        FlightData::default(),
        FlightData { data_header: vec![255; 1000].into(), ..FlightData::default() },
        FlightData { flight_descriptor: Some(descriptor("SELECT 1")), ..FlightData::default() },
        FlightData { flight_descriptor: Some(FlightDescriptor::new_cmd(vec![8; 100])), ..FlightData::default() },
    ];
    for data in hostile {
        let status = client.do_put(futures::stream::iter([data])).await.unwrap_err();
        assert!([Code::InvalidArgument, Code::Unimplemented].contains(&status.code()), "{status}");
    }
    for name in ["CreatePreparedStatement", "CancelFlightInfo", "RenewFlightEndpoint", "SetSessionOptions"] {
        let status = client.do_action(Action::new(name, vec![255; 64])).await.unwrap_err();
        assert!([Code::InvalidArgument, Code::FailedPrecondition].contains(&status.code()), "{name}: {status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_texts_beyond_all_measure_harm_nobody() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    // Just below 64 KiB is JDBC's right; beyond it the connection may go, and no more.
    for size in [60 << 10, 80 << 10] {
        let mut request = Request::new(descriptor("SELECT 1"));
        request.metadata_mut().insert("x-long", "x".repeat(size).parse().unwrap());
        assert_eq!(client.get_flight_info(request).await.is_ok(), size < 64 << 10, "{size}");
    }
    for deep in [
        "(".repeat(10_000) + "SELECT 1" + &")".repeat(10_000),
        format!("SELECT {}1{}", "(".repeat(10_000), ")".repeat(10_000)),
    ] {
        let status = client.get_flight_info(descriptor(&deep)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    }
    assert_answers(&gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_that_stall_do_not_stop_the_others() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut stalled = Vec::new();
    for _ in 0..16 {
        // Each on a connection of its own: streams that stall hold up whatever else their connection carries.
        let mut client = client(&gateway).await;
        let info = info(&mut client, ENDLESS).await;
        stalled.push((client.do_get(tickets(&info).remove(0)).await.unwrap().into_inner(), client));
    }
    assert_answers(&gateway).await;
    drop(stalled);
    assert_let_go(&server, Duration::from_secs(10));
}
