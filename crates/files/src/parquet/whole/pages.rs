//! The pages of a column chunk, taken apart into levels and values.

use std::sync::Arc;

use arrow_buffer::NullBuffer;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::super::window::Window;
use super::levels::Levels;
use super::wrong;

/// What a column's values are decoded into.
pub(super) trait Column {
    /// The values that indices stand for.
    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError>;
    /// Appends values as they are.
    fn plain(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError>;
    /// Appends values of the dictionary, by indices of `width` bits.
    fn indexed(&mut self, runs: &[u8], width: u32, count: usize) -> Result<(), ParquetError>;
    /// Makes room for the NULLs among the values of the last page.
    fn spread(&mut self, levels: &Levels);
}

/// The pages of a column chunk.
pub(super) struct Pages {
    reader: SerializedPageReader<Window>,
    nullable: bool,
    /// How many values there are, NULLs among them.
    pub(super) count: usize,
}

impl Pages {
    pub(super) fn new(
        window: &Window,
        chunk: &ColumnChunkMetaData,
        count: usize,
        nullable: bool,
    ) -> Result<Self, ParquetError> {
        let reader = SerializedPageReader::new(Arc::new(window.clone()), chunk, count, None)?;
        Ok(Pages { reader, nullable, count })
    }

    /// Decodes all pages; returns which values are NULL.
    pub(super) fn decode(mut self, column: &mut impl Column) -> Result<Option<NullBuffer>, ParquetError> {
        let mut levels = Levels::new();
        let mut left = self.count;
        while let Some(page) = self.reader.get_next_page()? {
            let (count, levels_at, encoding, bytes) = match page {
                Page::DictionaryPage { buf, num_values, .. } => {
                    column.dictionary(buf, size(num_values)?)?;
                    continue;
                }
                Page::DataPage { buf, num_values, encoding, .. } => {
                    let stored = if self.nullable { length(&buf)? } else { 0 };
                    let start: usize = if self.nullable { 4 } else { 0 };
                    (size(num_values)?, start..start.saturating_add(stored), encoding, buf)
                }
                Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                    let start = size(rep_levels_byte_len)?;
                    (size(num_values)?, start..start.saturating_add(size(def_levels_byte_len)?), encoding, buf)
                }
            };
            left = left.checked_sub(count).ok_or_else(|| wrong("a column has more values than its row group rows"))?;
            let runs = bytes.get(levels_at.clone()).ok_or_else(|| wrong("a page ends in its levels"))?;
            if self.nullable {
                levels.read(runs, count)?
            } else {
                levels.all(count)
            }
            values(column, encoding, bytes.slice(levels_at.end..), levels.there())?;
            column.spread(&levels);
        }
        if left > 0 {
            return Err(wrong("a column has fewer values than its row group rows"));
        }
        Ok(levels.finish())
    }
}

fn values(column: &mut impl Column, encoding: Encoding, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
    // A page of NULLs may have nothing behind its levels.
    if count == 0 {
        return Ok(());
    }
    if encoding == Encoding::PLAIN {
        return column.plain(bytes, count);
    }
    // The second is what the first version of the format calls the first.
    let indexed = matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    match bytes.split_first() {
        Some((width, runs)) if indexed => column.indexed(runs, u32::from(*width), count),
        Some(_) => Err(wrong("a page has an encoding that the footer does not name")),
        None => Err(wrong("a page has no values")),
    }
}

/// The bytes of a first version's levels, which begin with their length.
fn length(bytes: &[u8]) -> Result<usize, ParquetError> {
    let length = bytes.first_chunk().ok_or_else(|| wrong("a page has no levels"))?;
    size(u32::from_le_bytes(*length))
}

fn size(number: u32) -> Result<usize, ParquetError> {
    usize::try_from(number).map_err(|_| wrong("a page is too large"))
}
