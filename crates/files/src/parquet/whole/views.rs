//! Text and bytes as views: short values in the view itself, long ones where they lie in their page.

#![expect(unsafe_code, reason = "a check of every view would cost more than making it")]

use arrow_array::builder::make_view;
use arrow_array::types::ByteViewType;
use arrow_array::{ArrayRef, GenericByteViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::fixed::Chosen;
use super::hybrid;
use super::levels::Levels;
use super::pages::{Column, Pages};
use super::{shared, wrong};

/// Longer values are in a page, not in their view.
const SHORT: usize = 12;
/// The four bytes of a smaller length are ASCII.
const ASCII: usize = 128;

/// Reads text, which is checked to be UTF-8, or bytes.
pub(super) fn read<T: ByteViewType>(pages: Pages) -> Result<ArrayRef, ParquetError> {
    let count = pages.count;
    let is_text = T::DATA_TYPE == DataType::Utf8View;
    let mut column = Views { is_text, dictionary: Vec::new(), values: Vec::with_capacity(count), buffers: Vec::new() };
    let nulls = pages.decode(&mut column)?;
    let Views { values, buffers, .. } = column;
    if values.len() != count || nulls.as_ref().is_some_and(|nulls| nulls.len() != count) {
        return Err(wrong("a column has fewer values than its row group rows"));
    }
    // SAFETY: `views` makes every view of a slice of the buffer whose number it bears, which `buffers` keeps in that place;
    // of text, it has checked that each of these slices is UTF-8. NULLs are the default view: an empty one.
    let array = unsafe { GenericByteViewArray::<T>::new_unchecked(ScalarBuffer::from(values), buffers, nulls) };
    Ok(shared(array))
}

struct Views {
    is_text: bool,
    dictionary: Vec<u128>,
    values: Vec<u128>,
    buffers: Vec<Buffer>,
}

impl Column for Views {
    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        // The views of an earlier one, should there be several, stay in the values.
        let mut dictionary = Vec::new();
        self.views(bytes, count, &mut dictionary)?;
        self.dictionary = dictionary;
        Ok(())
    }

    fn plain(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        let mut values = std::mem::take(&mut self.values);
        self.views(bytes, count, &mut values)?;
        self.values = values;
        Ok(())
    }

    fn indexed(&mut self, runs: &[u8], width: u32, count: usize) -> Result<(), ParquetError> {
        hybrid::decode(runs, width, count, &mut Chosen { dictionary: &self.dictionary, values: &mut self.values })
    }

    fn spread(&mut self, levels: &Levels) {
        levels.spread(&mut self.values);
    }
}

impl Views {
    /// Appends the views of `count` values, each behind its length in four bytes.
    fn views(&mut self, bytes: Bytes, count: usize, views: &mut Vec<u128>) -> Result<(), ParquetError> {
        let number = u32::try_from(self.buffers.len()).map_err(|_| wrong("a column has too many pages"))?;
        let mut rest = bytes.as_ref();
        let mut longest = 0;
        for _ in 0..count {
            let value = next(&mut rest)?;
            longest = longest.max(value.len());
            // Where the value ends, less its length.
            let start = u32::try_from(bytes.len() - rest.len() - value.len());
            views.push(make_view(value, number, start.map_err(|_| wrong("a page is too large"))?));
        }
        if self.is_text {
            let used = bytes.get(..bytes.len() - rest.len()).unwrap_or_default();
            check(used, longest)?;
        }
        if longest > SHORT {
            self.buffers.push(Buffer::from(bytes));
        }
        Ok(())
    }
}

/// The next value, and what is behind it.
#[inline(always)]
fn next<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], ParquetError> {
    let short = || wrong("a page has fewer values than it says");
    let (length, behind) = rest.split_first_chunk().ok_or_else(short)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| short())?;
    let (value, behind) = behind.split_at_checked(length).ok_or_else(short)?;
    *rest = behind;
    Ok(value)
}

/// Whether each value is UTF-8. Lengths below 128 are ASCII, which no character can reach across: then all of it is one
/// text or some value is none.
fn check(mut used: &[u8], longest: usize) -> Result<(), ParquetError> {
    let not = |_| wrong("text that is not UTF-8");
    if longest < ASCII {
        return std::str::from_utf8(used).map(|_| ()).map_err(not);
    }
    while !used.is_empty() {
        std::str::from_utf8(next(&mut used)?).map_err(not)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(values: &[&[u8]]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| [&u32::try_from(value.len()).unwrap().to_le_bytes()[..], value].concat())
            .collect()
    }

    fn is_text(values: &[&[u8]]) -> bool {
        check(&page(values), values.iter().map(|value| value.len()).max().unwrap_or(0)).is_ok()
    }

    #[test]
    fn every_value_is_text_alone() {
        let long = "ü".repeat(100);
        for more in [&b""[..], long.as_bytes()] {
            assert!(is_text(&["ünï".as_bytes(), b"", more, "🏹".as_bytes()]));
            // Halves of a character, whole only together; and one that ends in the length behind it.
            assert!(!is_text(&[b"\xc3", b"\xa9", more]));
            assert!(!is_text(&[b"a", more, b"\xc3"]));
        }
    }

    #[test]
    fn a_page_that_ends_too_early_is_an_error() {
        let whole = page(&[b"ab", b"a value longer than twelve"]);
        for end in 0..whole.len() {
            let mut views = Views { is_text: true, dictionary: Vec::new(), values: Vec::new(), buffers: Vec::new() };
            assert!(views.plain(Bytes::copy_from_slice(&whole[..end]), 2).is_err(), "{end}");
        }
    }
}
