//! Figures for Prometheus.

use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::{EndpointState, Sent, State, StatementView};

/// The media type of [`Monitor::metrics`](crate::Monitor::metrics):
/// [OpenMetrics 1.0](https://prometheus.io/docs/specs/om/open_metrics_spec/), which Prometheus reads.
pub const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Bounds of the histograms, in seconds.
const SECONDS: [f64; 13] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];

/// One label and its value.
type Label = [(&'static str, String); 1];

pub(crate) struct Metrics {
    registry: Mutex<Registry>,
    ended: Family<Label, Counter>,
    duration: Histogram,
    first_batch: Histogram,
    rows: Family<Label, Counter>,
    bytes: Family<Label, Counter>,
    wire_bytes: Family<Label, Counter>,
    running: Gauge,
    queued: Gauge,
    endpoints: Family<Label, Gauge>,
    sessions: Gauge,
    refused: Counter,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let metrics = Metrics {
            registry: Mutex::new(Registry::with_prefix("bowshot")),
            ended: Family::default(),
            duration: Histogram::new(SECONDS),
            first_batch: Histogram::new(SECONDS),
            rows: Family::default(),
            bytes: Family::default(),
            wire_bytes: Family::default(),
            running: Gauge::default(),
            queued: Gauge::default(),
            endpoints: Family::default(),
            sessions: Gauge::default(),
            refused: Counter::default(),
        };
        // A rate can only be taken of what was zero before.
        for outcome in State::OUTCOMES {
            drop(metrics.ended.get_or_create(&label("outcome", outcome.name())));
        }
        metrics.register(&mut metrics.registry.lock());
        metrics
    }

    fn register(&self, to: &mut Registry) {
        to.register("statements", "Statements that have ended", self.ended.clone());
        let duration = "From the beginning of a statement to its end";
        to.register_with_unit("statement_duration", duration, Unit::Seconds, self.duration.clone());
        let first = "From the beginning of a statement to its first rows";
        to.register_with_unit("first_batch", first, Unit::Seconds, self.first_batch.clone());
        to.register("rows", "Rows sent", self.rows.clone());
        to.register_with_unit("arrow", "Arrow sent, before compression", Unit::Bytes, self.bytes.clone());
        to.register_with_unit("wire", "Messages sent, after compression", Unit::Bytes, self.wire_bytes.clone());
        to.register("statements_running", "Statements that run, those in the queue left out", self.running.clone());
        to.register("statements_queued", "Statements that wait for their turn", self.queued.clone());
        let endpoints = "Endpoints of statements that run, by where they stand";
        to.register("endpoints", endpoints, self.endpoints.clone());
        to.register("sessions", "Sessions that are open", self.sessions.clone());
        to.register("logins_refused", "Logins that were refused", self.refused.clone());
    }

    pub(crate) fn ended(&self, view: &StatementView) {
        self.ended.get_or_create(&label("outcome", view.state.name())).inc();
        self.duration.observe(Duration::from_millis(view.duration_ms).as_secs_f64());
    }

    /// Rows were sent; `first` is how long the first ones of the statement took, where it is they.
    pub(crate) fn sent(&self, sent: &Sent<'_>, first: Option<Duration>) {
        let codec = label("codec", sent.codec);
        self.rows.get_or_create(&codec).inc_by(sent.rows);
        self.bytes.get_or_create(&codec).inc_by(sent.bytes);
        self.wire_bytes.get_or_create(&codec).inc_by(sent.wire_bytes);
        if let Some(first) = first {
            self.first_batch.observe(first.as_secs_f64());
        }
    }

    pub(crate) fn login_refused(&self) {
        self.refused.inc();
    }

    pub(crate) fn set_sessions(&self, open: usize) {
        self.sessions.set(whole(open));
    }

    /// All figures as text; `running` are the statements of this moment.
    pub(crate) fn text(&self, running: &[StatementView]) -> String {
        let queued = running.iter().filter(|view| view.state == State::Queued).count();
        self.queued.set(whole(queued));
        self.running.set(whole(running.len() - queued));
        for (state, name) in [(EndpointState::Waiting, "waiting"), (EndpointState::Reading, "reading")] {
            let endpoints = running.iter().flat_map(|view| &view.readings).filter(|reading| reading.state == state);
            self.endpoints.get_or_create(&label("state", name)).set(whole(endpoints.count()));
        }
        let mut text = String::new();
        // To write into memory cannot fail; a metric that could would leave the text without its end, `# EOF`.
        match encode(&mut text, &self.registry.lock()) {
            Ok(()) => text,
            Err(_) => String::new(),
        }
    }
}

fn label(name: &'static str, value: &str) -> Label {
    [(name, value.to_owned())]
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
