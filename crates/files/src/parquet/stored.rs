//! The pages of a column chunk as they are stored: the one reader of their headers, for what is decoded directly and for what is left to
//! the crate's decoders.
//!
//! Whether a page is compressed is settled here, by what its header says and by its two sizes: writers have got either wrong.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::CompressionCodec;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::codec::Codec;
use super::direct::wrong;
use super::header::{Header, PageKind};
use super::thrift::Input;
use super::window::Window;
use super::writer::Writer;

/// A header is read from so many bytes at first; one with long statistics from more.
const HEADER: u64 = 256;
/// A header has no more bytes: those of two values are in it.
const LONGEST_HEADER: u64 = 64 << 20;
/// How many bytes of pages some writers do not count.
const UNCOUNTED: u64 = 100;

/// The pages of a column chunk, in their order.
pub(super) struct Stored {
    window: Window,
    at: u64,
    /// Behind the last page; `counted`: as the footer says.
    end: u64,
    counted: u64,
    is_compressed: bool,
    writer: Writer,
    /// The header of the next page, and where that begins.
    next: Option<(Header, u64)>,
    /// How many values are in pages that were not read.
    values: u64,
}

/// A page as it is stored.
pub(super) struct StoredPage {
    pub(super) header: Header,
    /// Where its header begins.
    pub(super) bytes: Bytes,
    /// How many of its bytes are levels that are not compressed.
    pub(super) levels: usize,
    /// Whether what follows these is.
    pub(super) is_compressed: bool,
}

impl Stored {
    pub(super) fn new(window: &Window, chunk: &ColumnChunkMetaData, writer: Writer) -> Self {
        let (start, length) = chunk.byte_range();
        let values = u64::try_from(chunk.num_values()).unwrap_or(0);
        // What has no values need not be anywhere.
        let counted = if values == 0 { start } else { start.saturating_add(length) };
        let more = if writer.tells_lengths() { 0 } else { UNCOUNTED };
        Stored {
            window: window.clone(),
            at: start,
            end: counted.saturating_add(more),
            counted,
            is_compressed: chunk.compression_codec() != CompressionCodec::UNCOMPRESSED,
            writer,
            next: None,
            values,
        }
    }

    /// The header of the next page, and where that header begins; `None` behind the last page.
    pub(super) fn peek(&mut self) -> Result<Option<(&Header, u64)>, ParquetError> {
        while self.next.is_none() {
            if self.at >= self.counted && (self.values == 0 || self.at >= self.end) {
                return Ok(None);
            }
            let start = self.at;
            let header = self.header()?;
            let behind = self.at.checked_add(header.stored as u64).filter(|behind| *behind <= self.end);
            let behind = behind.ok_or_else(|| wrong("a page is longer than its column"))?;
            if header.page == PageKind::Other {
                self.at = behind;
                continue;
            }
            self.next = Some((header, start));
        }
        Ok(self.next.as_ref().map(|(header, start)| (header, *start)))
    }

    /// Reads a header, which may have any length.
    fn header(&mut self) -> Result<Header, ParquetError> {
        let mut length = HEADER;
        loop {
            let there = length.min(self.end.saturating_sub(self.at)).min(LONGEST_HEADER);
            let bytes = self.window.header(self.at, there)?;
            let mut input = Input::new(&bytes);
            match Header::read(&mut input) {
                Ok(header) => {
                    self.at += (bytes.len() - input.left()) as u64;
                    return Ok(header);
                }
                Err(error) if there < length || length >= LONGEST_HEADER => return Err(error),
                Err(_) => length = length.saturating_mul(8),
            }
        }
    }

    /// Passes over the page whose header was looked at.
    pub(super) fn skip(&mut self) -> Result<(), ParquetError> {
        if self.peek()?.is_some()
            && let Some((header, _)) = self.next.take()
        {
            self.pass(&header);
        }
        Ok(())
    }

    fn pass(&mut self, header: &Header) {
        self.at = self.at.saturating_add(header.stored as u64);
        let values = match header.page {
            PageKind::Data { values, .. } | PageKind::DataV2 { values, .. } => values,
            PageKind::Dictionary { .. } | PageKind::Other => 0,
        };
        self.values = self.values.saturating_sub(values.into());
    }

