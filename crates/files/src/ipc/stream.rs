//! The stream layout: one message after the other.

use std::io::BufReader;
use std::sync::Arc;

use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, SchemaRef};
use bowshot_core::{Error, Result};

use super::file::Slices;
use crate::error::damaged;
use crate::guard::contained;
use crate::open::{Open, Sequence};
use crate::read::{Batches, Columns};

type Messages = StreamReader<BufReader<Sequence>>;

fn start(open: &Arc<Open>, columns: Option<Vec<usize>>) -> Result<Messages> {
    let sequence = Sequence::new(Arc::clone(open), 0, open.len());
    StreamReader::try_new(BufReader::new(sequence), columns).map_err(|error| failed(&open.file.name, error))
}

/// The schema, which is the first message.
pub(super) fn schema(open: &Arc<Open>) -> Result<SchemaRef> {
    Ok(start(open, None)?.schema())
}

/// Reads all batches.
pub(super) fn read(open: &Arc<Open>, columns: &[usize], batch_bytes: usize) -> Result<Box<dyn Batches>> {
    let name = open.file.name.clone();
    let messages = contained(|| name.clone(), || start(open, Some(columns.to_vec())))?;
    Ok(Box::new(Stream { messages, slices: Slices::new(batch_bytes), name }))
}

struct Stream {
    messages: Messages,
    slices: Slices,
    name: String,
}

impl Batches for Stream {
    fn next(&mut self) -> Result<Option<Columns>> {
        loop {
            if let Some(columns) = self.slices.next() {
                return Ok(Some(columns));
            }
            let Stream { messages, name, .. } = self;
            let batch = contained(|| name.clone(), || messages.next().transpose().map_err(|error| failed(name, error)))?;
            let Some(batch) = batch else { return Ok(None) };
            let bytes = batch.get_array_memory_size() as u64;
            self.slices.put(batch, bytes);
        }
    }
}

fn failed(name: &str, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(what, error) => match error.into_inner().map(|inner| inner.downcast::<Error>()) {
            Some(Ok(ours)) => *ours,
            _ => damaged(name, what),
        },
        other => damaged(name, other),
    }
}
