//! What the connections of one plan have in common: who we are, and what the server told us to repeat.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use bowshot_core::{Excerpt, OpenExcerpt, Options, Result};
use bowshot_ipc::Reads;
use http::header::{AUTHORIZATION, COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::Mutex;
use rustls::ClientConfig;

use crate::excerpts::Excerpts;
use crate::tls;
use crate::uri::Target;

/// Where servers with Flight's own way to log in want the token.
const TOKEN: HeaderName = HeaderName::from_static("auth-token-bin");

/// What the connections of one plan have in common.
#[derive(Default)]
pub(crate) struct Session {
    /// What every call carries.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What we read beside Arrow's own messages, for Bowshot's gateway; nobody else has a use for it.
    reads: Option<HeaderValue>,
    /// What reads excerpts of Parquet files, and how.
    open_excerpt: Option<OpenExcerpt>,
    options: Options,
    state: Mutex<State>,
    /// Made at the first encrypted connection.
    tls: OnceLock<Arc<ClientConfig>>,
}

#[derive(Default)]
struct State {
    authorization: Option<HeaderValue>,
    token: Option<HeaderValue>,
    cookies: BTreeMap<String, String>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(target: &Target, options: &Options) -> Self {
        // Who wants less at a time is sent batches.
        let is_enough = u64::try_from(target.max_message_bytes).is_ok_and(|most| most >= Excerpt::LARGEST);
        let open_excerpt = target.open_excerpt.filter(|_| is_enough);
        let reads = Reads { packed: true, excerpts: open_excerpt.is_some() };
        Session {
            headers: target.headers.clone(),
            reads: HeaderValue::try_from(reads.value()).ok(),
            open_excerpt,
            options: options.clone(),
            ..Session::default()
        }
    }

    /// What takes the excerpts of a stream.
    pub(crate) fn excerpts(&self, limit: usize) -> Excerpts {
        Excerpts::new(self.open_excerpt, self.options.clone(), limit)
    }

    /// What encrypted connections are made with.
    pub(crate) fn tls(&self, target: &Target) -> Result<Arc<ClientConfig>> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let config = tls::configure(target)?;
        Ok(Arc::clone(self.tls.get_or_init(|| config)))
    }

    /// Whether calls carry nothing that others could use to pass for us.
    pub(crate) fn is_anonymous(&self) -> bool {
        let state = self.state.lock();
        self.headers.is_empty() && state.authorization.is_none() && state.token.is_none() && state.cookies.is_empty()
    }

    /// What proves who we are, from now on.
    pub(crate) fn authorize(&self, mut value: HeaderValue) {
        value.set_sensitive(true);
        self.state.lock().authorization = Some(value);
    }

    /// What servers with Flight's own way to log in want to see.
    pub(crate) fn authorize_with(&self, mut token: HeaderValue) {
        token.set_sensitive(true);
        self.state.lock().token = Some(token);
    }

    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        self.state.lock().authorization.clone()
    }

    /// Writes what every call carries.
    pub(crate) fn dress(&self, headers: &mut HeaderMap) {
        let state = self.state.lock();
        if let Some(value) = &state.authorization {
            headers.insert(AUTHORIZATION, value.clone());
        }
        if let Some(value) = &state.token {
            headers.insert(TOKEN, value.clone());
        }
        let cookies: Vec<String> = state.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if let Ok(cookies) = HeaderValue::try_from(cookies.join("; "))
            && !cookies.is_empty()
        {
            headers.insert(COOKIE, cookies);
        }
        if let Some(value) = &self.reads {
            headers.insert(Reads::HEADER, value.clone());
        }
        // The user's own headers come last: they are his word.
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
    }

    /// Takes what the server wants to see again: a token in place of the password, cookies.
    pub(crate) fn learn(&self, headers: &HeaderMap) {
        if let Some(value) = headers.get(AUTHORIZATION) {
            self.authorize(value.clone());
        }
        for cookie in headers.get_all(SET_COOKIE) {
            if let Ok(text) = cookie.to_str() {
                self.keep_cookie(text);
            }
        }
    }

    fn keep_cookie(&self, text: &str) {
        let mut parts = text.split(';').map(str::trim);
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { return };
        let is_over = parts.any(|attribute| {
            let Some((name, value)) = attribute.split_once('=') else { return false };
            name.eq_ignore_ascii_case("max-age") && value.parse::<i64>().is_ok_and(|seconds| seconds <= 0)
        });
        let cookies = &mut self.state.lock().cookies;
        match is_over {
            true => cookies.remove(name),
            false => cookies.insert(name.to_owned(), value.to_owned()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dressed(session: &Session) -> HeaderMap {
        let mut headers = HeaderMap::new();
        session.dress(&mut headers);
        headers
    }

    #[test]
    fn tokens_and_cookies_are_sent_back() {
        let target = Target::parse("grpc://h:1?header.x-db=sales").unwrap();
        let session = Session::new(&target, &Options::default());
        assert_eq!(dressed(&session).len(), 2);
        assert_eq!(dressed(&session)[Reads::HEADER], "packed");
        session.authorize(HeaderValue::from_static("Basic x"));
        let mut answer = HeaderMap::new();
        answer.insert(AUTHORIZATION, HeaderValue::from_static("Bearer y"));
        answer.append(SET_COOKIE, HeaderValue::from_static("a=1; Path=/; HttpOnly"));
        answer.append(SET_COOKIE, HeaderValue::from_static("b=2; Max-Age=60"));
        session.learn(&answer);
        let headers = dressed(&session);
        assert_eq!(headers["authorization"], "Bearer y");
        assert_eq!(headers["cookie"], "a=1; b=2");
        assert_eq!(headers["x-db"], "sales");
        let mut answer = HeaderMap::new();
        answer.append(SET_COOKIE, HeaderValue::from_static("a=; Max-Age=0"));
        session.learn(&answer);
        assert_eq!(dressed(&session)["cookie"], "b=2");
        assert!(!format!("{session:?} {:?}", dressed(&session)).contains("Bearer"));
    }
}
