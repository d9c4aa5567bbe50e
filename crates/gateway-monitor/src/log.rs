//! A statement's lines in the log. Its text is in none of them: literals may be secrets.

use crate::{State, StatementView};

/// Where these lines come from, for whoever filters them.
const TARGET: &str = "bowshot::statement";

pub(crate) fn began(id: u64, user: &str, client: &str, source: Option<&str>) {
    tracing::debug!(target: TARGET, id, user, client, source, "statement began");
}

/// One line for each statement: a warning where it failed.
pub(crate) fn ended(view: &StatementView) {
    let endpoints = view.endpoints.and_then(|endpoints| u64::try_from(endpoints).ok());
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: TARGET,
                id = view.id,
                user = view.user.as_str(),
                client = view.client.as_str(),
                source = view.source.as_deref(),
                state = view.state.name(),
                duration_ms = view.duration_ms,
                planned_ms = view.planned_ms,
                first_batch_ms = view.first_batch_ms,
                endpoints,
                rows = view.rows,
                bytes = view.bytes,
                wire_bytes = view.wire_bytes,
                error_kind = view.error_kind,
                error = view.error.as_deref(),
                "statement ended"
            )
        };
    }
    // A level is part of what an event is at compile time.
    if view.state == State::Failed { line!(warn) } else { line!(info) }
}
