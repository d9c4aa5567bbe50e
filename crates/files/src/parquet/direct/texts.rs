//! Text and bytes behind each other, with the places where they end.

#![expect(unsafe_code, reason = "the bytes of a page are checked to be UTF-8 once, while the lengths are among them")]

use arrow_array::types::ByteArrayType;
use arrow_array::{ArrayRef, GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bowshot_cells::{SLACK, grow, with_capacity};
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::byte_array::{check_text, next, pass};
use super::column::{Chunk, Column, Decoder, Plain};
use super::fixed::{check, once, outside};
use super::hybrid::{Runs, Sink};
use super::levels::Levels;
use super::pages::Pages;
use super::{shared, wrong};

/// Room that is made before it is known to be needed has at most so many bytes.
const MOST_ROOM: usize = 64 << 20;

/// Reads text, which is checked to be UTF-8, or bytes.
pub(super) fn column<T: ByteArrayType>(pages: Pages) -> Box<dyn Column> {
    Box::new(Chunk::new(pages, Texts::<T> { dictionary: None, batch: Batch::new(0) }))
}

struct Texts<T: ByteArrayType> {
    dictionary: Option<Dictionary>,
    batch: Batch<T::Offset>,
}

/// The values of a dictionary.
struct Dictionary {
    page: Bytes,
    /// Where each begins and how long it is.
    places: Vec<(u32, u32)>,
    longest: usize,
}

/// What is appended.
struct Batch<O> {
    /// How many values there will be.
    rows: usize,
    /// Where each value ends, behind a zero.
    ends: Vec<O>,
    data: Vec<u8>,
}

impl<T: ByteArrayType> Decoder for Texts<T> {
    fn start(&mut self, rows: usize) {
        self.batch = Batch::new(rows);
    }

    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        let mut rest = bytes.as_ref();
        let (mut places, mut longest) = (Vec::new(), 0);
        for _ in 0..count {
            let value = next(&mut rest)?;
            longest = longest.max(value.len());
            let [start, length] = [bytes.len() - rest.len() - value.len(), value.len()].map(u32::try_from);
            let large = |_| wrong("a page is too large");
            places.push((start.map_err(large)?, length.map_err(large)?));
        }
        let used = bytes.get(..bytes.len() - rest.len()).unwrap_or_default();
        check_values::<T>(used, longest)?;
        once(&mut self.dictionary, Dictionary { page: bytes, places, longest })
    }

    fn plain(&mut self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        let mut rest = page.rest();
        let (before, mut longest) = (rest.len(), 0);
        let mut ends = self.batch.data.len();
        let begin = ends;
        for _ in 0..count {
            let length = next(&mut rest)?.len();
            longest = longest.max(length);
            ends += length;
            self.batch.ends.push(offset(ends)?);
        }
        let used = page.rest().get(..before - rest.len()).unwrap_or_default();
        check_values::<T>(used, longest)?;
        self.batch.expect(self.batch.ends.len().saturating_sub(1), ends - begin);
        match longest {
            0..=16 => self.batch.blocks::<16>(used),
            17..=32 => self.batch.blocks::<32>(used),
            33..=64 => self.batch.blocks::<64>(used),
            _ => self.batch.slices(used),
        }?;
        page.at += used.len();
        Ok(())
    }

    fn pass(&self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        pass(page, count)
    }

    fn indexed(&mut self, runs: &mut Runs, count: usize) -> Result<(), ParquetError> {
        let dictionary = self.dictionary.as_ref().ok_or_else(outside)?;
        let there = self.batch.ends.len().saturating_sub(1).saturating_add(count);
        self.batch.expect(there, dictionary.mean().saturating_mul(count).min(MOST_ROOM));
        runs.read(count, &mut Chosen { dictionary, batch: &mut self.batch })
    }

    fn spread(&mut self, levels: &Levels) {
        levels.spread(&mut self.batch.ends, |before| before.last().copied().unwrap_or_default());
    }

    fn room(&self, page: Option<&Plain>, bytes: usize) -> usize {
        let left = bytes.saturating_sub(self.batch.data.len());
        let fits = match (page, &self.dictionary) {
            (Some(page), _) if page.rest().len() <= left => usize::MAX,
            (Some(page), _) => fitting(page, left),
            (None, Some(dictionary)) => left.checked_div(dictionary.longest).unwrap_or(usize::MAX),
            (None, None) => usize::MAX,
        };
        // A batch has a row at least.
        if self.batch.ends.len() == 1 { fits.max(1) } else { fits }
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ParquetError> {
        let (ends, mut data) = (std::mem::take(&mut self.batch.ends), std::mem::take(&mut self.batch.data));
        // Longer values were expected.
        if data.capacity() - data.len() > data.len() / 8 + SLACK {
            data.shrink_to_fit();
        }
        let rows = ends.len().saturating_sub(1);
        let complete = ends.last().is_some_and(|end| end.as_usize() == data.len());
        if !complete || nulls.as_ref().is_some_and(|nulls| nulls.len() != rows) {
            return Err(wrong("a column has fewer values than levels"));
        }
        // SAFETY: `ends` begins with zero, and each that follows is the one before plus a length; the last one is where the data
        // end. Of text, each value was checked to be UTF-8 where it lay in its page.
        let array = unsafe {
            let offsets = OffsetBuffer::new_unchecked(ScalarBuffer::from(ends));
            GenericByteArray::<T>::new_unchecked(offsets, Buffer::from_vec(data), nulls)
        };
        Ok(shared(array))
    }
}

fn check_values<T: ByteArrayType>(values: &[u8], longest: usize) -> Result<(), ParquetError> {
    let is_text = matches!(T::DATA_TYPE, DataType::Utf8 | DataType::LargeUtf8);
    if is_text { check_text(values, longest) } else { Ok(()) }
}

/// How many of the next values have at most so many bytes together.
fn fitting(page: &Plain, bytes: usize) -> usize {
    let (mut rest, mut left, mut count) = (page.rest(), bytes, 0);
    while let Ok(value) = next(&mut rest) {
        let Some(after) = left.checked_sub(value.len()) else { break };
        left = after;
        count += 1;
    }
    count
}

fn offset<O: OffsetSizeTrait>(end: usize) -> Result<O, ParquetError> {
    O::from_usize(end).ok_or_else(|| wrong("a page is too large"))
}

impl<O: OffsetSizeTrait> Batch<O> {
    fn new(rows: usize) -> Self {
        let mut ends = with_capacity(rows + 1);
        ends.push(O::default());
        Batch { rows, ends, data: Vec::new() }
    }

    /// Makes room for so many bytes, with which there will be `there` values; and if there is too little, at once for all values, if
    /// they are as long as those so far.
    fn expect(&mut self, there: usize, more: usize) {
        let begin = self.data.len();
        // Whole blocks are written.
        if more + SLACK > self.data.capacity() - begin {
            let bytes = begin + more;
            let all = bytes.saturating_mul(self.rows).checked_div(there).unwrap_or(0);
            let all = (all + all / 32).min(MOST_ROOM).max(bytes) + SLACK;
            grow(&mut self.data, all - begin);
        }
    }

    /// Adds the ends of values of these lengths, of which the longest is known; how many bytes they have.
    fn add(&mut self, lengths: impl ExactSizeIterator<Item = usize>, longest: usize) -> Result<usize, ParquetError> {
        let begin = self.data.len();
        // When the end that would be the last at most is an offset, all are.
        offset::<O>(begin.saturating_add(lengths.len().saturating_mul(longest)))?;
        let mut end = begin;
        self.ends.extend(lengths.map(|length| {
            end += length;
            O::usize_as(end)
        }));
        Ok(end - begin)
    }

    /// Appends the values of a page, which are at most `BLOCK` bytes long.
    fn blocks<const BLOCK: usize>(&mut self, page: &[u8]) -> Result<(), ParquetError> {
        let mut rest = page;
        while !rest.is_empty() {
            let length = next(&mut rest)?.len();
            append::<BLOCK>(&mut self.data, page, page.len() - rest.len() - length, length);
        }
        Ok(())
    }

    /// Appends the values of a page.
    fn slices(&mut self, page: &[u8]) -> Result<(), ParquetError> {
        let mut rest = page;
        while !rest.is_empty() {
            self.data.extend_from_slice(next(&mut rest)?);
        }
        Ok(())
    }
}

/// Appends a value of at most `BLOCK` bytes.
///
/// It is copied as a whole block, which is a few instructions where a copy of any length is a call, and what is too much
/// is cut off again.
#[inline(always)]
fn append<const BLOCK: usize>(data: &mut Vec<u8>, page: &[u8], start: usize, length: usize) {
    let end = data.len() + length;
    match page.get(start..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        Some(block) => {
            data.extend_from_slice(block);
            data.truncate(end);
        }
        None => data.extend_from_slice(page.get(start..start + length).unwrap_or_default()),
    }
}

/// Appends values of a dictionary.
struct Chosen<'a, O> {
    dictionary: &'a Dictionary,
    batch: &'a mut Batch<O>,
}

