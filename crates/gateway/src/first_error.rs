//! Why a result ended, for all who read parts of it.

use std::sync::OnceLock;

use bowshot_core::{Error, ErrorKind};
use tonic::Status;

use crate::status::of_error;

/// The first error of a result. The other endpoints are cancelled because of it, and tell it: a client that reads
/// several must not take the cancellation for the reason.
#[derive(Debug, Default)]
pub(crate) struct FirstError(OnceLock<Status>);

impl FirstError {
    /// What a client is told whose endpoint ended with `error`.
    pub(crate) fn status(&self, error: &Error) -> Status {
        match (error.kind(), self.0.get()) {
            (ErrorKind::Cancelled, Some(first)) => first.clone(),
            (ErrorKind::Cancelled, None) => of_error(error),
            _ => self.0.get_or_init(|| of_error(error)).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_told_by_all_endpoints() {
        let first = FirstError::default();
        assert_eq!(first.status(&Error::cancelled()).code(), tonic::Code::Cancelled, "somebody cancelled it");
        let reason = first.status(&Error::new(ErrorKind::Sql, "division by zero"));
        assert!(reason.message().contains("division by zero"));
        assert_eq!(first.status(&Error::cancelled()).message(), reason.message());
        assert_eq!(first.status(&Error::new(ErrorKind::Io, "later")).message(), reason.message());
    }
}
