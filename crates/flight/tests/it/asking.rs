//! How queries are asked: parameters, polls, lists, sessions.

use std::time::Duration;

use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{Cancel, ErrorKind, Options, Partitioning, Query, Request, Source, Value};
use bowshot_flight::Flight;

use crate::server::{Behaviour, Server};
use crate::{
    assert_numbers, behaviour, connections, error, numbers, parameters, plan, plan_query, read, read_query, whole,
};

#[test]
fn parameters_are_bound_to_a_prepared_query() {
    for replaces_handle in [false, true] {
        let parameter = |name: &str, of| Field::new(name, of, true);
        let wanted = Schema::new(vec![parameter("", DataType::Int32), parameter("", DataType::Utf8)]);
        for schema in [None, Some(wanted)] {
            let server = Server::start(Behaviour { parameters: schema.clone(), replaces_handle, ..behaviour(2) });
            let query = parameters("SELECT ? WHERE t = ?", vec![Value::Int(7), Value::Text("x".into())]);
            assert_numbers(&read_query(&server.uri(), query, connections(2)).unwrap(), 60);
            let bound = server.log().into_iter().find(|line| line.starts_with("DoPut")).unwrap();
            assert!(
                bound.contains(if schema.is_some() { "PrimitiveArray<Int32>" } else { "PrimitiveArray<Int64>" }),
                "{bound}"
            );
            assert_eq!(server.count("GetFlightInfo CommandPreparedStatementQuery"), 1);
            let closed = if replaces_handle { "with values" } else { "prepared" };
            assert_eq!(server.count(&format!("DoAction ClosePreparedStatement {closed}")), 1, "{:?}", server.log());
        }
    }
    let server = Server::start(behaviour(1));
    let query = parameters("SELECT $1, '$2'", vec![Value::Null]);
    assert_numbers(&read_query(&server.uri(), query, connections(1)).unwrap(), 30);
    assert_eq!(server.count("DoGet 0 SELECT $1, '$2'"), 1);
    let server = Server::start(Behaviour { no_prepared: true, ..behaviour(1) });
    let error =
        plan_query(&server.uri(), parameters("SELECT ?", vec![Value::Int(1)]), &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("takes no parameters"), "{error}");
}

#[test]
fn a_server_that_wants_to_be_polled_is_polled() {
    let server = Server::start(Behaviour { no_get: true, polls: Some(3), ..behaviour(2) });
    assert_numbers(&read(&server.uri(), "SELECT 1", connections(2)).unwrap(), 60);
    assert_eq!((server.count("GetFlightInfo"), server.count("PollFlightInfo")), (1, 4));
    assert_numbers(&read(&format!("{}?poll=1", server.uri()), "SELECT 1", connections(2)).unwrap(), 60);
    assert_eq!((server.count("GetFlightInfo"), server.count("PollFlightInfo")), (1, 8));
    let server = Server::start(behaviour(2));
    assert_numbers(&read(&format!("{}?poll=1", server.uri()), "SELECT 1", connections(2)).unwrap(), 60);
    assert_eq!((server.count("GetFlightInfo"), server.count("PollFlightInfo")), (1, 1));
    let server = Server::start(Behaviour { no_get: true, no_prepared: true, ..behaviour(2) });
    assert_eq!(error(&server.uri(), Options::default()).kind(), ErrorKind::Unsupported);
}

#[test]
fn each_query_of_a_list_is_run_once() {
    let server = Server::start(behaviour(2));
    for one_snapshot in [true, false] {
        let queries = ["SELECT 1", "SELECT 2", "SELECT 3"].map(Query::new).to_vec();
        let options = Options { one_snapshot, ..connections(3) };
        let request = Request { queries, options: options.clone() };
        let plan = Flight::from_uri(&server.uri()).unwrap().plan(&request, &Cancel::new()).unwrap();
        assert_eq!((plan.partitions.len(), plan.snapshot.as_ref()), (3, None));
        let result = whole(plan, &options).unwrap();
        assert_eq!(result.num_rows(), 180);
        assert_eq!(result.slice(60, 60).columns(), numbers(0, 60).columns());
    }
    assert_eq!((server.count("GetFlightInfo"), server.count("DoGet")), (6, 12));
}

#[test]
fn ranges_of_a_column_need_the_users_word() {
    let server = Server::start(Behaviour { told_by_get_schema: true, ..behaviour(1) });
    let partitioning = Partitioning::Column { column: "n".into(), count: 3, range: Some((0, 29)) };
    let options = Options { partitioning, ..connections(3) };
    let plan_of = |options: &Options| plan(&server.uri(), "SELECT * FROM numbers", options).unwrap();
    let one = plan_of(&options);
    assert_eq!(one.partitions.len(), 1);
    assert!(one.reason.contains("no snapshot that queries share"), "{}", one.reason);
    drop(one);
    let torn = plan_of(&Options { one_snapshot: false, ..options });
    assert_eq!((torn.partitions.len(), torn.snapshot), (3, None));
    assert_eq!(server.count("GetSchema"), 2);
}

#[test]
fn statements_before_and_session_options_are_told() {
    let server = Server::start(Behaviour { session: vec!["catalog", "schema", "tz"], ..behaviour(1) });
    let options = Options { before: vec!["SET a = 1".into(), "SET b = 2".into()], ..connections(1) };
    let uri = format!("{}?catalog=c&schema=s&session.tz=UTC", server.uri());
    assert_numbers(&read(&uri, "SELECT 1", options).unwrap(), 30);
    let log = server.log();
    assert_eq!(log[..3], ["DoAction SetSessionOptions", "DoPut SET a = 1", "DoPut SET b = 2"]);
    assert_eq!(log.last().unwrap(), "DoAction CloseSession");
    let unknown = error(&format!("{}?session.nix=1", server.uri()), Options::default());
    assert_eq!(unknown.kind(), ErrorKind::Config);
    assert!(unknown.message().contains("session option nix: it does not know the name"), "{unknown}");
    let server = Server::start(behaviour(1));
    let none = error(&format!("{}?catalog=c", server.uri()), Options::default());
    assert_eq!(none.kind(), ErrorKind::Unsupported);
    assert!(none.message().contains("(catalog)"), "{none}");
}

#[test]
fn the_server_knows_how_long_we_wait() {
    let server = Server::start(Behaviour { slow: Duration::from_secs(30), ..behaviour(1) });
    let slow = error(&format!("{}?query_timeout=0.3", server.uri()), Options::default());
    assert_eq!(slow.kind(), ErrorKind::Timeout);
    assert!(server.log()[0].contains("grpc-timeout=300000u"), "{:?}", server.log());
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let server = Server::start(behaviour(1));
    let options = Options { protocol: Some("flight".into()), ..connections(1) };
    assert_numbers(&read(&server.uri(), "SELECT 1", options).unwrap(), 30);
    let options = Options { protocol: Some("copy".into()), ..connections(1) };
    let error = error(&server.uri(), options);
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("\"flight\""), "{error}");
}
