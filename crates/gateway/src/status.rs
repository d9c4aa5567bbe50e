//! Errors as gRPC statuses.

use bowshot_core::{Error, ErrorKind};
use bowshot_gateway_access::{Refusal, RefusalKind};
use bowshot_gateway_route::Refused;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

use crate::work::NoTurn;

/// The status of an error: what the database said, for the client to read; its code says whose doing it is.
pub(crate) fn of_error(error: &Error) -> Status {
    let code = match error.kind() {
        ErrorKind::Config | ErrorKind::Sql | ErrorKind::Value => Code::InvalidArgument,
        ErrorKind::Unsupported => Code::Unimplemented,
        ErrorKind::SnapshotGone => Code::NotFound,
        ErrorKind::Cancelled => Code::Cancelled,
        ErrorKind::Timeout => Code::DeadlineExceeded,
        ErrorKind::ConnectionLimit => Code::ResourceExhausted,
        ErrorKind::Connect | ErrorKind::ConnectionLost => Code::Unavailable,
        // The gateway's own login to the source, which is not the client's doing.
        ErrorKind::Authentication | ErrorKind::Tls => Code::FailedPrecondition,
        _ => Code::Internal,
    };
    Status::new(code, error.to_string())
}

/// The status of a statement whose turn does not come: clients may try again.
pub(crate) fn of_no_turn(reason: &NoTurn) -> Status {
    let NoTurn::Busy(busy) = reason else { return of_error(&Error::cancelled()) };
    let mut status = Status::unavailable(busy.to_string());
    status.metadata_mut().insert("retry-after", MetadataValue::from(busy.retry_after_seconds()));
    status
}

/// The status of a query that goes nowhere.
pub(crate) fn of_refused(refused: &Refused) -> Status {
    match refused {
        Refused::PermissionDenied(error) => Status::permission_denied(error.to_string()),
        Refused::Error(error) => of_error(error),
    }
}

/// The status of a refusal, with the time to wait where there is one.
pub(crate) fn of_refusal(refusal: &Refusal) -> Status {
    let code = match refusal.kind() {
        RefusalKind::Unauthenticated => Code::Unauthenticated,
        RefusalKind::PermissionDenied => Code::PermissionDenied,
        RefusalKind::ResourceExhausted => Code::ResourceExhausted,
        RefusalKind::NotFound => Code::NotFound,
        RefusalKind::InvalidArgument => Code::InvalidArgument,
        _ => Code::Internal,
    };
    let mut status = Status::new(code, refusal.to_string());
    if let Some(seconds) = refusal.retry_after_seconds() {
        status.metadata_mut().insert("retry-after", MetadataValue::from(seconds));
    }
    status
}

/// The status of bytes that are no message of the protocol.
pub(crate) fn malformed(what: &str, error: impl std::fmt::Display) -> Status {
    Status::invalid_argument(format!("{what} cannot be read: {error}"))
}

/// The status of what this server does not do.
pub(crate) fn unimplemented(what: &str) -> Status {
    Status::unimplemented(what)
}
