//! Batches as messages whose bodies are the arrays' own memory.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_flight::FlightData;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Result};
use bytes::Bytes;

use crate::{Codec, Message, schema};

/// What a message begins with in Arrow's IPC stream, and Flight leaves out: a marker, and the length of the metadata with what fills it up
/// ([encapsulated message format](https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format)).
const PREFIX: usize = 8;

/// Writes batches without compression.
pub(crate) struct Pieces(StreamEncoder);

impl Pieces {
    /// For batches of this schema, without dictionaries.
    pub(crate) fn new(of: &SchemaRef) -> Result<Pieces> {
        let mut encoder = StreamEncoder::try_new_with_options(of, schema::options(Codec::None)?)?;
        // The first batch brings the schema along, which is sent otherwise.
        encoder.encode(&RecordBatch::new_empty(Arc::clone(of)))?;
        Ok(Pieces(encoder))
    }

    /// The message that holds this batch.
    pub(crate) fn message(&mut self, batch: &RecordBatch) -> Result<Message> {
        let broken = || Error::new(ErrorKind::Internal, "a batch was encoded in an order that is not Arrow's");
        let mut buffers = self.0.encode(batch)?.into_iter();
        let padded = buffers.next().as_deref().and_then(padded_length).ok_or_else(broken)?;
        let metadata = buffers.next().ok_or_else(broken)?;
        let mut filling = padded.checked_sub(metadata.len()).ok_or_else(broken)?;
        while filling > 0 {
            let length = buffers.next().map_or(0, |buffer| buffer.len());
            filling = filling.checked_sub(length).filter(|_| length > 0).ok_or_else(broken)?;
        }
        let data_header = Bytes::copy_from_slice(&metadata);
        Ok(Message::new(FlightData { data_header, ..FlightData::default() }, buffers))
    }
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").finish_non_exhaustive()
    }
}

/// How long the metadata is with what fills it up.
fn padded_length(prefix: &[u8]) -> Option<usize> {
    let prefix: &[u8; PREFIX] = prefix.try_into().ok()?;
    let length = prefix.last_chunk::<4>().map(|bytes| i32::from_le_bytes(*bytes))?;
    usize::try_from(length).ok()
}
