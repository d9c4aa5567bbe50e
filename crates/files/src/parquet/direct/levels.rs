//! Which values are NULL: definition levels of a column that is not nested are zeros and ones.

use arrow_array::builder::NullBufferBuilder;
use arrow_buffer::NullBuffer;
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::hybrid::{Runs, Sink};

/// The levels of a page, and the NULLs of a batch.
pub(super) struct Levels {
    /// `None`: all values of the page are there.
    runs: Option<Runs>,
    marks: Marks,
}

/// What was taken of the levels.
struct Marks {
    /// Of the batch.
    nulls: NullBufferBuilder,
    /// For each value that was taken last, whether it is there; empty where all are.
    last: Vec<bool>,
    /// How many of them are.
    there: usize,
}

impl Levels {
    /// For a column that may hold NULL, or for one that does not.
    pub(super) fn new(nullable: bool) -> Self {
        let marks = Marks { nulls: NullBufferBuilder::new(0), last: Vec::new(), there: 0 };
        Levels { runs: nullable.then(Runs::new), marks }
    }

    /// Begins with the levels of another page, if the column has any.
    pub(super) fn start(&mut self, levels: Bytes) -> Result<(), ParquetError> {
        self.runs.as_mut().map_or(Ok(()), |runs| runs.start(levels, 1))
    }

    /// Takes the next `count` levels; how many values are stored for them.
    pub(super) fn take(&mut self, count: usize) -> Result<usize, ParquetError> {
        self.marks.last.clear();
        self.marks.there = 0;
        match &mut self.runs {
            Some(runs) => runs.read(count, &mut self.marks)?,
            None => {
                self.marks.there = count;
                self.marks.nulls.append_n_non_nulls(count);
            }
        }
        Ok(self.marks.there)
    }

    /// Passes over the next `count` levels; how many values are stored for them.
    pub(super) fn skip(&mut self, count: usize) -> Result<usize, ParquetError> {
        let Some(runs) = &mut self.runs else { return Ok(count) };
        let mut there = Count(0);
        runs.read(count, &mut there)?;
        Ok(there.0)
    }

    /// Puts the values that were stored for the levels taken last, which are the last ones, where they belong; those
    /// between them are what `null` makes of the stored values before them.
    pub(super) fn spread<T: Copy + Default>(&self, values: &mut Vec<T>, null: impl Fn(&[T]) -> T) {
        let Marks { last, there, .. } = &self.marks;
        let Some(start) = values.len().checked_sub(*there).filter(|_| *there < last.len()) else { return };
        let mut stored = values.len();
        values.resize(start + last.len(), T::default());
        // From the end: no value is written over before it has moved.
        for (at, there) in last.iter().enumerate().rev() {
            let value = if *there {
                stored -= 1;
                values.get(stored).copied().unwrap_or_default()
            } else {
                null(values.get(..stored).unwrap_or_default())
            };
            if let Some(place) = values.get_mut(start + at) {
                *place = value;
            }
        }
    }

    /// The NULLs of the batch that ends here.
    pub(super) fn finish(&mut self) -> Option<NullBuffer> {
        self.marks.nulls.finish()
    }
}

impl Sink for Marks {
    fn same(&mut self, level: u32, count: usize) -> Result<(), ParquetError> {
        let there = level != 0;
        self.last.extend(std::iter::repeat_n(there, count));
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
            self.last.push(there);
            self.there += usize::from(there);
            self.nulls.append(there);
        }
        Ok(())
    }
}

/// Counts the values that are there.
struct Count(usize);

impl Sink for Count {
    fn same(&mut self, level: u32, count: usize) -> Result<(), ParquetError> {
        self.0 += if level == 0 { 0 } else { count };
        Ok(())
    }

    fn many(&mut self, levels: &[u32]) -> Result<(), ParquetError> {
        self.0 += levels.iter().filter(|level| **level != 0).count();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three NULLs, two values, then one of each.
    const LEVELS: [u8; 6] = [3 << 1, 0, 2 << 1, 1, 0b11, 0b0000_0001];

    #[test]
    fn values_move_to_where_they_belong() {
        let mut levels = Levels::new(true);
        let mut values = vec![7];
        levels.start(Bytes::from_static(&[1 << 1, 1])).unwrap();
        assert_eq!(levels.take(1).unwrap(), 1);
        levels.start(Bytes::from_static(&LEVELS)).unwrap();
        assert_eq!(levels.take(7).unwrap(), 3);
        values.extend([1, 2, 3]);
        let mut ends = values.clone();
        levels.spread(&mut values, |_| 0);
        assert_eq!(values, [7, 0, 0, 0, 1, 2, 3, 0]);
        levels.spread(&mut ends, |before| *before.last().unwrap());
        assert_eq!(ends, [7, 7, 7, 7, 1, 2, 3, 3]);
        let nulls = levels.finish().unwrap();
        assert_eq!(nulls.iter().collect::<Vec<_>>(), [true, false, false, false, true, true, true, false]);
    }

    #[test]
    fn levels_that_are_passed_over_are_counted_and_leave_no_trace() {
        let mut levels = Levels::new(true);
        levels.start(Bytes::from_static(&LEVELS)).unwrap();
        assert_eq!(levels.skip(4).unwrap(), 1);
        assert_eq!(levels.take(3).unwrap(), 2);
        assert_eq!(levels.finish().unwrap().iter().collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(Levels::new(false).skip(4).unwrap(), 4);
    }
}
