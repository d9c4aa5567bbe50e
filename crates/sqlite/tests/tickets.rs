//! Partitions that travel: read by a ticket, on the state that the plan saw, or refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow_array::RecordBatch;
use bowshot_core::{
    Cancel, Error, ErrorKind, Holder, Lease, Options, Plan, Query, Request, Result, Source, Stream, Ticket,
};
use bowshot_core::{Travel, parse_type};
use bowshot_sqlite::Sqlite;
use common::{Database, connections};

const ROWS: i64 = 60_000;

/// A column without a type, which holds whole numbers at first and others far behind; numbers whose sum is known.
fn database(journal_mode: &str) -> Database {
    Database::new(&format!(
        "PRAGMA journal_mode = {journal_mode};
         CREATE TABLE t (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, any, note TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
         INSERT INTO t SELECT i, 100, CASE WHEN i % 3 = 0 THEN NULL ELSE i END, 'a note of some length ' || i FROM n;"
    ))
}

const QUERY: &str = "SELECT id, balance, any, note FROM t";

fn request(options: Options) -> Request {
    Request::new(Query::new(QUERY), options)
}

fn held(database: &Database, request: &Request) -> (Plan, Holder) {
    let plan = database.plan(request).unwrap();
    let holder = Holder::new(&plan, request, Lease::default(), &Cancel::new()).unwrap();
    (plan, holder)
}

fn join(uri: &str, ticket: &Ticket) -> Result<Vec<RecordBatch>> {
    let ticket = Ticket::from_bytes(&ticket.to_bytes()?)?;
    let plan = Sqlite::from_uri(uri)?.join(&ticket, &Cancel::new())?;
    Stream::start(plan, &ticket.options(), Cancel::new()).collect()
}

fn refused(uri: &str, ticket: &Ticket) -> Error {
    join(uri, ticket).map(|_| ()).unwrap_err()
}

fn rows(schema: &arrow_schema::SchemaRef, batches: &[RecordBatch]) -> RecordBatch {
    arrow_select::concat::concat_batches(schema, batches).unwrap()
}

#[test]
fn partitions_are_what_they_are_in_place() {
    let database = database("DELETE");
    let mut options = connections(3);
    for types in [None, Some(("any", "float64"))] {
        options.types = types.iter().map(|(name, of)| ((*name).to_owned(), parse_type(of).unwrap())).collect();
        let request = request(options.clone());
        let (plan, holder) = held(&database, &request);
        assert!(plan.partitions.len() > 1 && holder.travel() == Travel::Snapshot, "{}", plan.reason);
        let schema = Arc::clone(&plan.schema);
        let tickets = holder.tickets().unwrap();
        let found: Vec<_> = tickets.iter().flat_map(|ticket| join(&database.uri(), ticket).unwrap()).collect();
        let wanted = Stream::start(plan, &options, Cancel::new()).collect::<Result<Vec<_>>>().unwrap();
        assert_eq!(rows(&schema, &found), rows(&schema, &wanted));
    }
}

#[test]
fn one_partition_and_lists_lose_nothing_and_double_nothing() {
    let database = database("DELETE");
    let lists = [
        vec![QUERY],
        vec!["SELECT any FROM t WHERE id < 9", "SELECT any FROM t WHERE id > 59990", "SELECT NULL AS any"],
    ];
    for queries in lists {
        let queries = queries.into_iter().map(Query::new).collect();
        let request = Request { queries, options: connections(1) };
        let (plan, holder) = held(&database, &request);
        let schema = Arc::clone(&plan.schema);
        let tickets = holder.tickets().unwrap();
        let found: Vec<_> = tickets.iter().flat_map(|ticket| join(&database.uri(), ticket).unwrap()).collect();
        let wanted = Stream::start(plan, &request.options, Cancel::new()).collect::<Result<Vec<_>>>().unwrap();
        assert_eq!(rows(&schema, &found), rows(&schema, &wanted));
    }
}

#[test]
fn a_state_that_was_left_is_gone() {
    let database = database("DELETE");
    let (plan, mut holder) = held(&database, &request(connections(2)));
    let tickets = holder.tickets().unwrap();
    // Under the lock, nobody commits.
    let writer = database.writer();
    writer.busy_timeout(Duration::ZERO).unwrap();
    writer.execute_batch("UPDATE t SET balance = 0 WHERE id = 1").unwrap_err();
    holder.close();
    drop((plan, holder));
    // Nobody holds it, and it is still the same.
    assert!(join(&database.uri(), &tickets[0]).is_ok());
    writer.execute_batch("UPDATE t SET balance = 0 WHERE id = 1").unwrap();
    let error = refused(&database.uri(), &tickets[0]);
    assert!(error.kind() == ErrorKind::SnapshotGone && error.message().contains("test.db"), "{error}");
    writer.execute_batch("UPDATE t SET balance = 100 WHERE id = 1").unwrap();
    assert_eq!(refused(&database.uri(), &tickets[0]).kind(), ErrorKind::SnapshotGone);
    let copy = database.folder.path().join("copy.db");
    std::fs::copy(&database.path, &copy).unwrap();
    assert_eq!(refused(&format!("sqlite:///{}", copy.display()), &tickets[0]).kind(), ErrorKind::SnapshotGone);
    writer.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    assert_eq!(refused(&database.uri(), &tickets[0]).kind(), ErrorKind::SnapshotGone);
}

#[test]
fn damaged_states_are_errors() {
    let database = database("DELETE");
    let (_plan, holder) = held(&database, &request(connections(2)));
    let ticket = holder.tickets().unwrap().pop().unwrap();
    let bytes = ticket.to_bytes().unwrap();
    let body = &bytes[..bytes.len() - 8];
    for place in (8..body.len()).step_by(3) {
        for value in [0, 1, 0x7f, 0xff] {
            let mut forged = body.to_vec();
            forged[place] = value;
            // With a right check sum: rows or an error, never a panic.
            if let Ok(forged) = bowshot_core::testing::ticket_of(&forged) {
                let _ = join(&database.uri(), &forged);
            }
        }
    }
    assert!(join(&database.uri(), &ticket).is_ok());
}

#[test]
fn a_lease_that_ends_lets_writers_go_on() {
    let database = database("DELETE");
    let request = request(connections(2));
    let plan = database.plan(&request).unwrap();
    let holder = Holder::new(&plan, &request, Lease(Duration::from_millis(50)), &Cancel::new()).unwrap();
    let ticket = holder.ticket(0).unwrap();
    while holder.is_alive() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(holder.ticket(0).unwrap_err().kind(), ErrorKind::SnapshotGone);
    drop((plan, holder));
    database.writer().execute_batch("DELETE FROM t").unwrap();
    assert_eq!(refused(&database.uri(), &ticket).kind(), ErrorKind::SnapshotGone);
}

#[test]
fn sums_stay_while_others_write() {
    let database = database("DELETE");
    let stop = Arc::new(AtomicBool::new(false));
    let writer = database.writer();
    writer.busy_timeout(Duration::ZERO).unwrap();
    let thread = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            let mut commits = 0;
            for step in 1.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let (from, to) = (1 + step * 7919 % ROWS, 1 + step * 104_729 % ROWS);
                let moved = writer.execute_batch(&format!(
                    "BEGIN IMMEDIATE; UPDATE t SET balance = balance - 7 WHERE id = {from};
                     UPDATE t SET balance = balance + 7 WHERE id = {to}; COMMIT;"
                ));
                match moved {
                    Ok(()) => commits += 1,
                    // A reader has the lock.
                    Err(_) if writer.is_autocommit() => {}
                    Err(_) => writer.execute_batch("ROLLBACK").unwrap(),
                }
                std::thread::sleep(Duration::from_millis(3));
            }
            commits
        }
    });
    let request = request(connections(2));
    let (mut whole, mut left) = (0, 0);
    while whole < 5 || left < 1 {
        let (plan, holder) = held(&database, &request);
        let tickets = holder.tickets().unwrap();
        assert!(tickets.len() > 1);
        let sum = |ticket: &Ticket| -> Result<i64> {
            let batches = join(&database.uri(), ticket)?;
            let column = |batch: &RecordBatch| {
                let column =
                    arrow_array::cast::AsArray::as_primitive::<arrow_array::types::Int64Type>(batch.column(1)).clone();
                column.values().iter().sum::<i64>()
            };
            Ok(batches.iter().map(column).sum())
        };
        let total: i64 = tickets.iter().map(|ticket| sum(ticket).unwrap()).sum();
        assert_eq!(total, ROWS * 100);
        whole += 1;
        drop((plan, holder));
        std::thread::sleep(Duration::from_millis(100));
        // Otherwise the writer has not come yet.
        if let Err(error) = sum(&tickets[0]) {
            assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{error}");
            left += 1;
        }
    }
    stop.store(true, Ordering::Relaxed);
    assert!(thread.join().unwrap() > 0);
}

