//! Row groups as a file of their own: the column chunks that are read, byte by byte as they are stored, and a footer for them.
//!
//! Who hands them on instead of batches neither decodes nor encodes anything, and sends fewer bytes. Only what [`Direct`](super::direct)
//! reads is handed on so: the reader at the other end is the same.

mod open;

use std::collections::VecDeque;
use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_core::{Excerpt, Result};
use bytes::{Bytes, BytesMut};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};

use super::direct::{leaf, serves};
use super::{Meta, failed, rows};
use crate::chunk::{Chunk, Piece};
use crate::guard::contained;
use crate::open::Open;

pub use open::open_excerpt;

/// A larger one is read as batches: the other end has all of it in memory.
pub(crate) const LARGEST: u64 = 64 << 20;

/// How many bytes are handed on at a time.
const STEP: u64 = 1 << 20;

/// What a Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";

/// The footer's version of the format; readers look at what there is.
const VERSION: i32 = 2;

/// Whether these columns of a piece may be handed on so.
pub(crate) fn may_be_excerpt(meta: &Meta, columns: &[usize], chunk: &Chunk) -> bool {
    matches!(&chunk.piece, Piece::Groups(groups) if serves(meta, columns, groups))
}

/// These row groups as a file with these columns, which are read as those of `schema`, if they are stored in at most the `smaller`th
/// part of the bytes of their batches; `None` where they cannot be handed on.
pub(crate) fn excerpt(
    open: &Arc<Open>,
    meta: &Meta,
    columns: &[usize],
    schema: &SchemaRef,
    chunk: &Chunk,
    smaller: u64,
) -> Result<Option<Excerpt<'static>>> {
    let Piece::Groups(groups) = &chunk.piece else { return Ok(None) };
    if !open.is_local() || !may_be_excerpt(meta, columns, chunk) {
        return Ok(None);
    }
    let name = &open.file.name;
    contained(
        || name.clone(),
        || {
            let Some(draft) = Draft::new(meta, columns, groups).map_err(|error| failed(name, error))? else {
                return Ok(None);
            };
            if !draft.is_readable(schema) {
                return Ok(None);
            }
            let footer = draft.footer().map_err(|error| failed(name, error))?;
            let bytes = draft.end + footer.len() as u64;
            if bytes > LARGEST || bytes.saturating_mul(smaller) > chunk.bytes {
                return Ok(None);
            }
            let magic = Part::Bytes(Bytes::from_static(MAGIC));
            let parts = once(magic).chain(draft.ranges.into_iter().map(Part::Range)).chain(once(Part::Bytes(footer)));
            let pieces = Pieces { open: Arc::clone(open), parts: parts.collect() };
            let rows = chunk.rows.unwrap_or(0);
            Ok(Some(Excerpt { rows, bytes, decoded_bytes: chunk.bytes, pieces: Box::new(pieces) }))
        },
    )
}

/// What an excerpt will be made of.
struct Draft {
    metadata: ParquetMetaData,
    /// What is taken of the file, in its order in the excerpt.
    ranges: Vec<Range<u64>>,
    /// Where its footer begins.
    end: u64,
}

impl Draft {
    /// `None` where a column chunk is not where its pages say.
    fn new(meta: &Meta, columns: &[usize], groups: &Range<usize>) -> Result<Option<Draft>, ParquetError> {
        let root = meta.reader.parquet_schema().root_schema();
        let fields = columns.iter().filter_map(|column| root.get_fields().get(*column).cloned()).collect();
        let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
        let schema: SchemaDescPtr = Arc::new(SchemaDescriptor::new(Arc::new(root)));
        let leaves: Option<Vec<usize>> = columns.iter().map(|column| leaf(meta, *column)).collect();
        let Some(leaves) = leaves else { return Ok(None) };
        let (mut ranges, mut end) = (Vec::<Range<u64>>::new(), MAGIC.len() as u64);
        let mut moved = Vec::with_capacity(groups.len());
        for group in meta.reader.metadata().row_groups().get(groups.clone()).unwrap_or_default() {
            let mut chunks = Vec::with_capacity(leaves.len());
            for (place, leaf) in leaves.iter().enumerate() {
                let Some(chunk) = group.columns().get(*leaf) else { return Ok(None) };
                let (start, length) = chunk.byte_range();
                let Some(chunk) = moved_to(chunk, end, &schema, place)? else { return Ok(None) };
                chunks.push(chunk);
                end += length;
                match ranges.last_mut() {
                    Some(last) if last.end == start => last.end += length,
                    _ => ranges.push(start..start + length),
                }
            }
            let total = chunks.iter().map(ColumnChunkMetaData::uncompressed_size).sum();
            let group = RowGroupMetaData::builder(Arc::clone(&schema)).set_num_rows(group.num_rows());
            moved.push(group.set_total_byte_size(total).set_column_metadata(chunks).build()?);
        }
        let count = moved.iter().map(RowGroupMetaData::num_rows).sum();
        let file = FileMetaData::new(VERSION, count, None, None, schema, None);
        Ok(Some(Draft { metadata: ParquetMetaData::new(file, moved), ranges, end }))
    }

