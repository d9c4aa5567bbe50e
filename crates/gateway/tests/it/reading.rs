//! What Bowshot's own client reads through the gateway.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_connect::connect;
use bowshot_core::testing::Numbers;
use bowshot_core::{Cancel, ErrorKind, Options, Params, Query, Request, Result, Source, Stream, Value};
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;

use crate::running::Running;

/// All batches, and how many partitions they came in.
pub fn read(uri: &str, query: Query) -> Result<(Vec<RecordBatch>, usize)> {
    let cancel = Cancel::new();
    let request = Request::new(query, Options::default());
    let plan = connect(uri)?.plan(&request, &cancel)?;
    let partitions = plan.partitions.len();
    Ok((Stream::start(plan, &request.options, cancel).collect::<Result<_>>()?, partitions))
}

pub fn numbers(batches: &[RecordBatch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn a_query_becomes_as_many_endpoints_as_are_asked_for() {
    let source: Arc<dyn Source> = Arc::new(Numbers { partitions: 20, rows: 50 });
    let gateway = Running::open(&[("numbers", source, Dialect::Other)], Limits::default());
    for (asked, expected) in [("1", 1), ("3", 3), ("64", 20)] {
        let uri = format!("{}/?header.bowshot-endpoints={asked}", gateway.uri(""));
        let (batches, endpoints) = read(&uri, Query::new("SELECT n FROM numbers")).unwrap();
        assert_eq!(endpoints, expected);
        assert_eq!(numbers(&batches), (0..1000).collect::<Vec<_>>());
    }
}

#[test]
fn what_postgres_says_arrives_with_its_schema() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders AS SELECT n AS id, n::numeric(9, 2) / 4 AS price, rpad('row ' || n, 80) AS text FROM generate_series(1, 500000) n; ANALYZE").unwrap();
    let direct = server.uri();
    let gateway = Running::open(&[("shop", connect(&direct).unwrap(), Dialect::Postgres)], Limits::default());
    let query = Query::new("SELECT * FROM orders");
    let expected = |uri: &str| {
        let request = Request::new(query.clone(), Options::default());
        connect(uri).unwrap().plan(&request, &Cancel::new()).unwrap().estimate.rows
    };
    let rows = expected(&direct);
    assert!(rows.is_some_and(|rows| rows > 400_000), "{rows:?}");
    assert_eq!(expected(&gateway.uri("")), rows);
    let (ours, endpoints) = read(&gateway.uri(""), query.clone()).unwrap();
    let (theirs, _) = read(&direct, query.clone()).unwrap();
    assert!(endpoints > 1, "the source splits it, so that the gateway does");
    let whole = |batches: &[RecordBatch]| arrow_select::concat::concat_batches(&batches[0].schema(), batches).unwrap();
    let (ours, theirs) = (whole(&ours), whole(&theirs));
    let columns = |batch: &RecordBatch| -> Vec<_> {
        let fields = batch.schema();
        fields
            .fields()
            .iter()
            .map(|field| (field.name().clone(), field.data_type().clone(), field.is_nullable()))
            .collect()
    };
    assert_eq!(columns(&ours), columns(&theirs));
    assert!(ours.columns() == theirs.columns(), "{} and {} rows", ours.num_rows(), theirs.num_rows());

    let query =
        Query { sql: "SELECT price FROM orders WHERE id = $1".into(), params: Params::Positional(vec![Value::Int(6)]) };
    let (found, _) = read(&gateway.uri(""), query).unwrap();
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);

    let error = read(&gateway.uri(""), Query::new("SELECT nonsense FROM orders")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql, "{error}");
    assert!(error.to_string().contains("nonsense"), "{error}");
}

#[test]
fn only_users_get_in() {
    let source: Arc<dyn Source> = Arc::new(Numbers { partitions: 2, rows: 5 });
    let gateway = Running::with_users(&["ann"], &[("numbers", source, Dialect::Other)]);
    let (batches, _) = read(&gateway.uri("ann:ann@"), Query::new("SELECT n FROM numbers")).unwrap();
    assert_eq!(numbers(&batches).len(), 10);
    for login in ["", "ann:wrong@", "bob:bob@"] {
        let error = read(&gateway.uri(login), Query::new("SELECT n FROM numbers")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication, "{login}: {error}");
    }
}

#[test]
fn several_sources_are_told_apart_by_name() {
    let source = |rows| -> Arc<dyn Source> { Arc::new(Numbers { partitions: 1, rows }) };
    let sources = [("small", source(3), Dialect::Other), ("large", source(300), Dialect::Other)];
    let gateway = Running::open(&sources, Limits::default());
    let (batches, _) =
        read(&format!("{}/?header.catalog=small", gateway.uri("")), Query::new("SELECT n FROM numbers")).unwrap();
    assert_eq!(numbers(&batches).len(), 3);
    let error = read(&gateway.uri(""), Query::new("SELECT n FROM numbers")).unwrap_err();
    assert!(error.to_string().contains("small, large"), "{error}");
}
