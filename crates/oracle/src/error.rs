//! What Oracle's errors mean: the server's, the listener's, and bytes that the protocol does not allow.

use bowshot_core::{Error, ErrorKind, Result, contained};
use oracledb_protocol::ProtocolError;

/// Runs a part of the protocol library on bytes that a stranger sent: whatever they are, they end in an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ProtocolError>) -> Result<T, ProtocolError> {
    contained(work).unwrap_or(Err(ProtocolError::TtcDecode("bytes that make no sense")))
}

/// Bytes that make no sense.
pub(crate) fn unexpected(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server sent {what}"))
        .with_hint("is it an Oracle listener, version 12.1 or newer, that the URI names?")
}

/// Whether more bytes may help: the message is not complete.
pub(crate) fn is_incomplete(error: &ProtocolError) -> bool {
    matches!(error, ProtocolError::TtcDecode("missing u8" | "truncated TTC payload"))
}

/// An error of the protocol library, while `sql` ran.
pub(crate) fn protocol(error: ProtocolError, sql: Option<&str>) -> Error {
    match error {
        ProtocolError::ServerErrorInfo(details) => server(&details.message, details.pos, sql),
        ProtocolError::ServerError(message) => server(&message, 0, sql),
        ProtocolError::UnsupportedVersion { .. } => {
            Error::new(ErrorKind::Unsupported, "the server is older than Oracle Database 12.1")
                .with_hint("read it through ODBC: odbc:…")
        }
        ProtocolError::UnsupportedFeature(what) => {
            Error::new(ErrorKind::Unsupported, format!("the server asks for something that Bowshot cannot do: {what}"))
                .with_hint("encrypt with TLS instead: oracle+tcps://")
        }
        ProtocolError::UnsupportedVerifier { verifier_type } => Error::new(
            ErrorKind::Authentication,
            format!("the user's password is kept in a form that Bowshot does not know (verifier {verifier_type:#x})"),
        )
        .with_hint("set the password again, with SQLNET.ALLOWED_LOGON_VERSION_SERVER=12 or 12a on the server"),
        ProtocolError::InvalidServerResponse => {
            Error::new(ErrorKind::Authentication, "the server could not prove that it knows the password")
        }
        other => unexpected(&format!("bytes that the protocol does not allow: {other}")).with_source(other),
    }
}

