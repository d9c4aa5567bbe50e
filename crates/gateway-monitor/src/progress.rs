//! How far a statement has come.

use std::time::{Duration, Instant};

use crate::view::milliseconds;
use crate::{EndpointState, EndpointView, Sent, State};

/// How far a statement has come. Nothing moves any more once it has ended.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Before its end: queued, planning or planned.
    pub(crate) phase: Phase,
    pub(crate) queued: Option<Duration>,
    pub(crate) planned: Option<Duration>,
    pub(crate) first_batch: Option<Duration>,
    pub(crate) reason: Option<String>,
    pub(crate) snapshot: Option<String>,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) end: Option<End>,
}

/// What happens before endpoints are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It waits for its turn since this moment.
    Queued(Instant),
    Planning,
    Planned,
}

/// How a statement ended.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) outcome: State,
    pub(crate) error_kind: Option<&'static str>,
    pub(crate) error: Option<String>,
    /// From its beginning.
    pub(crate) after: Duration,
}

/// How far an endpoint has come.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) state: EndpointState,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) wire_bytes: u64,
    waited: Duration,
    /// When anything happened to it for the last time.
    touched: Instant,
}

impl Endpoint {
    pub(crate) fn new(now: Instant) -> Self {
        Endpoint {
            state: EndpointState::default(),
            rows: 0,
            bytes: 0,
            wire_bytes: 0,
            waited: Duration::ZERO,
            touched: now,
        }
    }

    pub(crate) fn turn(&mut self, state: EndpointState, now: Instant) {
        self.state = state;
        self.touched = now;
    }

    pub(crate) fn sent(&mut self, sent: &Sent<'_>, now: Instant) {
        self.rows = self.rows.saturating_add(sent.rows);
        self.bytes = self.bytes.saturating_add(sent.bytes);
        self.wire_bytes = self.wire_bytes.saturating_add(sent.wire_bytes);
        self.waited = self.waited.saturating_add(sent.waited);
        self.touched = now;
    }

    fn view(&self, endpoint: usize, now: Instant) -> EndpointView {
        EndpointView {
            endpoint,
            state: self.state,
            rows: self.rows,
            bytes: self.bytes,
            wire_bytes: self.wire_bytes,
            waited_ms: milliseconds(self.waited),
            quiet_ms: milliseconds(now.saturating_duration_since(self.touched)),
        }
    }
}

impl Progress {
    pub(crate) fn new() -> Self {
        Progress {
            phase: Phase::Planning,
            queued: None,
            planned: None,
            first_batch: None,
            reason: None,
            snapshot: None,
            endpoints: Vec::new(),
            end: None,
        }
    }

    /// Where the statement stands.
    pub(crate) fn state(&self) -> State {
        match (&self.end, self.phase) {
            (Some(end), _) => end.outcome,
            (None, Phase::Queued(_)) => State::Queued,
            (None, Phase::Planning) => State::Planning,
            (None, Phase::Planned) if self.count(EndpointState::Waiting) == self.endpoints.len() => State::Waiting,
            (None, Phase::Planned) => State::Reading,
        }
    }

    /// How many endpoints stand there.
    pub(crate) fn count(&self, state: EndpointState) -> usize {
        self.endpoints.iter().filter(|endpoint| endpoint.state == state).count()
    }

    /// How a statement ends when nothing more happens to its endpoints: the outcome, and why where it is not whole.
    pub(crate) fn outcome(&self) -> (State, Option<String>) {
        let (waiting, all) = (self.count(EndpointState::Waiting), self.endpoints.len());
        if self.phase != Phase::Planned {
            return (State::Cancelled, Some("its client left before it was planned".to_owned()));
        }
        if waiting > 0 {
            return (State::Expired, Some(format!("{waiting} of {all} endpoints were not fetched in time")));
        }
        match self.count(EndpointState::Done) == all {
            true => (State::Finished, None),
            false => (State::Cancelled, Some("its client left before the end".to_owned())),
        }
    }

    /// Whether nothing more can happen to its endpoints.
    pub(crate) fn is_settled(&self) -> bool {
        let open = self.count(EndpointState::Waiting) + self.count(EndpointState::Reading);
        self.phase == Phase::Planned && open == 0
    }

    /// Rows, bytes and bytes on the wire of all endpoints together.
    pub(crate) fn totals(&self) -> (u64, u64, u64) {
        self.endpoints.iter().fold((0, 0, 0), |(rows, bytes, wire), endpoint| {
            (rows + endpoint.rows, bytes + endpoint.bytes, wire + endpoint.wire_bytes)
        })
    }

    pub(crate) fn readings(&self, now: Instant) -> Vec<EndpointView> {
        self.endpoints.iter().enumerate().map(|(number, endpoint)| endpoint.view(number, now)).collect()
    }
}
