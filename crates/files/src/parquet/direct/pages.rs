//! The pages of a column chunk, taken apart into levels and values.

use bytes::Bytes;
use parquet::basic::{CompressionCodec, Encoding};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::super::codec::Codec;
use super::super::header::PageKind;
use super::super::stored::{Stored, StoredPage, unpacked};
use super::super::window::Window;
use super::super::writer::Writer;
use super::snappy::{Snappy, Spare};
use super::wrong;

/// The pages of a column chunk, in their order.
pub(super) struct Pages {
    stored: Stored,
    /// Unpacks the pages.
    unpack: Unpack,
    nullable: bool,
    /// How many values are in pages that were not read, NULLs among them.
    left: usize,
}

/// How pages are unpacked.
enum Unpack {
    /// Over those that were read before them.
    Snappy(Snappy),
    Codec(Option<Codec>),
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
        writer: Writer,
        count: usize,
        nullable: bool,
    ) -> Result<Self, ParquetError> {
        let unpack = match chunk.compression_codec() {
            CompressionCodec::SNAPPY => Unpack::Snappy(Snappy::new(spare)),
            other => Unpack::Codec(Codec::new(other)?),
        };
        Ok(Pages { stored: Stored::new(window, chunk, writer), unpack, nullable, left: count })
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
        let page = self.stored.next()?.ok_or_else(|| wrong("a column has fewer values than its row group rows"))?;
        let (count, levels, values, encoding) = match page.header.page {
            PageKind::Dictionary { values, .. } => {
                return Ok(Page::Dictionary { bytes: self.unpack(&page, true)?, count: size(values)? });
            }
            PageKind::Data { values: count, encoding, definition, .. } => {
                if self.nullable && definition != Encoding::RLE {
                    return Err(wrong("its levels have an encoding that the footer does not name"));
                }
                let page = self.unpack(&page, false)?;
                let start: usize = if self.nullable { 4 } else { 0 };
                let levels = if self.nullable { length(&page)? } else { 0 };
                let (levels, values) = split(&page, start, levels)?;
                (count, levels, values, encoding)
            }
            // Its levels are never compressed.
            PageKind::DataV2 { values: count, encoding, definition, repetition, .. } => {
                let (levels, values) = split(&page.bytes, size(repetition)?, size(definition)?)?;
                let values = match page.is_compressed {
                    true => self.unpack(&StoredPage { bytes: values, levels: 0, ..without_levels(&page) }, false)?,
                    false => values,
                };
                (count, levels, values, encoding)
            }
            PageKind::Other => return Err(wrong("a page of nothing was not passed over")),
        };
        let count = size(count)?;
        self.count(count)?;
        Ok(Page::Data { count, levels, values, encoding })
    }

    /// What a page holds; one that `stays` in memory of its own.
    fn unpack(&mut self, page: &StoredPage, stays: bool) -> Result<Bytes, ParquetError> {
        match &mut self.unpack {
            Unpack::Codec(codec) => unpacked(codec.as_mut(), page),
            Unpack::Snappy(_) if !page.is_compressed => Ok(page.bytes.clone()),
            Unpack::Snappy(snappy) => {
                let bytes = if stays { snappy.keep(&page.bytes)? } else { snappy.unpack(&page.bytes)? };
                let same = bytes.len() == page.header.unpacked;
                if same { Ok(bytes) } else { Err(wrong("a compressed page has not the bytes that it says")) }
            }
        }
    }

    /// Leaves the memory of the last page to another column.
    pub(super) fn leave(&mut self) {
        if let Unpack::Snappy(snappy) = &mut self.unpack {
            snappy.leave();
        }
    }

    /// Passes over the next page if it holds values, and at most `most` of them; how many it did.
    pub(super) fn skip(&mut self, most: usize) -> Result<Option<usize>, ParquetError> {
        let values = match self.stored.peek()?.map(|(header, _)| &header.page) {
            Some(PageKind::Data { values, .. } | PageKind::DataV2 { values, .. }) => size(*values)?,
            _ => return Ok(None),
        };
        if values > most {
            return Ok(None);
        }
        self.count(values)?;
        self.stored.skip()?;
        Ok(Some(values))
    }

    /// An error where pages are left behind the last one that should be.
    pub(super) fn end(&mut self) -> Result<(), ParquetError> {
        match self.stored.peek()?.map(|(header, _)| &header.page) {
            Some(PageKind::Data { values: 1.., .. } | PageKind::DataV2 { values: 1.., .. }) => Err(too_many()),
            _ => Ok(()),
        }
    }

    fn count(&mut self, count: usize) -> Result<(), ParquetError> {
        self.left = self.left.checked_sub(count).ok_or_else(too_many)?;
        Ok(())
    }
}

/// The page's header for its values alone.
fn without_levels(page: &StoredPage) -> StoredPage {
    let mut header = page.header.clone();
    header.unpacked = header.unpacked.saturating_sub(page.levels);
    StoredPage { header, bytes: Bytes::new(), levels: 0, is_compressed: page.is_compressed }
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
