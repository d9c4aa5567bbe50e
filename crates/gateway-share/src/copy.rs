//! One error, told to many.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use bowshot_core::Error;

/// The same error once more: every part is told in the words of the source.
pub(crate) fn copy(error: &Arc<Error>) -> Error {
    let mut copy = Error::new(error.kind(), error.message());
    if let Some(column) = error.column() {
        copy = copy.with_column(column);
    }
    if let Some(state) = error.sqlstate() {
        copy = copy.with_sqlstate(state);
    }
    if let Some(position) = error.position() {
        copy = copy.with_position(position);
    }
    if let Some(hint) = error.hint() {
        copy = copy.with_hint(hint);
    }
    match StdError::source(error.as_ref()) {
        Some(_) => copy.with_source(Underneath(Arc::clone(error))),
        None => copy,
    }
}

/// What is underneath an error that others hold too.
struct Underneath(Arc<Error>);

impl fmt::Display for Underneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match StdError::source(self.0.as_ref()) {
            Some(source) => fmt::Display::fmt(source, f),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Underneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Underneath {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        StdError::source(self.0.as_ref()).and_then(StdError::source)
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::ErrorKind;

    use super::*;

    #[test]
    fn a_copy_says_everything_that_the_error_said() {
        let error = Error::new(ErrorKind::Sql, "division by zero")
            .with_column("ratio")
            .with_sqlstate("22012")
            .with_position(8)
            .with_hint("use nullif")
            .with_source(std::io::Error::other("underneath"));
        let error = Arc::new(error);
        let copied = copy(&error);
        assert_eq!(format!("{copied:?}"), format!("{error:?}"));
        assert_eq!((copied.kind(), copied.column()), (ErrorKind::Sql, Some("ratio")));
        let plain = Arc::new(Error::cancelled());
        assert_eq!(format!("{:?}", copy(&plain)), format!("{plain:?}"));
    }
}
