//! What the page asks for.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use bowshot_core::ErrorKind;
use bowshot_gateway_monitor::{EndpointView, Second, StatementView};
use serde::{Deserialize, Serialize};

use crate::console::Inner;
use crate::failure::Failure;
use crate::{SourceStatus, Who};

/// Who looks, and at what.
#[derive(Serialize)]
pub(crate) struct Visitor {
    user: String,
    sees_all: bool,
    /// Whether nobody had to log in.
    open: bool,
    version: &'static str,
    /// How many rows a query returns at most.
    query_rows: usize,
}

/// An endpoint and the statement that it belongs to.
#[derive(Serialize)]
pub(crate) struct StatementEndpoint {
    statement: u64,
    user: String,
    #[serde(flatten)]
    endpoint: EndpointView,
}

/// What was sent in each of the last seconds, the oldest first.
#[derive(Serialize)]
pub(crate) struct Throughput {
    /// The last second, in milliseconds since 1970 began.
    end_ms: u64,
    seconds: Vec<Second>,
}

/// How much of the history is asked for.
#[derive(Deserialize)]
pub(crate) struct HistoryQuery {
    limit: Option<usize>,
}

pub(crate) async fn who(State(inner): State<Arc<Inner>>, Extension(who): Extension<Who>) -> Json<Visitor> {
    Json(Visitor {
        user: who.user,
        sees_all: who.sees_all,
        open: inner.host.is_open(),
        version: env!("CARGO_PKG_VERSION"),
        query_rows: inner.options.query_rows,
    })
}

pub(crate) async fn sources(
    State(inner): State<Arc<Inner>>,
    Extension(who): Extension<Who>,
) -> Result<Json<Vec<SourceStatus>>, Failure> {
    let host = Arc::clone(&inner.host);
    let asking = tokio::task::spawn_blocking(move || host.sources(&who));
    match tokio::time::timeout(inner.options.probe_time, asking).await {
        Ok(Ok(sources)) => Ok(Json(sources)),
        Ok(Err(_)) => Err(Failure::panicked()),
        Err(_) => {
            let message = "the sources take too long to say whether they can be reached";
            Err(Failure::new(StatusCode::GATEWAY_TIMEOUT, ErrorKind::Timeout, message))
        }
    }
}

pub(crate) async fn running(
    State(inner): State<Arc<Inner>>,
    Extension(who): Extension<Who>,
) -> Json<Vec<StatementView>> {
    Json(inner.host.monitor().running(&who.viewer()))
}

pub(crate) async fn endpoints(
    State(inner): State<Arc<Inner>>,
    Extension(who): Extension<Who>,
) -> Json<Vec<StatementEndpoint>> {
    let running = inner.host.monitor().running(&who.viewer());
    let endpoints = running.into_iter().flat_map(|view| {
        let (statement, user) = (view.id, view.user);
        let of = move |endpoint| StatementEndpoint { statement, user: user.clone(), endpoint };
        view.readings.into_iter().map(of)
    });
    Json(endpoints.collect())
}

pub(crate) async fn history(
    State(inner): State<Arc<Inner>>,
    Extension(who): Extension<Who>,
    query: Result<Query<HistoryQuery>, QueryRejection>,
) -> Result<Json<Vec<StatementView>>, Failure> {
    let Query(query) = query.map_err(|rejection| Failure::refused(rejection.status(), rejection.body_text()))?;
    let views = inner.host.monitor().history(&who.viewer(), query.limit.unwrap_or(200));
    Ok(Json(views.iter().map(|view| StatementView::clone(view)).collect()))
}

pub(crate) async fn throughput(State(inner): State<Arc<Inner>>) -> Json<Throughput> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let end_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    Json(Throughput { end_ms, seconds: inner.host.monitor().throughput() })
}

/// Ends a statement.
pub(crate) async fn kill(
    State(inner): State<Arc<Inner>>,
    Extension(who): Extension<Who>,
    id: Result<Path<u64>, PathRejection>,
) -> Result<StatusCode, Failure> {
    let Path(id) = id.map_err(|rejection| Failure::refused(rejection.status(), rejection.body_text()))?;
    let host = Arc::clone(&inner.host);
    let killing = tokio::task::spawn_blocking(move || host.monitor().kill(id, &who.viewer()));
    match killing.await.map_err(|_| Failure::panicked())? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Failure::refused(StatusCode::NOT_FOUND, format!("no statement {id} of yours is running"))
            .with_hint("it may just have ended: the history says how")),
    }
}

pub(crate) async fn missing() -> Failure {
    Failure::refused(StatusCode::NOT_FOUND, "there is no such page").with_hint("the console begins at /")
}
