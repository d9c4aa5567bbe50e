//! What the gateway knows of its own work.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Result};
use parking_lot::Mutex;

use crate::history::History;
use crate::metrics::Metrics;
use crate::throughput::{Second, Throughput};
use crate::tracked::Tracked;
use crate::{MonitorOptions, Running, State, Statement, StatementView, Viewer, log, redact, table};

/// What the gateway knows of its own work. Clones know the same.
#[derive(Clone)]
pub struct Monitor(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) options: MonitorOptions,
    pub(crate) metrics: Metrics,
    pub(crate) throughput: Mutex<Throughput>,
    /// The number of the next statement.
    next: AtomicU64,
    book: Mutex<Book>,
}

/// Each statement is in one of the two, never in both.
#[derive(Default)]
struct Book {
    running: BTreeMap<u64, Arc<Tracked>>,
    history: History,
}

impl Default for Monitor {
    fn default() -> Self {
        Self::new(MonitorOptions::default())
    }
}

impl Monitor {
    /// One that knows of nothing yet.
    pub fn new(options: MonitorOptions) -> Self {
        Monitor(Arc::new(Inner {
            options,
            metrics: Metrics::new(),
            throughput: Mutex::new(Throughput::new(Instant::now())),
            next: AtomicU64::new(1),
            book: Mutex::default(),
        }))
    }

    /// A statement begins; `cancel` is what ends its work.
    pub fn begin(&self, statement: Statement, cancel: Cancel) -> Running {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let statement = Statement { sql: redact::kept(&statement.sql, &self.0.options), ..statement };
        log::began(id, &statement.user, &statement.client, statement.source.as_deref());
        let tracked = Arc::new(Tracked::new(id, statement, cancel));
        self.0.book.lock().running.insert(id, Arc::clone(&tracked));
        Running::new(Arc::clone(&self.0), tracked)
    }

    /// The statements that run, the first to begin first.
    pub fn running(&self, viewer: &Viewer) -> Vec<StatementView> {
        let running: Vec<_> = self.0.book.lock().running.values().cloned().collect();
        running.iter().filter(|tracked| viewer.sees(&tracked.statement.user)).map(|tracked| tracked.view()).collect()
    }

    /// At most `limit` statements that have ended, the last to end first.
    pub fn history(&self, viewer: &Viewer, limit: usize) -> Vec<Arc<StatementView>> {
        let book = self.0.book.lock();
        book.history.newest_first().filter(|view| viewer.sees(&view.user)).take(limit).cloned().collect()
    }

    /// Ends a statement that the viewer sees, and returns when its source has been told; false where there is none.
    ///
    /// Talks to the source: not for a thread that must not wait.
    pub fn kill(&self, id: u64, viewer: &Viewer) -> bool {
        let tracked = self.0.book.lock().running.get(&id).cloned();
        let Some(tracked) = tracked.filter(|tracked| viewer.sees(&tracked.statement.user)) else { return false };
        // Before the cancel, whose own words would say less.
        self.0.end(&tracked, State::Cancelled, None, Some(format!("killed by {}", viewer.user())));
        tracked.cancel.cancel();
        true
    }

    /// What was sent in each of the last [`THROUGHPUT_SECONDS`](crate::THROUGHPUT_SECONDS), the oldest first; the last
    /// one has only begun.
    pub fn throughput(&self) -> Vec<Second> {
        self.0.throughput.lock().seconds(Instant::now())
    }

    /// The table `bowshot.queries`: the statements that run and those that have ended, the newest first. Its columns are
    /// [`queries_schema`](crate::queries_schema).
    ///
    /// # Errors
    /// Of kind [`Internal`](bowshot_core::ErrorKind::Internal), if Arrow refuses it.
    pub fn queries_batch(&self, viewer: &Viewer) -> Result<RecordBatch> {
        let (running, ended) = {
            let book = self.0.book.lock();
            let running: Vec<_> = book.running.values().cloned().collect();
            (running, book.history.newest_first().cloned().collect::<Vec<_>>())
        };
        let running = running.iter().map(|tracked| Arc::new(tracked.view()));
        let mut views: Vec<_> = running.chain(ended).filter(|view| viewer.sees(&view.user)).collect();
        views.sort_by_key(|view| std::cmp::Reverse(view.id));
        table::batch(&views)
    }

    /// All figures as Prometheus reads them; their type is [`METRICS_TYPE`](crate::METRICS_TYPE).
    pub fn metrics(&self) -> String {
        self.0.metrics.text(&self.running(&Viewer::all("")))
    }

    /// A login was refused.
    pub fn login_refused(&self) {
        self.0.metrics.login_refused();
    }

    /// So many sessions are open now.
    pub fn set_sessions(&self, open: usize) {
        self.0.metrics.set_sessions(open);
    }
}

impl Inner {
    /// Ends a statement, unless it has ended already.
    pub(crate) fn end(
        &self,
        tracked: &Tracked,
        outcome: State,
        error_kind: Option<&'static str>,
        error: Option<String>,
    ) {
        let Some(view) = tracked.end(outcome, error_kind, error) else { return };
        self.metrics.ended(&view);
        log::ended(&view);
        log::said(&view, tracked.cancel.notices(), &self.options);
        let mut book = self.book.lock();
        book.running.remove(&tracked.id);
        book.history.push(view, &self.options);
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("options", &self.0.options).finish_non_exhaustive()
    }
}
