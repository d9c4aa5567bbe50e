//! What a service tells who may not have what was asked for.

use std::fmt;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind};

/// What kind of refusal it is: one for each gRPC status that a service answers with.
///
/// The names are those of gRPC's [status codes](https://grpc.io/docs/guides/status-codes/).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// Nobody knows who asks: `UNAUTHENTICATED`.
    Unauthenticated,
    /// It is known who asks, and that is not enough: `PERMISSION_DENIED`.
    PermissionDenied,
    /// Too many attempts, logins or sessions: `RESOURCE_EXHAUSTED`, and [`Refusal::retry_after`] says when to come back.
    ResourceExhausted,
    /// What is asked for is gone, or never was: `NOT_FOUND`.
    NotFound,
    /// What was sent makes no sense: `INVALID_ARGUMENT`.
    InvalidArgument,
    /// The gateway itself failed: `INTERNAL`.
    Internal,
}

/// A refusal in two voices: what the client is told, and what only the log is told.
///
/// The client never learns whether a user exists; the log does. No voice ever holds a password or a token.
///
/// `Display` is for the client; `Debug` is for the log.
pub struct Refusal(Box<Inner>);

struct Inner {
    kind: RefusalKind,
    message: String,
    hint: Option<String>,
    retry_after: Option<Duration>,
    cause: Option<String>,
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Refusal(Box::new(Inner { kind, message: message.into(), hint: None, retry_after: None, cause: None }))
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    pub(crate) fn with_cause(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// What kind of refusal it is.
    pub fn kind(&self) -> RefusalKind {
        self.0.kind
    }

    /// What the client is told, without the hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the client can do about it.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// How long the client is to wait before it tries again, where waiting helps.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The same in whole seconds, rounded up and at least one, as a header has it.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        let wait = self.0.retry_after?;
        Some((wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1))
    }

    /// What only the log may know: who tried from where, and what was wrong. Control characters of a stranger's text are
    /// escaped in it.
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(hint) = self.hint() {
            write!(f, "; {hint}")?;
        }
        match self.retry_after_seconds() {
            Some(seconds) => write!(f, " (try again in {seconds} s)"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)?;
        match self.cause() {
            Some(cause) => write!(f, " [{cause}]"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    /// Keeps what the client may know and drops what only the log may know.
    fn from(refusal: Refusal) -> Error {
        let kind = match refusal.kind() {
            RefusalKind::Unauthenticated | RefusalKind::PermissionDenied => ErrorKind::Authentication,
            RefusalKind::ResourceExhausted => ErrorKind::ConnectionLimit,
            RefusalKind::NotFound | RefusalKind::InvalidArgument => ErrorKind::Config,
            RefusalKind::Internal => ErrorKind::Internal,
        };
        let error = Error::new(kind, refusal.message());
        match refusal.hint() {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_not_told_the_cause() {
        let refusal = Refusal::new(RefusalKind::Unauthenticated, "the login failed")
            .with_hint("check the user and the password")
            .with_cause("no user \"bob\"");
        assert_eq!(refusal.to_string(), "the login failed; check the user and the password");
        assert!(format!("{refusal:?}").contains("no user \"bob\""));
        let error = Error::from(refusal);
        assert_eq!(error.kind(), ErrorKind::Authentication);
        assert!(!format!("{error:?}").contains("bob"));
    }

    #[test]
    fn seconds_to_wait_are_rounded_up_and_never_none() {
        let seconds = |wait| {
            Refusal::new(RefusalKind::ResourceExhausted, "").with_retry_after(wait).retry_after_seconds().unwrap()
        };
        assert_eq!(seconds(Duration::ZERO), 1);
        assert_eq!(seconds(Duration::from_millis(1)), 1);
        assert_eq!(seconds(Duration::from_secs(7)), 7);
        assert_eq!(seconds(Duration::from_millis(7_001)), 8);
    }
}
