//! What drivers report as Bowshot's errors.

use adbc_core::error::{Error as AdbcError, Status};
use bowshot_core::{Error, ErrorKind, Secrets};

/// What was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The database object and the connection are made.
    Connect,
    /// A statement runs.
    Query,
}

/// A driver's error.
pub(crate) fn from_driver(error: &AdbcError, phase: Phase, secrets: &Secrets) -> Error {
    let state = sqlstate(error).or_else(|| state_in(&error.message));
    let kind = kind(error.status, state.as_deref(), &error.message, phase);
    build(kind, &error.message, state, position(error), secrets)
}

/// An error in the middle of a result: the stream passes on no more than its text.
pub(crate) fn from_stream(error: &arrow_schema::ArrowError, secrets: &Secrets) -> Error {
    let text = match error {
        arrow_schema::ArrowError::CDataInterface(text) => text.clone(),
        other => other.to_string(),
    };
    let state = state_in(&text);
    let kind = kind(Status::Unknown, state.as_deref(), &text, Phase::Query);
    build(kind, &text, state, None, secrets)
}

fn build(kind: ErrorKind, text: &str, state: Option<String>, position: Option<usize>, secrets: &Secrets) -> Error {
    let text = secrets.hide(text.trim());
    let mut error = Error::new(kind, if text.is_empty() { "the driver gives no reason".into() } else { text });
    if let Some(state) = state {
        error = error.with_sqlstate(state);
    }
    match position.or_else(|| caret(error.message())) {
        Some(position) => error.with_position(position),
        None => error,
    }
}

/// The SQLSTATE that the driver reports, if any.
fn sqlstate(error: &AdbcError) -> Option<String> {
    let state: String = error.sqlstate.iter().map(|byte| char::from(byte.to_ne_bytes()[0])).collect();
    let known = state != "00000" && state.chars().all(|c| c.is_ascii_alphanumeric());
    known.then_some(state)
}

/// The SQLSTATE in the text of an error, as PostgreSQL's driver writes it there.
fn state_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("SQLSTATE")?;
    let state: String =
        rest.trim_start_matches([':', ' ', '=', '[']).chars().take_while(char::is_ascii_alphanumeric).collect();
    (state.len() == 5).then_some(state)
}

/// Where in the SQL the database saw the mistake, as PostgreSQL's driver says it.
fn position(error: &AdbcError) -> Option<usize> {
    let details = error.details.as_ref()?;
    let (_, value) = details.iter().find(|(key, _)| key == "PG_DIAG_STATEMENT_POSITION")?;
    std::str::from_utf8(value).ok()?.trim_end_matches('\0').parse().ok()
}

/// Where the caret of an excerpt points to, where that is the first line of the SQL and the excerpt begins with it:
/// ```text
/// LINE 1: SELECT nome FROM t
///                ^
/// ```
fn caret(text: &str) -> Option<usize> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("LINE 1: "));
    let excerpt = lines.next()?.strip_prefix("LINE 1: ")?;
    let place = lines.next()?.find('^')?.checked_sub("LINE 1: ".len())?;
    (!excerpt.starts_with("...")).then_some(place + 1)
}

