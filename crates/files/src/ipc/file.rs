//! The file layout: a footer, and batches that can be read in any order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, MetadataVersion, convert::fb_to_schema, root_as_footer};
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::Result;
use bytes::Bytes;

use super::decode::Decoder;
use super::{Content, message};
use crate::chunk::{Chunk, Piece};
use crate::error::damaged;
use crate::guard::contained;
use crate::read::{Batches, Columns};
use crate::text;

/// What a footer says.
pub(super) struct Footer {
    pub(super) schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    /// By their numbers: those that were looked at.
    batches: BTreeMap<usize, Batch>,
}

/// Where a batch is, and what its header says.
struct Batch {
    block: Block,
    rows: u64,
    /// About how many bytes it has in memory.
    bytes: u64,
}

/// What compression saves, about.
const COMPRESSED: u64 = 3;

/// A footer ends with its length and the magic.
const TAIL: u64 = 10;

impl Footer {
    pub(super) fn load(
        content: &Content,
        name: &str,
        types: &BTreeMap<String, DataType>,
        only: Option<&[Range<usize>]>,
    ) -> Result<Self> {
        let wrong = |what: &dyn std::fmt::Display| damaged(name, what);
        let end = content.open.len().checked_sub(TAIL).ok_or_else(|| wrong(&"it is too short"))?;
        let tail = content.get(end, TAIL)?;
        let tail: [u8; 10] = tail.as_ref().try_into().map_err(|_| wrong(&"it is too short"))?;
        let length = read_footer_length(tail).map_err(|error| wrong(&error))? as u64;
        let start = end.checked_sub(length).ok_or_else(|| wrong(&"its footer is longer than itself"))?;
        let bytes = content.get(start, length)?;
        let footer = root_as_footer(&bytes).map_err(|error| wrong(&error))?;
        let schema = footer.schema().ok_or_else(|| wrong(&"it has no schema"))?;
        message::check_version(footer.version(), name)?;
        message::check_schema(&schema, name)?;
        let schema = text::as_bytes(&fb_to_schema(schema), types);
        let dictionaries = footer.dictionaries().iter().flatten().copied().collect();
        let mut batches = BTreeMap::new();
        for (number, block) in footer.recordBatches().iter().flatten().enumerate() {
            if only.is_none_or(|only| only.iter().any(|range| range.contains(&number))) {
                batches.insert(number, look(content, block, name)?);
            }
        }
        Ok(Footer { schema, version: footer.version(), dictionaries, batches })
    }

    pub(super) fn chunks(&self, file: usize) -> Vec<Chunk> {
        let chunk = |(&number, batch): (&usize, &Batch)| Chunk {
            file,
            piece: Piece::Blocks(number..number + 1),
            rows: Some(batch.rows),
            bytes: batch.bytes,
            held: 0,
        };
        self.batches.iter().map(chunk).collect()
    }

    /// How many rows and bytes some batches have; `None` where one is not there.
    pub(super) fn extent(&self, blocks: Range<usize>) -> Option<(u64, u64)> {
        let mut known = self.batches.range(blocks.clone());
        let (mut rows, mut bytes) = (0_u64, 0_u64);
        for number in blocks {
            let (_, batch) = known.next().filter(|(known, _)| **known == number)?;
            rows = rows.saturating_add(batch.rows);
            bytes = bytes.saturating_add(batch.bytes);
        }
        Some((rows, bytes))
    }
}

/// Reads the header of a batch.
fn look(content: &Content, block: &Block, name: &str) -> Result<Batch> {
    let wrong = || damaged(name, "a batch has no header");
    let (start, header, body) = extent(block).ok_or_else(wrong)?;
    let bytes = content.get(start, header)?;
    let message = message::parse(&bytes, name)?;
    let batch = message.header_as_record_batch();
    let batch = batch.ok_or_else(|| message::unexpected(message.header_type(), name))?;
    let rows = u64::try_from(batch.length()).map_err(|_| wrong())?;
    let factor = if batch.compression().is_some() { COMPRESSED } else { 1 };
    Ok(Batch { block: *block, rows, bytes: body.saturating_mul(factor) })
}