#[test]
fn a_log_says_why_not_and_immutable_files_travel() {
    let log = database("WAL");
    let of = request(connections(2));
    let plan = log.plan(&of).unwrap();
    let error = Holder::new(&plan, &of, Lease::default(), &Cancel::new()).map(|_| ()).unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.message().contains("WAL"), "{error}");
    let torn = request(Options { one_snapshot: false, ..connections(2) });
    let (_plan, holder) = held(&log, &torn);
    assert_eq!(holder.travel(), Travel::Torn);
    let count: usize = holder
        .tickets()
        .unwrap()
        .iter()
        .flat_map(|ticket| join(&log.uri(), ticket).unwrap())
        .map(|batch| batch.num_rows())
        .sum();
    assert_eq!(count, 60_000);
    let one = request(connections(1));
    assert_eq!(held(&log, &one).1.travel(), Travel::Whole);

    let file = database("DELETE");
    let uri = format!("{}?immutable=1", file.uri());
    let plan = Sqlite::from_uri(&uri).unwrap().plan(&of, &Cancel::new()).unwrap();
    let ticket = Holder::new(&plan, &of, Lease::default(), &Cancel::new()).unwrap().ticket(0).unwrap();
    assert!(join(&uri, &ticket).is_ok());
    file.writer().execute_batch("DELETE FROM t WHERE id = 1").unwrap();
    assert_eq!(refused(&uri, &ticket).kind(), ErrorKind::SnapshotGone);

    let other = Database::new("CREATE TABLE x (a INTEGER)");
    let before = vec![format!("ATTACH '{}' AS other", other.path.display())];
    let attached = request(Options { before, ..connections(2) });
    assert_eq!(held(&file, &attached).1.travel(), Travel::Whole);
}
