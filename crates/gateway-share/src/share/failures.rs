//! What goes wrong reaches every part.

use std::sync::atomic::Ordering;
use std::thread;

use super::*;
use crate::testing::{Fault, Query, ROWS, read, rows_of, stream, wait_until};

fn shared(query: &Query, count: usize, cancel: &Cancel) -> Vec<Plan> {
    share(query.plan(), &Options::default(), count, &ShareLimits::default(), cancel.clone()).unwrap()
}

/// Whether the database works for nobody: its connection was closed, which one that is silent is only after a cancel.
fn has_ended(query: &Query) -> bool {
    query.seen.connections.load(Ordering::SeqCst) == 1 && query.seen.open.load(Ordering::SeqCst) == 0
}

#[test]
fn an_error_of_the_source_reaches_every_part_with_its_words() {
    let query = Query::of(5).then(Fault::Error);
    let mut parts = shared(&query, 4, &Cancel::new());
    let late = parts.pop().unwrap();
    let errors: Vec<Error> = thread::scope(|scope| {
        let reading: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| read(part).unwrap_err())).collect();
        reading.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for error in errors.into_iter().chain([read(late).unwrap_err()]) {
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("22012")));
        assert_eq!(error.message(), "division by zero");
    }
    assert_eq!(query.seen.connections.load(Ordering::SeqCst), 1);
}

#[test]
fn a_source_that_panics_is_an_error_for_every_part() {
    let query = Query::of(2).then(Fault::Panic);
    for part in shared(&query, 2, &Cancel::new()) {
        assert_eq!(read(part).unwrap_err().kind(), ErrorKind::Internal);
    }
}

#[test]
fn a_cancel_ends_all_parts_and_the_query() {
    let query = Query::of(2).then(Fault::Silence);
    let cancel = Cancel::new();
    let mut parts = shared(&query, 4, &cancel);
    let late = parts.pop().unwrap();
    thread::scope(|scope| {
        let reading: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| read(part).unwrap_err())).collect();
        wait_until("both batches", || query.seen.produced.load(Ordering::SeqCst) == 2);
        cancel.cancel();
        for thread in reading {
            assert_eq!(thread.join().unwrap().kind(), ErrorKind::Cancelled);
        }
    });
    assert_eq!(read(late).unwrap_err().kind(), ErrorKind::Cancelled);
    wait_until("the end of the query", || has_ended(&query));
    let error = share(query.plan(), &Options::default(), 2, &ShareLimits::default(), cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn a_cancel_before_the_first_part_is_opened_executes_nothing() {
    let query = Query::of(2);
    let cancel = Cancel::new();
    let parts = shared(&query, 2, &cancel);
    cancel.cancel();
    for part in parts {
        assert_eq!(read(part).unwrap_err().kind(), ErrorKind::Cancelled);
    }
    assert_eq!(query.seen.connections.load(Ordering::SeqCst), 0);
}

#[test]
fn a_part_that_is_dropped_with_rows_ends_the_others_with_the_reason() {
    let query = Query::of(2).then(Fault::Silence);
    let mut parts = shared(&query, 3, &Cancel::new());
    let (late, other) = (parts.pop().unwrap(), parts.pop().unwrap());
    let mut lost = stream(parts.pop().unwrap());
    assert_eq!(rows_of(&lost.next().unwrap().unwrap()).len(), ROWS);
    thread::scope(|scope| {
        let other = scope.spawn(|| read(other).unwrap_err());
        drop(lost);
        for error in [other.join().unwrap(), read(late).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::ConnectionLost);
            assert!(error.to_string().contains("part 0 of the 3 parts of this result was given up"), "{error}");
            assert!(error.hint().is_some());
        }
    });
    wait_until("the end of the query", || has_ended(&query));
}

#[test]
fn a_part_that_is_dropped_after_all_was_produced_still_ends_the_others() {
    let query = Query::of(20);
    let cancel = Cancel::new();
    let parts = shared(&query, 2, &cancel);
    let mut connections: Vec<_> = parts.iter().map(|part| part.scan.connect(&cancel).unwrap()).collect();
    let [lost, other] = connections.as_mut_slice() else { panic!("two parts") };
    let (mut lost, mut other) = (lost.open(0).unwrap(), other.open(0).unwrap());
    lost.next().unwrap();
    wait_until("all batches", || query.seen.open.load(Ordering::SeqCst) == 0);
    drop(lost);
    assert_eq!(other.next().unwrap_err().kind(), ErrorKind::ConnectionLost);
}

#[test]
fn a_part_that_is_dropped_before_it_was_given_a_row_costs_nobody_anything() {
    let query = Query::of(5);
    let cancel = Cancel::new();
    let mut parts = shared(&query, 2, &cancel);
    let other = parts.pop().unwrap();
    drop(parts.first().unwrap().scan.connect(&cancel).unwrap().open(0).unwrap());
    assert_eq!(read(other).unwrap().len(), 5 * ROWS);
}

#[test]
fn a_part_that_has_come_to_its_end_may_go() {
    let query = Query::of(5);
    let mut parts = shared(&query, 2, &Cancel::new());
    let late = parts.pop().unwrap();
    assert_eq!(read(parts.pop().unwrap()).unwrap().len(), 5 * ROWS);
    assert!(read(late).unwrap().is_empty());
    assert!(!query.seen.interrupted.load(Ordering::SeqCst));
}

#[test]
fn the_query_ends_when_the_last_part_is_dropped() {
    let query = Query::of(0).then(Fault::Silence);
    let cancel = Cancel::new();
    let parts = shared(&query, 2, &cancel);
    drop(parts.first().unwrap().scan.connect(&cancel).unwrap().open(0).unwrap());
    wait_until("the beginning of the query", || query.seen.connections.load(Ordering::SeqCst) == 1);
    assert!(!has_ended(&query), "the other part may still be read");
    drop(parts);
    wait_until("the end of the query", || has_ended(&query));
    assert!(!cancel.is_cancelled(), "the caller's cancel is the caller's");
}

#[test]
fn a_reader_that_waits_ends_when_it_alone_is_cancelled() {
    let query = Query::of(0).then(Fault::Silence);
    let mut parts = shared(&query, 2, &Cancel::new());
    let own = Cancel::new();
    let part = parts.pop().unwrap();
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut connection = part.scan.connect(&own).unwrap();
            connection.open(0).unwrap().next().unwrap_err()
        });
        wait_until("the beginning of the query", || query.seen.connections.load(Ordering::SeqCst) == 1);
        own.cancel();
        assert_eq!(reading.join().unwrap().kind(), ErrorKind::Cancelled);
    });
    assert!(!has_ended(&query), "it had no rows, and the other part may have them all");
}
