//! What waits is bounded, in memory and on disk.

use std::sync::atomic::Ordering;

use super::*;
use crate::encode::encode;
use crate::testing::{Query, ROWS, rows_of, wait_until};

/// Bytes of a batch in memory.
const BATCH: usize = 8 * ROWS;
/// Batches that are on their way: read from the database, waiting in the stream, looking for a place.
const UNDER_WAY: usize = 3;

/// Bytes of the longest batch, in memory or spilled; the shortest is no shorter than a third of it.
fn largest(query: &Query) -> u64 {
    let plan = Query::of(query.batches).plan();
    let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
    let mut reader = connection.open(0).unwrap();
    let batches = std::iter::from_fn(|| reader.next().unwrap());
    let lengths: Vec<usize> = batches.map(|batch| encode(&batch).unwrap().len()).collect();
    let (shortest, longest) = (*lengths.iter().min().unwrap(), BATCH.max(*lengths.iter().max().unwrap()));
    assert!(3 * shortest >= longest, "{shortest} to {longest}");
    u64::try_from(longest).unwrap()
}

/// A result of one part, which is read a batch at a time; the check is told how many batches nobody was given yet.
fn read_slowly(query: &Query, limits: &ShareLimits, check: impl Fn(usize, usize)) {
    let cancel = Cancel::new();
    let parts = share(query.plan(), &Options::default(), 1, limits, cancel.clone()).unwrap();
    let mut connection = parts.first().unwrap().scan.connect(&cancel).unwrap();
    let mut reader = connection.open(0).unwrap();
    let (mut given, mut rows) = (0, Vec::new());
    loop {
        check(given, query.seen.produced.load(Ordering::SeqCst).saturating_sub(given));
        let Some(batch) = reader.next().unwrap() else { break };
        given += 1;
        rows.extend(rows_of(&batch));
    }
    assert_eq!(rows, query.rows().into_iter().collect::<Vec<_>>(), "one part has the order of the result");
}

#[test]
fn without_a_disk_the_query_waits_for_its_readers() {
    let query = Query::of(300);
    let limits = ShareLimits { memory_bytes: 10 * BATCH, spill_bytes: 0, ..ShareLimits::default() };
    read_slowly(&query, &limits, |given, waiting| {
        assert!(waiting <= 10 + UNDER_WAY, "{waiting} batches wait");
        if given == 100 {
            wait_until("the memory to be full", || query.seen.produced.load(Ordering::SeqCst) >= given + 10);
        }
    });
}

#[test]
fn a_batch_that_is_larger_than_the_memory_passes_alone() {
    let query = Query::of(20);
    let limits = ShareLimits { memory_bytes: 0, spill_bytes: 0, ..ShareLimits::default() };
    read_slowly(&query, &limits, |_, waiting| assert!(waiting <= 1 + UNDER_WAY, "{waiting} batches wait"));
}

#[test]
fn the_database_is_let_go_although_its_reader_is_slow_and_the_folder_stays_clean() {
    let folder = tempfile::tempdir().unwrap();
    let query = Query::of(300);
    let limits = ShareLimits { memory_bytes: 10 * BATCH, spill_bytes: 1 << 20, spill_folder: folder.path().to_owned() };
    read_slowly(&query, &limits, |given, _| {
        if given == 1 {
            wait_until("the end of the query", || {
                query.seen.produced.load(Ordering::SeqCst) == 300 && query.seen.open.load(Ordering::SeqCst) == 0
            });
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    });
}

#[test]
fn beyond_memory_and_disk_the_query_waits_and_the_disk_is_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let query = Query::of(400);
    let limits = ShareLimits {
        memory_bytes: 5 * BATCH,
        spill_bytes: 20 * largest(&query),
        spill_folder: folder.path().to_owned(),
    };
    let most = 5 + 20 * 3 + UNDER_WAY;
    read_slowly(&query, &limits, |given, waiting| {
        assert!(waiting <= most, "{waiting} batches wait");
        // The second time, what was spilled first has been read.
        if given == 1 || given == 200 {
            wait_until("both to be full", || query.seen.produced.load(Ordering::SeqCst) >= given + 22);
        }
    });
}

#[test]
fn several_partitions_are_read_ahead_within_the_same_bound() {
    let numbers = bowshot_core::testing::Numbers { partitions: 4, rows: 1000 };
    let request = bowshot_core::Request::new(bowshot_core::Query::new("numbers"), Options::default());
    let plan = bowshot_core::Source::plan(&numbers, &request, &Cancel::new()).unwrap();
    let options = Options { connections: Some(4), ..Options::default() };
    let limits = ShareLimits { memory_bytes: 1000, spill_bytes: 0, ..ShareLimits::default() };
    let parts = share(plan, &options, 2, &limits, Cancel::new()).unwrap();
    let rows: Vec<i64> = parts.into_iter().flat_map(|part| crate::testing::read(part).unwrap()).collect();
    assert_eq!(rows, (0..4000).collect::<Vec<_>>());
}
