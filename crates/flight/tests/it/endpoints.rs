//! Where results are to be had.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{ErrorKind, Options, Partitioning, SOURCE_TYPE};

use crate::server::{Behaviour, Endpoint, Server};
use crate::{assert_numbers, behaviour, connections, error, plan, read, schema, whole};

/// A port where nobody listens.
fn dead() -> String {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    format!("grpc+tcp://127.0.0.1:{port}")
}

#[test]
fn every_endpoint_is_a_partition_of_one_execution() {
    let server = Server::start(Behaviour { ordered: true, ..behaviour(4) });
    for workers in [1, 2, 4, 8] {
        let options = connections(workers);
        let plan = plan(&server.uri(), "SELECT * FROM numbers;", &options).unwrap();
        assert_eq!(plan.partitions.len(), 4);
        assert_eq!(plan.partitions[1].label, "endpoint 2 of 4");
        assert_eq!(plan.snapshot.as_deref(), Some("one execution on the server: its 4 endpoints"));
        assert_eq!(plan.reason, "the server offers the result at 4 endpoints, in this order");
        assert_eq!((plan.estimate.rows, plan.estimate.bytes), (Some(12), None));
        assert_eq!(plan.schema.field(0).metadata()[SOURCE_TYPE], "int64");
        assert_numbers(&whole(plan, &options).unwrap(), 120);
    }
    assert_eq!(server.count("GetFlightInfo"), 4);
    assert_eq!(server.count("DoGet 3 SELECT * FROM numbers"), 4);
    assert_eq!(server.count("DoAction CancelFlightInfo"), 0);
}

#[test]
fn one_partition_reads_every_endpoint_in_order() {
    let server = Server::start(behaviour(3));
    let options = Options { partitioning: Partitioning::Single, ..connections(4) };
    let plan = plan(&server.uri(), "SELECT 1", &options).unwrap();
    assert_eq!(plan.partitions.len(), 1);
    assert_eq!(plan.reason, "the user asks for one; the server offers the result at 3 endpoints");
    assert_numbers(&whole(plan, &options).unwrap(), 90);
    assert_eq!(server.count("GetFlightInfo"), 1);
}

#[test]
fn locations_are_tried_in_order() {
    let other = Server::start(behaviour(4));
    let mut behaviour = behaviour(4);
    let same = "arrow-flight-reuse-connection://?".to_owned();
    behaviour.endpoints[0].locations = vec![dead(), format!("grpc+tcp://127.0.0.1:{}", other.port)];
    behaviour.endpoints[1].locations = vec!["https://bucket/of/files".into(), dead(), same.clone()];
    behaviour.endpoints[2].locations = vec![same];
    behaviour.endpoints[3].locations = vec![format!("grpc://127.0.0.1:{}", other.port)];
    let server = Server::start(behaviour);
    for workers in [1, 4] {
        assert_numbers(&read(&server.uri(), "SELECT 1", connections(workers)).unwrap(), 120);
    }
    let tickets = |server: &Server| ["DoGet 0", "DoGet 1", "DoGet 2", "DoGet 3"].map(|call| server.count(call));
    assert_eq!((tickets(&server), tickets(&other)), ([0, 2, 2, 0], [2, 0, 0, 2]));
}

#[test]
fn an_endpoint_that_is_nowhere_says_why() {
    let mut behaviour = behaviour(2);
    behaviour.endpoints[1].locations = vec![dead(), "s3://bucket/x".into()];
    let server = Server::start(behaviour);
    let started = Instant::now();
    let error = error(&server.uri(), Options::default());
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(error.message().contains("s3://bucket/x") && error.message().contains("refused"), "{error}");
    // What the server still keeps, it is told to forget.
    assert_eq!(server.count("DoAction CancelFlightInfo the query"), 1);
}

#[test]
fn endpoints_that_expire_are_renewed() {
    let mut behaviour = behaviour(3);
    behaviour.endpoints[0].expires = Some(3600);
    behaviour.endpoints[1].expires = Some(2);
    behaviour.endpoints[2].expires = Some(-5);
    let server = Server::start(behaviour);
    assert_numbers(&read(&server.uri(), "SELECT 1", connections(1)).unwrap(), 90);
    assert_eq!(server.count("DoAction RenewFlightEndpoint"), 2);
    assert_eq!(server.count("DoGet 0 SELECT 1 renewed"), 0);
    assert_eq!(server.count("DoGet 1 SELECT 1 renewed") + server.count("DoGet 2 SELECT 1 renewed"), 2);
}

#[test]
fn a_schema_that_is_not_announced_is_found() {
    for told_by_get_schema in [true, false] {
        let behaviour = Behaviour { announced: None, told_by_get_schema, ..behaviour(3) };
        let server = Server::start(behaviour);
        for workers in [1, 3] {
            assert_numbers(&read(&server.uri(), "SELECT 1", connections(workers)).unwrap(), 90);
        }
        // A ticket may be good for one time only.
        assert_eq!(server.count("DoGet"), 6);
        drop(plan(&server.uri(), "SELECT 1", &Options::default()).unwrap());
        assert_eq!(server.count("DoAction CancelFlightInfo"), 1);
    }
}

#[test]
fn results_without_rows_have_columns() {
    let empty = Endpoint { schema: Some(schema()), ..Endpoint::default() };
    for endpoints in [vec![], vec![empty.clone()], vec![empty.clone(), empty]] {
        let server = Server::start(Behaviour { endpoints, announced: Some(schema()), ..Behaviour::default() });
        let result = read(&server.uri(), "SELECT 1", Options::default()).unwrap();
        assert_eq!((result.num_rows(), result.num_columns()), (0, 2));
    }
    let server = Server::start(Behaviour::default());
    let error = error(&server.uri(), Options::default());
    assert_eq!(error.kind(), ErrorKind::Sql);
    assert!(error.message().contains("no result"), "{error}");
}

#[test]
fn a_stream_of_other_columns_is_refused() {
    let other =
        |name: &str, of: DataType| Schema::new(vec![Field::new(name, of, true), Field::new("t", DataType::Utf8, true)]);
    for (schema, words) in [
        (other("n", DataType::Int32), "column \"n\" is int32, not int64"),
        (other("m", DataType::Int64), "column 1 is \"m\", not \"n\""),
        (Schema::new(vec![Field::new("n", DataType::Int64, true)]), "it has 1, not 2"),
    ] {
        let mut behaviour = behaviour(4);
        behaviour.endpoints[2] = Endpoint { schema: Some(schema), ..Endpoint::default() };
        let server = Server::start(behaviour);
        let error = error(&server.uri(), connections(2));
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
        assert!(
            error.message().contains("endpoint 3 of 4 at grpc://localhost") && error.message().contains(words),
            "{error}"
        );
    }
    // That a column may be NULL is no difference; that it is, where it may not, is one.
    let strict = Schema::new(
        schema().fields().iter().map(|field| field.as_ref().clone().with_nullable(false)).collect::<Vec<_>>(),
    );
    let server = Server::start(Behaviour { announced: Some(strict), ..behaviour(1) });
    let error = error(&server.uri(), connections(2));
    assert_eq!((error.kind(), error.column()), (ErrorKind::Protocol, Some("t")), "{error}");
}
