//! A statement's lines in the log. Its text is in none of them: literals may be secrets.

use bowshot_core::{Notices, Severity};

use crate::redact::cut;
use crate::{MonitorOptions, State, StatementView};

/// Where these lines come from, for whoever filters them.
const TARGET: &str = "bowshot::statement";

/// How many notices of one statement get a line.
const MOST_NOTICES: usize = 10;

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

/// What the source said beside the result: a line for each of the first notices. A text may hold what literals hold, so that it is
/// left out where these are.
pub(crate) fn said(view: &StatementView, notices: &Notices, options: &MonitorOptions) {
    let told = notices.take_untold();
    let left_out = told.len().saturating_sub(MOST_NOTICES);
    for notice in told.iter().take(MOST_NOTICES) {
        let text = (!options.redact).then(|| cut(&notice.to_string(), options.sql_bytes));
        let (severity, code, times) = (notice.severity().name(), notice.code(), notice.times());
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: TARGET,
                    id = view.id,
                    user = view.user.as_str(),
                    severity,
                    code,
                    times,
                    notice = text.as_deref(),
                    "the source says"
                )
            };
        }
        if notice.severity() == Severity::Warning { line!(warn) } else { line!(info) }
    }
    if left_out > 0 {
        tracing::info!(target: TARGET, id = view.id, user = view.user.as_str(), left_out, "the source says more");
    }
}
