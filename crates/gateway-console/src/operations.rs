//! What the tools of operators ask for.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bowshot_gateway_monitor::METRICS_TYPE;

use crate::console::Inner;

/// `/health`: the process runs and answers. Restart it where this does not come.
pub(crate) async fn health() -> &'static str {
    "live\n"
}

/// `/ready`: it takes new work; 503 and the reason where it does not.
pub(crate) async fn ready(State(inner): State<Arc<Inner>>) -> Response {
    match inner.probe.ready(&inner.host, inner.options.probe_time).await {
        Ok(()) => "ready\n".into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}\n")).into_response(),
    }
}

/// `/metrics`: figures for Prometheus.
pub(crate) async fn metrics(State(inner): State<Arc<Inner>>) -> Response {
    ([(header::CONTENT_TYPE, METRICS_TYPE)], inner.host.monitor().metrics()).into_response()
}
