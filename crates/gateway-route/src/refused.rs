//! Why a query goes nowhere.

use std::fmt;

use bowshot_core::{Error, ErrorKind};
use bowshot_sql::Name;

/// Why a query goes nowhere.
#[derive(Debug)]
pub enum Refused {
    /// The user may not send it: gRPC's `PERMISSION_DENIED`. What it says is the same whether or not a table exists.
    PermissionDenied(Error),
    /// It cannot be told where it belongs, or a source failed when it was asked for its tables.
    Error(Error),
}

impl Refused {
    /// What the client is told.
    pub fn error(&self) -> &Error {
        match self {
            Refused::PermissionDenied(error) | Refused::Error(error) => error,
        }
    }

    /// A table that is not allowed, or that there is none of: nobody learns which.
    pub(crate) fn table(name: &Name) -> Self {
        denied(
            format!("the table \"{name}\" may not be read, if it exists"),
            "ask who runs the gateway for a rule that allows it; a table that was just made is known some seconds later",
        )
    }

    /// A table that may not be changed, or that there is none of.
    pub(crate) fn target(name: &str) -> Self {
        denied(
            format!("the table \"{name}\" may not be changed, if it exists"),
            "ask who runs the gateway for a rule: \"write source.schema.table\"",
        )
    }

    /// A statement that changes more than rows.
    pub(crate) fn definition() -> Self {
        denied(
            "a user with rules may change rows (INSERT, UPDATE, DELETE), and not what tables are".to_owned(),
            "to make a table, ingest rows into it, which a rule \"write source.schema.table\" allows",
        )
    }

    /// A source that nobody may change through the gateway.
    pub(crate) fn read_only(source: &str) -> Self {
        Refused::failed(
            ErrorKind::Unsupported,
            format!("the source \"{source}\" is read through this gateway, and not changed"),
            "who runs the gateway can set writable = true for it; or use the database's own client",
        )
    }

    /// A text that readers may read differently. `doubt` ends a sentence that begins "the query".
    pub(crate) fn doubt(doubt: &str) -> Self {
        denied(
            format!("the query {doubt}; a user with rules may not send it"),
            "write it in plain SQL, or ask who runs the gateway for a view",
        )
    }

    /// A function that is not known to read nothing.
    pub(crate) fn function(name: &Name) -> Self {
        denied(
            format!("the function \"{name}\" may not be called by a user with rules"),
            "leave it out, or ask who runs the gateway for a view that calls it",
        )
    }

    /// A type that may name something.
    pub(crate) fn data_type(name: &str) -> Self {
        denied(
            format!("a user with rules may not cast to the type \"{name}\""),
            "cast to a built-in type, or ask who runs the gateway for a view that casts",
        )
    }

    pub(crate) fn failed(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Refused::Error(Error::new(kind, message).with_hint(hint))
    }
}

fn denied(message: String, hint: &str) -> Refused {
    Refused::PermissionDenied(Error::new(ErrorKind::Authentication, message).with_hint(hint))
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error().fmt(f)
    }
}

impl std::error::Error for Refused {}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused::Error(error)
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::PermissionDenied(error) | Refused::Error(error) => error,
        }
    }
}
