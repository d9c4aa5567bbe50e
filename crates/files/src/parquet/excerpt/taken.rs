//! What of a column chunk holds some rows: all of it, or some pages and their dictionary.

use std::io::{Chain, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use crate::open::{Open, Sequence};

/// Parts of a column chunk, in bytes of its file.
pub(super) struct Taken {
    /// Empty where no value is in a dictionary.
    pub(super) dictionary: Range<u64>,
    pub(super) data: Range<u64>,
    /// How many values are in the pages, NULLs among them.
    pub(super) values: i64,
    /// How many of them come before the first row.
    pub(super) before: u64,
}

impl Taken {
    /// All of it; `None` where its pages are not where it is.
    pub(super) fn whole(chunk: &ColumnChunkMetaData) -> Option<Taken> {
        let (start, length) = chunk.byte_range();
        let end = start.checked_add(length)?;
        let data = u64::try_from(chunk.data_page_offset()).ok().filter(|data| (start..=end).contains(data))?;
        Some(Taken { dictionary: start..data, data: data..end, values: chunk.num_values(), before: 0 })
    }

    /// The pages that hold these rows of a flat column, and their dictionary; `None` where they cannot be told apart.
    pub(super) fn rows(open: &Arc<Open>, chunk: &ColumnChunkMetaData, rows: &Range<u64>) -> Option<Taken> {
        let pages = pages(open, chunk, rows.end).ok()?;
        let mut taken = Taken { dictionary: 0..0, data: 0..0, values: 0, before: 0 };
        let mut row = 0_u64;
        for pair in pages.windows(2) {
            let [page, next] = pair else { return None };
            match page.values {
                None => taken.dictionary = page.start..next.start,
                // Pages without a value are passed over.
                Some(values) if row.saturating_add(values) <= rows.start => row += values,
                Some(values) => {
                    if taken.data.is_empty() {
                        taken.before = rows.start - row;
                        taken.data.start = page.start;
                    }
                    taken.data.end = next.start;
                    taken.values = taken.values.checked_add(i64::try_from(values).ok()?)?;
                    row = row.checked_add(values)?;
                }
            }
        }
        (row >= rows.end).then_some(taken)
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.dictionary.end - self.dictionary.start) + (self.data.end - self.data.start)
    }
}

/// A page, or the end of the last one.
struct Page {
    start: u64,
    /// `None`: they are the dictionary.
    values: Option<u64>,
}

/// The pages of a flat column's first rows, and what follows them.
fn pages(open: &Arc<Open>, chunk: &ColumnChunkMetaData, rows: u64) -> Result<Vec<Page>, ParquetError> {
    let headers = Arc::new(Headers { open: Arc::clone(open), last: AtomicU64::new(0) });
    // How many rows there are matters only where there is an index of the pages.
    let mut reader = SerializedPageReader::new(Arc::clone(&headers), chunk, 0, None)?;
    let (mut pages, mut row) = (Vec::new(), 0_u64);
    while let Some(page) = reader.peek_next_page()? {
        let values = if page.is_dict { None } else { Some(page.num_levels.unwrap_or_default() as u64) };
        let start = headers.last.load(Ordering::Relaxed);
        if row >= rows {
            pages.push(Page { start, values });
            return Ok(pages);
        }
        row = row.saturating_add(values.unwrap_or_default());
        pages.push(Page { start, values });
        reader.skip_next_page()?;
    }
    let (start, length) = chunk.byte_range();
    pages.push(Page { start: start.saturating_add(length), values: Some(0) });
    Ok(pages)
}

/// Reads the headers of pages, and remembers where the last one was.
struct Headers {
    open: Arc<Open>,
    last: AtomicU64,
}

/// A header rarely has more bytes.
const HEADER: u64 = 512;

impl Length for Headers {
    fn len(&self) -> u64 {
        self.open.len()
    }
}

impl ChunkReader for Headers {
    type T = Chain<Reader<Bytes>, Sequence>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.last.store(start, Ordering::Relaxed);
        let first = self.get_bytes(start, usize::try_from(HEADER.min(self.len().saturating_sub(start)))?)?;
        let rest = Sequence::new(Arc::clone(&self.open), start.saturating_add(first.len() as u64), self.len());
        Ok(first.reader().chain(rest))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.open.read(start, length as u64).map_err(|error| ParquetError::External(Box::new(error)))
    }
}
