//! DataFusion's errors as Bowshot's, and back.

use std::error::Error as StdError;

use bowshot_core::{Error, ErrorKind};
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;

/// An error of the engine's own tables, on its way through DataFusion.
pub(crate) fn outside(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// What a query of the user's fails with.
pub(crate) fn inside(error: DataFusionError) -> Error {
    match own(error) {
        Ok(error) => error,
        Err(error) => told(&error),
    }
}

/// Bowshot's own error, if that is what lies beneath.
fn own(error: DataFusionError) -> Result<Error, DataFusionError> {
    match error {
        DataFusionError::External(inner) => match inner.downcast::<Error>() {
            Ok(error) => Ok(*error),
            Err(inner) => Err(DataFusionError::External(inner)),
        },
        DataFusionError::Context(words, inner) => {
            own(*inner).map_err(|inner| DataFusionError::Context(words, Box::new(inner)))
        }
        DataFusionError::Diagnostic(words, inner) => {
            own(*inner).map_err(|inner| DataFusionError::Diagnostic(words, Box::new(inner)))
        }
        // What several consumers share cannot be taken apart: it is told again.
        DataFusionError::Shared(shared) => match beneath(shared.as_ref()) {
            Some(error) => Ok(again(error)),
            None => Err(DataFusionError::Shared(shared)),
        },
        DataFusionError::ArrowError(inner, words) => match beneath(inner.as_ref()) {
            Some(error) => Ok(again(error)),
            None => Err(DataFusionError::ArrowError(inner, words)),
        },
        other => Err(other),
    }
}

/// Bowshot's error somewhere in a chain of causes.
fn beneath<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<Error>() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The same error once more, without its cause.
fn again(error: &Error) -> Error {
    let mut told = Error::new(error.kind(), error.message());
    if let Some(column) = error.column() {
        told = told.with_column(column);
    }
    if let Some(state) = error.sqlstate() {
        told = told.with_sqlstate(state);
    }
    if let Some(hint) = error.hint() {
        told = told.with_hint(hint);
    }
    told
}

fn told(error: &DataFusionError) -> Error {
    let root = error.find_root();
    let text = root.strip_backtrace();
    match root {
        DataFusionError::ResourcesExhausted(_) => exhausted(&text),
        DataFusionError::SQL(..) => {
            Error::new(ErrorKind::Sql, format!("the query is not understood: {text}")).with_hint(HINT)
        }
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { field, .. } => {
                Error::new(ErrorKind::Sql, text).with_column(field.name.clone())
            }
            _ => Error::new(ErrorKind::Sql, text),
        },
        DataFusionError::Plan(_) | DataFusionError::Configuration(_) => Error::new(ErrorKind::Sql, text),
        DataFusionError::NotImplemented(_) => Error::new(ErrorKind::Unsupported, text).with_hint(HINT),
        DataFusionError::ArrowError(..) | DataFusionError::Execution(_) => {
            Error::new(ErrorKind::Value, format!("the query failed: {text}"))
        }
        DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) | DataFusionError::ParquetError(_) => {
            Error::new(ErrorKind::Io, format!("the query failed: {text}"))
        }
        _ => Error::new(ErrorKind::Internal, format!("the engine failed: {text}")),
    }
}

const HINT: &str =
    "queries over files and over several sources are written in the SQL of DataFusion, which is close to PostgreSQL's";

/// The error of a query that needs more memory, or more room to spill, than there is.
fn exhausted(text: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("the query needs more than the gateway may use: {text}"))
        .with_hint("read fewer rows or columns, group by less, or give the gateway's engine more memory or spill space")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn an_error_of_a_source_comes_through_whole() {
        let error = || Error::new(ErrorKind::ConnectionLost, "the server went away").with_sqlstate("57P01");
        let layers = [
            outside(error()),
            outside(error()).context("while reading"),
            DataFusionError::Shared(Arc::new(outside(error()))),
            DataFusionError::ArrowError(Box::new(arrow_schema::ArrowError::ExternalError(Box::new(error()))), None),
        ];
        for layer in layers {
            let told = inside(layer);
            assert_eq!((told.kind(), told.sqlstate()), (ErrorKind::ConnectionLost, Some("57P01")));
            assert_eq!(told.message(), "the server went away");
        }
    }

    #[test]
    fn too_little_memory_is_said_with_a_way_out() {
        let told = inside(DataFusionError::ResourcesExhausted("Failed to allocate 5 MB".into()));
        assert_eq!(told.kind(), ErrorKind::Unsupported);
        assert!(told.to_string().contains("more memory"), "{told}");
    }
}
