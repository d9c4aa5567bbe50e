//! A statement from the page.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::{Extension, Json};
use bowshot_core::{Cancel, ErrorKind};
use serde::{Deserialize, Serialize};

use crate::console::Inner;
use crate::failure::Failure;
use crate::rows::{Rows, rows};
use crate::{Ask, Who};

/// What the page sends.
#[derive(Deserialize)]
pub(crate) struct Question {
    sql: String,
    source: Option<String>,
    /// How many rows are wanted at most; as many as there may be, unless said.
    limit: Option<usize>,
}

/// What it gets.
#[derive(Serialize)]
pub(crate) struct Reply {
    #[serde(flatten)]
    rows: Rows,
    duration_ms: u64,
}

/// Runs a statement. A page that goes away, and the limit of time, end it in its source.
pub(crate) async fn query(
    State(inner): State<Arc<Inner>>,
    Extension(who): Extension<Who>,
    question: Result<Json<Question>, JsonRejection>,
) -> Result<Json<Reply>, Failure> {
    let Json(question) = question.map_err(|rejection| Failure::refused(rejection.status(), rejection.body_text()))?;
    if question.sql.trim().is_empty() {
        return Err(Failure::refused(StatusCode::BAD_REQUEST, "the statement is empty").with_hint("write some SQL"));
    }
    let limit = question.limit.unwrap_or(usize::MAX).min(inner.options.query_rows);
    let ask = Ask { sql: question.sql, source: question.source, rows: limit };
    let (began, cancel) = (Instant::now(), Cancel::new());
    let _guard = CancelOnDrop(cancel.clone());
    let time = inner.options.query_time;
    let running = tokio::task::spawn_blocking(move || {
        let answer = inner.host.run(&who, &ask, &cancel)?;
        rows(&answer, limit, &inner.options)
    });
    let Ok(ran) = tokio::time::timeout(time, running).await else {
        let message = format!("the query took longer than {} s, and was cancelled", time.as_secs());
        return Err(Failure::new(StatusCode::GATEWAY_TIMEOUT, ErrorKind::Timeout, message)
            .with_hint("the console is for quick looks: ask for less, or use a client of Flight SQL"));
    };
    let rows = ran.map_err(|_| Failure::panicked())??;
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(Reply { rows, duration_ms }))
}

/// Ends the work of whoever is gone. Work that is over does not mind.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let cancel = self.0.clone();
        // Telling a source may take a while, and this thread serves others.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || cancel.cancel())),
            Err(_) => cancel.cancel(),
        }
    }
}
