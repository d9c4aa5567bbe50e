//! A statement that runs.

use std::time::{Instant, SystemTime};

use bowshot_core::Cancel;
use parking_lot::Mutex;

use crate::progress::{End, Phase, Progress};
use crate::view::milliseconds;
use crate::{State, Statement, StatementView};

/// A statement that runs, as the monitor keeps it.
#[derive(Debug)]
pub(crate) struct Tracked {
    pub(crate) id: u64,
    /// Its text is cut and redacted already.
    pub(crate) statement: Statement,
    pub(crate) cancel: Cancel,
    pub(crate) began: Instant,
    pub(crate) progress: Mutex<Progress>,
    started: SystemTime,
}

impl Tracked {
    pub(crate) fn new(id: u64, statement: Statement, cancel: Cancel) -> Self {
        Tracked {
            id,
            statement,
            cancel,
            began: Instant::now(),
            started: SystemTime::now(),
            progress: Mutex::new(Progress::new()),
        }
    }

    /// Ends it, once: what is to be remembered of it, or nothing where it had ended before.
    pub(crate) fn end(
        &self,
        outcome: State,
        error_kind: Option<&'static str>,
        error: Option<String>,
    ) -> Option<StatementView> {
        let mut progress = self.progress.lock();
        if progress.end.is_some() {
            return None;
        }
        if let Phase::Queued(since) = progress.phase {
            progress.queued = Some(since.elapsed());
        }
        progress.end = Some(End { outcome, error_kind, error, after: self.began.elapsed() });
        Some(StatementView { readings: Vec::new(), ..self.view_of(&progress) })
    }

    pub(crate) fn view(&self) -> StatementView {
        self.view_of(&self.progress.lock())
    }

    fn view_of(&self, progress: &Progress) -> StatementView {
        let (rows, bytes, wire_bytes) = progress.totals();
        let queued = match progress.phase {
            Phase::Queued(since) => Some(since.elapsed()),
            Phase::Planning | Phase::Planned => progress.queued,
        };
        let end = progress.end.as_ref();
        StatementView {
            id: self.id,
            user: self.statement.user.clone(),
            client: self.statement.client.clone(),
            source: self.statement.source.clone(),
            session: self.statement.session.clone(),
            sql: self.statement.sql.clone(),
            state: progress.state(),
            started: self.started,
            queued_ms: queued.map(milliseconds),
            planned_ms: progress.planned.map(milliseconds),
            first_batch_ms: progress.first_batch.map(milliseconds),
            duration_ms: milliseconds(end.map_or_else(|| self.began.elapsed(), |end| end.after)),
            endpoints: (progress.phase == Phase::Planned).then_some(progress.endpoints.len()),
            readings: progress.readings(Instant::now()),
            reason: progress.reason.clone(),
            snapshot: progress.snapshot.clone(),
            rows,
            bytes,
            wire_bytes,
            error_kind: end.and_then(|end| end.error_kind),
            error: end.and_then(|end| end.error.clone()),
        }
    }
}
