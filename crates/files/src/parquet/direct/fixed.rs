//! Columns whose values have a fixed width.

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bowshot_cells::with_capacity;
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::column::{Chunk, Column, Decoder, Plain};
use super::hybrid::{Runs, Sink};
use super::levels::Levels;
use super::pages::Pages;
use super::{shared, wrong};

/// Reads values of `N` bytes each, `make` makes what the array has of them.
pub(super) fn column<T: ArrowPrimitiveType, const N: usize>(
    pages: Pages,
    data_type: &DataType,
    make: impl Fn([u8; N]) -> T::Native + Send + 'static,
) -> Box<dyn Column> {
    let data_type = data_type.clone();
    Box::new(Chunk::new(pages, Fixed::<T, _, N> { data_type, dictionary: None, values: Vec::new(), make }))
}

struct Fixed<T: ArrowPrimitiveType, F, const N: usize> {
    data_type: DataType,
    /// As they are stored, which is seldom wider than what the array has of them.
    dictionary: Option<Bytes>,
    values: Vec<T::Native>,
    make: F,
}

impl<T: ArrowPrimitiveType, F: Fn([u8; N]) -> T::Native + Send, const N: usize> Decoder for Fixed<T, F, N> {
    fn start(&mut self, rows: usize) {
        self.values = with_capacity(rows);
    }

    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        let used = stored::<N>(&bytes, count)?.as_flattened().len();
        once(&mut self.dictionary, bytes.slice(..used))
    }

    fn plain(&mut self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        self.values.extend(stored(page.rest(), count)?.iter().map(|value| (self.make)(*value)));
        page.at += count * N;
        Ok(())
    }

    fn pass(&self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        page.at += stored::<N>(page.rest(), count)?.len() * N;
        Ok(())
    }

    fn indexed(&mut self, runs: &mut Runs, count: usize) -> Result<(), ParquetError> {
        let dictionary = self.dictionary.as_deref().unwrap_or_default().as_chunks().0;
        runs.read(count, &mut Chosen { dictionary, values: &mut self.values, make: &self.make })
    }

    fn spread(&mut self, levels: &Levels) {
        levels.spread(&mut self.values, |_| T::Native::default());
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ParquetError> {
        let values = std::mem::take(&mut self.values);
        let array = PrimitiveArray::<T>::try_new(ScalarBuffer::from(values), nulls)?;
        Ok(shared(array.with_data_type(self.data_type.clone())))
    }
}

fn stored<const N: usize>(bytes: &[u8], count: usize) -> Result<&[[u8; N]], ParquetError> {
    bytes.as_chunks().0.get(..count).ok_or_else(|| wrong("a page has fewer values than it says"))
}

/// Keeps the dictionary of a column chunk, of which there is one (Parquet.thrift, `dictionary_page_offset`).
pub(super) fn once<T>(kept: &mut Option<T>, dictionary: T) -> Result<(), ParquetError> {
    match kept.replace(dictionary) {
        None => Ok(()),
        Some(_) => Err(wrong("a column has two dictionaries")),
    }
}

/// Appends values of a dictionary, `make` makes what the array has of them.
pub(super) struct Chosen<'a, S, V, F> {
    pub(super) dictionary: &'a [S],
    pub(super) values: &'a mut Vec<V>,
    pub(super) make: F,
}

impl<S: Copy, V: Copy + Default, F: Fn(S) -> V> Sink for Chosen<'_, S, V, F> {
    fn same(&mut self, index: u32, count: usize) -> Result<(), ParquetError> {
        let value = self.dictionary.get(index as usize).ok_or_else(outside)?;
        self.values.extend(std::iter::repeat_n((self.make)(*value), count));
        Ok(())
    }

    fn many(&mut self, indices: &[u32]) -> Result<(), ParquetError> {
        check(indices, self.dictionary.len())?;
        let chosen =
            |index: &u32| self.dictionary.get(*index as usize).map_or_else(V::default, |value| (self.make)(*value));
        self.values.extend(indices.iter().map(chosen));
        Ok(())
    }
}

/// An error where an index is beyond a dictionary of so many values.
pub(super) fn check(indices: &[u32], values: usize) -> Result<(), ParquetError> {
    // One look at the greatest, which the compiler makes vector code of.
    let greatest = indices.iter().fold(0, |greatest: u32, index| greatest.max(*index));
    if greatest as usize >= values { Err(outside()) } else { Ok(()) }
}

#[cold]
pub(super) fn outside() -> ParquetError {
    wrong("an index is beyond its dictionary")
}
