//! Where the text of a file comes from.

use std::io::{self, Read};
use std::sync::Arc;

use bowshot_core::{Error, Result};
use flate2::read::MultiGzDecoder;

use crate::error::damaged;
use crate::format::is_gzip;
use crate::open::{Open, Sequence};

/// The text from `start` on, up to `end`; of a compressed file all of it.
pub(super) fn input(open: &Arc<Open>, start: u64, end: u64) -> Box<dyn Read + Send> {
    if is_gzip(&open.file.name) {
        Box::new(MultiGzDecoder::new(Sequence::new(Arc::clone(open), 0, open.len())))
    } else {
        Box::new(Sequence::new(Arc::clone(open), start, end))
    }
}

/// Adds up to `more` bytes; how many came.
pub(super) fn fill(input: &mut dyn Read, buffer: &mut Vec<u8>, more: usize, name: &str) -> Result<usize> {
    let before = buffer.len();
    match input.take(more as u64).read_to_end(buffer) {
        Ok(_) => Ok(buffer.len() - before),
        Err(error) => Err(failed(name, error)),
    }
}

fn failed(name: &str, error: io::Error) -> Error {
    let words = error.to_string();
    match error.into_inner().map(|inner| inner.downcast::<Error>()) {
        Some(Ok(ours)) => *ours,
        _ => damaged(name, words),
    }
}
