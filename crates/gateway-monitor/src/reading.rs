//! The reading of one endpoint.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::Error;

use crate::EndpointState;
use crate::running::Guard;
use crate::throughput::Second;

/// What one message, or a few, took to their client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent<'a> {
    /// Rows.
    pub rows: u64,
    /// Bytes of Arrow, before compression.
    pub bytes: u64,
    /// Bytes sent, after compression.
    pub wire_bytes: u64,
    /// How long it had to wait for the client.
    pub waited: Duration,
    /// How it was compressed: `none`, `lz4`, `zstd`.
    pub codec: &'a str,
}

/// The reading of one endpoint. Dropped before it is [`done`](Self::done) it says that the client left.
pub struct Reading {
    guard: Arc<Guard>,
    endpoint: usize,
    /// Whether somebody has come to read.
    opened: bool,
    /// Whether it has ended with a word.
    ended: bool,
}

impl Reading {
    pub(crate) fn new(guard: Arc<Guard>, endpoint: usize) -> Self {
        Reading { guard, endpoint, opened: false, ended: false }
    }

    /// A client has come to read it.
    pub fn opened(&mut self) {
        self.opened = true;
        self.turn(EndpointState::Reading);
    }

    /// Rows went to the client.
    pub fn sent(&self, sent: &Sent<'_>) {
        let now = Instant::now();
        let tracked = &self.guard.tracked;
        let mut first = None;
        {
            let mut progress = tracked.progress.lock();
            // What is sent after the end no longer belongs to the statement, whose figures have been handed out.
            if progress.end.is_none() {
                if sent.rows > 0 && progress.first_batch.is_none() {
                    first = Some(now.saturating_duration_since(tracked.began));
                    progress.first_batch = first;
                }
                if let Some(endpoint) = progress.endpoints.get_mut(self.endpoint) {
                    endpoint.sent(sent, now);
                }
            }
        }
        self.guard.monitor.metrics.sent(sent, first);
        let second = Second { rows: sent.rows, bytes: sent.bytes, wire_bytes: sent.wire_bytes };
        self.guard.monitor.throughput.lock().add(now, second);
    }

    /// It was read to its end.
    pub fn done(mut self) {
        self.ended = true;
        self.turn(EndpointState::Done);
        self.guard.settle();
    }

    /// It ended with an error, and the statement with it.
    pub fn failed(mut self, error: &Error) {
        self.ended = true;
        self.turn(EndpointState::Failed);
        self.guard.failed(error);
    }

    fn turn(&self, state: EndpointState) {
        let mut progress = self.guard.tracked.progress.lock();
        if let Some(endpoint) = progress.endpoints.get_mut(self.endpoint) {
            endpoint.turn(state, Instant::now());
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.opened && !self.ended {
            self.turn(EndpointState::Left);
            self.guard.settle();
        }
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reading(endpoint {} of statement {})", self.endpoint, self.guard.tracked.id)
    }
}
