//! Bowshot's errors as ADBC's.

use std::os::raw::c_char;

use adbc_core::error::{Error as AdbcError, Result as AdbcResult, Status};
use bowshot_core::{Error, ErrorKind, Result, contained};

/// ADBC's error of one of ours.
pub(crate) fn to_adbc(error: &Error) -> AdbcError {
    let mut adbc = AdbcError::with_message_and_status(plain(&error.to_string()), status(error));
    if let Some(state) = error.sqlstate() {
        for (place, byte) in adbc.sqlstate.iter_mut().zip(state.bytes()) {
            *place = c_char::try_from(byte).unwrap_or_default();
        }
    }
    adbc
}

/// What it is, in ADBC's words: first by the database's own code, where it has one.
pub(crate) fn status(error: &Error) -> Status {
    let state = error.sqlstate().unwrap_or_default();
    match error.kind() {
        ErrorKind::Config => Status::InvalidArguments,
        ErrorKind::Connect
        | ErrorKind::ConnectionLimit
        | ErrorKind::ConnectionLost
        | ErrorKind::Io
        | ErrorKind::Protocol
        | ErrorKind::Tls => Status::IO,
        ErrorKind::Authentication => Status::Unauthenticated,
        ErrorKind::Sql => of_state(state),
        ErrorKind::Value => Status::InvalidData,
        ErrorKind::Unsupported => Status::NotImplemented,
        ErrorKind::SnapshotGone => Status::NotFound,
        ErrorKind::Cancelled => Status::Cancelled,
        ErrorKind::Timeout => Status::Timeout,
        _ => Status::Internal,
    }
}

/// Whether the error of a query of a table tells that the table is not there: databases refuse that in many ways.
pub(crate) fn is_missing(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Sql => matches!(status(error), Status::NotFound | Status::InvalidArguments),
        ErrorKind::Config => true,
        _ => false,
    }
}

/// By the classes of SQLSTATE that the standard and PostgreSQL share.
fn of_state(state: &str) -> Status {
    match state {
        "42P01" | "42S02" | "42704" | "42883" | "3D000" | "3F000" => Status::NotFound,
        "42P07" | "42S01" | "42710" | "42P04" | "42P06" => Status::AlreadyExists,
        "42501" => Status::Unauthorized,
        "57014" => Status::Cancelled,
        _ => match state.get(..2) {
            Some("22") => Status::InvalidData,
            Some("23") => Status::Integrity,
            Some("28") => Status::Unauthenticated,
            Some("0A") => Status::NotImplemented,
            Some("08" | "53" | "57" | "58") => Status::IO,
            _ => Status::InvalidArguments,
        },
    }
}

/// Runs what a caller in another language asked for: nothing of it may unwind into that, and the exporting crate would refuse all
/// later calls after a panic.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> AdbcResult<T> {
    contained(work).unwrap_or_else(|_| Err(panicked())).map_err(|error| to_adbc(&error))
}

/// The error of a panic.
pub(crate) fn panicked() -> Error {
    Error::new(ErrorKind::Internal, "a panic inside Bowshot; please report this")
}

/// C's strings end at the first zero byte.
fn plain(text: &str) -> String {
    text.replace('\0', "\\0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_words_and_its_state() {
        let error = Error::new(ErrorKind::Sql, "no table\0").with_sqlstate("42P01").with_hint("look again");
        let adbc = to_adbc(&error);
        assert_eq!(adbc.status, Status::NotFound);
        assert_eq!(adbc.message, "no table\\0 (SQLSTATE 42P01); look again");
        assert_eq!(adbc.sqlstate.map(|byte| u8::try_from(byte).unwrap()), *b"42P01");
    }

    #[test]
    fn every_kind_has_its_status() {
        let of = |kind, state: &str| status(&Error::new(kind, "x").with_sqlstate(state));
        assert_eq!(of(ErrorKind::Sql, "23505"), Status::Integrity);
        assert_eq!(of(ErrorKind::Sql, "22012"), Status::InvalidData);
        assert_eq!(of(ErrorKind::Sql, "42601"), Status::InvalidArguments);
        assert_eq!(of(ErrorKind::Sql, "42501"), Status::Unauthorized);
        assert_eq!(of(ErrorKind::Sql, "4"), Status::InvalidArguments);
        assert_eq!(of(ErrorKind::Cancelled, "42P01"), Status::Cancelled);
        assert_eq!(of(ErrorKind::Unsupported, ""), Status::NotImplemented);
        assert_eq!(of(ErrorKind::SnapshotGone, ""), Status::NotFound);
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = guarded::<()>(|| panic!("on purpose")).unwrap_err();
        assert_eq!(error.status, Status::Internal);
        assert!(!error.message.contains("on purpose"), "{}", error.message);
    }
}
