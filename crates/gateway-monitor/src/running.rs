//! The gateway's side of a statement that runs.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind};

use crate::monitor::Inner;
use crate::progress::{Endpoint, Phase};
use crate::tracked::Tracked;
use crate::{Reading, State, kind_name, redact};

/// A statement that runs, in the hands of the gateway. Clones stand for the same statement.
///
/// It gets exactly one outcome. Where nobody says it, it follows from the endpoints; and when the last clone and the
/// last [`Reading`] are dropped the statement has ended in any case: expired, where endpoints were never fetched.
#[derive(Clone)]
pub struct Running(pub(crate) Arc<Guard>);

/// Ends the statement when it is dropped.
pub(crate) struct Guard {
    pub(crate) monitor: Arc<Inner>,
    pub(crate) tracked: Arc<Tracked>,
}

impl Running {
    pub(crate) fn new(monitor: Arc<Inner>, tracked: Arc<Tracked>) -> Self {
        Running(Arc::new(Guard { monitor, tracked }))
    }

    /// The statement's number, as [`Monitor::kill`](crate::Monitor::kill) takes it.
    pub fn id(&self) -> u64 {
        self.0.tracked.id
    }

    /// What ends its work.
    pub fn cancel(&self) -> &Cancel {
        &self.0.tracked.cancel
    }

    /// It has to wait for its turn.
    pub fn queued(&self) {
        self.0.tracked.progress.lock().phase = Phase::Queued(Instant::now());
    }

    /// Its turn has come.
    pub fn admitted(&self) {
        let mut progress = self.0.tracked.progress.lock();
        if let Phase::Queued(since) = progress.phase {
            progress.queued = Some(since.elapsed());
            progress.phase = Phase::Planning;
        }
    }

    /// It is planned, with this many endpoints; `reason` says why it was or was not split.
    pub fn planned(&self, endpoints: usize, reason: &str, snapshot: Option<&str>) {
        let now = Instant::now();
        {
            let mut progress = self.0.tracked.progress.lock();
            progress.phase = Phase::Planned;
            progress.planned = Some(now.saturating_duration_since(self.0.tracked.began));
            progress.reason = Some(reason.to_owned());
            progress.snapshot = snapshot.map(str::to_owned);
            progress.endpoints = vec![Endpoint::new(now); endpoints];
        }
        self.0.settle();
    }

    /// The reading of an endpoint, counted from 0.
    pub fn endpoint(&self, index: usize) -> Reading {
        Reading::new(Arc::clone(&self.0), index)
    }

    /// It ended with an error; one of kind [`Cancelled`](ErrorKind::Cancelled) means that somebody ended it.
    pub fn failed(&self, error: &Error) {
        self.0.failed(error);
    }

    /// Its client ended it; `why` says so in words.
    pub fn cancelled(&self, why: &str) {
        self.0.end(State::Cancelled, None, Some(why.to_owned()));
    }

    /// All of it was fetched, whatever is known of its endpoints.
    pub fn finished(&self) {
        self.0.end(State::Finished, None, None);
    }

    /// Nobody fetched it in time.
    pub fn expired(&self) {
        let (_, why) = self.0.tracked.progress.lock().outcome();
        self.0.end(State::Expired, None, why);
    }
}

impl Guard {
    pub(crate) fn failed(&self, error: &Error) {
        let outcome = if error.kind() == ErrorKind::Cancelled { State::Cancelled } else { State::Failed };
        let text = redact::kept_error(error, &self.monitor.options);
        self.end(outcome, Some(kind_name(error.kind())), text);
    }

    /// Ends the statement where nothing more can happen to its endpoints.
    pub(crate) fn settle(&self) {
        let outcome = {
            let progress = self.tracked.progress.lock();
            progress.is_settled().then(|| progress.outcome())
        };
        if let Some((outcome, why)) = outcome {
            self.end(outcome, None, why);
        }
    }

    fn end(&self, outcome: State, error_kind: Option<&'static str>, error: Option<String>) {
        self.monitor.end(&self.tracked, outcome, error_kind, error);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let (outcome, why) = self.tracked.progress.lock().outcome();
        match self.tracked.cancel.is_cancelled() {
            true => self.end(State::Cancelled, None, Some("it was cancelled".to_owned())),
            false => self.end(outcome, None, why),
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.id()).finish_non_exhaustive()
    }
}
