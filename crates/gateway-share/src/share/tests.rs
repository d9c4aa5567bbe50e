use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use super::*;
use crate::testing::{Query, ROWS, read, rows_of, stream, wait_until};

fn shared(query: &Query, count: usize) -> Vec<Plan> {
    share(query.plan(), &Options::default(), count, &ShareLimits::default(), Cancel::new()).unwrap()
}

#[test]
fn the_query_begins_with_the_first_part_and_is_executed_once() {
    let query = Query::of(20);
    let mut parts = shared(&query, 4);
    assert_eq!(parts.len(), 4);
    assert_eq!(query.seen.connections.load(Ordering::SeqCst), 0, "nobody has opened a part");
    let rows: Vec<i64> = parts.drain(..).flat_map(|part| read(part).unwrap()).collect();
    assert_eq!(rows.into_iter().collect::<BTreeSet<_>>(), query.rows());
    assert_eq!(query.seen.connections.load(Ordering::SeqCst), 1);
    assert_eq!(query.seen.produced.load(Ordering::SeqCst), 20);
}

#[test]
fn a_client_that_reads_one_part_after_the_other_finds_everything_in_the_first_in_order() {
    let query = Query::of(30);
    let read: Vec<Vec<i64>> = shared(&query, 3).into_iter().map(|part| read(part).unwrap()).collect();
    assert_eq!(read, [(0..3000).collect(), Vec::new(), Vec::new()]);
}

#[test]
fn a_client_that_opens_all_parts_and_drains_them_in_order_is_never_stuck() {
    let query = Query::of(200);
    // No disk, and memory for two batches: what waits must go to the one part that is drained.
    let limits = ShareLimits { memory_bytes: 2 * 8 * ROWS, spill_bytes: 0, ..ShareLimits::default() };
    let parts = share(query.plan(), &Options::default(), 5, &limits, Cancel::new()).unwrap();
    let open: Vec<_> = parts.into_iter().map(stream).collect();
    let mut rows = BTreeSet::new();
    for part in open {
        for batch in part {
            assert!(rows_of(&batch.unwrap()).into_iter().all(|row| rows.insert(row)), "a row twice");
        }
    }
    assert_eq!(rows, query.rows());
}

#[test]
fn batches_go_to_the_part_that_asks() {
    let query = Query::of(50);
    let cancel = Cancel::new();
    let parts = shared(&query, 2);
    let mut connections: Vec<_> = parts.iter().map(|part| part.scan.connect(&cancel).unwrap()).collect();
    let [slow, quick] = connections.as_mut_slice() else { panic!("two parts") };
    let (mut slow, mut quick) = (slow.open(0).unwrap(), quick.open(0).unwrap());
    assert_eq!(rows_of(&slow.next().unwrap().unwrap()).first(), Some(&0));
    for batch in 1..50 {
        assert_eq!(rows_of(&quick.next().unwrap().unwrap()).first(), Some(&(batch * 100)));
    }
    assert!(quick.next().unwrap().is_none() && quick.next().unwrap().is_none());
    assert!(slow.next().unwrap().is_none());
}

#[test]
fn parts_that_are_read_at_the_same_pace_get_the_same_share() {
    let query = Query::of(400);
    let parts = shared(&query, 4);
    let gate = std::sync::Barrier::new(4);
    let read: usize = std::thread::scope(|scope| {
        let reading = parts.into_iter().map(|part| {
            let gate = &gate;
            scope.spawn(move || {
                let mut part = stream(part);
                // Each takes one batch for every one that the others take; a few wait in the streams of the others.
                for _ in 0..90 {
                    part.next().unwrap().unwrap();
                    gate.wait();
                }
                90 + part.map(Result::unwrap).count()
            })
        });
        let reading: Vec<_> = reading.collect();
        reading.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(read, 400);
}

#[test]
fn parts_that_nobody_opens_have_no_rows_to_miss() {
    let query = Query::of(10);
    let mut parts = shared(&query, 3);
    drop(parts.pop());
    assert_eq!(read(parts.pop().unwrap()).unwrap().len(), 10 * ROWS);
    drop(parts);
    assert!(!query.seen.interrupted.load(Ordering::SeqCst));
}

#[test]
fn what_nobody_opens_is_never_executed() {
    let query = Query::of(10);
    drop(shared(&query, 3));
    assert_eq!(query.seen.connections.load(Ordering::SeqCst), 0);
    assert_eq!(std::sync::Arc::strong_count(&query.seen), 1, "the plan is gone, and with it its snapshot");
}

#[test]
fn the_connection_is_let_go_when_the_last_batch_was_produced() {
    let query = Query::of(10);
    let parts = shared(&query, 2);
    let cancel = Cancel::new();
    let mut connection = parts.first().unwrap().scan.connect(&cancel).unwrap();
    let mut reader = connection.open(0).unwrap();
    wait_until("the end of the query", || {
        query.seen.produced.load(Ordering::SeqCst) == 10 && query.seen.open.load(Ordering::SeqCst) == 0
    });
    let mut batches = 0;
    while reader.next().unwrap().is_some() {
        batches += 1;
    }
    assert_eq!(batches, 10);
}

#[test]
fn a_part_is_read_once() {
    let query = Query::of(1);
    let parts = shared(&query, 1);
    let scan = &parts.first().unwrap().scan;
    let cancel = Cancel::new();
    let mut connection = scan.connect(&cancel).unwrap();
    drop(connection.open(0).unwrap());
    let error = connection.open(0).err().unwrap();
    assert!(error.kind() == ErrorKind::Config && error.hint().is_some(), "{error}");
    assert_eq!(scan.connect(&cancel).unwrap().open(1).err().unwrap().kind(), ErrorKind::Internal);
}

#[test]
fn a_plan_says_what_it_is_part_of() {
    let parts = shared(&Query::of(1), 0);
    assert_eq!(parts.len(), 1, "none is one");
    let plan = &parts.first().unwrap();
    assert_eq!(plan.partitions.first().unwrap().label, "part 0 of 1, dealt as it is read");
    assert_eq!(plan.snapshot.as_deref(), Some("a test"));
    assert!(plan.to_string().contains("the query is executed once, for 1 reader: a test says so"), "{plan}");
}

#[test]
fn a_spill_folder_that_is_none_is_known_at_once() {
    let limits = ShareLimits { spill_folder: "/no/such/folder".into(), ..ShareLimits::default() };
    let shared = |limits: &ShareLimits| share(Query::of(1).plan(), &Options::default(), 2, limits, Cancel::new());
    let error = shared(&limits).unwrap_err();
    assert!(error.kind() == ErrorKind::Config && error.to_string().contains("/no/such/folder"), "{error}");
    assert!(shared(&ShareLimits { spill_bytes: 0, ..limits }).is_ok());
}
