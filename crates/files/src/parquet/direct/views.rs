//! Text and bytes as views: short values in the view itself, long ones where they lie in their page.

#![expect(unsafe_code, reason = "a check of every view would cost more than making it")]

use std::marker::PhantomData;

use arrow_array::builder::make_view;
use arrow_array::types::ByteViewType;
use arrow_array::{ArrayRef, GenericByteViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bowshot_cells::with_capacity;
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::byte_array::{check_text, next, pass};
use super::column::{Chunk, Column, Decoder, Plain};
use super::fixed::{Chosen, once};
use super::hybrid::Runs;
use super::levels::Levels;
use super::pages::Pages;
use super::{shared, wrong};

/// Longer values are in a page, not in their view.
const SHORT: usize = 12;

/// Reads text, which is checked to be UTF-8, or bytes.
pub(super) fn column<T: ByteViewType>(pages: Pages) -> Box<dyn Column> {
    Box::new(Chunk::new(pages, Views::<T>::default()))
}

struct Views<T> {
    /// The views of the dictionary, and the page that holds its long values: the first buffer of each batch.
    dictionary: Option<(Vec<u128>, Option<Buffer>)>,
    values: Vec<u128>,
    /// The pages that hold long values of the batch.
    buffers: Vec<Buffer>,
    of: PhantomData<T>,
}

impl<T> Default for Views<T> {
    fn default() -> Self {
        Views { dictionary: None, values: Vec::new(), buffers: Vec::new(), of: PhantomData }
    }
}

impl<T: ByteViewType> Decoder for Views<T> {
    fn start(&mut self, rows: usize) {
        self.values = with_capacity(rows);
        self.buffers = self.dictionary.iter().filter_map(|(_, page)| page.clone()).collect();
    }

    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        let mut views = Vec::new();
        // It comes before all values: no other page is held yet.
        if !self.buffers.is_empty() {
            return Err(wrong("a column has a dictionary behind its values"));
        }
        make::<T>(&mut Plain { bytes, at: 0 }, count, &mut views, &mut self.buffers)?;
        once(&mut self.dictionary, (views, self.buffers.first().cloned()))
    }

    fn plain(&mut self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        make::<T>(page, count, &mut self.values, &mut self.buffers)
    }

    fn pass(&self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        pass(page, count)
    }

    fn indexed(&mut self, runs: &mut Runs, count: usize) -> Result<(), ParquetError> {
        let dictionary = self.dictionary.as_ref().map_or(&[][..], |(views, _)| views);
        runs.read(count, &mut Chosen { dictionary, values: &mut self.values, make: |view| view })
    }

    fn spread(&mut self, levels: &Levels) {
        levels.spread(&mut self.values, |_| 0);
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ParquetError> {
        let (values, buffers) = (std::mem::take(&mut self.values), std::mem::take(&mut self.buffers));
        if nulls.as_ref().is_some_and(|nulls| nulls.len() != values.len()) {
            return Err(wrong("a column has fewer values than levels"));
        }
        // SAFETY: `make` makes every view of a slice of the page whose number it bears, which `buffers` keeps in that place for
        // all of a batch, the dictionary's in the same one for all batches; of text, it has checked that each of these slices
        // is UTF-8. NULLs are the default view: an empty one.
        let array = unsafe { GenericByteViewArray::<T>::new_unchecked(ScalarBuffer::from(values), buffers, nulls) };
        Ok(shared(array))
    }
}

/// Appends the views of the next `count` values, and the page to `buffers` where it holds long ones.
fn make<T: ByteViewType>(
    page: &mut Plain,
    count: usize,
    views: &mut Vec<u128>,
    buffers: &mut Vec<Buffer>,
) -> Result<(), ParquetError> {
    let number = u32::try_from(buffers.len()).map_err(|_| wrong("a column has too many pages"))?;
    let mut rest = page.rest();
    let mut longest = 0;
    for _ in 0..count {
        let value = next(&mut rest)?;
        longest = longest.max(value.len());
        // Where the value ends, less its length.
        let start = u32::try_from(page.bytes.len() - rest.len() - value.len());
        views.push(make_view(value, number, start.map_err(|_| wrong("a page is too large"))?));
    }
    let end = page.bytes.len() - rest.len();
    if T::DATA_TYPE == DataType::Utf8View {
        check_text(page.bytes.get(page.at..end).unwrap_or_default(), longest)?;
    }
    if longest > SHORT {
        buffers.push(Buffer::from(page.bytes.clone()));
    }
    page.at = end;
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow_array::types::StringViewType;

    use super::super::byte_array::tests::page;
    use super::*;

    #[test]
    fn a_page_that_ends_too_early_is_an_error() {
        let whole = page(&[b"ab", b"a value longer than twelve"]);
        for end in 0..whole.len() {
            let mut plain = Plain { bytes: Bytes::copy_from_slice(&whole[..end]), at: 0 };
            assert!(Views::<StringViewType>::default().plain(&mut plain, 2).is_err(), "{end}");
        }
    }
}
