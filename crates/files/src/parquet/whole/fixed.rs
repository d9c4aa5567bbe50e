//! Columns whose values have a fixed width.

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::hybrid::{self, Sink};
use super::levels::Levels;
use super::pages::{Column, Pages};
use super::{shared, wrong};

/// Reads values of `N` bytes each, `make` makes what the array has of them.
pub(super) fn read<T: ArrowPrimitiveType, const N: usize>(
    pages: Pages,
    data_type: &DataType,
    make: impl Fn([u8; N]) -> T::Native,
) -> Result<ArrayRef, ParquetError> {
    let count = pages.count;
    let mut column = Fixed::<T::Native, _, N> { dictionary: Vec::new(), values: Vec::with_capacity(count), make };
    let nulls = pages.decode(&mut column)?;
    let array = PrimitiveArray::<T>::try_new(ScalarBuffer::from(column.values), nulls)?;
    Ok(shared(array.with_data_type(data_type.clone())))
}

struct Fixed<V, F, const N: usize> {
    dictionary: Vec<V>,
    values: Vec<V>,
    make: F,
}

impl<V: Copy + Default, F: Fn([u8; N]) -> V, const N: usize> Column for Fixed<V, F, N> {
    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        self.dictionary = stored(&bytes, count)?.iter().map(|value| (self.make)(*value)).collect();
        Ok(())
    }

    fn plain(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError> {
        self.values.extend(stored(&bytes, count)?.iter().map(|value| (self.make)(*value)));
        Ok(())
    }

    fn indexed(&mut self, runs: &[u8], width: u32, count: usize) -> Result<(), ParquetError> {
        hybrid::decode(runs, width, count, &mut Chosen { dictionary: &self.dictionary, values: &mut self.values })
    }

    fn spread(&mut self, levels: &Levels) {
        levels.spread(&mut self.values);
    }
}

fn stored<const N: usize>(bytes: &[u8], count: usize) -> Result<&[[u8; N]], ParquetError> {
    bytes.as_chunks().0.get(..count).ok_or_else(|| wrong("a page has fewer values than it says"))
}

/// Appends values of a dictionary.
pub(super) struct Chosen<'a, V> {
    pub(super) dictionary: &'a [V],
    pub(super) values: &'a mut Vec<V>,
}

impl<V: Copy + Default> Sink for Chosen<'_, V> {
    fn same(&mut self, index: u32, count: usize) -> Result<(), ParquetError> {
        let value = self.dictionary.get(index as usize).ok_or_else(outside)?;
        self.values.extend(std::iter::repeat_n(*value, count));
        Ok(())
    }

    fn many(&mut self, indices: &[u32]) -> Result<(), ParquetError> {
        // One look at the greatest, which the compiler makes vector code of.
        let greatest = indices.iter().fold(0, |greatest: u32, index| greatest.max(*index));
        if greatest as usize >= self.dictionary.len() {
            return Err(outside());
        }
        let chosen = |index: &u32| self.dictionary.get(*index as usize).copied().unwrap_or_default();
        self.values.extend(indices.iter().map(chosen));
        Ok(())
    }
}

#[cold]
fn outside() -> ParquetError {
    wrong("an index is beyond its dictionary")
}
