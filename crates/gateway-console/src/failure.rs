//! Errors as answers.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bowshot_core::{Error, ErrorKind};
use bowshot_gateway_monitor::kind_name;
use serde::Serialize;

/// An error on its way to the browser.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    error: Error,
}

#[derive(Serialize)]
struct Body<'a> {
    error: Told<'a>,
}

/// What the browser is told. The errors underneath stay here.
#[derive(Serialize)]
struct Told<'a> {
    kind: &'static str,
    message: &'a str,
    hint: Option<&'a str>,
    sqlstate: Option<&'a str>,
    position: Option<usize>,
    column: Option<&'a str>,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, kind: ErrorKind, message: impl Into<String>) -> Self {
        Failure { status, error: Error::new(kind, message) }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Failure { error: self.error.with_hint(hint), ..self }
    }

    /// The request itself is not as it should be.
    pub(crate) fn refused(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, ErrorKind::Config, message)
    }

    /// A thread of ours ended where it must not.
    pub(crate) fn panicked() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorKind::Internal, "the gateway failed to answer")
            .with_hint("its log may say more; please report this")
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            ErrorKind::Authentication => StatusCode::UNAUTHORIZED,
            ErrorKind::ConnectionLimit => StatusCode::TOO_MANY_REQUESTS,
            ErrorKind::Config | ErrorKind::Sql | ErrorKind::Value | ErrorKind::Unsupported => StatusCode::BAD_REQUEST,
            ErrorKind::Cancelled => StatusCode::CONFLICT,
            ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_GATEWAY,
        };
        Failure { status, error }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let error = Told {
            kind: kind_name(self.error.kind()),
            message: self.error.message(),
            hint: self.error.hint(),
            sqlstate: self.error.sqlstate(),
            position: self.error.position(),
            column: self.error.column(),
        };
        (self.status, Json(Body { error })).into_response()
    }
}
