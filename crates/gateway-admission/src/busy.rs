//! Why a statement may not run now, and when to come back.

use std::fmt;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind};

/// Why a statement may not run now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BusyReason {
    /// Too many others run and wait.
    LineFull,
    /// It waited as long as statements may.
    WaitedTooLong,
    /// It was the last of the user with the most waiting statements when the line was full, and gave way to another user's.
    GaveWay,
}

/// A statement may not run now; later it may. In gRPC it is `UNAVAILABLE`, which clients may try again (see the
/// [status codes](https://grpc.io/docs/guides/status-codes/)) with a header `retry-after`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    reason: BusyReason,
    message: String,
    retry_after: Duration,
}

impl Busy {
    pub(crate) fn new(reason: BusyReason, message: String, retry_after: Duration) -> Self {
        Busy { reason, message, retry_after }
    }

    /// Why.
    pub fn reason(&self) -> BusyReason {
        self.reason
    }

    /// What happened, without the hint.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// How long the client is to wait before it tries again: an estimate from how long statements have run so far.
    pub fn retry_after(&self) -> Duration {
        self.retry_after
    }

    /// The same in whole seconds, rounded up and at least one, as a header has it.
    pub fn retry_after_seconds(&self) -> u64 {
        (self.retry_after.as_secs() + u64::from(self.retry_after.subsec_nanos() > 0)).max(1)
    }
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (try again in {} s)", self.message, self.retry_after_seconds())
    }
}

impl std::error::Error for Busy {}

impl From<Busy> for Error {
    fn from(busy: Busy) -> Error {
        let hint = format!("try again in {} s", busy.retry_after_seconds());
        Error::new(ErrorKind::ConnectionLimit, busy.message).with_hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_and_never_none() {
        let seconds = |millis| {
            Busy::new(BusyReason::LineFull, String::new(), Duration::from_millis(millis)).retry_after_seconds()
        };
        assert_eq!([seconds(0), seconds(1), seconds(1000), seconds(1001)], [1, 1, 1, 2]);
    }

    #[test]
    fn as_an_error_it_is_temporary_and_says_when() {
        let busy = Busy::new(BusyReason::LineFull, "the line is full".into(), Duration::from_secs(3));
        assert_eq!(busy.to_string(), "the line is full (try again in 3 s)");
        let error = Error::from(busy);
        assert!(error.is_temporary() && error.to_string() == "the line is full; try again in 3 s", "{error}");
    }
}