fn kind(status: Status, state: Option<&str>, text: &str, phase: Phase) -> ErrorKind {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["canceling statement due to statement timeout"]) {
        return ErrorKind::Timeout;
    }
    if let Some(kind) = state.and_then(kind_of_state) {
        return kind;
    }
    match status {
        Status::Unauthenticated => return ErrorKind::Authentication,
        Status::Unauthorized if phase == Phase::Connect => return ErrorKind::Authentication,
        Status::Timeout => return ErrorKind::Timeout,
        Status::NotImplemented if phase == Phase::Connect => return ErrorKind::Config,
        Status::NotImplemented => return ErrorKind::Unsupported,
        _ => {}
    }
    // Most drivers have one status for all that can go wrong with a connection; the words tell more.
    if phase == Phase::Connect {
        return match status {
            _ if says(&["password authentication failed", "no password supplied", "Unauthenticated"]) => {
                ErrorKind::Authentication
            }
            _ if says(&["too many clients", "remaining connection slots"]) => ErrorKind::ConnectionLimit,
            _ if says(&["SSL", "certificate", "x509", "tls:"]) => ErrorKind::Tls,
            _ if says(&["FATAL:"]) && says(&["does not exist"]) => ErrorKind::Config,
            _ if says(&["connection info string", "invalid connection option", "not recognized", "nknown option"]) => {
                ErrorKind::Config
            }
            _ if says(&["IO Error", "unable to open database"]) => ErrorKind::Io,
            Status::InvalidArguments => ErrorKind::Config,
            _ => ErrorKind::Connect,
        };
    }
    let broken = ["Unavailable", "server closed the connection", "onnection reset", "terminating connection"];
    if says(&broken) {
        return match () {
            () if says(&["connection refused", "Error while dialing"]) => ErrorKind::Connect,
            () => ErrorKind::ConnectionLost,
        };
    }
    match status {
        Status::IO if state.is_none() && says(&["no connection to the server", "EOF", "broken pipe"]) => {
            ErrorKind::ConnectionLost
        }
        _ => ErrorKind::Sql,
    }
}

/// What a SQLSTATE says beyond "the query failed".
fn kind_of_state(state: &str) -> Option<ErrorKind> {
    Some(match state {
        "53300" => ErrorKind::ConnectionLimit,
        "57P01" | "57P02" | "57P03" => ErrorKind::ConnectionLost,
        _ if state.starts_with("28") => ErrorKind::Authentication,
        _ if state.starts_with("08") => ErrorKind::ConnectionLost,
        "0A000" => ErrorKind::Unsupported,
        _ if state.chars().all(|c| c == '0') => return None,
        _ => ErrorKind::Sql,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(status: Status, message: &str, phase: Phase) -> Error {
        from_driver(&AdbcError::with_message_and_status(message, status), phase, &Secrets::default())
    }

    #[test]
    fn kinds_follow_status_state_and_words() {
        use ErrorKind as E;
        for (status, message, phase, kind) in [
            (Status::IO, "FATAL: password authentication failed for user", Phase::Connect, E::Authentication),
            (Status::IO, "Connection refused", Phase::Connect, E::Connect),
            (Status::NotImplemented, "Unknown database option foo", Phase::Connect, E::Config),
            (Status::Internal, "IO Error: Could not set lock on file", Phase::Connect, E::Io),
            (Status::Internal, "The following options were not recognized: foo", Phase::Connect, E::Config),
            (Status::IO, "(Unavailable; dial tcp 127.0.0.1:1: connect: connection refused)", Phase::Query, E::Connect),
            (Status::IO, "error reading from server: EOF (Unavailable)", Phase::Query, E::ConnectionLost),
            (Status::Unauthenticated, "who", Phase::Query, E::Authentication),
            (Status::NotImplemented, "no", Phase::Query, E::Unsupported),
            (Status::Internal, "Binder Error", Phase::Query, E::Sql),
            (Status::IO, "terminating connection\nSQLSTATE: 57P01", Phase::Query, E::ConnectionLost),
        ] {
            assert_eq!(error(status, message, phase).kind(), kind, "{message}");
        }
    }

    #[test]
    fn states_and_positions_are_found_in_the_text() {
        let text = "Binder Error: no column\n\nLINE 1: SELECT nome FROM t\n               ^";
        assert_eq!(error(Status::Internal, text, Phase::Query).position(), Some(8));
        assert_eq!(error(Status::Internal, "LINE 1: ...nome FROM t\n   ^", Phase::Query).position(), None);
        let stream = arrow_schema::ArrowError::CDataInterface("ERROR: division by zero\nSQLSTATE: 22012".into());
        let error = from_stream(&stream, &Secrets::default());
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("22012")));
    }
}