    /// The next page; `None` behind the last one.
    pub(super) fn next(&mut self) -> Result<Option<StoredPage>, ParquetError> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let Some((header, _)) = self.next.take() else { return Ok(None) };
        let bytes = self.window.get_bytes(self.at, header.stored)?;
        self.pass(&header);
        if header.checksum.is_some_and(|checksum| crc32fast::hash(&bytes) != checksum) {
            return Err(wrong("a page has not the checksum that its header says"));
        }
        let (levels, is_compressed) = self.layout(&header)?;
        Ok(Some(StoredPage { header, bytes, levels, is_compressed }))
    }

    /// How many bytes of a page are never compressed, and whether the others are.
    fn layout(&self, header: &Header) -> Result<(usize, bool), ParquetError> {
        let PageKind::DataV2 { definition, repetition, compressed, .. } = header.page else {
            return match self.is_compressed {
                false if header.stored != header.unpacked => Err(ambiguous()),
                is_compressed => Ok((0, is_compressed)),
            };
        };
        let levels = u64::from(definition) + u64::from(repetition);
        let levels = usize::try_from(levels).ok().filter(|levels| *levels <= header.stored.min(header.unpacked));
        let levels = levels.ok_or_else(|| wrong("a page ends in its levels"))?;
        let same = header.stored == header.unpacked;
        match (self.is_compressed, compressed) {
            (false, _) if same => Ok((levels, false)),
            (false, _) => Err(ambiguous()),
            (true, true) => Ok((levels, true)),
            // Of two sizes that differ, only a compressed page is made.
            (true, false) => Ok((levels, !same || self.writer.always_compresses())),
        }
    }
}

fn ambiguous() -> ParquetError {
    wrong("a page is said not to be compressed, and to have another size when it is unpacked")
}

/// Pages as the crate's decoders take them.
pub(super) struct Unpacked {
    stored: Stored,
    codec: Option<Codec>,
}

impl Unpacked {
    pub(super) fn new(window: &Window, chunk: &ColumnChunkMetaData, writer: Writer) -> Result<Self, ParquetError> {
        Ok(Unpacked { stored: Stored::new(window, chunk, writer), codec: Codec::new(chunk.compression_codec())? })
    }
}

/// The page without its compression.
pub(super) fn unpacked(codec: Option<&mut Codec>, page: &StoredPage) -> Result<Bytes, ParquetError> {
    let (Some(codec), true) = (codec, page.is_compressed) else { return Ok(page.bytes.clone()) };
    let (levels, values) = page.bytes.split_at_checked(page.levels).unwrap_or_default();
    let length = page.header.unpacked.saturating_sub(levels.len());
    let mut bytes = levels.to_vec();
    codec.unpack(values, length, &mut bytes)?;
    Ok(bytes.into())
}

impl Iterator for Unpacked {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Unpacked {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let Some(page) = self.stored.next()? else { return Ok(None) };
        let buf = unpacked(self.codec.as_mut(), &page)?;
        Ok(match page.header.page {
            PageKind::Dictionary { values, encoding } => {
                Some(Page::DictionaryPage { buf, num_values: values, encoding, is_sorted: false })
            }
            PageKind::Data { values, encoding, definition, repetition } => Some(Page::DataPage {
                buf,
                num_values: values,
                encoding,
                def_level_encoding: definition,
                rep_level_encoding: repetition,
                statistics: None,
            }),
            PageKind::DataV2 { values, nulls, rows, encoding, definition, repetition, .. } => Some(Page::DataPageV2 {
                buf,
                num_values: values,
                encoding,
                num_nulls: nulls,
                num_rows: rows,
                def_levels_byte_len: definition,
                rep_levels_byte_len: repetition,
                is_compressed: false,
                statistics: None,
            }),
            PageKind::Other => None,
        })
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        let Some((header, _)) = self.stored.peek()? else { return Ok(None) };
        let count = |of: u32| usize::try_from(of).ok();
        Ok(Some(match header.page {
            PageKind::Data { values, .. } => PageMetadata { num_rows: None, num_levels: count(values), is_dict: false },
            PageKind::DataV2 { values, rows, .. } => {
                PageMetadata { num_rows: count(rows), num_levels: count(values), is_dict: false }
            }
            PageKind::Dictionary { .. } | PageKind::Other => {
                PageMetadata { num_rows: None, num_levels: None, is_dict: true }
            }
        }))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.stored.skip()
    }
}

/// The pages of one column in some row groups, for the crate's reader.
pub(super) struct ColumnPages {
    pub(super) window: Window,
    /// The chunks that are left, the next one last.
    pub(super) chunks: Vec<Arc<ColumnChunkMetaData>>,
    pub(super) writer: Writer,
}

impl Iterator for ColumnPages {
    type Item = Result<Box<dyn PageReader>, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let chunk = self.chunks.pop()?;
        let pages = Unpacked::new(&self.window, &chunk, self.writer);
        Some(pages.map(|pages| Box::new(pages) as Box<dyn PageReader>))
    }
}

impl parquet::column::page::PageIterator for ColumnPages {}
