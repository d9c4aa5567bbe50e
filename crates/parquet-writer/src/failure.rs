//! Errors of the disk and of Parquet's library.

use std::io;

use bowshot_core::{Error, ErrorKind};
use parquet::errors::ParquetError;

/// The operating system refused to write `what`.
pub(crate) fn io_failed(what: &str, error: &io::Error) -> Error {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "make the folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "write to a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free some space, or write to another disk"
        }
        _ => "look whether the disk is healthy and reachable",
    };
    let copy = io::Error::new(error.kind(), error.to_string());
    Error::new(ErrorKind::Io, format!("{what} cannot be written: {error}")).with_hint(hint).with_source(copy)
}

/// Parquet's library failed over `what`: mostly since the disk did.
pub(crate) fn parquet_failed(what: &str, error: ParquetError) -> Error {
    if let ParquetError::External(cause) = &error
        && let Some(cause) = cause.downcast_ref::<io::Error>()
    {
        return io_failed(what, cause);
    }
    Error::new(ErrorKind::Internal, format!("{what} cannot be written: {error}")).with_source(error)
}
