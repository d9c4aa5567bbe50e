//! One error for all of Bowshot: what happened, where, whose doing it likely is, and what to do.

use std::error::Error as StdError;
use std::fmt;

/// A result whose error is Bowshot's.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of thing went wrong. Destinations turn it into their own exception, status or exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The URI, an option or a parameter makes no sense: nothing was sent to a database.
    Config,
    /// The database could not be reached.
    Connect,
    /// The database did not accept who we are.
    Authentication,
    /// The encrypted channel could not be had as the URI asks for it.
    Tls,
    /// The database has no connection left for us.
    ConnectionLimit,
    /// The connection broke in the middle of the work.
    ConnectionLost,
    /// The database refused or failed to run the query.
    Sql,
    /// A value of the result does not fit the Arrow type of its column.
    Value,
    /// Something that Bowshot or the database cannot do.
    Unsupported,
    /// The other side sent bytes that the protocol does not allow.
    Protocol,
    /// The state of the database that a plan saw can no longer be read, or is another one.
    SnapshotGone,
    /// The user, or who consumes the result, asked to stop.
    Cancelled,
    /// A time limit passed.
    Timeout,
    /// A file or the operating system failed.
    Io,
    /// A mistake in Bowshot itself; please report it.
    Internal,
}

/// An error with its kind, and where they are known: the column, the SQLSTATE, the position in the SQL and a way out.
///
/// ```
/// use bowshot_core::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Value, "column \"price\" (numeric) holds NaN, which decimal128(15, 2) cannot")
///     .with_column("price")
///     .with_hint("read it as text: types={\"price\": \"utf8\"}");
/// assert_eq!(error.column(), Some("price"));
/// assert!(error.to_string().ends_with("types={\"price\": \"utf8\"}"));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    column: Option<String>,
    sqlstate: Option<String>,
    position: Option<usize>,
    hint: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of this kind; `message` says what happened and, as far as known, why.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            column: None,
            sqlstate: None,
            position: None,
            hint: None,
            source: None,
        }))
    }

    /// Names the result column that it is about.
    #[must_use]
    pub fn with_column(mut self, column: impl Into<String>) -> Self {
        self.0.column = Some(column.into());
        self
    }

    /// Keeps the database's own five-character code.
    #[must_use]
    pub fn with_sqlstate(mut self, sqlstate: impl Into<String>) -> Self {
        self.0.sqlstate = Some(sqlstate.into());
        self
    }

    /// Points at a character of the SQL, counted from 1.
    #[must_use]
    pub fn with_position(mut self, position: usize) -> Self {
        self.0.position = Some(position);
        self
    }

    /// Says what the user can do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Keeps the error underneath.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// The same error with each of its texts changed, and with those underneath as text.
    #[must_use]
    pub(crate) fn map_text(mut self, change: impl Fn(&str) -> String) -> Self {
        let inner = &mut self.0;
        inner.message = change(&inner.message);
        for text in [&mut inner.hint, &mut inner.column] {
            *text = text.as_deref().map(&change);
        }
        // Another error's own texts cannot be changed.
        inner.source = inner.source.take().map(|source| change(&source.to_string()).into());
        self
    }

    /// The error of work that was asked to stop.
    pub fn cancelled() -> Self {
        Error::new(ErrorKind::Cancelled, "the read was cancelled")
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What happened, without the hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The result column that it is about.
    pub fn column(&self) -> Option<&str> {
        self.0.column.as_deref()
    }

    /// The database's own five-character code.
    pub fn sqlstate(&self) -> Option<&str> {
        self.0.sqlstate.as_deref()
    }

    /// The character of the SQL where the database saw the mistake, counted from 1.
    pub fn position(&self) -> Option<usize> {
        self.0.position
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Whether the database answered that it does not do what it was asked, and the connection lives on.
    ///
    /// What is asked only to plan well may be refused without harm: the result is then read as one partition.
    pub fn is_refusal(&self) -> bool {
        match self.0.kind {
            ErrorKind::Sql => true,
            ErrorKind::Config | ErrorKind::Unsupported | ErrorKind::Timeout => self.sqlstate().is_some(),
            _ => false,
        }
    }

    /// Whether the same read may succeed when it is tried again, unchanged.
    pub fn is_temporary(&self) -> bool {
        match self.0.kind {
            ErrorKind::Connect | ErrorKind::ConnectionLimit | ErrorKind::ConnectionLost | ErrorKind::Timeout => true,
            // Class 40: transaction rollback (serialization failure, deadlock, recovery conflict).
            ErrorKind::Sql => self.sqlstate().is_some_and(|state| state.starts_with("40")),
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match (&self.0.sqlstate, self.0.position) {
            (Some(state), Some(position)) => write!(f, " (SQLSTATE {state}, at character {position} of the query)")?,
            (Some(state), None) => write!(f, " (SQLSTATE {state})")?,
            (None, Some(position)) => write!(f, " (at character {position} of the query)")?,
            (None, None) => {}
        }
        match &self.0.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)?;
        match &self.0.source {
            Some(source) => write!(f, " (caused by: {source})"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Error::new(ErrorKind::Internal, format!("Arrow refused an array: {error}")).with_source(error)
    }
}
