//! The pages of a column chunk, taken apart into levels and values.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page as Stored, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::super::window::Window;
use super::snappy::{Snappy, Spare};
use super::wrong;

/// The pages of a column chunk, in their order.
pub(super) struct Pages {
    reader: SerializedPageReader<Window>,
    /// Unpacks the pages, where the reader does not.
    snappy: Option<Snappy>,
    nullable: bool,
    /// How many values are in pages that were not read, NULLs among them.
    left: usize,
}

/// One page.
pub(super) enum Page {
    /// The values that indices stand for.
    Dictionary { bytes: Bytes, count: usize },
    /// So many values, NULLs among them.
    Data { count: usize, levels: Bytes, values: Bytes, encoding: Encoding },
}

impl Pages {
    /// Of a chunk that has `count` values.
    pub(super) fn new(
        window: &Window,
        spare: &Spare,
        chunk: &ColumnChunkMetaData,
        count: usize,
        nullable: bool,
    ) -> Result<Self, ParquetError> {
        let snappy = (chunk.compression() == Compression::SNAPPY).then(|| Snappy::new(spare));
        // What is not said to be compressed the reader hands on as it is.
        let stored = snappy.is_some().then(|| chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED));
        let stored = stored.map(|stored| stored.build()).transpose()?;
        let reader =
            SerializedPageReader::new(Arc::new(window.clone()), stored.as_ref().unwrap_or(chunk), count, None)?;
        Ok(Pages { reader, snappy, nullable, left: count })
    }

    /// Whether NULLs may be among the values.
    pub(super) fn nullable(&self) -> bool {
        self.nullable
    }

    /// How many values are in pages that were not read, NULLs among them.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The next page. The one before may be gone then, if nobody holds it.
    pub(super) fn next(&mut self) -> Result<Page, ParquetError> {
        let page = self.reader.get_next_page()?;
        let page = page.ok_or_else(|| wrong("a column has fewer values than its row group rows"))?;
        let (count, levels, values, encoding) = match page {
            Stored::DictionaryPage { buf, num_values, .. } => {
                let bytes = self.snappy.as_mut().map_or(Ok(buf.clone()), |snappy| snappy.keep(&buf))?;
                return Ok(Page::Dictionary { bytes, count: size(num_values)? });
            }
            Stored::DataPage { buf, num_values, encoding, .. } => {
                let page = self.unpack(buf, true)?;
                let start: usize = if self.nullable { 4 } else { 0 };
                let levels = if self.nullable { length(&page)? } else { 0 };
                let (levels, values) = split(&page, start, levels)?;
                (num_values, levels, values, encoding)
            }
            // Its levels are never compressed.
            Stored::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                let (levels, values) = split(&buf, size(rep_levels_byte_len)?, size(def_levels_byte_len)?)?;
                (num_values, levels, self.unpack(values, is_compressed)?, encoding)
            }
        };
        let count = size(count)?;
        self.count(count)?;
        Ok(Page::Data { count, levels, values, encoding })
    }

    fn unpack(&mut self, stored: Bytes, is_compressed: bool) -> Result<Bytes, ParquetError> {
        match &mut self.snappy {
            Some(snappy) if is_compressed => snappy.unpack(&stored),
            _ => Ok(stored),
        }
    }

    /// Leaves the memory of the last page to another column.
    pub(super) fn leave(&mut self) {
        if let Some(snappy) = &mut self.snappy {
            snappy.leave();
        }
    }

    /// Passes over the next page if it holds values, and at most `most` of them; how many it did.
    pub(super) fn skip(&mut self, most: usize) -> Result<Option<usize>, ParquetError> {
        let next = self.reader.peek_next_page()?.filter(|next| !next.is_dict);
        let Some(count) = next.and_then(|next| next.num_levels).filter(|count| *count <= most) else {
            return Ok(None);
        };
        self.count(count)?;
        self.reader.skip_next_page()?;
        Ok(Some(count))
    }

    /// An error where pages are left behind the last one that should be.
    pub(super) fn end(&mut self) -> Result<(), ParquetError> {
        match self.reader.get_next_page()? {
            Some(Stored::DataPage { num_values: 1.., .. } | Stored::DataPageV2 { num_values: 1.., .. }) => {
                Err(too_many())
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, count: usize) -> Result<(), ParquetError> {
        self.left = self.left.checked_sub(count).ok_or_else(too_many)?;
        Ok(())
    }
}

fn too_many() -> ParquetError {
    wrong("a column has more values than its row group rows")
}

/// Levels of `length` bytes behind the first `start`, and the values behind them.
fn split(page: &Bytes, start: usize, length: usize) -> Result<(Bytes, Bytes), ParquetError> {
    let end = start.checked_add(length).filter(|end| *end <= page.len());
    let end = end.ok_or_else(|| wrong("a page ends in its levels"))?;
    Ok((page.slice(start..end), page.slice(end..)))
}

/// The bytes of a first version's levels, which begin with their length.
fn length(bytes: &[u8]) -> Result<usize, ParquetError> {
    let length = bytes.first_chunk().ok_or_else(|| wrong("a page has no levels"))?;
    size(u32::from_le_bytes(*length))
}

fn size(number: u32) -> Result<usize, ParquetError> {
    usize::try_from(number).map_err(|_| wrong("a page is too large"))
}
