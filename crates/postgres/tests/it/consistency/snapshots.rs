//! The state is that of the plan, not that of the read.

use super::{DATA, numbers};
use crate::reading::{Database, finish, over, plan};

#[test]
fn a_plan_is_read_as_the_database_was_when_it_was_made() {
    let data = Database::make(
        "frozen",
        "CREATE TABLE t AS SELECT i AS id, rpad('', 900, 'x') AS pad FROM generate_series(1::int8, 20000) i",
    );
    let planned = plan(&data.uri(), "SELECT id FROM t", &over(4)).unwrap();
    assert!(planned.partitions.len() > 1 && planned.snapshot.is_some(), "{}", planned.reason);
    data.psql(
        "DELETE FROM t WHERE id % 2 = 0; INSERT INTO t SELECT -i, rpad('', 900, 'y') FROM generate_series(1, 5000) i;
         VACUUM t; UPDATE t SET id = 0 WHERE id < 100",
    );
    let read = finish(planned, &over(4)).unwrap();
    assert_eq!(numbers(&read, 0), (1..=20_000).collect::<Vec<i64>>());
}

#[test]
fn a_plan_that_is_dropped_lets_go() {
    let uri = format!("{}?application_name=planned", DATA.uri());
    let planned = plan(&uri, "SELECT id FROM accounts", &over(4)).unwrap();
    let count = || crate::leftovers::connections(&crate::reading::SERVER, "planned");
    assert_eq!(count(), 1);
    drop(planned);
    assert!(crate::reading::eventually(|| count() == 0));
}
