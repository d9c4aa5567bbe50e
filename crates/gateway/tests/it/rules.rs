//! What users may do, seen from outside.
#![expect(clippy::disallowed_types, reason = "these bytes are the test's own")]

use arrow_array::cast::AsArray;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::sql::{CommandGetDbSchemas, ProstMessageExt};
use arrow_flight::{HandshakeRequest, Ticket};
use bowshot_connect::connect;
use bowshot_core::{Error, Query};
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;
use futures::TryStreamExt;
use prost::Message;

use crate::reading::read;
use crate::running::Running;

fn error(gateway: &Running, login: &str, sql: &str) -> Error {
    match read(&gateway.uri(login), Query::new(sql)) {
        Ok((batches, _)) => panic!("{sql}: {batches:?}"),
        Err(error) => error,
    }
}

#[test]
fn rules_hold_for_queries_and_for_what_is_listed() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders AS SELECT 1 AS id; CREATE TABLE salaries AS SELECT 2 AS id; CREATE SCHEMA hr; CREATE TABLE hr.notes AS SELECT 3 AS id").unwrap();
    let shop = ("shop", connect(&server.uri()).unwrap(), Dialect::Postgres);
    let gateway = Running::with_rules("ann", &["deny shop.public.salaries", "allow shop.public"], &[shop]);
    let rows = |sql: &str| read(&gateway.uri("ann:ann@"), Query::new(sql)).unwrap().0[0].num_rows();
    assert_eq!(rows("SELECT * FROM public.orders"), 1);
    assert_eq!(rows("SELECT o.id, count(*) FROM shop.public.orders o GROUP BY 1"), 1);
    for sql in [
        "SELECT * FROM public.salaries",
        "SELECT (SELECT max(id) FROM public.salaries) FROM public.orders",
        "WITH salaries AS (SELECT * FROM public.salaries) SELECT * FROM salaries",
        "SELECT * FROM hr.notes",
        "SELECT * FROM hr.nothing",
        "SELECT query_to_xml('SELECT * FROM salaries', true, true, '')",
        "SELECT * FROM pg_catalog.pg_authid",
    ] {
        let error = error(&gateway, "ann:ann@", sql);
        assert!(error.to_string().contains("may not be"), "{sql}: {error}");
    }
    let told = ["hr.notes", "hr.nothing"].map(|table| {
        let text = error(&gateway, "ann:ann@", &format!("SELECT * FROM {table}")).message().to_owned();
        text.replace(table, "it")
    });
    assert_eq!(told[0], told[1], "nobody learns what there is");
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_without_tables_are_listed_for_who_may_look_into_them() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders (id int); CREATE SCHEMA empty; CREATE SCHEMA hr; CREATE SCHEMA full_one; CREATE TABLE full_one.t (id int)").unwrap();
    for (rules, expected) in [
        (&["allow shop.public", "allow shop.empty"][..], &["empty", "public"][..]),
        (
            &["deny shop.hr", "deny shop.pg_catalog", "deny shop.information_schema", "allow shop"],
            &["empty", "full_one", "public"],
        ),
        // Of a schema with tables, one must be visible.
        (&["allow shop.*.orders"], &["empty", "hr", "public"]),
        (&["allow elsewhere"], &[]),
    ] {
        let shop = ("shop", connect(&server.uri()).unwrap(), Dialect::Postgres);
        let gateway = Running::with_rules("ann", rules, &[shop]);
        let mut client = crate::raw::client(&gateway).await;
        let mut hello = tonic::Request::new(futures::stream::iter([HandshakeRequest::default()]));
        hello.metadata_mut().insert("authorization", "Basic YW5uOmFubg==".parse().unwrap());
        let welcome = client.handshake(hello).await.unwrap();
        let token = welcome.metadata().get("authorization").unwrap().clone();
        let mut ask = tonic::Request::new(Ticket::new(CommandGetDbSchemas::default().as_any().encode_to_vec()));
        ask.metadata_mut().insert("authorization", token);
        let messages =
            client.do_get(ask).await.unwrap().into_inner().map_err(|status| FlightError::Tonic(Box::new(status)));
        let batches: Vec<_> = FlightRecordBatchStream::new_from_flight_data(messages).try_collect().await.unwrap();
        let names: Vec<String> = batches
            .iter()
            .flat_map(|batch| {
                batch.column(1).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(names, expected, "{rules:?}");
    }
}

#[test]
fn nothing_is_written() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders (id int); CREATE SEQUENCE numbers").unwrap();
    let shop = ("shop", connect(&server.uri()).unwrap(), Dialect::Postgres);
    let gateway = Running::open(&[shop], Limits::default());
    for sql in [
        "INSERT INTO orders VALUES (1) RETURNING id",
        "DELETE FROM orders RETURNING id",
        "WITH new AS (INSERT INTO orders VALUES (2) RETURNING id) SELECT * FROM new",
        "CREATE TABLE more (id int)",
    ] {
        let error = error(&gateway, "", sql);
        assert!(error.to_string().contains("was not sent"), "{sql}: {error}");
    }
    // What a function does, only the session's own guard sees.
    let error = error(&gateway, "", "SELECT nextval('numbers')");
    assert!(error.to_string().contains("read-only"), "{error}");
    assert_eq!(server.psql("SELECT count(*) FROM orders").unwrap().trim(), "0");
}
