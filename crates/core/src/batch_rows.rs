//! The rows of many batches as parameters, one after the other.

use std::ops::Range;

use arrow_array::RecordBatch;

use crate::{Result, RowValues, Value};

/// The rows of batches as parameters, one after the other; the first error ends them.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use bowshot_core::{BatchRows, Value};
///
/// let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
/// let batch = RecordBatch::try_from_iter([("n", column)])?;
/// let rows: Vec<_> = BatchRows::new([Ok(batch)].into_iter()).collect::<Result<_, _>>()?;
/// assert_eq!(rows, [[Value::Int(1)], [Value::Int(2)]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchRows<I> {
    batches: I,
    /// The batch that is being read, and which of its rows are left.
    current: Option<(RowValues, Range<usize>)>,
}

impl<I> BatchRows<I> {
    /// The rows of these batches.
    pub fn new(batches: I) -> Self {
        BatchRows { batches, current: None }
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> Iterator for BatchRows<I> {
    type Item = Result<Vec<Value>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((values, rows)) = &mut self.current
                && let Some(row) = rows.next()
            {
                return Some(values.row(row));
            }
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            };
            match RowValues::new(&batch) {
                Ok(values) => self.current = Some((values, 0..batch.num_rows())),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array};

    use super::*;
    use crate::{Error, ErrorKind};

    #[test]
    fn the_rows_of_all_batches_follow_each_other() {
        let batch = |values: Vec<i32>| {
            let column = Arc::new(Int32Array::from(values)) as ArrayRef;
            Ok(RecordBatch::try_from_iter([("n", column)]).unwrap())
        };
        let lost = Err(Error::new(ErrorKind::ConnectionLost, "gone"));
        let mut rows = BatchRows::new([batch(vec![1, 2]), batch(vec![]), batch(vec![3]), lost].into_iter());
        for number in [1, 2, 3] {
            assert_eq!(rows.next().unwrap().unwrap(), [Value::Int(number)]);
        }
        assert_eq!(rows.next().unwrap().unwrap_err().kind(), ErrorKind::ConnectionLost);
        assert!(rows.next().is_none());
    }
}
