//! The pages of a column chunk, taken apart into levels and values.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page as Stored, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::super::window::Window;
use super::wrong;

/// The pages of a column chunk, in their order.
pub(super) struct Pages {
    reader: SerializedPageReader<Window>,
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
        chunk: &ColumnChunkMetaData,
        count: usize,
        nullable: bool,
    ) -> Result<Self, ParquetError> {
        let reader = SerializedPageReader::new(Arc::new(window.clone()), chunk, count, None)?;
        Ok(Pages { reader, nullable, left: count })
    }

    /// Whether NULLs may be among the values.
    pub(super) fn nullable(&self) -> bool {
        self.nullable
    }

    /// The next page.
    pub(super) fn next(&mut self) -> Result<Page, ParquetError> {
        let page = self.reader.get_next_page()?;
        let page = page.ok_or_else(|| wrong("a column has fewer values than its row group rows"))?;
        let (count, levels, encoding, bytes) = match page {
            Stored::DictionaryPage { buf, num_values, .. } => {
                return Ok(Page::Dictionary { bytes: buf, count: size(num_values)? });
            }
            Stored::DataPage { buf, num_values, encoding, .. } => {
                let stored = if self.nullable { length(&buf)? } else { 0 };
                let start: usize = if self.nullable { 4 } else { 0 };
                (size(num_values)?, start..start.saturating_add(stored), encoding, buf)
            }
            Stored::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let start = size(rep_levels_byte_len)?;
                (size(num_values)?, start..start.saturating_add(size(def_levels_byte_len)?), encoding, buf)
            }
        };
        self.count(count)?;
        if levels.end > bytes.len() {
            return Err(wrong("a page ends in its levels"));
        }
        let (values, levels) = (bytes.slice(levels.end..), bytes.slice(levels));
        Ok(Page::Data { count, levels, values, encoding })
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

/// The bytes of a first version's levels, which begin with their length.
fn length(bytes: &[u8]) -> Result<usize, ParquetError> {
    let length = bytes.first_chunk().ok_or_else(|| wrong("a page has no levels"))?;
    size(u32::from_le_bytes(*length))
}

fn size(number: u32) -> Result<usize, ParquetError> {
    usize::try_from(number).map_err(|_| wrong("a page is too large"))
}
