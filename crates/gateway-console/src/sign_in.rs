//! Who asks.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bowshot_core::ErrorKind;

use crate::Who;
use crate::console::Inner;
use crate::failure::Failure;
use crate::peer::Peer;

/// What makes a browser ask for a user and a password ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617#section-2)).
const CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"bowshot\", charset=\"UTF-8\"");

/// Lets through who is known, and tells the rest of the road who it is.
pub(crate) async fn sign_in(
    State(inner): State<Arc<Inner>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let (who, cookie) = match known(&inner, peer, request.headers()).await {
        Ok(known) => known,
        Err(failure) => return refuse(failure),
    };
    request.extensions_mut().insert(who);
    let mut response = next.run(request).await;
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Who it is, and the cookie that says so from now on where there was none.
async fn known(inner: &Arc<Inner>, peer: Peer, headers: &HeaderMap) -> Result<(Who, Option<String>), Failure> {
    let is_open = inner.host.is_open();
    if is_open && !peer.0.is_loopback() && !inner.options.insecure {
        return Err(Failure::refused(StatusCode::FORBIDDEN, "without users, the console answers this machine alone")
            .with_hint("configure users, or open it here"));
    }
    let now = Instant::now();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(who) = text(header::COOKIE).and_then(|cookie| inner.cookies.find(cookie, now)) {
        return Ok((who, None));
    }
    let authorization = text(header::AUTHORIZATION).map(str::to_owned);
    if authorization.is_none() && !is_open {
        return Err(Failure::new(StatusCode::UNAUTHORIZED, ErrorKind::Authentication, "who are you?")
            .with_hint("log in with a user of the gateway"));
    }
    let host = Arc::clone(&inner.host);
    let login = tokio::task::spawn_blocking(move || host.login(authorization.as_deref(), peer.0));
    let who = login.await.map_err(|_| Failure::panicked())??;
    let options = &inner.options;
    let issue = || inner.cookies.issue(&who, options.login_time, options.secure_cookies, now);
    let cookie = if is_open { None } else { issue() };
    Ok((who, cookie))
}

fn refuse(failure: Failure) -> Response {
    let asks = failure.status == StatusCode::UNAUTHORIZED;
    let mut response = failure.into_response();
    if asks {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, CHALLENGE);
    }
    response
}
