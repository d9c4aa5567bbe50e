//! What the cluster says, as Bowshot's errors.

use bowshot_core::{Error, ErrorKind};
use http::header::{LOCATION, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};

use crate::page::{Failure, Location};
use crate::uri::Target;

/// The error of a query that failed; `sql` is what was sent.
pub(crate) fn failed(failure: Failure, sql: &str) -> Error {
    let Failure { message, error_name, error_type, error_location } = failure;
    let name = error_name.unwrap_or_default();
    let message = message.filter(|message| !message.trim().is_empty());
    let mut message = message.unwrap_or_else(|| "the query failed, and the server does not say why".into());
    if !name.is_empty() {
        message = format!("{message} ({name})");
    }
    let (kind, hint) = kind(&name, error_type.as_deref().unwrap_or_default());
    let mut error = Error::new(kind, message);
    if let Some(position) = error_location.and_then(|location| position(sql, location)) {
        error = error.with_position(position);
    }
    if hint.is_empty() { error } else { error.with_hint(hint) }
}

fn kind(name: &str, family: &str) -> (ErrorKind, &'static str) {
    match (name, family) {
        ("CATALOG_NOT_FOUND", _) => (ErrorKind::Sql, "SHOW CATALOGS lists what there is"),
        ("SCHEMA_NOT_FOUND" | "MISSING_SCHEMA_NAME" | "MISSING_CATALOG_NAME", _) => {
            (ErrorKind::Sql, "name the catalog and the schema in the URI: trino://USER@HOST:PORT/CATALOG/SCHEMA")
        }
        ("PERMISSION_DENIED", _) => (ErrorKind::Sql, "the user lacks a right"),
        ("EXCEEDED_TIME_LIMIT" | "EXCEEDED_CPU_LIMIT", _) => {
            (ErrorKind::Timeout, "query_timeout= in the URI or query_max_run_time in the session allows more")
        }
        ("USER_CANCELED", _) => (ErrorKind::Cancelled, ""),
        ("ABANDONED_QUERY", _) => (
            ErrorKind::Timeout,
            "nobody asked for rows for longer than the server's query.client.timeout; read a plan soon",
        ),
        ("SERVER_STARTING_UP" | "SERVER_SHUTTING_DOWN" | "NO_NODES_AVAILABLE", _) => {
            (ErrorKind::Connect, "the cluster says that it cannot serve now; try again later")
        }
        ("QUERY_QUEUE_FULL", _) => (ErrorKind::Sql, "the cluster has too much to do; try again later"),
        (_, "INSUFFICIENT_RESOURCES") => (ErrorKind::Sql, "the query needs more than the cluster allows it"),
        _ => (ErrorKind::Sql, ""),
    }
}

/// The place of a line and a column, counted in characters from 1.
fn position(sql: &str, location: Location) -> Option<usize> {
    let mut lines = sql.split('\n');
    let line = location.line_number.checked_sub(1)?;
    let before: usize = lines.by_ref().take(line).map(|line| line.chars().count() + 1).sum();
    let length = lines.next()?.chars().count();
    // One behind the end: where something is missing.
    (1..=length + 1).contains(&location.column_number).then_some(before + location.column_number)
}

/// The error of an answer whose status says that there is no result.
pub(crate) fn refused(target: &Target, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Error {
    let words = String::from_utf8_lossy(body.get(..2000).unwrap_or(body));
    let words = words.trim();
    let said = match words {
        "" => String::new(),
        _ if words.starts_with('<') => String::new(),
        words => format!(": {}", words.chars().take(300).collect::<String>()),
    };
    let error = |kind, what: &str| Error::new(kind, format!("{target} {what} (HTTP status {}){said}", status.as_u16()));
    match status {
        StatusCode::UNAUTHORIZED => {
            let browser = headers.get(WWW_AUTHENTICATE).is_some_and(|value| value.as_bytes().starts_with(b"Bearer x_"));
            let hint = match (browser, target.tls) {
                (true, _) => "the cluster wants a login in a browser; give its result as token=",
                (_, true) => "check the user and the password, or the token",
                (_, false) => "the cluster wants a password: write trino+https://USER:PASSWORD@HOST:PORT",
            };
            error(ErrorKind::Authentication, "did not accept who we are").with_hint(hint)
        }
        StatusCode::FORBIDDEN => error(ErrorKind::Authentication, "lets this user not in")
            .with_hint("over plain HTTP, clusters that ask for passwords refuse every user"),
        StatusCode::GONE => error(ErrorKind::Sql, "does not know the query any more")
            .with_hint("a query that nobody reads is forgotten after some minutes"),
        StatusCode::NOT_FOUND => error(ErrorKind::Protocol, "is no Trino cluster, or does not know the query any more")
            .with_hint("check the host and the port"),
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => {
            error(ErrorKind::Connect, "cannot serve now, and did not for as long as was waited")
                .with_hint("try again later")
        }
        status if status.is_redirection() => {
            let place = headers.get(LOCATION).and_then(|place| place.to_str().ok()).unwrap_or("another place");
            let place: String = place.chars().take(200).collect();
            error(ErrorKind::Config, &format!("sends us to {place}")).with_hint("name that place in the URI")
        }
        _ => error(ErrorKind::Protocol, "gave an answer that is no result"),
    }
}

/// The connection ended in the middle of the work.
pub(crate) fn lost(target: &Target, error: hyper::Error) -> Error {
    if error.is_parse() {
        return Error::new(ErrorKind::Protocol, format!("{target} does not answer in HTTP: {error}"))
            .with_hint("check the host, the port, and whether it speaks TLS: trino+https://")
            .with_source(error);
    }
    Error::new(ErrorKind::ConnectionLost, format!("the connection to {target} broke: {error}"))
        .with_hint("the server or the network ended it; a server that speaks only TLS does so too: trino+https://")
        .with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_places() {
        for (name, family, kind) in [
            ("SYNTAX_ERROR", "USER_ERROR", ErrorKind::Sql),
            ("TABLE_NOT_FOUND", "USER_ERROR", ErrorKind::Sql),
            ("PERMISSION_DENIED", "USER_ERROR", ErrorKind::Sql),
            ("EXCEEDED_TIME_LIMIT", "INSUFFICIENT_RESOURCES", ErrorKind::Timeout),
            ("USER_CANCELED", "USER_ERROR", ErrorKind::Cancelled),
            ("SERVER_SHUTTING_DOWN", "INTERNAL_ERROR", ErrorKind::Connect),
            ("", "", ErrorKind::Sql),
        ] {
            let location = Location { line_number: 2, column_number: 3 };
            let failure = Failure {
                message: Some("words".into()),
                error_name: Some(name.into()),
                error_type: Some(family.into()),
                error_location: Some(location),
            };
            let error = failed(failure, "é\nabc");
            assert_eq!(error.kind(), kind, "{name}");
            assert_eq!(error.position(), Some(5));
            assert!(error.message().starts_with("words"));
        }
        for (line_number, column_number) in [(0, 1), (1, 0), (3, 1), (1, 3), (usize::MAX, usize::MAX)] {
            assert_eq!(position("é\nabc", Location { line_number, column_number }), None);
        }
    }
}
