//! What can be seen of a statement.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::{EndpointState, State};

/// A statement at one moment, running or ended.
///
/// Times of day are milliseconds since 1970 began (UTC), all other times are milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatementView {
    /// Its number: 1 is the first since the gateway started.
    pub id: u64,
    /// Who asked.
    pub user: String,
    /// With what program.
    pub client: String,
    /// The source that answers, where it is one.
    pub source: Option<String>,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// Its text, cut and redacted as [`MonitorOptions`](crate::MonitorOptions) say.
    pub sql: String,
    /// Where it stands.
    pub state: State,
    /// When it began.
    #[serde(rename = "started_ms", serialize_with = "as_milliseconds")]
    pub started: SystemTime,
    /// How long it waited for its turn, where it had to.
    pub queued_ms: Option<u64>,
    /// How long it took from its beginning until it was planned.
    pub planned_ms: Option<u64>,
    /// How long it took from its beginning to its first rows.
    pub first_batch_ms: Option<u64>,
    /// How long it took from its beginning to its end, or until now.
    pub duration_ms: u64,
    /// How many endpoints it has, once it is planned.
    pub endpoints: Option<usize>,
    /// Each of them, while the statement runs; nothing afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<EndpointView>,
    /// Why it was or was not split.
    pub reason: Option<String>,
    /// The state of the database that its endpoints see.
    pub snapshot: Option<String>,
    /// Rows sent.
    pub rows: u64,
    /// Bytes of Arrow sent, before compression.
    pub bytes: u64,
    /// Bytes sent, after compression.
    pub wire_bytes: u64,
    /// The kind of its error, such as `sql` or `timeout`.
    pub error_kind: Option<&'static str>,
    /// What went wrong, or who ended it.
    pub error: Option<String>,
}

/// An endpoint of a running statement at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndpointView {
    /// Its number in its statement, from 0.
    pub endpoint: usize,
    /// Where it stands.
    pub state: EndpointState,
    /// Rows sent.
    pub rows: u64,
    /// Bytes of Arrow sent, before compression.
    pub bytes: u64,
    /// Bytes sent, after compression.
    pub wire_bytes: u64,
    /// How long its messages had to wait for the client, together.
    pub waited_ms: u64,
    /// How long it is that anything happened to it.
    pub quiet_ms: u64,
}

impl StatementView {
    /// About how much memory it takes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let texts =
            [Some(&self.user), Some(&self.client), self.source.as_ref(), self.session.as_ref(), Some(&self.sql)];
        let more = [self.reason.as_ref(), self.snapshot.as_ref(), self.error.as_ref()];
        size_of::<Self>() + texts.into_iter().chain(more).flatten().map(String::len).sum::<usize>()
    }
}

/// Whole milliseconds; more than half a billion years become the most there is.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn as_milliseconds<S: serde::Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, milliseconds))
}
