//! The session, which Trino's clients carry from query to query: the server keeps nothing of it.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bowshot_core::{Error, ErrorKind, Result};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::uri::Target;

const USER: HeaderName = HeaderName::from_static("x-trino-user");
const SOURCE: HeaderName = HeaderName::from_static("x-trino-source");
const CATALOG: HeaderName = HeaderName::from_static("x-trino-catalog");
const SCHEMA: HeaderName = HeaderName::from_static("x-trino-schema");
const PATH: HeaderName = HeaderName::from_static("x-trino-path");
const TIME_ZONE: HeaderName = HeaderName::from_static("x-trino-time-zone");
const CLIENT_TAGS: HeaderName = HeaderName::from_static("x-trino-client-tags");
const CLIENT_INFO: HeaderName = HeaderName::from_static("x-trino-client-info");
const CAPABILITIES: HeaderName = HeaderName::from_static("x-trino-client-capabilities");
const TRANSACTION: HeaderName = HeaderName::from_static("x-trino-transaction-id");
const PROPERTY: HeaderName = HeaderName::from_static("x-trino-session");
const ROLE: HeaderName = HeaderName::from_static("x-trino-role");
const PREPARED: HeaderName = HeaderName::from_static("x-trino-prepared-statement");

/// What a query is run with.
#[derive(Clone)]
pub(crate) struct Session {
    catalog: Option<String>,
    schema: Option<String>,
    path: Option<String>,
    properties: BTreeMap<String, String>,
    /// By catalog.
    roles: BTreeMap<String, String>,
    prepared: BTreeMap<String, String>,
}

impl Session {
    /// As the URI says.
    pub(crate) fn new(target: &Target) -> Self {
        Session {
            catalog: target.catalog.clone(),
            schema: target.schema.clone(),
            path: None,
            properties: target.properties.clone(),
            roles: BTreeMap::new(),
            prepared: BTreeMap::new(),
        }
    }

    /// What the request of a query carries.
    pub(crate) fn headers(&self, target: &Target) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        // Without this, the server rounds moments to milliseconds.
        headers.insert(CAPABILITIES, HeaderValue::from_static("PARAMETRIC_DATETIME"));
        headers.insert(TRANSACTION, HeaderValue::from_static("NONE"));
        let named = [
            (SOURCE, Some(&target.source)),
            (CATALOG, self.catalog.as_ref()),
            (SCHEMA, self.schema.as_ref()),
            (PATH, self.path.as_ref()),
            (TIME_ZONE, target.timezone.as_ref()),
            (CLIENT_TAGS, target.client_tags.as_ref()),
            (CLIENT_INFO, target.client_info.as_ref()),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                headers.insert(name, sendable(value)?);
            }
        }
        for (header, pairs) in [(PROPERTY, &self.properties), (ROLE, &self.roles), (PREPARED, &self.prepared)] {
            for (name, value) in pairs {
                let mut pair = sendable(&format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)))?;
                pair.set_sensitive(true);
                headers.append(&header, pair);
            }
        }
        Ok(headers)
    }

    /// Takes over what a statement changed.
    pub(crate) fn learn(&mut self, headers: &HeaderMap) -> Result<()> {
        let one = |name: &'static str| headers.get(name).and_then(|value| value.to_str().ok());
        let all = |name: &'static str| headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        let pairs = |name: &'static str| {
            all(name)
                .filter_map(|pair| pair.split_once('='))
                .filter_map(|(name, value)| Some((decoded(name)?, decoded(value)?)))
        };
        for refused in ["x-trino-started-transaction-id", "x-trino-set-authorization-user"] {
            if headers.contains_key(refused) {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    "a statement before the query begins a transaction or becomes another user, which is not carried on",
                )
                .with_hint("leave it out; the URI names the user"));
            }
        }
        if let Some(catalog) = one("x-trino-set-catalog") {
            self.catalog = Some(catalog.to_owned());
        }
        if let Some(schema) = one("x-trino-set-schema") {
            self.schema = Some(schema.to_owned());
        }
        if let Some(path) = one("x-trino-set-path") {
            self.path = Some(path.to_owned());
        }
        self.properties.extend(pairs("x-trino-set-session"));
        for name in all("x-trino-clear-session") {
            self.properties.remove(name);
        }
        self.roles.extend(pairs("x-trino-set-role"));
        self.prepared.extend(pairs("x-trino-added-prepare"));
        for name in all("x-trino-deallocated-prepare").filter_map(decoded) {
            self.prepared.remove(&name);
        }
        Ok(())
    }
}

/// Who asks, on every request.
pub(crate) fn authorization(target: &Target) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(user) = &target.user {
        headers.insert(USER, sendable(user)?);
    }
    let secret = match (&target.user, &target.password, &target.token) {
        (_, _, Some(token)) => format!("Bearer {}", token.expose()),
        (Some(user), Some(password), None) => {
            format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose())))
        }
        _ => return Ok(headers),
    };
    let mut secret = sendable(&secret)?;
    secret.set_sensitive(true);
    headers.insert(AUTHORIZATION, secret);
    Ok(headers)
}

fn sendable(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text)
        .map_err(|_| Error::new(ErrorKind::Config, "the session holds characters that HTTP cannot send"))
}

/// As Java's URLEncoder writes it: a plus is a space.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_change_the_session() {
        let target = Target::parse("trino://ada@h/c/s?session.a=1").unwrap();
        let mut session = Session::new(&target);
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-trino-set-session", "b=x+%2B%C3%A9"),
            ("x-trino-set-session", "c.d=2"),
            ("x-trino-clear-session", "a"),
            ("x-trino-set-catalog", "memory"),
            ("x-trino-set-role", "hive=ROLE%7Badmin%7D"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        session.learn(&headers).unwrap();
        assert_eq!(session.properties, [("b".into(), "x +é".into()), ("c.d".into(), "2".into())].into());
        let sent = session.headers(&target).unwrap();
        assert_eq!(sent.get("x-trino-catalog").unwrap(), "memory");
        let properties: Vec<_> = sent.get_all("x-trino-session").iter().map(|value| value.to_str().unwrap()).collect();
        assert_eq!(properties, ["b=x%20%2B%C3%A9", "c.d=2"]);
        assert_eq!(sent.get("x-trino-role").unwrap(), "hive=ROLE%7Badmin%7D");
        headers.insert("x-trino-started-transaction-id", HeaderValue::from_static("x"));
        assert!(session.learn(&headers).is_err());
    }
}
