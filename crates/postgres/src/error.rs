//! The server's ErrorResponse as an [`Error`].

use bowshot_core::{Error, ErrorKind};
pub(crate) use bowshot_postgres_values::broken;

use crate::message::Body;

/// The fields of an ErrorResponse or NoticeResponse that Bowshot shows.
#[derive(Default)]
pub(crate) struct Fields {
    /// `ERROR`, `WARNING`, `NOTICE`, never translated where the server can say so.
    pub(crate) severity: String,
    pub(crate) message: String,
    pub(crate) detail: String,
    pub(crate) hint: String,
    pub(crate) sqlstate: String,
    column: String,
    /// The character of the sent SQL, counted from 1.
    position: Option<usize>,
}

impl Fields {
    /// Of a body that may be cut off.
    pub(crate) fn read(body: &[u8]) -> Self {
        let mut fields = Fields::default();
        let mut body = Body(body);
        while let Some(kind @ 1..) = body.byte() {
            // The server's messages can be in another encoding before it knows ours.
            let text = String::from_utf8_lossy(body.text_or_rest()).into_owned();
            match kind {
                // The second one came with PostgreSQL 9.6.
                b'S' if fields.severity.is_empty() => fields.severity = text,
                b'V' => fields.severity = text,
                b'M' => fields.message = text,
                b'D' => fields.detail = text,
                b'H' => fields.hint = text,
                b'C' => fields.sqlstate = text,
                b'c' => fields.column = text,
                b'P' => fields.position = text.parse().ok(),
                _ => {}
            }
        }
        fields
    }
}

/// The error of an ErrorResponse to SQL that was sent as the user wrote it.
pub(crate) fn from_response(body: &[u8]) -> Error {
    from_response_to(body, 0, usize::MAX - 1)
}

/// The error of an ErrorResponse to the user's SQL of `length` characters that was sent behind `before` characters of
/// ours (`COPY (`). A position outside the user's text is left out.
pub(crate) fn from_response_to(body: &[u8], before: usize, length: usize) -> Error {
    let fields = Fields::read(body);
    let kind = kind(&fields);
    error(fields, kind, before, length)
}

/// The error of an ErrorResponse within the Arrow of the server's extension, which says of a value that no array can hold
/// what this crate's own decoders say (numeric_value_out_of_range, of a column).
pub(crate) fn from_extension(body: &[u8]) -> Error {
    let fields = Fields::read(body);
    if fields.sqlstate == "22003" && !fields.column.is_empty() {
        return Error::new(ErrorKind::Value, fields.message).with_column(fields.column).with_hint(fields.hint);
    }
    from_response(body)
}

/// The error of an ErrorResponse to our answer to a request for a password.
pub(crate) fn from_response_to_password(body: &[u8]) -> Error {
    let fields = Fields::read(body);
    let kind = match fields.sqlstate.as_str() {
        // QuestDB's only one; no error of PostgreSQL's has it.
        "00000" => ErrorKind::Authentication,
        _ => kind(&fields),
    };
    error(fields, kind, 0, usize::MAX - 1)
}

fn error(fields: Fields, kind: ErrorKind, before: usize, length: usize) -> Error {
    let what = match kind {
        ErrorKind::Authentication => "the database refused the login",
        ErrorKind::Config => "the database could not be opened",
        ErrorKind::Connect => "the database does not take connections now",
        ErrorKind::ConnectionLimit => "the database has no connection left",
        ErrorKind::ConnectionLost => "the database ended the connection",
        ErrorKind::Timeout => "the database stopped the query at its time limit",
        ErrorKind::Cancelled => "the database cancelled the query",
        _ => "the database refused the query",
    };
    let mut message = format!("{what}: {}", fields.message);
    // H2 says the same twice.
    if !fields.detail.is_empty() && !fields.detail.contains(&fields.message) {
        message = format!("{message} ({})", fields.detail);
    }
    let mut error = Error::new(kind, message);
    if !fields.sqlstate.is_empty() {
        error = error.with_sqlstate(fields.sqlstate);
    }
    // One character behind the text counts as inside: there the server sees that it ended too early.
    let position = fields.position.and_then(|position| position.checked_sub(before));
    if let Some(position @ 1..) = position.filter(|position| *position <= length.saturating_add(1)) {
        error = error.with_position(position);
    }
    if !fields.hint.is_empty() {
        error = error.with_hint(fields.hint);
    }
    error
}

