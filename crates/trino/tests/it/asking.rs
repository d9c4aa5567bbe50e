//! How queries are asked, and their pages followed.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_core::{Options, Params, Partitioning, Query, Request, Source, Stream, Value};

use super::*;
use crate::cluster::{Answer, Asked, Cluster, column, numbers, page};

fn sum(batches: &[RecordBatch]) -> i64 {
    batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().iter().copied()).sum()
}

#[test]
fn pages_are_followed_to_the_last() {
    let columns = numbers();
    let cluster = Cluster::start(vec![
        page("\"stats\":{\"state\":\"QUEUED\"}"),
        page("\"stats\":{\"state\":\"PLANNING\"}"),
        page(&columns),
        page(&format!("{columns},\"data\":[[1],[2]]")),
        page(&format!("{columns},\"data\":[]")),
        page(&format!("{columns},\"data\":[[3]]")),
        page(&columns),
    ]);
    let batches = read(&cluster.uri(), "SELECT n FROM t;", &Options::default()).unwrap();
    assert_eq!((batches.len(), sum(&batches)), (1, 6));
    let asked = cluster.asked();
    assert_eq!(cluster.count("GET"), 6);
    assert_eq!(cluster.count("DELETE"), 0);
    assert_eq!(asked[0].path, "/v1/statement");
    assert_eq!(asked[0].body, "SELECT n FROM t");
    for (name, value) in [
        ("x-trino-user", "ada"),
        ("x-trino-catalog", "shop"),
        ("x-trino-schema", "small"),
        ("x-trino-source", "bowshot"),
        ("x-trino-client-capabilities", "PARAMETRIC_DATETIME"),
    ] {
        assert_eq!(asked[0].headers.get(name).map(String::as_str), Some(value), "{name}");
    }
    // The host is the one that the user named, whatever the cluster calls itself.
    assert_eq!(asked[1].path, "/v1/statement/executing/q1/1");
    assert!(asked[1].headers["host"].starts_with("127.0.0.1:"));
}

#[test]
fn batches_are_as_large_as_is_asked() {
    let row = |number| format!("[{number}]");
    let rows: Vec<String> = (0..1000).map(row).collect();
    let data = format!("{},\"data\":[{}]", numbers(), rows.join(","));
    let cluster = Cluster::start(vec![page(&data), page(&data)]);
    let options = Options { batch_bytes: 800, ..Options::default() };
    let batches = read(&cluster.uri(), "SELECT n FROM t", &options).unwrap();
    assert_eq!((batches.len(), sum(&batches)), (20, 999_000));
}

#[test]
fn the_schema_comes_before_the_rows_and_an_unread_plan_ends_the_query() {
    let cluster = Cluster::start(vec![page(&numbers()), page(&numbers())]);
    let request = Request::new(Query::new("SELECT n FROM t"), Options::default());
    let plan = Trino::from_uri(&cluster.uri()).unwrap().plan(&request, &Cancel::new()).unwrap();
    assert_eq!(plan.schema.field(0).name(), "n");
    assert_eq!(plan.partitions.len(), 1);
    assert_eq!(plan.snapshot.as_deref(), Some("the one query q1"));
    assert_eq!(cluster.count("GET"), 0);
    drop(plan);
    assert_eq!(cluster.asked().last().map(|asked| asked.method.clone()).as_deref(), Some("DELETE"));
    assert_eq!(cluster.asked().last().unwrap().path, "/v1/statement/executing/q1/1");
}

#[test]
fn statements_before_the_query_change_its_session() {
    let cluster = Cluster::with(|asked: &Asked| match asked.body.as_str() {
        "SET SESSION a = 'x y'" => {
            (Answer::With(vec![("X-Trino-Set-Session", "a=x+y")], "\"updateType\":\"SET SESSION\"".into()), false)
        }
        "USE other.place" => (
            Answer::With(
                vec![("X-Trino-Set-Catalog", "other"), ("X-Trino-Set-Schema", "place")],
                "\"stats\":{}".into(),
            ),
            false,
        ),
        _ => (page(&format!("{},\"data\":[[1]]", numbers())), false),
    });
    let before = vec!["SET SESSION a = 'x y';".to_owned(), "USE other.place".to_owned()];
    let options = Options { before, ..Options::default() };
    read(&format!("{}?session.b=1", cluster.uri()), "SELECT 1", &options).unwrap();
    let last = cluster.asked().pop().unwrap();
    assert_eq!(last.body, "SELECT 1");
    assert_eq!((last.headers["x-trino-catalog"].as_str(), last.headers["x-trino-schema"].as_str()), ("other", "place"));
    // The last of several headers of one name is kept here.
    assert_eq!(last.headers["x-trino-session"], "b=1");
    assert_eq!(cluster.asked()[1].headers.get("x-trino-catalog").map(String::as_str), Some("shop"));
}

