use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// A database with one number in it, and a writer that counts it up: in bursts, so that there are moments between.
fn counted(journal_mode: &str) -> (tempfile::TempDir, Location, rusqlite::Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer
        .execute_batch(&format!(
            "PRAGMA journal_mode = {journal_mode}; PRAGMA synchronous = OFF; CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (0);"
        ))
        .unwrap();
    writer.busy_timeout(Duration::from_secs(30)).unwrap();
    let location = Location::parse(&path.display().to_string()).unwrap();
    (folder, location, writer)
}

fn all_see_the_same(journal_mode: &str) {
    let (_folder, location, writer) = counted(journal_mode);
    let stop = Arc::new(AtomicBool::new(false));
    let thread = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            while !stop.load(Ordering::Relaxed) {
                for _ in 0..20 {
                    writer.execute_batch("UPDATE t SET n = n + 1").unwrap();
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    });
    let (mut shared, mut last, mut changes) = (0, Value::Null, 0);
    for _ in 0..150 {
        let snapshot = open(&location, &[], 8, &Cancel::new()).unwrap();
        let seen: Vec<Value> =
            snapshot.databases.iter().map(|database| database.scalar("SELECT n FROM t", &[]).unwrap()).collect();
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{journal_mode}: {seen:?}");
        shared += u32::from(seen.len() == 8);
        changes += u32::from(seen[0] != last);
        last = seen[0].clone();
    }
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    assert!(shared > 10, "{journal_mode}: only {shared} snapshots were shared");
    assert!(changes > 10, "{journal_mode}: the writer hardly wrote");
}

#[test]
fn connections_agree_in_wal_mode() {
    all_see_the_same("WAL");
}

#[test]
fn connections_agree_with_a_rollback_journal() {
    all_see_the_same("DELETE");
}

#[test]
fn a_commit_between_two_begins_is_noticed() {
    let (_folder, location, writer) = counted("WAL");
    let connect = || connect(&location, &[], &Cancel::new()).unwrap();
    let (monitor, first, second) = (connect(), connect(), connect());
    let version = || monitor.scalar("PRAGMA data_version", &[]).unwrap();
    let before = version();
    begin(&first).unwrap();
    assert_eq!(before, version(), "nobody committed");
    writer.execute_batch("UPDATE t SET n = 1").unwrap();
    begin(&second).unwrap();
    let seen = |database: &Database| database.scalar("SELECT n FROM t", &[]).unwrap();
    assert_ne!(seen(&first), seen(&second));
    assert_ne!(before, version(), "the monitor missed a commit");
}

#[test]
fn a_busy_writer_leaves_one_connection() {
    // Nobody can commit while the first connection has begun, and with a rollback journal a writer that waits for that
    // lets no second one begin.
    let (_folder, location, writer) = counted("DELETE");
    let reader = connect(&location, &[], &Cancel::new()).unwrap();
    begin(&reader).unwrap();
    writer.busy_timeout(Duration::ZERO).unwrap();
    writer.execute_batch("BEGIN; UPDATE t SET n = 5").unwrap();
    assert!(writer.execute_batch("COMMIT").is_err(), "the reader's lock did not hold");
    let impatient = Location { timeout: Duration::from_millis(50), ..location };
    let error = open(&impatient, &[], 2, &Cancel::new()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    drop(reader);
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(open(&impatient, &[], 2, &Cancel::new()).unwrap().databases.len(), 2);
}
