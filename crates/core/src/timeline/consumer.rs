//! What the consumer did.

use std::time::{Duration, Instant};

use super::stretches::Spans;
use crate::{ConsumerProfile, ConsumerStretch, Outcome};

/// Stretches of the consumer.
const MOST: usize = 512;

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    waiting: Duration,
    working: Duration,
}

impl std::ops::AddAssign for Times {
    fn add_assign(&mut self, other: Self) {
        self.waiting += other.waiting;
        self.working += other.working;
    }
}

/// What the consumer did, and does.
#[derive(Clone, Debug)]
pub(super) struct Consumer {
    outcome: Outcome,
    /// Until when everything is noted.
    since: Instant,
    /// Whether it waits for a batch.
    asks: bool,
    first_batch: Option<Instant>,
    batches: u64,
    rows: u64,
    bytes: u64,
    spans: Spans<Times>,
}

impl Consumer {
    pub(super) fn new(start: Instant) -> Self {
        Consumer {
            outcome: Outcome::Running,
            since: start,
            asks: false,
            first_batch: None,
            batches: 0,
            rows: 0,
            bytes: 0,
            spans: Spans::new(start, MOST),
        }
    }

    fn until(&mut self, now: Instant) {
        if self.outcome != Outcome::Running {
            return;
        }
        let passed = now.saturating_duration_since(self.since);
        self.since = now;
        let times = if self.asks {
            Times { waiting: passed, ..Times::default() }
        } else {
            Times { working: passed, ..Times::default() }
        };
        self.spans.add(now, times);
    }

    /// A consumer that gave up waiting for a moment and asks again has waited all the time.
    pub(super) fn asked(&mut self, now: Instant) {
        if !self.asks {
            self.until(now);
            self.asks = true;
        }
    }

    pub(super) fn given(&mut self, now: Instant, rows: u64, bytes: u64) {
        self.until(now);
        self.spans.end_item(now);
        self.asks = false;
        self.first_batch = self.first_batch.or(Some(now));
        self.batches += 1;
        self.rows += rows;
        self.bytes += bytes;
    }

    pub(super) fn ended(&mut self, now: Instant, outcome: Outcome) {
        if self.outcome == Outcome::Running {
            self.until(now);
            self.outcome = outcome;
        }
    }

    /// How the read stands, how long it took, and what the consumer did.
    pub(super) fn profile(
        &self,
        now: Instant,
        at: impl Fn(Instant) -> Duration,
    ) -> (Outcome, Duration, ConsumerProfile) {
        let mut seen = self.clone();
        seen.until(now);
        let mut profile = ConsumerProfile {
            first_batch: seen.first_batch.map(&at),
            batches: seen.batches,
            rows: seen.rows,
            bytes: seen.bytes,
            ..ConsumerProfile::default()
        };
        for span in seen.spans.as_slice() {
            profile.waiting += span.what.waiting;
            profile.working += span.what.working;
            let (start, end) = (at(span.start), at(span.end));
            if end > start {
                let Times { waiting, working } = span.what;
                profile.stretches.push(ConsumerStretch { start, end, waiting, working });
            }
        }
        (seen.outcome, at(seen.since), profile)
    }
}