fn kind(fields: &Fields) -> ErrorKind {
    match fields.sqlstate.as_str() {
        "53300" => ErrorKind::ConnectionLimit,
        "3D000" => ErrorKind::Config,
        // cannot_connect_now: it starts up, shuts down or recovers.
        "57P03" => ErrorKind::Connect,
        // query_canceled: only the text tells a time limit from a request.
        "57014" if fields.message.contains("timeout") => ErrorKind::Timeout,
        "57014" => ErrorKind::Cancelled,
        // lock_timeout, idle_in_transaction_session_timeout, transaction_timeout.
        "55P03" if fields.message.contains("timeout") => ErrorKind::Timeout,
        "25P03" | "25P04" => ErrorKind::Timeout,
        // admin_shutdown, crash_shutdown, database_dropped, idle_session_timeout.
        "57P01" | "57P02" | "57P04" | "57P05" => ErrorKind::ConnectionLost,
        state if state.starts_with("28") => ErrorKind::Authentication,
        state if state.starts_with("08") => ErrorKind::ConnectionLost,
        _ => ErrorKind::Sql,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(fields: &[(char, &str)]) -> Vec<u8> {
        let mut body: Vec<u8> = fields.iter().flat_map(|(kind, text)| format!("{kind}{text}\0").into_bytes()).collect();
        body.push(0);
        body
    }

    #[test]
    fn everything_that_helps_is_kept() {
        let body = body(&[
            ('S', "FEHLER"),
            ('C', "42703"),
            ('M', "column \"x\" does not exist"),
            ('D', "There is y."),
            ('H', "Perhaps you meant y."),
            ('P', "13"),
        ]);
        let error = from_response(&body);
        assert_eq!(error.kind(), ErrorKind::Sql);
        assert_eq!(
            error.to_string(),
            "the database refused the query: column \"x\" does not exist (There is y.) (SQLSTATE 42703, at character 13 \
             of the query); Perhaps you meant y."
        );
        // Behind "COPY (".
        assert_eq!(from_response_to(&body, 6, 10).position(), Some(7));
        assert_eq!(from_response_to(&body, 13, 10).position(), None);
        assert_eq!(from_response_to(&body, 6, 5).position(), None);
        assert_eq!(from_response_to(&body, 6, 6).position(), Some(7));
    }

    #[test]
    fn kinds_follow_the_sqlstate() {
        for (state, message, kind) in [
            ("28P01", "password authentication failed", ErrorKind::Authentication),
            ("28000", "role does not exist", ErrorKind::Authentication),
            ("3D000", "database does not exist", ErrorKind::Config),
            ("53300", "too many connections for role", ErrorKind::ConnectionLimit),
            ("57P03", "the database system is starting up", ErrorKind::Connect),
            ("57014", "canceling statement due to user request", ErrorKind::Cancelled),
            ("57014", "canceling statement due to statement timeout", ErrorKind::Timeout),
            ("57P01", "terminating connection due to administrator command", ErrorKind::ConnectionLost),
            ("08006", "connection failure", ErrorKind::ConnectionLost),
            ("40001", "canceling statement due to conflict with recovery", ErrorKind::Sql),
            ("53200", "out of memory", ErrorKind::Sql),
            ("", "", ErrorKind::Sql),
        ] {
            assert_eq!(from_response(&body(&[('C', state), ('M', message)])).kind(), kind, "{state} {message}");
        }
        assert!(from_response(&body(&[('C', "40001")])).is_temporary());
    }

    #[test]
    fn torn_bodies_are_errors_too() {
        for hostile in [b"".as_slice(), b"M", b"Mno end", b"\0\0\0", b"P99999999999999999999999\0\0", b"M\xff\xfe\0"] {
            assert_eq!(from_response(hostile).kind(), ErrorKind::Sql);
        }
    }
}
