//! The stream layout: one message after the other.

use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_ipc::{Block, MessageHeader, MetadataVersion};
use arrow_schema::SchemaRef;
use bowshot_core::Result;
use bytes::Bytes;

use super::decode::Decoder;
use super::file::Slices;
use super::message;
use crate::error::damaged;
use crate::guard::contained;
use crate::open::Open;
use crate::read::{Batches, Columns};

/// Messages from the beginning of a file.
struct Messages {
    open: Arc<Open>,
    at: u64,
}

/// A message with its body.
struct Message {
    bytes: Bytes,
    header: u64,
    body: u64,
    kind: MessageHeader,
    version: MetadataVersion,
}

impl Messages {
    /// The next message; `None` at the end, which the stream or the file marks.
    fn next(&mut self) -> Result<Option<Message>> {
        let name = &self.open.file.name;
        let rest = self.open.len().saturating_sub(self.at);
        if rest == 0 {
            return Ok(None);
        }
        let head = self.open.read(self.at, 8.min(rest))?;
        let number = |from: usize| {
            let bytes = head.get(from..from + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or_else(|| damaged(name, "it ends within a message"))
        };
        // Older writers leave the marker in front of the length out.
        let (prefix, length) = if number(0)? == u32::MAX { (8, number(4)?) } else { (4, number(0)?) };
        if length == 0 {
            return Ok(None);
        }
        let header = prefix + u64::from(length);
        let (body, kind, version) = {
            let bytes = self.open.read(self.at, header)?;
            let message = message::parse(&bytes, name)?;
            let body =
                u64::try_from(message.bodyLength()).map_err(|_| damaged(name, "a message has a length below zero"))?;
            (body, message.header_type(), message.version())
        };
        // In one piece, as the decoder takes it; the second read of the header is of a few bytes.
        let bytes = self.open.read(self.at, header.saturating_add(body))?;
        self.at += header + body;
        Ok(Some(Message { bytes, header, body, kind, version }))
    }
}

/// The first message.
fn start(open: &Arc<Open>) -> Result<(Messages, SchemaRef, MetadataVersion)> {
    let mut messages = Messages { open: Arc::clone(open), at: 0 };
    let name = &open.file.name;
    let first = messages.next()?.filter(|message| message.kind == MessageHeader::Schema);
    let first = first.ok_or_else(|| damaged(name, "it does not begin with a schema"))?;
    if let Some(schema) = message::parse(&first.bytes, name)?.header_as_schema() {
        message::check_schema(&schema, name)?;
    }
    let schema = try_schema_from_ipc_buffer(&first.bytes).map_err(|error| damaged(name, error))?;
    Ok((messages, Arc::new(schema), first.version))
}

/// The schema, which is the first message.
pub(super) fn schema(open: &Arc<Open>) -> Result<SchemaRef> {
    Ok(start(open)?.1)
}

/// Reads all batches.
pub(super) fn read(
    open: &Arc<Open>,
    schema: &SchemaRef,
    columns: &[usize],
    batch_bytes: usize,
    trusted: bool,
) -> Result<Box<dyn Batches>> {
    let name = open.file.name.clone();
    contained(
        || name.clone(),
        || {
            let (messages, _, version) = start(open)?;
            let decoder = Decoder::new(schema, version, columns, trusted).map_err(|error| damaged(&name, error))?;
            Ok(Box::new(Stream { messages, decoder, slices: Slices::new(batch_bytes), name: name.clone() })
                as Box<dyn Batches>)
        },
    )
}

struct Stream {
    messages: Messages,
    decoder: Decoder,
    slices: Slices,
    name: String,
}

impl Batches for Stream {
    fn next(&mut self) -> Result<Option<Columns>> {
        loop {
            if let Some(columns) = self.slices.next() {
                return Ok(Some(columns));
            }
            let Stream { messages, decoder, slices, name } = self;
            let more = contained(
                || name.clone(),
                || {
                    let Some(message) = messages.next()? else { return Ok(false) };
                    message::check(&message.bytes, message.header, name)?;
                    let wrong = |_| damaged(name, "a message is too long");
                    let header = i32::try_from(message.header).map_err(wrong)?;
                    let body = i64::try_from(message.body).map_err(wrong)?;
                    let block = Block::new(0, header, body);
                    let buffer = Buffer::from(message.bytes);
                    if message.kind == MessageHeader::DictionaryBatch {
                        decoder.dictionary(&block, &buffer).map_err(|error| damaged(name, error))?;
                    } else {
                        let batch = decoder.batch(&block, &buffer, name)?;
                        let batch = batch.ok_or_else(|| message::unexpected(message.kind, name))?;
                        slices.put(batch, message.body);
                    }
                    Ok(true)
                },
            )?;
            if !more {
                return Ok(None);
            }
        }
    }
}
