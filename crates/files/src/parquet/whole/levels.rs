//! Which values of a page are NULL: definition levels of a column that is not nested are zeros and ones.

use arrow_array::builder::NullBufferBuilder;
use parquet::errors::ParquetError;

use super::hybrid::{self, Sink};

/// The values of one page that are there, and the NULLs of all pages.
pub(super) struct Levels {
    nulls: NullBufferBuilder,
    /// For each value of the page, whether it is there.
    page: Vec<bool>,
    /// How many of them are.
    there: usize,
}

impl Levels {
    pub(super) fn new() -> Self {
        Levels { nulls: NullBufferBuilder::new(0), page: Vec::new(), there: 0 }
    }

    /// A page of `count` values without levels: all are there.
    pub(super) fn all(&mut self, count: usize) {
        self.page.clear();
        self.there = count;
        self.nulls.append_n_non_nulls(count);
    }

    /// The levels of a page of `count` values.
    pub(super) fn read(&mut self, bytes: &[u8], count: usize) -> Result<(), ParquetError> {
        self.page.clear();
        self.there = 0;
        hybrid::decode(bytes, 1, count, self)
    }

    /// How many values of the page are stored.
    pub(super) fn there(&self) -> usize {
        self.there
    }

    /// Puts the page's stored values, which are the last ones, where they belong; NULLs between them are `default`.
    pub(super) fn spread<T: Copy + Default>(&self, values: &mut Vec<T>) {
        let Some(start) = values.len().checked_sub(self.there).filter(|_| self.there < self.page.len()) else { return };
        let mut stored = values.len();
        values.resize(start + self.page.len(), T::default());
        // From the end: no value is written over before it has moved.
        for (at, there) in self.page.iter().enumerate().rev() {
            let mut value = T::default();
            if *there {
                stored -= 1;
                value = values.get(stored).copied().unwrap_or_default();
            }
            if let Some(place) = values.get_mut(start + at) {
                *place = value;
            }
        }
    }

    pub(super) fn finish(mut self) -> Option<arrow_buffer::NullBuffer> {
        self.nulls.finish()
    }
}

impl Sink for Levels {
    fn same(&mut self, level: u32, count: usize) -> Result<(), ParquetError> {
        let there = level != 0;
        self.page.extend(std::iter::repeat_n(there, count));
        if there {
            self.there += count;
            self.nulls.append_n_non_nulls(count);
        } else {
            self.nulls.append_n_nulls(count);
        }
        Ok(())
    }

    fn many(&mut self, levels: &[u32]) -> Result<(), ParquetError> {
        for level in levels {
            let there = *level != 0;
            self.page.push(there);
            self.there += usize::from(there);
            self.nulls.append(there);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_move_to_where_they_belong() {
        let mut levels = Levels::new();
        let mut values = vec![7];
        levels.all(1);
        // Three NULLs, two values, then one of each.
        levels.read(&[3 << 1, 0, 2 << 1, 1, 0b11, 0b0000_0001], 7).unwrap();
        assert_eq!(levels.there(), 3);
        values.extend([1, 2, 3]);
        levels.spread(&mut values);
        assert_eq!(values, [7, 0, 0, 0, 1, 2, 3, 0]);
        let nulls = levels.finish().unwrap();
        assert_eq!(nulls.iter().collect::<Vec<_>>(), [true, false, false, false, true, true, true, false]);
    }
}