/// Where a block begins, and the lengths of its header and its body.
fn extent(block: &Block) -> Option<(u64, u64, u64)> {
    let start = u64::try_from(block.offset()).ok()?;
    let header = u64::try_from(block.metaDataLength()).ok()?;
    let body = u64::try_from(block.bodyLength()).ok()?;
    Some((start, header, body))
}

/// Reads some batches of a file.
pub(super) fn read(
    content: Content,
    footer: &Arc<Footer>,
    columns: &[usize],
    blocks: Range<usize>,
    batch_bytes: usize,
    trusted: bool,
) -> Result<Box<dyn Batches>> {
    let name = content.open.file.name.clone();
    contained(
        || name.clone(),
        || {
            let mut decoder = Decoder::new(&footer.schema, footer.version, columns, trusted)
                .map_err(|error| damaged(&name, error))?;
            for block in &footer.dictionaries {
                let buffer = block_bytes(&content, block)?;
                decoder.dictionary(block, &buffer).map_err(|error| damaged(&name, error))?;
            }
            let slices = Slices::new(batch_bytes);
            let footer = Arc::clone(footer);
            Ok(Box::new(Blocks { content, footer, decoder, blocks, slices, name: name.clone() }) as Box<dyn Batches>)
        },
    )
}

fn block_bytes(content: &Content, block: &Block) -> Result<Buffer> {
    let wrong = || damaged(&content.open.file.name, "a block has a length below zero");
    let (start, header, body) = extent(block).ok_or_else(wrong)?;
    let length = header.checked_add(body).ok_or_else(wrong)?;
    let bytes: Bytes = content.get(start, length)?;
    message::check(&bytes, header, &content.open.file.name)?;
    Ok(Buffer::from(bytes))
}

struct Blocks {
    content: Content,
    footer: Arc<Footer>,
    decoder: Decoder,
    blocks: Range<usize>,
    slices: Slices,
    name: String,
}

impl Batches for Blocks {
    fn next(&mut self) -> Result<Option<Columns>> {
        loop {
            if let Some(columns) = self.slices.next() {
                return Ok(Some(columns));
            }
            let Some(number) = self.blocks.next() else { return Ok(None) };
            let Some(Batch { block, rows, bytes }) = self.footer.batches.get(&number) else { return Ok(None) };
            let place = || format!("batch {number} of {}", self.name);
            let batch = contained(place, || {
                let buffer = block_bytes(&self.content, block)?;
                self.decoder.batch(block, &buffer, &place())
            })?;
            let batch = batch.filter(|batch| batch.num_rows() as u64 == *rows);
            let batch = batch.ok_or_else(|| damaged(&place(), "it has not the rows that it says"))?;
            self.slices.put(batch, *bytes);
        }
    }
}

/// Cuts large batches into ones of about the size that is asked for, without a copy.
pub(super) struct Slices {
    batch_bytes: usize,
    batch: Option<RecordBatch>,
    at: usize,
    step: usize,
}

impl Slices {
    pub(super) fn new(batch_bytes: usize) -> Self {
        Slices { batch_bytes, batch: None, at: 0, step: 1 }
    }

    pub(super) fn put(&mut self, batch: RecordBatch, bytes: u64) {
        let pieces = usize::try_from(bytes).unwrap_or(usize::MAX).div_ceil(self.batch_bytes.max(1)).max(1);
        self.step = batch.num_rows().div_ceil(pieces).max(1_024);
        self.at = 0;
        self.batch = Some(batch);
    }

    pub(super) fn next(&mut self) -> Option<Columns> {
        let batch = self.batch.as_ref()?;
        let rows = self.step.min(batch.num_rows() - self.at);
        if rows == 0 {
            self.batch = None;
            return None;
        }
        let columns = batch.columns().iter().map(|column| column.slice(self.at, rows)).collect();
        self.at += rows;
        Some(Columns { columns, rows })
    }
}
