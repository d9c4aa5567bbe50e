//! Batches out of the bytes of a message.
#![expect(clippy::disallowed_types, reason = "message::check has looked at each message before it comes here")]

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, MetadataVersion};
use arrow_schema::{ArrowError, SchemaRef};
use bowshot_core::Result;
use bowshot_ipc::{Flat, MOST_ROWS};

use super::message;
use crate::error::damaged;
use crate::map::trusting;

/// Decodes some columns of the messages of one file, or of one stream.
pub(super) struct Decoder {
    arrow: FileDecoder,
    /// For what is not compressed, where the schema has such a form: it looks at whole columns at once.
    flat: Option<Flat>,
}

impl Decoder {
    /// For these columns, in their order in the file; whoever made a trusted one is taken at his word.
    pub(super) fn new(
        schema: &SchemaRef,
        version: MetadataVersion,
        columns: &[usize],
        trusted: bool,
    ) -> Result<Self, ArrowError> {
        let arrow = FileDecoder::new(Arc::clone(schema), version).with_projection(columns.to_vec());
        let arrow = if trusted { trusting(arrow) } else { arrow };
        let flat = if trusted { None } else { Flat::some(schema, columns)? };
        Ok(Decoder { arrow, flat })
    }

    /// Takes the values of a dictionary.
    pub(super) fn dictionary(&mut self, block: &Block, bytes: &Buffer) -> Result<(), ArrowError> {
        self.arrow.read_dictionary(block, bytes)
    }

    /// The batch in a message of this header's length; `None` where it holds something else.
    pub(super) fn batch(&self, block: &Block, bytes: &Buffer, name: &str) -> Result<Option<RecordBatch>> {
        let wrong = |error| damaged(name, error);
        if let Some(flat) = &self.flat {
            let message = message::parse(bytes, name)?;
            let batch = message.header_as_record_batch();
            let batch = batch.filter(|batch| batch.compression().is_none() && batch.length() <= MOST_ROWS);
            let header = usize::try_from(block.metaDataLength()).ok().filter(|header| *header <= bytes.len());
            if let (Some(batch), Some(header)) = (batch, header) {
                return flat.read(batch, &bytes.slice(header)).map(Some).map_err(wrong);
            }
        }
        self.arrow.read_record_batch(block, bytes).map_err(wrong)
    }
}