/// The number of an error: 942 of `ORA-00942: …`.
pub(crate) fn code(message: &str) -> Option<u32> {
    let digits = message.trim_start().strip_prefix("ORA-")?;
    let end = digits.find(|byte: char| !byte.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

/// An error of the database; `position` is the byte of `sql` that it is about, counted from 0.
pub(crate) fn server(message: &str, position: i32, sql: Option<&str>) -> Error {
    let message = match message.trim() {
        "" => "the server reported an error without a message",
        message => message,
    };
    let code = code(message).unwrap_or_default();
    let (kind, hint) = meaning(code);
    let mut error = Error::new(kind, message);
    if let Some(hint) = hint {
        error = error.with_hint(hint);
    }
    // Errors of parsing have numbers from 900 to 999; for others 0 means that there is no position.
    let byte = usize::try_from(position).ok().filter(|byte| *byte > 0 || (900..1000).contains(&code));
    let before = byte.zip(sql).and_then(|(byte, sql)| sql.get(..byte));
    match before {
        Some(before) if kind == ErrorKind::Sql => error.with_position(before.chars().count() + 1),
        _ => error,
    }
}

/// What the numbers mean that say more than "the query failed".
fn meaning(code: u32) -> (ErrorKind, Option<&'static str>) {
    match code {
        1005 | 1017 => (
            ErrorKind::Authentication,
            Some("check user and password; an unquoted user is upper case, and a password's case counts"),
        ),
        1045 => (ErrorKind::Authentication, Some("GRANT CREATE SESSION to the user")),
        28_000 => (ErrorKind::Authentication, Some("an administrator unlocks it: ALTER USER … ACCOUNT UNLOCK")),
        28_001 => {
            (ErrorKind::Authentication, Some("the password has to be changed first: ALTER USER … IDENTIFIED BY …"))
        }
        28_009 => (ErrorKind::Authentication, Some("connect as another user than SYS")),
        18 | 20 | 2391 | 12_516 | 12_518 | 12_519 | 12_520 => {
            (ErrorKind::ConnectionLimit, Some("ask for fewer connections, or raise PROCESSES and SESSIONS"))
        }
        1033 | 1034 | 1090 | 12_526 | 12_527 | 12_528 => {
            (ErrorKind::Connect, Some("the database is starting, stopping or closed; try again later"))
        }
        28 | 31 | 1012 | 1089 | 1092 | 2396 | 2399 | 3113 | 3114 | 3135 | 12_537 | 12_547 | 12_570 | 12_571 => {
            (ErrorKind::ConnectionLost, None)
        }
        1013 => (ErrorKind::Cancelled, None),
        942 => (
            ErrorKind::Sql,
            Some(
                "is the name right, with its schema, and may the user SELECT from it? Names in quotes keep their case",
            ),
        ),
        1031 => (ErrorKind::Sql, Some("the user lacks a right that the query needs")),
        1555 => (
            ErrorKind::Sql,
            Some(
                "the undo for this state of the database is gone: raise UNDO_RETENTION, or read with fewer partitions at a quieter time",
            ),
        ),
        1466 => (
            ErrorKind::Sql,
            Some(
                "the table was altered after the snapshot was taken; read it again, or over one connection (partition_num=1)",
            ),
        ),
        1453..=1456 => (ErrorKind::Sql, Some("the query runs in a transaction that is read only")),
        _ => (ErrorKind::Sql, None),
    }
}

#[cfg(test)]
mod tests {
    use oracledb_protocol::ServerErrorDetails;

    use super::*;

    #[test]
    fn numbers_have_kinds() {
        for (message, kind) in [
            ("ORA-01017: invalid username/password; logon denied", ErrorKind::Authentication),
            ("ORA-28000: The account is locked.", ErrorKind::Authentication),
            ("ORA-00942: table or view does not exist", ErrorKind::Sql),
            ("ORA-01555: snapshot too old", ErrorKind::Sql),
            ("ORA-01013: user requested cancel of current operation", ErrorKind::Cancelled),
            ("ORA-03113: end-of-file on communication channel", ErrorKind::ConnectionLost),
            ("ORA-00018: maximum number of sessions exceeded", ErrorKind::ConnectionLimit),
            ("ORA-01033: ORACLE initialization or shutdown in progress", ErrorKind::Connect),
            ("something else", ErrorKind::Sql),
        ] {
            let error = server(message, 0, None);
            assert_eq!(error.kind(), kind, "{message}");
            assert_eq!(error.message(), message);
        }
        assert!(server("ORA-01555: snapshot too old", 0, None).hint().unwrap().contains("UNDO_RETENTION"));
    }

    #[test]
    fn positions_count_characters() {
        let sql = "SELECT 'é', FROM dual";
        let at = |message, byte| server(message, byte, Some(sql)).position();
        assert_eq!(at("ORA-00936: missing expression", 13), Some(13));
        assert_eq!(at("ORA-00900: invalid SQL statement", 0), Some(1));
        assert_eq!(at("ORA-01476: divisor is equal to zero", 0), None);
        assert_eq!(at("ORA-00936: missing expression", 9), None, "the middle of a character");
        assert_eq!(at("ORA-00936: missing expression", 999), None);
        assert_eq!(at("ORA-00936: missing expression", -5), None);
    }

    #[test]
    fn the_library_cannot_take_the_process_down() {
        let error = guarded::<()>(|| panic!("boom")).unwrap_err();
        assert_eq!(protocol(error, None).kind(), ErrorKind::Protocol);
        let details = ServerErrorDetails {
            message: "ORA-00904: \"X\": invalid identifier".into(),
            code: 904,
            pos: 7,
            ..Default::default()
        };
        let error = protocol(ProtocolError::ServerErrorInfo(Box::new(details)), Some("SELECT x FROM dual"));
        assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(8)));
    }
}
