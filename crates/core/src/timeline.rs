//! Keeps the times of a read while it goes on, in bounded memory: a few clock readings a batch, none a row.

mod clock;
mod consumer;
mod log;
mod stretches;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::{Outcome, Partition, Profile, Site};
use consumer::Consumer;
pub(crate) use log::Logging;
use log::{Bounds, Log};

/// The times of a read, from any thread, while it goes on and after its end. Clones share them.
#[derive(Clone)]
pub struct Timeline(Arc<Shared>);

struct Shared {
    start: Instant,
    site: Site,
    partitions: Vec<Partition>,
    /// One a worker, which is alone with it but for those who look.
    logs: Vec<Mutex<Log>>,
    consumer: Mutex<Consumer>,
}

impl Timeline {
    /// For a read that starts now.
    pub(crate) fn start(partitions: Vec<Partition>, site: Site, workers: usize) -> Self {
        let start = Instant::now();
        let bounds = Bounds::new(partitions.len(), workers);
        let logs = (0..workers).map(|_| Mutex::new(Log::new(start, bounds))).collect();
        Timeline(Arc::new(Shared { start, site, partitions, logs, consumer: Mutex::new(Consumer::new(start)) }))
    }

    /// The log of worker `index`, for its own thread.
    pub(crate) fn log(&self, index: usize) -> Option<Logging<'_>> {
        self.0.logs.get(index).map(Logging::new)
    }

    /// The consumer asks for a batch.
    pub(crate) fn asked(&self, now: Instant) {
        self.0.consumer.lock().asked(now);
    }

    /// The consumer was given a batch.
    pub(crate) fn given(&self, rows: u64, bytes: u64) {
        self.0.consumer.lock().given(Instant::now(), rows, bytes);
    }

    /// The read is over; the first word on that stays.
    pub(crate) fn ended(&self, outcome: Outcome) {
        self.0.consumer.lock().ended(Instant::now(), outcome);
    }

    /// Where the time went so far.
    pub fn profile(&self) -> Profile {
        let Shared { start, site, partitions: planned, logs, consumer } = self.0.as_ref();
        let since = |instant: Instant| -> Duration { instant.saturating_duration_since(*start) };
        let (mut connections, mut partitions) = (Vec::new(), Vec::new());
        for (index, log) in logs.iter().enumerate() {
            // A copy, so that the worker is not held up by what is made of it.
            let log = log.lock().so_far(Instant::now());
            connections.extend(log.connection(index, since));
            partitions.extend(log.partitions(index, planned, since));
        }
        partitions.sort_by_key(|partition| partition.index);
        let (outcome, total, consumer) = consumer.lock().profile(Instant::now(), since);
        Profile { outcome, site: *site, total, connections, partitions, planned: planned.len(), consumer }
    }
}

#[cfg(test)]
mod tests;
