//! Where the time of a read went, as Python's plain values: `bowshot/profile/` makes its classes of them.

use std::time::Duration;

use bowshot_core::{Outcome, PartitionProfile, Site, States};
use pyo3::prelude::*;

/// Seconds in each state: connecting, server, decoding, waiting, starved.
type Seconds = (f64, f64, f64, f64, f64);

/// A whole profile, as a dictionary.
#[derive(IntoPyObject)]
pub(crate) struct Profile {
    outcome: &'static str,
    site: &'static str,
    total: f64,
    planned: usize,
    connections: Vec<Connection>,
    partitions: Vec<Partition>,
    consumer: Consumer,
}

#[derive(IntoPyObject)]
struct Connection {
    index: usize,
    start: f64,
    opened: Option<f64>,
    end: f64,
    failed: bool,
}

#[derive(IntoPyObject)]
struct Partition {
    index: usize,
    last: usize,
    count: usize,
    label: String,
    connection: usize,
    start: f64,
    claimed: f64,
    opened: Option<f64>,
    first_batch: Option<f64>,
    end: f64,
    complete: bool,
    states: Seconds,
    batches: u64,
    rows: u64,
    bytes: u64,
    /// From, to, states.
    stretches: Vec<(f64, f64, Seconds)>,
}

#[derive(IntoPyObject)]
struct Consumer {
    waiting: f64,
    working: f64,
    first_batch: Option<f64>,
    batches: u64,
    rows: u64,
    bytes: u64,
    /// From, to, waiting, working.
    stretches: Vec<(f64, f64, f64, f64)>,
}

fn seconds(states: States) -> Seconds {
    let States { connecting, server, decoding, waiting, starved } = states;
    let [connecting, server, decoding, waiting, starved] =
        [connecting, server, decoding, waiting, starved].map(|time| time.as_secs_f64());
    (connecting, server, decoding, waiting, starved)
}

fn at(instant: Option<Duration>) -> Option<f64> {
    instant.map(|instant| instant.as_secs_f64())
}

impl From<bowshot_core::Profile> for Profile {
    fn from(profile: bowshot_core::Profile) -> Self {
        let bowshot_core::Profile { outcome, site, total, connections, partitions, planned, consumer } = profile;
        Profile {
            outcome: match outcome {
                Outcome::Running => "running",
                Outcome::Complete => "complete",
                Outcome::Failed => "failed",
                Outcome::Stopped => "stopped",
            },
            site: match site {
                Site::Server => "server",
                Site::Files => "files",
                Site::Here => "here",
                Site::Driver => "driver",
            },
            total: total.as_secs_f64(),
            planned,
            connections: connections.into_iter().map(Connection::from).collect(),
            partitions: partitions.into_iter().map(Partition::from).collect(),
            consumer: consumer.into(),
        }
    }
}

impl From<bowshot_core::ConnectionProfile> for Connection {
    fn from(connection: bowshot_core::ConnectionProfile) -> Self {
        Connection {
            index: connection.index,
            start: connection.start.as_secs_f64(),
            opened: at(connection.opened),
            end: connection.end.as_secs_f64(),
            failed: connection.failed,
        }
    }
}

impl From<PartitionProfile> for Partition {
    fn from(partition: PartitionProfile) -> Self {
        let stretches = partition.stretches.iter();
        Partition {
            stretches: stretches
                .map(|stretch| (stretch.start.as_secs_f64(), stretch.end.as_secs_f64(), seconds(stretch.states)))
                .collect(),
            index: partition.index,
            last: partition.last,
            count: partition.count,
            label: partition.label,
            connection: partition.connection,
            start: partition.start.as_secs_f64(),
            claimed: partition.claimed.as_secs_f64(),
            opened: at(partition.opened),
            first_batch: at(partition.first_batch),
            end: partition.end.as_secs_f64(),
            complete: partition.complete,
            states: seconds(partition.states),
            batches: partition.batches,
            rows: partition.rows,
            bytes: partition.bytes,
        }
    }
}

impl From<bowshot_core::ConsumerProfile> for Consumer {
    fn from(consumer: bowshot_core::ConsumerProfile) -> Self {
        let stretches = consumer.stretches.iter().map(|stretch| {
            let (start, end) = (stretch.start.as_secs_f64(), stretch.end.as_secs_f64());
            (start, end, stretch.waiting.as_secs_f64(), stretch.working.as_secs_f64())
        });
        Consumer {
            stretches: stretches.collect(),
            waiting: consumer.waiting.as_secs_f64(),
            working: consumer.working.as_secs_f64(),
            first_batch: at(consumer.first_batch),
            batches: consumer.batches,
            rows: consumer.rows,
            bytes: consumer.bytes,
        }
    }
}
