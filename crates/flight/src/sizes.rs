//! Batches of about the size that is asked for.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use bowshot_core::{Result, bytes_of};

/// A batch of at least this part of what is asked for is handed on as it came.
const SMALL: usize = 8;

/// Makes large batches small, without a copy, and small ones large, with one.
pub(crate) struct Sizes {
    schema: SchemaRef,
    /// What a batch aims at.
    goal: usize,
    /// Small batches that wait for more.
    small: Vec<RecordBatch>,
    small_bytes: usize,
    /// The rest of a large one.
    large: Option<RecordBatch>,
    /// How many of its rows make a batch.
    step: usize,
}

impl Sizes {
    pub(crate) fn new(schema: SchemaRef, goal: usize) -> Self {
        Sizes { schema, goal: goal.max(1), small: Vec::new(), small_bytes: 0, large: None, step: 0 }
    }

    /// A batch that is ready.
    pub(crate) fn ready(&mut self) -> Option<RecordBatch> {
        let large = self.large.take()?;
        let rows = large.num_rows();
        if rows <= self.step {
            return Some(large);
        }
        self.large = Some(large.slice(self.step, rows - self.step));
        Some(large.slice(0, self.step))
    }

    /// Takes a batch; what waited before it comes first.
    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let (rows, bytes) = (batch.num_rows(), bytes_of(&batch));
        if rows == 0 {
            return Ok(None);
        }
        if bytes < self.goal / SMALL {
            self.small.push(batch);
            self.small_bytes += bytes;
            return if self.small_bytes >= self.goal / 2 { self.flush() } else { Ok(None) };
        }
        let before = self.flush()?;
        let parts = bytes.div_ceil(self.goal);
        // One that is somewhat too large stays whole.
        self.step = if bytes <= self.goal + self.goal / 2 { rows } else { rows.div_ceil(parts).max(1) };
        self.large = Some(batch);
        match before {
            None => Ok(self.ready()),
            before => Ok(before),
        }
    }

    /// What still waits.
    pub(crate) fn flush(&mut self) -> Result<Option<RecordBatch>> {
        self.small_bytes = 0;
        let small = std::mem::take(&mut self.small);
        Ok(match small.len() {
            0 | 1 => small.into_iter().next(),
            _ => Some(concat_batches(&self.schema, &small)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};

    use super::*;

    fn numbers(from: i64, to: i64) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(from..to));
        RecordBatch::try_from_iter([("n", numbers)]).unwrap()
    }

    /// What comes out, and how many rows each batch has.
    fn through(goal: usize, batches: &[RecordBatch]) -> Vec<usize> {
        let mut sizes = Sizes::new(batches[0].schema(), goal);
        let mut out = Vec::new();
        for batch in batches {
            out.extend(sizes.push(batch.clone()).unwrap());
            while let Some(batch) = sizes.ready() {
                out.push(batch);
            }
        }
        out.extend(sizes.flush().unwrap());
        let whole = concat_batches(&batches[0].schema(), batches).unwrap();
        assert_eq!(concat_batches(&batches[0].schema(), &out).unwrap(), whole);
        out.iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn batches_come_out_in_order_and_in_size() {
        assert_eq!(through(8000, &[numbers(0, 1000), numbers(1000, 1400)]), [1000, 400]);
        assert_eq!(through(800, &[numbers(0, 1000)]), [100; 10]);
        assert_eq!(through(800, &[numbers(0, 140)]), [140]);
        assert_eq!(through(8000, &[numbers(0, 100), numbers(100, 200), numbers(200, 1200)]), [200, 1000]);
        let tiny: Vec<RecordBatch> = (0..1000).map(|n| numbers(n, n + 1)).collect();
        assert_eq!(through(800, &tiny), [50; 20]);
        assert_eq!(through(1, &[numbers(0, 3)]), [1; 3]);
        assert_eq!(through(8000, &[numbers(0, 0)]), [0; 0]);
    }
}
