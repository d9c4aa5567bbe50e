//! Messages into batches.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::{MessageHeader, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};

use crate::error::protocol;
use crate::frames::Message;
use crate::header::batch_of;
use crate::schema::{guarded, read_message};
use crate::uri::Address;

/// How much larger than the largest message a batch may become when its buffers are decompressed.
const MOST_INFLATED: usize = 16;

/// Decodes the messages of one stream.
pub(crate) struct Decoder {
    schema: SchemaRef,
    /// What dictionaries hold so far.
    dictionaries: HashMap<i64, ArrayRef>,
    /// How large a batch may become.
    limit: usize,
}

impl Decoder {
    /// For a stream that begins with this message.
    pub(crate) fn new(first: &Message, largest_message: usize, address: &Address) -> Result<Self> {
        let schema = Arc::new(read_message(&first.header, address)?);
        Ok(Decoder { schema, dictionaries: HashMap::new(), limit: largest_message.saturating_mul(MOST_INFLATED) })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batch in a message; `None` where it holds something else, such as a dictionary.
    pub(crate) fn decode(&mut self, message: &Message, address: &Address) -> Result<Option<RecordBatch>> {
        if message.header.is_empty() {
            // Only the server's own notes: nothing of the result.
            return Ok(None);
        }
        self.check_inflated(message, address)?;
        let decoded = guarded(|| self.decode_trusted(message));
        decoded.map_err(|why| protocol(address, format!("a batch that cannot be read ({why})")))
    }

    fn decode_trusted(&mut self, message: &Message) -> Result<Option<RecordBatch>, ArrowError> {
        let refused = |what: &str| ArrowError::IpcError(what.to_owned());
        let root = root_as_message(&message.header).map_err(|error| refused(&error.to_string()))?;
        let version = root.version();
        match root.header_type() {
            MessageHeader::RecordBatch => {
                let batch = root.header_as_record_batch().ok_or_else(|| refused("no batch"))?;
                let schema = Arc::clone(&self.schema);
                RecordBatchDecoder::try_new(&message.body, batch, schema, &self.dictionaries, &version)?
                    .with_require_alignment(false)
                    .read_record_batch()
                    .map(Some)
            }
            MessageHeader::DictionaryBatch => {
                let batch = root.header_as_dictionary_batch().ok_or_else(|| refused("no dictionary"))?;
                read_dictionary(&message.body, batch, &self.schema, &mut self.dictionaries, &version)?;
                Ok(None)
            }
            MessageHeader::Schema => Err(refused("a second schema")),
            _ => Err(refused("neither a batch nor a dictionary")),
        }
    }

    /// Refuses compressed buffers that would become larger than anybody wants them: their size is the sender's word.
    fn check_inflated(&self, message: &Message, address: &Address) -> Result<()> {
        let Ok(root) = root_as_message(&message.header) else { return Ok(()) };
        let Some(batch) = batch_of(&root).filter(|batch| batch.compression().is_some()) else { return Ok(()) };
        let mut total = 0_usize;
        for buffer in batch.buffers().into_iter().flatten() {
            let Ok(from) = usize::try_from(buffer.offset()) else { continue };
            let stated = message.body.get(from..).and_then(|bytes| bytes.first_chunk::<8>());
            // -1: the buffer is not compressed after all.
            let Some(stated) = stated.map(|bytes| i64::from_le_bytes(*bytes)).filter(|size| *size != -1) else {
                continue;
            };
            let stated =
                usize::try_from(stated).map_err(|_| protocol(address, "a compressed buffer of negative size"))?;
            total = total.saturating_add(if buffer.length() > 0 { stated } else { 0 });
        }
        if total > self.limit {
            let message = format!("{address} sends a batch that would become {total} bytes, more than {}", self.limit);
            return Err(Error::new(ErrorKind::Protocol, message)
                .with_hint("allow it with max_message_bytes=BYTES in the URI, a sixteenth of it is enough"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
