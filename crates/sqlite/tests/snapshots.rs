//! A table that changes while it is read: the result is one state of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::{Database, connections};

const ACCOUNTS: i64 = 60_000;
const EACH: i64 = 100;

/// Accounts whose sum never changes, in a table that grows, shrinks and moves.
fn accounts(journal_mode: &str) -> Database {
    Database::new(&format!(
        "PRAGMA journal_mode = {journal_mode};
         CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, note TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ACCOUNTS})
         INSERT INTO accounts SELECT i, {EACH}, 'a note of some length, so that there are pages' FROM n;"
    ))
}

/// Reads again and again while another connection moves money, rows and the table's ends.
fn read_while_written(journal_mode: &str) -> (u32, u32) {
    let database = accounts(journal_mode);
    let stop = Arc::new(AtomicBool::new(false));
    let commits = Arc::new(AtomicU64::new(0));
    let writer = database.writer();
    writer.busy_timeout(Duration::from_secs(30)).unwrap();
    let thread = std::thread::spawn({
        let (stop, commits) = (Arc::clone(&stop), Arc::clone(&commits));
        move || {
            let mut step: i64 = 0;
            while !stop.load(Ordering::Relaxed) {
                step += 1;
                let (from, to) = (1 + step * 7919 % ACCOUNTS, 1 + step * 104_729 % ACCOUNTS);
                // Pairs of rows come and go at both ends: the sum stays, the number and the ends do not.
                let (low, high) = (-step % 500, ACCOUNTS + step % 500);
                writer
                    .execute_batch(&format!(
                        "BEGIN IMMEDIATE;
                         UPDATE accounts SET balance = balance - 7 WHERE id = {from};
                         UPDATE accounts SET balance = balance + 7 WHERE id = {to};
                         DELETE FROM accounts WHERE id <= 0 OR id > {ACCOUNTS};
                         INSERT INTO accounts VALUES ({low}, -50, 'low'), ({high} + 1, 50, 'high');
                         COMMIT;"
                    ))
                    .unwrap();
                commits.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(500));
            }
        }
    });
    let (mut split, mut reads) = (0, 0);
    let began = Instant::now();
    while reads < 12 || (commits.load(Ordering::Relaxed) < 20 && began.elapsed() < Duration::from_secs(20)) {
        let table = database.read_with("SELECT id, balance, note FROM accounts", connections(3)).unwrap();
        let sum: i64 = table.ints(1).into_iter().flatten().sum();
        assert_eq!(sum, ACCOUNTS * EACH, "{journal_mode}, {} partitions", table.partitions);
        let rows = i64::try_from(table.rows()).unwrap();
        assert!(rows == ACCOUNTS || rows == ACCOUNTS + 2, "{rows} rows");
        let ids = table.ints(0);
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "ids out of order");
        split += u32::from(table.partitions > 1);
        reads += 1;
    }
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    assert!(commits.load(Ordering::Relaxed) >= 20, "the writer hardly wrote");
    (split, reads)
}

#[test]
fn with_a_write_ahead_log() {
    let (split, reads) = read_while_written("WAL");
    assert!(split * 2 > reads, "only {split} of {reads} reads were split");
}

#[test]
fn with_a_rollback_journal() {
    let (split, reads) = read_while_written("DELETE");
    assert!(split * 2 > reads, "only {split} of {reads} reads were split");
}

#[test]
fn a_plan_keeps_its_snapshot() {
    let database = accounts("WAL");
    let request =
        bowshot_core::Request::new(bowshot_core::Query::new("SELECT id, balance, note FROM accounts"), connections(2));
    let plan = database.plan(&request).unwrap();
    assert!(plan.partitions.len() > 1, "{}", plan.reason);
    assert!(plan.snapshot.as_ref().unwrap().contains("2 connections"));
    database.writer().execute_batch("DELETE FROM accounts").unwrap();
    let rows: usize = bowshot_core::Stream::start(plan, &request.options, bowshot_core::Cancel::new())
        .map(|batch| batch.unwrap().num_rows())
        .sum();
    assert_eq!(rows, 60_000);
    assert_eq!(database.read("SELECT id FROM accounts").rows(), 0);
}

#[test]
fn attached_databases_are_read_over_one_connection() {
    let database = accounts("WAL");
    let other = Database::new("CREATE TABLE x (a INTEGER); INSERT INTO x VALUES (1);");
    let attach = format!("ATTACH '{}' AS other", other.path.display());
    let options = bowshot_core::Options { before: vec![attach], ..connections(3) };
    let table = database.read_with("SELECT id, note FROM accounts", options.clone()).unwrap();
    assert_eq!(table.partitions, 1);
    assert!(table.reason.contains("attached"), "{}", table.reason);
    assert_eq!(database.read_with("SELECT a FROM other.x", options).unwrap().ints(0), [Some(1)]);
}

#[test]
fn immutable_files_need_no_locks() {
    let database = accounts("DELETE");
    let uri = format!("{}?immutable=1", database.uri());
    let source = bowshot_sqlite::Sqlite::from_uri(&uri).unwrap();
    let request = bowshot_core::Request::new(bowshot_core::Query::new("SELECT id, note FROM accounts"), connections(2));
    let cancel = bowshot_core::Cancel::new();
    let writer = database.writer();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let plan = bowshot_core::Source::plan(&source, &request, &cancel).unwrap();
    assert!(plan.partitions.len() > 1 && plan.snapshot.as_ref().unwrap().contains("immutable"));
    let rows: usize =
        bowshot_core::Stream::start(plan, &request.options, cancel).map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 60_000);
}

#[test]
fn a_log_that_no_writer_emptied_is_read() {
    let database = accounts("WAL");
    // The writer has gone, and with it the log: SQLite makes what it needs beside the file.
    assert_eq!(database.read_with("SELECT id, note FROM accounts", connections(2)).unwrap().rows(), 60_000);
    // A writer that dies leaves its last commits in the log.
    let writer = database.writer();
    writer
        .execute_batch("PRAGMA wal_autocheckpoint = 0; INSERT INTO accounts VALUES (70000, 0, 'in the log')")
        .unwrap();
    let copy = Database::new("");
    std::fs::copy(&database.path, &copy.path).unwrap();
    let log = |path: &std::path::Path| format!("{}-wal", path.display());
    std::fs::copy(log(&database.path), log(&copy.path)).unwrap();
    assert_eq!(copy.read_with("SELECT id, note FROM accounts", connections(2)).unwrap().rows(), 60_001);
}
