//! The same rows in the same order as the plain query, however it is split; and why it is or is not.

mod columns;
mod joins;
mod lists;
mod names;
mod pages;
mod partitioned;
mod results;
mod rights;
mod strangers;
mod tables;
mod volatile;

use std::sync::LazyLock;

use bowshot_core::Options;

use crate::reading::{Database, Read, over, read};

/// Ten rows of `big` take about a page: 20,000 rows, 20 MB.
static DATA: LazyLock<Database> = LazyLock::new(|| Database::make("splitting", include_str!("splitting/data.sql")));

/// The rows as `psql` reads them, over one connection.
fn plain(sql: &str) -> Vec<String> {
    let rows = DATA.psql(sql);
    if rows.is_empty() { Vec::new() } else { rows.split('\n').map(str::to_owned).collect() }
}

#[track_caller]
fn read_by(options: &Options, sql: &str) -> Read {
    read(&DATA.uri(), sql, options).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[track_caller]
fn same(sql: &str, read: &Read, expected: &[String]) {
    let rows = read.rows();
    let differs = rows.iter().zip(expected).position(|(ours, theirs)| ours != theirs);
    assert_eq!(rows.len(), expected.len(), "{sql}: {}; first difference {differs:?}", read.reason);
    if let Some(row) = differs {
        panic!("{sql}: row {row} is {:?}, and {:?} in psql", rows[row], expected[row]);
    }
}

/// Split by itself, with the rows of the plain query in their order.
#[track_caller]
fn splits(sql: &str) -> Read {
    let read = read_by(&over(4), sql);
    assert!(read.partitions > 1, "{sql}: {}", read.reason);
    assert!(read.reason.contains("can be read in ranges"), "{sql}: {}", read.reason);
    assert!(read.snapshot.is_some());
    same(sql, &read, &plain(sql));
    same(sql, &read_by(&over(1), sql), &plain(sql));
    read
}

/// Split by itself, with the rows of the plain query in an order of its own.
#[track_caller]
fn splits_in_any_order(sql: &str) -> Read {
    let read = read_by(&over(4), sql);
    assert!(read.partitions > 1, "{sql}: {}", read.reason);
    let (mut ours, mut theirs) = (read.rows(), plain(sql));
    ours.sort_unstable();
    theirs.sort_unstable();
    assert!(ours == theirs, "{sql}: {} rows, and {} in psql", ours.len(), theirs.len());
    read
}

/// Not split, and why, with the rows of the plain query in their order.
#[track_caller]
fn stays_whole(sql: &str, reason: &str) {
    same(sql, &unsplit(sql, reason), &plain(sql));
}

/// Not split, and why.
#[track_caller]
fn unsplit(sql: &str, reason: &str) -> Read {
    let read = read_by(&over(4), sql);
    assert_eq!(read.partitions, 1, "{sql}: {}", read.reason);
    assert!(read.reason.contains(reason), "{sql}: {:?} does not say {reason:?}", read.reason);
    read
}
