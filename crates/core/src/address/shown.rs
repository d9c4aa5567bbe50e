//! What people may see of an address.

use percent_encoding::percent_decode_str;

use super::login;
use crate::is_confidential;

/// Schemes whose users are names; elsewhere a user without a password may be a token.
const NAMES: [&str; 11] = [
    "postgresql",
    "postgres",
    "cockroachdb",
    "redshift",
    "mysql",
    "mariadb",
    "mssql",
    "sqlserver",
    "oracle",
    "clickhouse",
    "clickhousedb",
];

/// Schemes before which another one says what kind of address it is: `jdbc:mysql://…`.
const WRAPPERS: [&str; 2] = ["jdbc", "adbc"];

/// Schemes of files' addresses without a host.
const PATHS: [&str; 3] = ["sqlite", "file", "duckdb"];

/// Scheme, user, host and path; in doubt nothing.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim();
    // Anywhere else the three characters may be those of a password.
    if let Some((scheme, rest)) = text.split_once("://").filter(|(front, _)| are_schemes(front)) {
        return of_uri(scheme, rest);
    }
    if let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        return match scheme.to_ascii_lowercase().as_str() {
            "odbc" => named(scheme, rest, &["dsn", "driver", "filedsn"]),
            "adbc" => match rest.split_once('?') {
                // The driver; what it is told may hold another address.
                Some((driver, _)) => format!("{scheme}:{}?…", path(driver).trim_end_matches("?…")),
                None => format!("{scheme}:{}", path(rest)),
            },
            plain if PATHS.contains(&plain) => format!("{scheme}:{}", path(rest)),
            _ => format!("{scheme}:…"),
        };
    }
    let keys = ["host", "port", "dbname", "user", "service"];
    let is_keyword =
        |(key, _): (&str, &str)| !key.is_empty() && key.trim_end().bytes().all(|byte| byte.is_ascii_lowercase());
    if text.split_once('=').is_some_and(is_keyword) { keywords(text, &keys) } else { path(text) }
}

/// Whether what stands before `://` are schemes: one, or one in a wrapper. Else it may be a user, and the slashes those of a password.
pub(super) fn are_schemes(front: &str) -> bool {
    match front.split_once(':') {
        Some((wrapper, scheme)) => WRAPPERS.contains(&wrapper.to_ascii_lowercase().as_str()) && is_scheme(scheme),
        None => is_scheme(front),
    }
}

/// Whether users of this address, or of its scheme, have names, rather than tokens. Of several schemes the last one says it: `jdbc:mysql`.
pub(super) fn has_names(text: &str) -> bool {
    let schemes = text.split_once("://").map_or(text, |(schemes, _)| schemes);
    let scheme = schemes.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    NAMES.contains(&scheme.split('+').next().unwrap_or_default())
}

fn of_uri(scheme: &str, rest: &str) -> String {
    let inner = scheme.rsplit(':').next().unwrap_or(scheme).to_ascii_lowercase();
    let base = inner.split('+').next().unwrap_or_default();
    if PATHS.contains(&base) {
        return match path(rest) {
            hidden if hidden.starts_with('…') => format!("{scheme}://…"),
            path => format!("{scheme}://{path}"),
        };
    }
    let Ok((user, place)) = login::split(rest) else { return format!("{scheme}://…") };
    let end = place.find(['/', '?', '#']).unwrap_or(place.len());
    let (host, tail) = place.split_at(end);
    // What stands in the port's place may be the beginning of a password.
    let is_port = |place: &str| match place.rsplit_once(':') {
        Some((host, port)) => {
            host.ends_with(']') || host.contains(':') || port.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => true,
    };
    if !host.split(',').all(is_port) || is_suspicious(tail.split(['?', '#']).next().unwrap_or_default()) {
        return format!("{scheme}://…");
    }
    let user = user.map(|user| match user.split_once(':') {
        Some((name, _)) if has_names(&inner) || !matches!(base, "s3" | "s3a" | "http" | "https") => format!("{name}@"),
        // A container of Azure's storage.
        None if has_names(&inner) || matches!(base, "az" | "abfs" | "abfss" | "azure" | "adl") => format!("{user}@"),
        _ => "…@".to_owned(),
    });
    format!("{scheme}://{}{host}{}", user.unwrap_or_default(), without_options(tail))
}

/// ODBC's data source or driver, and nothing else of a connection string.
fn named(scheme: &str, rest: &str, keys: &[&str]) -> String {
    if !rest.contains('=') {
        return match path(rest.trim_start_matches('/')) {
            hidden if hidden.starts_with('…') => format!("{scheme}:…"),
            name => format!("{scheme}:{name}"),
        };
    }
    let is_name = |key: &str| keys.contains(&key.trim().to_ascii_lowercase().as_str());
    let parts = rest.split(';').filter_map(|part| part.split_once('='));
    let mut names = parts.take_while(|(key, _)| !is_confidential(key)).filter(|(key, _)| is_name(key));
    match names.next() {
        // A brace that is not closed in its part would hold a semicolon.
        Some((key, value))
            if value.contains('{') == value.contains('}') && !is_suspicious(value.trim().trim_matches(['{', '}'])) =>
        {
            format!("{scheme}:{}={};…", key.trim(), value.trim())
        }
        _ => format!("{scheme}:…"),
    }
}

/// libpq's keywords: host=/tmp dbname=shop password=secret.
fn keywords(text: &str, keys: &[&str]) -> String {
    let mut shown = Vec::new();
    for word in text.split_whitespace() {
        let Some((key, value)) = word.split_once('=') else { break };
        if is_confidential(key) || is_suspicious(value) || text.contains(['\'', '\\', ';']) {
            break;
        }
        if keys.contains(&key) {
            shown.push(word);
        }
    }
    if shown.is_empty() { "…".to_owned() } else { shown.join(" ") }
}

/// A path, unless it looks like something else.
fn path(text: &str) -> String {
    let shown = without_options(text);
    // What looks like options may be the rest of a password.
    if text.contains('@') || is_suspicious(shown.trim_end_matches("?…")) { "…".to_owned() } else { shown }
}

/// Whether a text that stands for a path may hold a password.
fn is_suspicious(text: &str) -> bool {
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    let flags = decoded.starts_with('-') || decoded.contains(" -");
    let key = |part: &str| part.split_once('=').is_some_and(|(key, _)| is_confidential(key));
    // The drive of a path is no scheme: C:\lake.
    let scheme = decoded.split_once(':').is_some_and(|(front, rest)| {
        let drive = front.len() == 1 && rest.starts_with(['/', '\\']);
        !drive && !front.contains(['/', '\\'])
    });
    let memory = decoded.trim_start_matches('/') == ":memory:";
    (scheme && !memory)
        || flags
        || decoded.contains(['@', ';', '"', '\'', '{', '<', '=', '&', '?']) && !is_hive(&decoded)
        || decoded.contains("://")
        || decoded.split(['/', ' ', '\\', ',']).any(key)
}

/// Folders named `key=value`, and patterns of names.
fn is_hive(text: &str) -> bool {
    !text.contains(['@', ';', '"', '\'', '<', '&']) && text.contains('/')
        || text.chars().all(|character| character.is_alphanumeric() || "._-?*{},".contains(character))
}

fn without_options(path: &str) -> String {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    match path.split_at(end) {
        (path, "") => path.to_owned(),
        (path, _) => format!("{path}?…"),
    }
}

/// Not the drive of a path: C:\lake.
fn is_scheme(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_' | b'.');
    (2..=40).contains(&text.len())
        && text.bytes().all(plain)
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
}
