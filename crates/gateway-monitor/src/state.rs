//! The states of statements and of their endpoints.

use serde::Serialize;

/// Where a statement stands. The last four are its outcomes: it gets exactly one of them.
///
/// ```
/// use bowshot_gateway_monitor::State;
///
/// assert!(!State::Reading.is_outcome() && State::Expired.is_outcome());
/// assert_eq!(State::Cancelled.name(), "cancelled");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for its turn.
    Queued,
    /// Its source plans it.
    Planning,
    /// It is planned, and nobody has fetched any of it yet.
    Waiting,
    /// It is being fetched.
    Reading,
    /// All of it was fetched.
    Finished,
    /// It ended with an error.
    Failed,
    /// Its client, or somebody who killed it, ended it.
    Cancelled,
    /// Nobody fetched it in time.
    Expired,
}

impl State {
    /// The four ways to end.
    pub const OUTCOMES: [State; 4] = [State::Finished, State::Failed, State::Cancelled, State::Expired];

    /// Whether a statement that has it has ended.
    pub fn is_outcome(self) -> bool {
        State::OUTCOMES.contains(&self)
    }

    /// Its name, as tables and metrics show it.
    pub fn name(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Planning => "planning",
            State::Waiting => "waiting",
            State::Reading => "reading",
            State::Finished => "finished",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
            State::Expired => "expired",
        }
    }
}

/// Where an endpoint stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointState {
    /// Nobody has fetched it yet.
    #[default]
    Waiting,
    /// A client reads it.
    Reading,
    /// It was read to its end.
    Done,
    /// It ended with an error.
    Failed,
    /// Its client left before the end.
    Left,
}
