//! Row groups as a file of their own: the column chunks that are read, byte by byte as they are stored, and a footer for them.
//!
//! Who hands them on instead of batches neither decodes nor encodes anything, and sends fewer bytes. Only what [`Direct`](super::direct)
//! reads is handed on so: the reader at the other end is the same.

mod open;
mod pieces;

use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_core::{Excerpt, Result};
use bytes::Bytes;
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
use pieces::{Part, Pieces};

/// What a Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";

/// The footer's version of the format; readers look at what there is.
const VERSION: i32 = 2;

/// Whether these columns of a piece may be handed on so.
pub(crate) fn may_be_excerpt(meta: &Meta, columns: &[usize], chunk: &Chunk) -> bool {
    let writer = meta.reader.metadata().file_metadata().created_by();
    tells_lengths(writer) && matches!(&chunk.piece, Piece::Groups(groups) if serves(meta, columns, groups))
}

/// Whether a writer's column chunks are as long as it says: before version 1.2.9, parquet-mr counted the dictionary without its header
/// ([PARQUET-816](https://issues.apache.org/jira/browse/PARQUET-816)). Who has the file reads on; who has the excerpt cannot.
fn tells_lengths(writer: Option<&str>) -> bool {
    let Some(version) = writer.and_then(|writer| writer.strip_prefix("parquet-mr")) else { return true };
    let version = version.trim_start().trim_start_matches("version ");
    let mut numbers =
        version.split(|letter: char| !letter.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0_u32));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next()) >= (1, 2, 9)
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
            if bytes > Excerpt::LARGEST || bytes.saturating_mul(smaller) > chunk.bytes {
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
                end = end.saturating_add(length);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_counts_too_little_is_known() {
        for (writer, tells) in [
            (None, true),
            (Some("parquet-cpp-arrow version 26.0.1"), true),
            (Some("parquet-rs version 0.1.0"), true),
            (Some("parquet-mr version 1.2.9"), true),
            (Some("parquet-mr version 1.10.0 (build 031a6654009e3b82020012a18434c582bd74c73a)"), true),
            (Some("parquet-mr version 2.0"), true),
            (Some("parquet-mr version 1.2.8-SNAPSHOT"), false),
            (Some("parquet-mr version 1.1"), false),
            (Some("parquet-mr"), false),
        ] {
            assert_eq!(tells_lengths(writer), tells, "{writer:?}");
        }
    }
}
