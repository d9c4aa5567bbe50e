//! What an excerpt is made of: the parts of the file, and the footer that says where they are now.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};

use super::super::direct::{leaf, serves};
use super::super::writer::Writer;
use super::super::{Meta, failed};
use super::taken::Taken;
use super::{BEFORE, groups};
use crate::chunk::{Chunk, Piece};
use crate::open::Open;

/// What a Parquet file begins with.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The footer's version of the format; readers look at what there is.
const VERSION: i32 = 2;

/// What an excerpt will be made of.
pub(super) struct Draft {
    metadata: ParquetMetaData,
    writer: Writer,
    /// What is taken of the file, in its order in the excerpt.
    pub(super) ranges: Vec<Range<u64>>,
    /// Where its footer begins.
    pub(super) end: u64,
}

impl Draft {
    /// `None` where pages are not where they should be: who reads the file itself may make something of it, or say what is wrong.
    pub(super) fn new(
        open: &Arc<Open>,
        meta: &Meta,
        columns: &[usize],
        chunk: &Chunk,
    ) -> Result<Option<Draft>, ParquetError> {
        let leaves: Option<Vec<usize>> = columns.iter().map(|column| leaf(meta, *column)).collect();
        let (Some(groups), Some(leaves)) = (groups(&chunk.piece), leaves) else { return Ok(None) };
        let within = if let Piece::Rows { rows, .. } = &chunk.piece { Some(rows) } else { None };
        let schema = schema(meta, columns)?;
        let (mut ranges, mut end) = (Vec::<Range<u64>>::new(), MAGIC.len() as u64);
        let (mut moved, mut before) = (Vec::with_capacity(groups.len()), Vec::new());
        for group in meta.reader.metadata().row_groups().get(groups).unwrap_or_default() {
            let mut chunks = Vec::with_capacity(leaves.len());
            for (place, leaf) in leaves.iter().enumerate() {
                let Some(chunk) = group.columns().get(*leaf) else { return Ok(None) };
                let taken = match within {
                    Some(rows) => Taken::rows(open, chunk, meta.writer, rows),
                    None => Taken::whole(chunk),
                };
                let Some(taken) = taken else { return Ok(None) };
                chunks.push(moved_to(chunk, &taken, end, &schema, place)?);
                before.push(taken.before.to_string());
                end = end.saturating_add(taken.bytes());
                for range in [taken.dictionary, taken.data] {
                    match ranges.last_mut() {
                        Some(last) if last.end == range.start => last.end = range.end,
                        _ if range.is_empty() => {}
                        _ => ranges.push(range),
                    }
                }
            }
            let rows = within.map_or(Some(group.num_rows()), |rows| i64::try_from(rows.end - rows.start).ok());
            let Some(rows) = rows else { return Ok(None) };
            let total = chunks.iter().map(ColumnChunkMetaData::uncompressed_size).sum();
            let group = RowGroupMetaData::builder(Arc::clone(&schema)).set_num_rows(rows);
            moved.push(group.set_total_byte_size(total).set_column_metadata(chunks).build()?);
        }
        let count = moved.iter().map(RowGroupMetaData::num_rows).sum();
        let words = within.map(|_| vec![KeyValue::new(BEFORE.to_owned(), before.join(","))]);
        let file = FileMetaData::new(VERSION, count, None, words, schema, None);
        Ok(Some(Draft { metadata: ParquetMetaData::new(file, moved), writer: meta.writer, ranges, end }))
    }

    /// Whether the reader at the other end makes of it what it is announced.
    pub(super) fn is_readable(&self, schema: &SchemaRef) -> bool {
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        let reader = ArrowReaderMetadata::try_new(Arc::new(self.metadata.clone()), ArrowReaderOptions::new());
        let meta = reader
            .map_err(|error| failed("", error))
            .and_then(|reader| Meta::read_as(&reader, self.writer, schema, ""));
        meta.is_ok_and(|meta| serves(&meta, &columns, &(0..self.metadata.num_row_groups())))
    }

    pub(super) fn footer(&self) -> Result<Bytes, ParquetError> {
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &self.metadata).finish()?;
        Ok(footer.into())
    }
}

/// The columns alone, in this order.
fn schema(meta: &Meta, columns: &[usize]) -> Result<SchemaDescPtr, ParquetError> {
    let root = meta.reader.parquet_schema().root_schema();
    let fields = columns.iter().filter_map(|column| root.get_fields().get(*column).cloned()).collect();
    let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root))))
}

/// What is taken of a column chunk, as the column `place` of another file, in which it begins at `start`.
fn moved_to(
    chunk: &ColumnChunkMetaData,
    taken: &Taken,
    start: u64,
    schema: &SchemaDescPtr,
    place: usize,
) -> Result<ColumnChunkMetaData, ParquetError> {
    let dictionary = taken.dictionary.end - taken.dictionary.start;
    let offset = |of: u64| i64::try_from(of).unwrap_or(i64::MAX);
    // Pages are taken to be alike.
    let whole = i128::from(chunk.compressed_size().max(1));
    let share = |of: i64| i64::try_from(i128::from(of) * i128::from(taken.bytes()) / whole).unwrap_or(of);
    ColumnChunkMetaData::builder(schema.column(place))
        .set_encodings_mask(*chunk.encodings_mask())
        .set_num_values(taken.values)
        .set_compression_codec(chunk.compression_codec())
        .set_total_compressed_size(offset(taken.bytes()))
        .set_total_uncompressed_size(share(chunk.uncompressed_size()))
        .set_unencoded_byte_array_data_bytes(chunk.unencoded_byte_array_data_bytes().map(share))
        .set_data_page_offset(offset(start.saturating_add(dictionary)))
        .set_dictionary_page_offset((dictionary > 0).then(|| offset(start)))
        .build()
}