    /// Whether the reader at the other end makes of it what it is announced.
    fn is_readable(&self, schema: &SchemaRef) -> bool {
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        let reader = ArrowReaderMetadata::try_new(Arc::new(self.metadata.clone()), ArrowReaderOptions::new());
        let meta = reader.map_err(|error| failed("", error)).and_then(|reader| Meta::read_as(&reader, schema, ""));
        meta.is_ok_and(|meta| serves(&meta, &columns, &(0..self.metadata.num_row_groups())))
    }

    fn footer(&self) -> Result<Bytes, ParquetError> {
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &self.metadata).finish()?;
        Ok(footer.into())
    }
}

/// A column chunk that begins at `start` of another file, as its column `place`; `None` where its pages begin before it.
fn moved_to(
    chunk: &ColumnChunkMetaData,
    start: u64,
    schema: &SchemaDescPtr,
    place: usize,
) -> Result<Option<ColumnChunkMetaData>, ParquetError> {
    let (before, _) = chunk.byte_range();
    let moved = |offset: i64| i64::try_from(u64::try_from(offset).ok()?.checked_sub(before)?.checked_add(start)?).ok();
    let Some(data) = moved(chunk.data_page_offset()) else { return Ok(None) };
    let dictionary = chunk.dictionary_page_offset().map(moved);
    if dictionary == Some(None) {
        return Ok(None);
    }
    ColumnChunkMetaData::builder(schema.column(place))
        .set_encodings_mask(*chunk.encodings_mask())
        .set_num_values(chunk.num_values())
        .set_compression_codec(chunk.compression_codec())
        .set_total_compressed_size(chunk.compressed_size())
        .set_total_uncompressed_size(chunk.uncompressed_size())
        .set_unencoded_byte_array_data_bytes(chunk.unencoded_byte_array_data_bytes())
        .set_data_page_offset(data)
        .set_dictionary_page_offset(dictionary.flatten())
        .build()
        .map(Some)
}

enum Part {
    Bytes(Bytes),
    /// Bytes of the file.
    Range(Range<u64>),
}

/// The bytes of an excerpt.
struct Pieces {
    open: Arc<Open>,
    parts: VecDeque<Part>,
}

impl Pieces {
    /// At most so many bytes of what comes next.
    fn take(&mut self, most: u64) -> Result<Bytes> {
        let Some(part) = self.parts.front_mut() else { return Ok(Bytes::new()) };
        let (bytes, is_over) = match part {
            Part::Bytes(bytes) => {
                let length = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
                (bytes.split_to(length), bytes.is_empty())
            }
            Part::Range(range) => {
                let end = range.start.saturating_add(most).min(range.end);
                let bytes = self.open.read(range.start, end - range.start)?;
                range.start = end;
                (bytes, range.is_empty())
            }
        };
        if is_over {
            self.parts.pop_front();
        }
        Ok(bytes)
    }

    fn piece(&mut self) -> Result<Bytes> {
        let first = self.take(STEP)?;
        let mut left = STEP.saturating_sub(first.len() as u64);
        if left == 0 || self.parts.is_empty() {
            return Ok(first);
        }
        let mut piece = BytesMut::with_capacity(usize::try_from(STEP).unwrap_or_default());
        piece.extend_from_slice(&first);
        while left > 0 && !self.parts.is_empty() {
            let more = self.take(left)?;
            left -= more.len() as u64;
            piece.extend_from_slice(&more);
        }
        Ok(piece.freeze())
    }
}

impl Iterator for Pieces {
    type Item = Result<Bytes>;

    fn next(&mut self) -> Option<Result<Bytes>> {
        if self.parts.is_empty() {
            return None;
        }
        let piece = self.piece().and_then(|piece| {
            if self.parts.is_empty() {
                self.open.check()?;
            }
            Ok(piece)
        });
        if piece.is_err() {
            self.parts.clear();
        }
        Some(piece)
    }
}
