//! What of a column chunk holds some rows: all of it, or some pages and their dictionary.

use std::ops::Range;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::super::header::PageKind;
use super::super::stored::Stored;
use super::super::window::Window;
use super::super::writer::Writer;
use crate::open::Open;

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
    pub(super) fn rows(
        open: &Arc<Open>,
        chunk: &ColumnChunkMetaData,
        writer: Writer,
        rows: &Range<u64>,
    ) -> Option<Taken> {
        let pages = pages(open, chunk, writer, rows.end).ok()?;
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
fn pages(open: &Arc<Open>, chunk: &ColumnChunkMetaData, writer: Writer, rows: u64) -> Result<Vec<Page>, ParquetError> {
    // Without a range: headers are read alone.
    let window = Window::new(open, Vec::new()).map_err(|error| ParquetError::External(Box::new(error)))?;
    let mut stored = Stored::new(&window, chunk, writer);
    let (mut pages, mut row) = (Vec::new(), 0_u64);
    while let Some((header, start)) = stored.peek()? {
        let values = match header.page {
            PageKind::Data { values, .. } | PageKind::DataV2 { values, .. } => Some(u64::from(values)),
            PageKind::Dictionary { .. } | PageKind::Other => None,
        };
        pages.push(Page { start, values });
        if row >= rows {
            return Ok(pages);
        }
        row = row.saturating_add(values.unwrap_or_default());
        stored.skip()?;
    }
    let (start, length) = chunk.byte_range();
    pages.push(Page { start: start.saturating_add(length), values: Some(0) });
    Ok(pages)
}