impl<O: OffsetSizeTrait> Chosen<'_, O> {
    fn blocks<const BLOCK: usize>(&mut self, indices: &[u32]) {
        for index in indices {
            let (start, length) = self.dictionary.place(*index);
            append::<BLOCK>(&mut self.batch.data, &self.dictionary.page, start, length);
        }
    }

    fn slices(&mut self, indices: &[u32]) {
        for index in indices {
            let (start, length) = self.dictionary.place(*index);
            self.batch.data.extend_from_slice(self.dictionary.page.get(start..start + length).unwrap_or_default());
        }
    }
}

impl Dictionary {
    /// How many bytes a value has in the mean.
    fn mean(&self) -> usize {
        let lengths = self.places.len().saturating_mul(4);
        self.page.len().saturating_sub(lengths).checked_div(self.places.len()).unwrap_or(0)
    }

    #[inline(always)]
    fn place(&self, index: u32) -> (usize, usize) {
        let (start, length) = self.places.get(index as usize).copied().unwrap_or_default();
        (start as usize, length as usize)
    }
}

impl<O: OffsetSizeTrait> Sink for Chosen<'_, O> {
    fn same(&mut self, index: u32, count: usize) -> Result<(), ParquetError> {
        check(&[index], self.dictionary.places.len())?;
        let (start, length) = self.dictionary.place(index);
        let value = self.dictionary.page.get(start..start + length).unwrap_or_default();
        self.batch.add(std::iter::repeat_n(length, count), length)?;
        self.batch.data.reserve(length.saturating_mul(count));
        match value {
            [byte] => self.batch.data.extend(std::iter::repeat_n(*byte, count)),
            value => (0..count).for_each(|_| self.batch.data.extend_from_slice(value)),
        }
        Ok(())
    }

    fn many(&mut self, indices: &[u32]) -> Result<(), ParquetError> {
        let Chosen { dictionary, batch } = self;
        check(indices, dictionary.places.len())?;
        let bytes = batch.add(indices.iter().map(|index| dictionary.place(*index).1), dictionary.longest)?;
        batch.data.reserve(bytes + 64);
        match dictionary.longest {
            0..=16 => self.blocks::<16>(indices),
            17..=32 => self.blocks::<32>(indices),
            33..=64 => self.blocks::<64>(indices),
            _ => self.slices(indices),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{BinaryType, Utf8Type};

    use super::super::byte_array::tests::page;
    use super::*;

    fn texts<T: ByteArrayType>() -> Texts<T> {
        let mut texts = Texts { dictionary: None, batch: Batch::new(0) };
        texts.start(10);
        texts
    }

    #[test]
    fn a_page_that_ends_too_early_is_an_error() {
        let whole = page(&[b"ab", b"a value longer than twelve"]);
        for end in 0..whole.len() {
            let mut plain = Plain { bytes: Bytes::copy_from_slice(&whole[..end]), at: 0 };
            assert!(texts::<Utf8Type>().plain(&mut plain, 2).is_err(), "{end}");
        }
    }

    #[test]
    fn values_of_every_length_are_copied_whole() {
        for longest in [0, 1, 15, 16, 17, 32, 33, 64, 65, 200] {
            let values: Vec<Vec<u8>> = [longest, 0, longest / 2, longest].map(|length| vec![b'x'; length]).into();
            let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            let mut texts = texts::<BinaryType>();
            texts.plain(&mut Plain { bytes: page(&values).into(), at: 0 }, 4).unwrap();
            texts.dictionary(page(&values).into(), 4).unwrap();
            let mut chosen = Chosen { dictionary: texts.dictionary.as_ref().unwrap(), batch: &mut texts.batch };
            chosen.many(&[3, 1, 0]).unwrap();
            chosen.same(2, 2).unwrap();
            assert!(chosen.many(&[0, 4]).is_err() && chosen.same(4, 1).is_err());
            let array = texts.finish(None).unwrap();
            array.to_data().validate_full().unwrap();
            let found: Vec<&[u8]> = array.as_binary::<i32>().iter().flatten().collect();
            assert_eq!(found, [0, 1, 2, 3, 3, 1, 0, 2, 2].map(|at: usize| values[at]));
        }
    }

    #[test]
    fn a_batch_has_a_row_at_least_and_no_more_than_fit() {
        let values: [&[u8]; 3] = [b"1234567890", b"1234567890", b"1"];
        let mut texts = texts::<Utf8Type>();
        let mut plain = Plain { bytes: page(&values).into(), at: 0 };
        assert_eq!([5, 10, 15, 20, 100].map(|bytes| texts.room(Some(&plain), bytes)), [1, 1, 1, 2, usize::MAX]);
        texts.plain(&mut plain, 1).unwrap();
        assert_eq!([5, 10, 15, 20, 21].map(|bytes| texts.room(Some(&plain), bytes)), [0, 0, 0, 1, 2]);
    }
}
