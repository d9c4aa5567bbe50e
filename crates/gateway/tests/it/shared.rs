//! Results that connections share by name: the statements of the ConnectorX paper, over any Flight SQL client.

use std::sync::Arc;

use bowshot_core::testing::Numbers;
use bowshot_core::{Error, Query, Source};
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;

use crate::reading::{numbers, read};
use crate::running::Running;

fn gateway(partitions: usize) -> Running {
    let source: Arc<dyn Source> = Arc::new(Numbers { partitions, rows: 50 });
    Running::open(&[("numbers", source, Dialect::Other)], Limits::default())
}

fn run(gateway: &Running, sql: &str) -> Result<Vec<i64>, Error> {
    read(&gateway.uri(""), Query::new(sql)).map(|(batches, _)| numbers(&batches))
}

/// How many endpoints the answer of a declaration speaks of.
fn declared(gateway: &Running, sql: &str) -> i64 {
    let (batches, _) = read(&gateway.uri(""), Query::new(sql)).unwrap();
    assert_eq!((batches[0].num_rows(), batches[0].schema().field(0).name().as_str()), (1, "cursor"));
    numbers(&batches.iter().map(|batch| batch.project(&[1]).unwrap()).collect::<Vec<_>>())[0]
}

#[test]
fn connections_share_one_result_and_each_fetches_its_part() {
    let gateway = gateway(20);
    assert_eq!(declared(&gateway, "DECLARE c CURSOR FOR SELECT * FROM numbers INTO 3"), 3);
    let parts: Vec<Vec<i64>> =
        [2, 0, 1].map(|part| run(&gateway, &format!("FETCH ALL FROM {part} OF c")).unwrap()).into();
    assert!(parts.iter().all(|part| !part.is_empty()));
    let mut all = parts.concat();
    all.sort_unstable();
    assert_eq!(all, (0..1000).collect::<Vec<_>>());
    let error = run(&gateway, "FETCH ALL FROM 0 OF c").unwrap_err();
    assert!(error.to_string().contains("no cursor"), "all is fetched: {error}");
    assert_eq!(declared(&gateway, "DECLARE c CURSOR FOR SELECT * FROM numbers INTO 2"), 2);
}

#[test]
fn a_name_is_declared_once_and_closed_once() {
    let gateway = gateway(4);
    declared(&gateway, "DECLARE c CURSOR FOR SELECT n FROM numbers INTO 2");
    let error = run(&gateway, "DECLARE C CURSOR FOR SELECT n FROM numbers INTO 2").unwrap_err();
    assert!(error.to_string().contains("declared already"), "{error}");
    assert!(run(&gateway, "FETCH ALL FROM 2 OF c").unwrap_err().to_string().contains("INTO 2"));
    run(&gateway, "FETCH ALL FROM 1 OF c").unwrap();
    let again = run(&gateway, "FETCH ALL FROM 1 OF c").unwrap_err();
    assert!(again.to_string().contains("read already"), "{again}");
    assert_eq!(declared(&gateway, "CLOSE c"), 0);
    assert!(run(&gateway, "FETCH ALL FROM 0 OF c").is_err() && run(&gateway, "CLOSE c").is_err());
}

#[test]
fn what_is_declared_for_more_than_there_is_has_empty_parts() {
    let gateway = gateway(2);
    declared(&gateway, "DECLARE c CURSOR FOR SELECT n FROM numbers INTO 5");
    let parts: Vec<usize> =
        (0..5).map(|part| run(&gateway, &format!("FETCH ALL FROM {part} OF c")).unwrap().len()).collect();
    assert_eq!(parts.iter().sum::<usize>(), 100, "{parts:?}");
}

#[test]
fn names_belong_to_users() {
    let source: Arc<dyn Source> = Arc::new(Numbers { partitions: 1, rows: 1 });
    let gateway = Running::with_users(&["ann", "bob"], &[("numbers", source, Dialect::Other)]);
    let run = |user: &str, sql: &str| read(&gateway.uri(&format!("{user}:{user}@")), Query::new(sql));
    run("ann", "DECLARE c CURSOR FOR SELECT n FROM numbers INTO 2").unwrap();
    assert!(run("bob", "FETCH ALL FROM 0 OF c").unwrap_err().to_string().contains("no cursor"));
    run("bob", "DECLARE c CURSOR FOR SELECT n FROM numbers INTO 2").unwrap();
    assert_eq!(numbers(&run("ann", "FETCH ALL FROM 0 OF c").unwrap().0), [0]);
}
