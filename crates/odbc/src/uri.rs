//! Which data source a URI names: a DSN or a connection string.

use std::fmt;
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secrets, is_confidential};
use percent_encoding::percent_decode_str;

/// How long a login may take, unless the connection string says otherwise.
const LOGIN_TIME: Duration = Duration::from_secs(30);

/// The keywords whose values people may see, in small letters. Any other one may be a misspelt password.
const PUBLIC: &[&str] = &[
    "dsn",
    "driver",
    "filedsn",
    "server",
    "servername",
    "host",
    "hostname",
    "port",
    "database",
    "db",
    "dbq",
    "uid",
    "user",
    "username",
];
/// The keywords by which a time limit of the login is given; the driver gets them, too.
const TIME_KEYWORDS: &[&str] =
    &["logintimeout", "login_timeout", "connecttimeout", "connect_timeout", "connectiontimeout"];

/// A connection string by its keywords. Its Debug form hides what is secret.
#[derive(Clone, PartialEq)]
pub(crate) struct Location {
    /// In the user's order.
    pairs: Vec<(String, String)>,
    /// Whether procedures may run: a keyword that no driver gets.
    pub(crate) calls: Calls,
}

impl Location {
    /// Reads `odbc:name`, `odbc:DSN=…;UID=…`, `odbc://name` and `odbc:///?odbc_connect=…`.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read(uri, Location::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let rest = uri.strip_prefix("odbc:").ok_or_else(|| unclear("it does not begin with odbc:"))?;
        let text = match rest.strip_prefix("//") {
            Some(rest) => from_url(rest)?,
            None => rest.to_owned(),
        };
        if text.trim().is_empty() {
            return Err(unclear("it names no data source"));
        }
        if !text.contains('=') {
            return Ok(Location { pairs: vec![("DSN".to_owned(), text.trim().to_owned())], calls: Calls::Refuse });
        }
        let mut pairs = split(&text)?;
        let mut calls = Calls::Refuse;
        for (_, value) in pairs.extract_if(.., |(name, _)| name.eq_ignore_ascii_case(Calls::OPTION)) {
            calls = Calls::parse(&value)?;
        }
        let names = |wanted: &str| pairs.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        if !(names("dsn") || names("driver") || names("filedsn")) {
            return Err(unclear("it has neither DSN= nor Driver="));
        }
        Ok(Location { pairs, calls })
    }

    /// The value of a keyword, in any case.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether one of these keywords is set.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }

    /// The connection string, with `more` keywords at its end.
    pub(crate) fn render(&self, more: &[(&str, String)]) -> String {
        let mut text = String::new();
        let own = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.chain(more.iter().map(|(name, value)| (*name, value.as_str()))) {
            text.push_str(name);
            text.push('=');
            text.push_str(&quoted(value));
            text.push(';');
        }
        text
    }

    /// What is connected to, for messages.
    pub(crate) fn label(&self) -> String {
        // A value that does not look like a name may be a password that lost its keyword.
        let get = |name| self.get(name).filter(|value| !Address::new(*value).is_withheld());
        match (get("dsn"), get("driver")) {
            (Some(name), _) => format!("the data source \"{name}\""),
            (None, Some(driver)) => match get("server").or_else(|| get("servername")) {
                Some(server) => format!("{server} by the driver \"{driver}\""),
                None => format!("the driver \"{driver}\""),
            },
            (None, None) => "the data source".to_owned(),
        }
    }

    /// How long a login may take.
    pub(crate) fn login_time(&self) -> Duration {
        let seconds = TIME_KEYWORDS.iter().find_map(|name| self.get(name)).and_then(|value| value.trim().parse().ok());
        seconds.filter(|seconds| *seconds > 0).map_or(LOGIN_TIME, Duration::from_secs)
    }

    /// `message` without the connection string's secrets, should a driver repeat them.
    pub(crate) fn without_secrets(&self, message: &str) -> String {
        let mut secrets = Secrets::default();
        for (name, value) in &self.pairs {
            // A word such as `yes` is no password that somebody misspelt the keyword of.
            if is_confidential(name) || (is_secret(name) && value.chars().count() > 5) {
                secrets.add(value);
            }
            secrets.note(name, value);
        }
        secrets.hide(message)
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(name, value): &(String, String)| {
            let value = if is_secret(name) { "…" } else { value };
            format!("{name}={value}")
        };
        f.debug_tuple("Location").field(&self.pairs.iter().map(shown).collect::<Vec<_>>().join(";")).finish()
    }
}

fn is_secret(name: &str) -> bool {
    !PUBLIC.contains(&name.trim().to_ascii_lowercase().as_str())
}

/// No part of the URI is shown: it may be a password without its keyword.
fn unclear(why: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the ODBC URI is not clear: {why}")).with_hint(
        "write odbc:NAME for a data source of odbc.ini, or odbc:Driver={PostgreSQL Unicode};Server=…;UID=…;PWD=…",
    )
}

/// What stands behind `odbc://`: a DSN, or nothing, and options.
fn from_url(rest: &str) -> Result<String> {
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let name = decoded(path.trim_matches('/'))?;
    let mut text = None;
    let mut pairs = String::new();
    for option in query.split('&').filter(|option| !option.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        // As in a form, a plus is a space.
        let value = decoded(&value.replace('+', " "))?;
        if key == "odbc_connect" {
            text = Some(value);
        } else {
            pairs = format!("{pairs};{}={}", decoded(key)?, quoted(&value));
        }
    }
    Ok(match text {
        Some(text) => format!("{}{pairs}", text.trim_end_matches(';')),
        None if pairs.is_empty() => name,
        None if name.is_empty() => pairs.trim_start_matches(';').to_owned(),
        None => format!("DSN={}{pairs}", quoted(&name)),
    })
}

fn decoded(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| unclear("its percent-encoded text is not UTF-8"))
}

/// The pairs of `NAME=value;NAME={value; with }} anything}`.
fn split(text: &str) -> Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([';', ' ', '\t', '\n', '\r']);
        if rest.is_empty() {
            return Ok(pairs);
        }
        let (name, after) = rest.split_once('=').ok_or_else(|| unclear("a part of it has no ="))?;
        let (value, after) = value(after)?;
        pairs.push((name.trim().to_owned(), value));
        rest = after;
    }
}

/// A value, and what follows it.
fn value(text: &str) -> Result<(String, &str)> {
    let text = text.trim_start();
    let Some(inside) = text.strip_prefix('{') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return Ok((value.trim_end().to_owned(), rest));
    };
    let mut value = String::new();
    let mut rest = inside;
    loop {
        let (before, after) = rest.split_once('}').ok_or_else(|| unclear("a { has no }"))?;
        value.push_str(before);
        match after.strip_prefix('}') {
            Some(after) => {
                value.push('}');
                rest = after;
            }
            None => {
                let after = after.trim_start();
                return match after.strip_prefix(';') {
                    Some(after) => Ok((value, after)),
                    None if after.is_empty() => Ok((value, after)),
                    None => Err(unclear("something other than ; follows a }")),
                };
            }
        }
    }
}

/// A value as a connection string takes it.
fn quoted(value: &str) -> String {
    let plain = !value.starts_with([' ', '{'])
        && !value.ends_with(' ')
        && !value.contains(['[', ']', '{', '}', '(', ')', ',', ';', '?', '*', '=', '!', '@']);
    if plain { value.to_owned() } else { format!("{{{}}}", value.replace('}', "}}")) }
}

#[cfg(test)]
mod tests;
