//! gRPC's statuses as Bowshot's errors.

use std::error::Error as _;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind};
use bowshot_runtime::too_late;
use tonic::{Code, Status};

use crate::uri::Address;

/// The error of a call that failed; the server's own words are kept.
pub(crate) fn failed(status: Status, address: &Address) -> Error {
    if status.source().is_some() {
        // Not the server's word: the connection or HTTP/2 failed underneath.
        return lost(address, &chain(&status)).with_source(status);
    }
    let code = status.code();
    let words = match status.message().trim() {
        "" => "the server failed without saying why",
        words => words,
    };
    let message = format!("{words} (gRPC status {code:?} of {address})");
    let (kind, hint) = kind(code);
    let error = Error::new(kind, message);
    let error = match hint {
        "" => error,
        hint => error.with_hint(hint),
    };
    error.with_source(status)
}

fn kind(code: Code) -> (ErrorKind, &'static str) {
    match code {
        Code::Unauthenticated => (
            ErrorKind::Authentication,
            "check the user and the password, or the token: grpc+tls://USER:PASSWORD@HOST:PORT or ?token=TOKEN",
        ),
        Code::PermissionDenied => (ErrorKind::Sql, "the user may lack the right to read this"),
        Code::Unavailable => (ErrorKind::Connect, "the server says that it cannot serve now; try again later"),
        Code::DeadlineExceeded => (ErrorKind::Timeout, ""),
        Code::Unimplemented => (ErrorKind::Unsupported, "the server lacks this part of Flight SQL"),
        Code::ResourceExhausted => (ErrorKind::Sql, "the server has reached a limit of its own; try again later"),
        // What servers call their errors differs: a mistake in the SQL is Internal in one, InvalidArgument in the next.
        _ => (ErrorKind::Sql, ""),
    }
}

/// The error of a call that ended when `limit` had passed. A server that was told the limit ends the call itself, and its
/// answer may come just before we stop to wait: to the user both are the one limit.
pub(crate) fn of_limit(error: Error, what: &str, limit: Duration) -> Error {
    let status = error.source().and_then(|source| source.downcast_ref::<Status>());
    match status.map(Status::code) {
        Some(Code::Cancelled | Code::DeadlineExceeded) => too_late(what, limit),
        _ => error,
    }
}

/// The connection ended in the middle of the work.
pub(crate) fn lost(address: &Address, why: &str) -> Error {
    Error::new(ErrorKind::ConnectionLost, format!("the connection to {address} broke: {why}"))
        .with_hint("the server or the network ended it; the server's log may say why")
}

/// What is not as Flight prescribes.
pub(crate) fn protocol(address: &Address, what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Protocol, format!("{address} sent what Flight SQL does not allow: {what}"))
}

/// An error with what is underneath it.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let mut inner = error.source().and_then(std::error::Error::source);
    while let Some(error) = inner {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        inner = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_words_are_kept() {
        let address = Address { tls: false, host: "h".into(), port: 1 };
        for (code, kind) in [
            (Code::Unauthenticated, ErrorKind::Authentication),
            (Code::Unavailable, ErrorKind::Connect),
            (Code::InvalidArgument, ErrorKind::Sql),
            (Code::Internal, ErrorKind::Sql),
            (Code::NotFound, ErrorKind::Sql),
            (Code::PermissionDenied, ErrorKind::Sql),
            (Code::ResourceExhausted, ErrorKind::Sql),
            (Code::DeadlineExceeded, ErrorKind::Timeout),
            (Code::Unimplemented, ErrorKind::Unsupported),
            (Code::Cancelled, ErrorKind::Sql),
        ] {
            let error = failed(Status::new(code, "no table nix"), &address);
            assert_eq!(error.kind(), kind, "{code:?}");
            assert_eq!(error.message(), format!("no table nix (gRPC status {code:?} of grpc://h:1)"));
        }
        assert!(failed(Status::new(Code::Internal, ""), &address).message().contains("without saying why"));
    }

    #[test]
    fn a_server_that_obeys_the_limit_is_the_limit() {
        let address = Address { tls: false, host: "h".into(), port: 1 };
        let limit = Duration::from_millis(300);
        let ended = |code| of_limit(failed(Status::new(code, "ended"), &address), "the query", limit);
        for code in [Code::Cancelled, Code::DeadlineExceeded] {
            let error = ended(code);
            assert_eq!(error.kind(), ErrorKind::Timeout, "{code:?}");
            assert_eq!(error.message(), "the query did not end within 0.3 s");
        }
        let other = ended(Code::InvalidArgument);
        assert_eq!(other.kind(), ErrorKind::Sql);
        assert!(other.message().starts_with("ended (gRPC status"), "{other}");
    }
}
