//! Where a file's bytes go.

use std::io::{self, Write};

use bowshot_core::Result;

use crate::failure::io_failed;
use crate::temporary::Temporary;

/// A file, or what the caller brought.
pub(crate) enum Output {
    /// A temporary file beside its target.
    File(Temporary),
    /// Whatever takes bytes.
    Other(Box<dyn Write + Send>),
}

impl Output {
    /// Its name in errors.
    pub(crate) fn name(&self) -> String {
        match self {
            Output::File(file) => file.target().display().to_string(),
            Output::Other(_) => "the Parquet file".to_owned(),
        }
    }

    /// Ends it: a file takes its target's place.
    pub(crate) fn commit(&mut self) -> Result<()> {
        match self {
            Output::File(file) => file.commit(),
            Output::Other(other) => other.flush().map_err(|error| io_failed("the Parquet file", &error)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Other(other) => other.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::File(file) => file.flush(),
            Output::Other(other) => other.flush(),
        }
    }
}
