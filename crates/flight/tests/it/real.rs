//! Servers that others wrote: roapi and Sail.

use std::time::{Duration, Instant};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_core::{ErrorKind, Options, SOURCE_TYPE, Value};
use bowshot_flight::Flight;
use bowshot_testkit::conformance::{check, suites};
use bowshot_testkit::{Roapi, Sail, conformance};

use crate::{connections, parameters, plan, read, read_query, whole};

#[test]
fn roapi_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trees.csv");
    let rows: String = (0..50_000).map(|n| format!("{n},tree {n},{}.5\n", n % 100)).collect();
    std::fs::write(&file, format!("id,name,height\n{rows}")).unwrap();
    let mut server = Roapi::start(&[("trees", &file)]).unwrap();
    let uri = server.uri();
    let options = connections(2);
    let plan = plan(&uri, "SELECT id, name, height FROM trees ORDER BY id", &options).unwrap();
    assert!(plan.snapshot.as_ref().unwrap().starts_with("one execution on the server"), "{plan}");
    assert_eq!(plan.schema.field(0).metadata()[SOURCE_TYPE], "int64");
    let result = whole(plan, &options).unwrap();
    assert_eq!(result.num_rows(), 50_000);
    let ids = result.column(0).as_primitive::<Int64Type>();
    assert!(ids.values().iter().copied().eq(0..50_000) && ids.null_count() == 0);
    let query = parameters("SELECT count(*) AS n FROM trees WHERE id < $1", vec![Value::Int(100)]);
    match read_query(&uri, query, options.clone()) {
        Ok(result) => assert_eq!(result.column(0).as_primitive::<Int64Type>().value(0), 100),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Sql), "{error}"),
    }
    for sql in ["SELECT nix FROM trees", "SELEC 1", "SELECT * FROM nix"] {
        let error = read(&uri, sql, Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Sql, "{error}");
    }
    let plan = crate::plan(&uri, "SELECT * FROM trees", &options).unwrap();
    server.crash().unwrap();
    let started = Instant::now();
    let error = whole(plan, &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect | ErrorKind::ConnectionLost), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn sail_is_read() {
    let server = Sail::start().unwrap();
    let uri = server.uri();
    let options = connections(2);
    let result = read(
        &uri,
        "SELECT id, id * 2 AS twice, CAST(id AS STRING) AS text FROM range(300000) ORDER BY id",
        options.clone(),
    );
    let result = result.unwrap();
    assert_eq!(result.num_rows(), 300_000);
    assert!(result.column(0).as_primitive::<Int64Type>().values().iter().copied().eq(0..300_000));
    for sql in ["SELECT nix", "SELEC 1"] {
        let error = read(&uri, sql, Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Sql, "{error}");
    }
    // Its conformance cases; those of every database need one in which tables can be made.
    let source = Flight::from_uri(&uri).unwrap();
    let suite = suites("flight-sail").unwrap().into_iter().find(|suite| suite.name == "sail").unwrap();
    for case in &suite.cases {
        let outcome = conformance::read(&source, case, case.options().unwrap()).unwrap();
        check(case, &outcome, false).unwrap_or_else(|difference| panic!("{}: {difference}", case.name));
    }
    assert!(suite.cases.len() > 8);
    let error = read(&uri, "SELECT raise_error('in the middle') AS x", Options::default()).unwrap_err();
    assert!(error.message().contains("in the middle"), "{error}");
}
