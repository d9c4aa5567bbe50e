//! What every request has to pass, and what every answer says to browsers.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::console::Inner;
use crate::failure::Failure;
use crate::origin::{check_change, check_host, check_site};

/// Nothing but the console's own files and its own data.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses what a page of somebody else may have sent, and has browsers keep such pages out.
pub(crate) async fn shield(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let mut response = match check(&inner, &request) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check(inner: &Inner, request: &Request) -> Result<(), Failure> {
    let headers = request.headers();
    check_host(headers, &inner.options.names)?;
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return check_change(headers);
    }
    if request.uri().path().starts_with("/api/") { check_site(headers) } else { Ok(()) }
}
