//! Who waits to alter a table does not stop those who read it, and gets his turn.

use std::thread;
use std::time::{Duration, Instant};

use super::DATA;
use crate::reading::{eventually, finish, over, plan, plan_list};

/// Reads a plan while somebody waits in line to alter its table.
#[track_caller]
fn reads_before_the_change(planned: bowshot_core::Plan, column: &str) {
    assert!(planned.partitions.len() > 1, "{}", planned.reason);
    let change = format!("ALTER TABLE altered ADD COLUMN {column} int");
    let change = thread::spawn(move || DATA.psql(&change));
    let waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'altered'::regclass AND NOT granted";
    assert!(eventually(|| DATA.psql(waiting) == "1"));
    let started = Instant::now();
    assert_eq!(finish(planned, &over(3)).unwrap().count(), 20_000);
    assert!(started.elapsed() < Duration::from_secs(5));
    change.join().unwrap();
}

#[test]
fn a_waiting_change_is_no_deadlock() {
    reads_before_the_change(plan(&DATA.uri(), "SELECT id FROM altered", &over(3)).unwrap(), "one");
    let queries = ["SELECT id FROM altered WHERE id <= 10000", "SELECT id FROM altered WHERE id > 10000"];
    reads_before_the_change(plan_list(&DATA.uri(), &queries, &over(3)).unwrap(), "two");
}