#[test]
fn parameters_travel_beside_the_query() {
    let cluster = Cluster::start(vec![page(&numbers())]);
    let query = Query {
        sql: "SELECT %s AS n, '?' WHERE %s <> ''".into(),
        params: Params::Positional(vec![Value::Int(7), Value::Text("it's".into())]),
    };
    let request = Request::new(query, Options::default());
    Trino::from_uri(&cluster.uri()).unwrap().plan(&request, &Cancel::new()).unwrap();
    assert_eq!(cluster.asked()[0].body, "EXECUTE IMMEDIATE 'SELECT ? AS n, ''?'' WHERE ? <> ''''' USING 7, 'it''s'");
}

/// Answers as a table of the numbers 1 to 10 would.
fn ten(asked: &Asked) -> (Answer, bool) {
    let sql = asked.body.as_str();
    if sql.contains("min(") {
        let columns = format!("\"columns\":[{},{}]", column("a", "bigint"), column("b", "bigint"));
        return (page(&format!("{columns},\"data\":[[1,10]]")), false);
    }
    if sql.ends_with("LIMIT 0") {
        return (page(&numbers()), false);
    }
    (page(&format!("{},\"data\":[[1]]", numbers())), false)
}

#[test]
fn a_result_is_split_only_by_the_users_word() {
    let cluster = Cluster::with(ten);
    let partitioning = Partitioning::Column { column: "n".into(), count: 2, range: None };
    let mut options = Options { partitioning, ..Options::default() };
    let request = |options: &Options| Request::new(Query::new("SELECT n FROM t -- all"), options.clone());
    let source = Trino::from_uri(&cluster.uri()).unwrap();
    let plan = source.plan(&request(&options), &Cancel::new()).unwrap();
    assert_eq!((plan.partitions.len(), plan.reason.contains("no snapshot")), (1, true), "{}", plan.reason);
    options.one_snapshot = false;
    let plan = source.plan(&request(&options), &Cancel::new()).unwrap();
    assert_eq!(plan.partitions.len(), 3);
    assert_eq!(plan.snapshot, None);
    let rows: usize = Stream::start(plan, &options, Cancel::new()).map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 3);
    let asked: Vec<String> = cluster.asked().into_iter().map(|asked| asked.body).collect();
    assert!(asked.iter().any(|sql| sql.contains("\"n\" IS NULL")), "{asked:#?}");
}

#[test]
fn a_list_of_queries_is_read_one_after_the_other() {
    let cluster = Cluster::with(|asked: &Asked| match asked.body.as_str() {
        "SELECT 'x'" => (page(&format!("\"columns\":[{}],\"data\":[[\"x\"]]", column("n", "varchar"))), false),
        _ => (page(&format!("{},\"data\":[[5]]", numbers())), false),
    });
    let ask = |queries: [&str; 2]| {
        let queries = queries.map(Query::new).to_vec();
        let request = Request { queries, options: Options::default() };
        let plan = Trino::from_uri(&cluster.uri())?.plan(&request, &Cancel::new())?;
        Stream::start(plan, &request.options, Cancel::new()).collect::<Result<Vec<_>>>()
    };
    assert_eq!(sum(&ask(["SELECT 5", "SELECT 5"]).unwrap()), 10);
    let error = ask(["SELECT 5", "SELECT 'x'"]).unwrap_err();
    assert!(error.to_string().contains("\"n\""), "{error}");
}

#[test]
fn unknown_protocols_and_statements_without_a_result_are_refused() {
    let cluster = Cluster::with(|_| (page("\"stats\":{}"), false));
    let options = Options { protocol: Some("spooled".into()), ..Options::default() };
    let error = read(&cluster.uri(), "SELECT 1", &options).unwrap_err();
    assert!(error.to_string().contains("\"json\""), "{error}");
    for inside in ["\"stats\":{}", "\"columns\":[],\"updateType\":\"SET SESSION\""] {
        let cluster = Cluster::with(move |_| (page(inside), false));
        let error = fails(&cluster.uri(), "SHOW TABLES");
        assert!(error.to_string().contains("no result"), "{error}");
    }
}
