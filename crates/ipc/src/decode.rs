//! Messages into batches.
#![expect(clippy::disallowed_methods, reason = "check_inflated looks at each message first")]
#![expect(clippy::disallowed_types, reason = "check_inflated looks at each message first")]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::convert::try_schema_from_flatbuffer_bytes;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::{MessageHeader, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::arrange::batch_of;
use crate::{Flat, Form, Message, Refused, guarded, inflated};

/// How much larger than the largest message a batch may become when its buffers are decompressed.
pub const MOST_INFLATED: usize = 16;

/// The schema in the message that a stream begins with.
///
/// # Errors
/// The message holds none.
pub fn read_schema(header: &[u8]) -> Result<Schema, String> {
    guarded(|| try_schema_from_flatbuffer_bytes(header))
}

/// Decodes the messages of one stream.
#[derive(Debug)]
pub struct Decoder {
    schema: SchemaRef,
    /// What dictionaries hold so far.
    dictionaries: HashMap<i64, ArrayRef>,
    /// How large a batch may become.
    limit: usize,
}

impl Decoder {
    /// For a stream that begins with this metadata, whose messages have at most so many bytes.
    ///
    /// # Errors
    /// The metadata is no schema.
    pub fn new(header: &[u8], largest_message: usize) -> Result<Self, String> {
        let schema = Arc::new(read_schema(header)?);
        let limit = largest_message.saturating_mul(MOST_INFLATED);
        Ok(Decoder { schema, dictionaries: HashMap::new(), limit })
    }

    /// The schema of all batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batch in a message; `None` where it holds something else, such as a dictionary. Arrays keep the message's body.
    ///
    /// # Errors
    /// The message is not what Arrow's format says, or would become too large.
    pub fn decode(&mut self, message: &Message) -> Result<Option<RecordBatch>, Refused> {
        if message.header.is_empty() {
            // Only the server's own notes: nothing of the result.
            return Ok(None);
        }
        let form = message.note.as_deref().map(|note| guarded(|| Form::read(note, &self.schema)));
        let form = form.transpose().map_err(Refused::Broken)?;
        self.check_inflated(message, form.as_ref())?;
        let decoded = guarded(|| self.decode_trusted(message, form.as_ref())).map_err(Refused::Broken)?;
        if decoded.is_none() {
            self.check_dictionaries()?;
        }
        Ok(decoded)
    }

    fn decode_trusted(&mut self, message: &Message, form: Option<&Form>) -> Result<Option<RecordBatch>, ArrowError> {
        let refused = |what: &str| ArrowError::IpcError(what.to_owned());
        let root = root_as_message(&message.header).map_err(|error| refused(&error.to_string()))?;
        let version = root.version();
        match root.header_type() {
            MessageHeader::RecordBatch => {
                let batch = root.header_as_record_batch().ok_or_else(|| refused("no batch"))?;
                let schema = form.map_or(&self.schema, Form::schema);
                let flat = if batch.compression().is_none() { Flat::whole(schema) } else { None };
                let batch = if let Some(flat) = flat {
                    flat.read(batch, &message.body)?
                } else {
                    let dictionaries = &self.dictionaries;
                    RecordBatchDecoder::try_new(&message.body, batch, Arc::clone(schema), dictionaries, &version)?
                        .with_require_alignment(false)
                        .read_record_batch()?
                };
                match form {
                    Some(form) => form.unpack(&batch).map(Some),
                    None => Ok(Some(batch)),
                }
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

    /// Refuses dictionaries that grow without an end: each message may add to what is held.
    fn check_dictionaries(&self) -> Result<(), Refused> {
        let bytes = self.dictionaries.values().map(|values| values.get_array_memory_size()).sum();
        if bytes > self.limit { Err(Refused::TooLarge { bytes, limit: self.limit }) } else { Ok(()) }
    }

    /// Refuses what would become larger than anybody wants it: how large compressed buffers become is the sender's word, and
    /// numbers may be packed in a sixteenth of their bytes.
    fn check_inflated(&self, message: &Message, form: Option<&Form>) -> Result<(), Refused> {
        let Ok(root) = root_as_message(&message.header) else { return Ok(()) };
        let Some(batch) = batch_of(&root) else { return Ok(()) };
        let rows = usize::try_from(batch.length()).unwrap_or_default();
        let mut total = form.map_or(0, |form| form.unpacked_bytes(rows));
        total = total.saturating_add(inflated(&batch, &message.body).map_err(Refused::Broken)?);
        if total > self.limit {
            return Err(Refused::TooLarge { bytes: total, limit: self.limit });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
