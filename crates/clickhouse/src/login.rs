//! The first request: whether we are let in, and what the server is like.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use bowshot_core::{Cancel, Error, ErrorKind, Result};

use crate::connect::Session;
use crate::describe;

/// What is known of a server and of our rights there.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The time zone that moments without one are shown in.
    pub(crate) zone: Arc<str>,
    /// What every query is sent with.
    pub(crate) settings: Vec<(String, String)>,
    /// The settings that there are and may be set, of those that we ask for.
    known: Vec<String>,
}

impl Facts {
    /// Whether a setting may be sent.
    pub(crate) fn may_set(&self, name: &str) -> bool {
        self.known.iter().any(|known| known == name)
    }
}

/// Where a limit of the user's profile would cut a result short in silence, it shall be an error.
const THROW: [&str; 9] = [
    "result_overflow_mode",
    "read_overflow_mode",
    "read_overflow_mode_leaf",
    "timeout_overflow_mode",
    "timeout_overflow_mode_leaf",
    "distinct_overflow_mode",
    "set_overflow_mode",
    "sort_overflow_mode",
    "transfer_overflow_mode",
];

/// What else we may want to set.
const WANTED: [(&str, &str); 5] = [
    // A query whose client is gone ends.
    ("cancel_http_readonly_queries_on_client_close", "1"),
    // Types are read as text.
    ("output_format_native_encode_types_in_binary_format", "0"),
    // And in one line.
    ("print_pretty_type_names", "0"),
    // Partial results are none.
    ("partial_result_on_first_cancel", "0"),
    // An error in the middle has to look like one.
    ("http_write_exception_in_output_format", "0"),
];

/// Logs in.
pub(crate) fn login(session: &Session, cancel: &Cancel) -> Result<Facts> {
    let names: Vec<String> = THROW
        .iter()
        .chain(WANTED.iter().map(|(name, _)| name))
        .chain(&["readonly", "max_block_size", "enable_http_compression"])
        .map(|name| format!("'{name}'"))
        .collect();
    let sql = format!(
        "SELECT toString(name) AS name, toString(value) AS value FROM system.settings WHERE name IN ({}) \
         UNION ALL SELECT 'the time zone', timezone()",
        names.join(", ")
    );
    // Only this request has a limit: how long a query may take is the user's to say.
    let mut input = session.query(&sql, &[], Some(session.location.connect_timeout), cancel)?;
    // A block of two columns, or an exception. Others who speak HTTP send something else.
    if !matches!(input.peek(1)?.first(), Some(2 | b'C' | b'\r')) {
        return Err(Error::new(
            ErrorKind::Protocol,
            format!("{} does not answer as ClickHouse does", session.location.host),
        )
        .with_hint("the URI needs ClickHouse's HTTP port: 8123, or 8443 with TLS"));
    }
    let answer = describe::blocks(&mut input, "UTC")?;
    let mut found = BTreeMap::new();
    for batch in &answer {
        let (Some(names), Some(values)) = (
            batch.columns().first().and_then(|column| column.as_string_opt::<i32>()),
            batch.columns().get(1).and_then(|column| column.as_string_opt::<i32>()),
        ) else {
            return Err(Error::new(ErrorKind::Protocol, "ClickHouse tells its settings otherwise than as text"));
        };
        found.extend(names.iter().flatten().map(str::to_owned).zip(values.iter().flatten().map(str::to_owned)));
    }
    Ok(facts(&found, session.location.compress))
}

fn facts(found: &BTreeMap<String, String>, compress: bool) -> Facts {
    // One zone, which the versions call otherwise.
    let zone = found.get("the time zone").map_or("UTC", String::as_str);
    let zone: Arc<str> = if zone == "Etc/UTC" { "UTC" } else { zone }.into();
    // A user who may change no setting is read with those that he has.
    if found.get("readonly").is_some_and(|value| value == "1") {
        return Facts { zone, ..Facts::default() };
    }
    let mut settings = Vec::new();
    let mut want = |name: &str, value: &str| {
        if found.get(name).is_some_and(|now| now != value) {
            settings.push((name.to_owned(), value.to_owned()));
        }
    };
    THROW.iter().for_each(|name| want(name, "throw"));
    WANTED.iter().for_each(|(name, value)| want(name, value));
    // Nothing is written, and settings may still be set.
    want("readonly", "2");
    if compress {
        want("enable_http_compression", "1");
    }
    Facts { zone, settings, known: found.keys().cloned().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_that_there_are_and_that_differ_are_sent() {
        let found = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let own = facts(
            &found(&[("readonly", "0"), ("timeout_overflow_mode", "break"), ("sort_overflow_mode", "throw")]),
            true,
        );
        let sent: Vec<&str> = own.settings.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(sent, ["timeout_overflow_mode", "readonly"]);
        let none = facts(
            &found(&[("readonly", "1"), ("timeout_overflow_mode", "break"), ("the time zone", "Asia/Tokyo")]),
            true,
        );
        assert!(none.settings.is_empty() && !none.may_set("readonly"));
        assert_eq!(none.zone.as_ref(), "Asia/Tokyo");
    }
}
