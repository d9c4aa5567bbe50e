//! Batches of the size that was asked for.

use std::collections::VecDeque;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use bowshot_core::{Error, ErrorKind, Result, bytes_of};

/// Puts small batches together and cuts large ones, so that each has about `target` bytes, and gives all of them the
/// same schema.
pub(crate) struct Resize {
    schema: SchemaRef,
    target: usize,
    /// Small ones that wait for company.
    waiting: Vec<RecordBatch>,
    waiting_bytes: usize,
    /// What is ready.
    ready: VecDeque<RecordBatch>,
}

impl Resize {
    pub(crate) fn new(schema: SchemaRef, target: usize) -> Self {
        Resize { schema, target: target.max(1), waiting: Vec::new(), waiting_bytes: 0, ready: VecDeque::new() }
    }

    /// The next batch that is ready.
    pub(crate) fn take(&mut self) -> Option<RecordBatch> {
        self.ready.pop_front()
    }

    /// Takes a batch; an error where it has other columns than were announced.
    pub(crate) fn put(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let batch = self.dressed(batch)?;
        let bytes = bytes_of(&batch);
        // A copy of what is almost large enough would cost more than it gains.
        if bytes < self.target / 2 {
            self.waiting.push(batch);
            self.waiting_bytes += bytes;
            if self.waiting_bytes < self.target / 2 {
                return Ok(());
            }
            return self.end();
        }
        self.end()?;
        self.cut(&batch, bytes);
        Ok(())
    }

    /// Makes ready what waits.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.waiting_bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        match waiting.as_slice() {
            [] => {}
            [one] => self.ready.push_back(one.clone()),
            several => self.ready.push_back(concat_batches(&self.schema, several)?),
        }
        Ok(())
    }

    /// Slices of about equally many rows.
    fn cut(&mut self, batch: &RecordBatch, bytes: usize) {
        let rows = batch.num_rows();
        let pieces = (bytes / self.target).clamp(1, rows.max(1));
        let step = rows.div_ceil(pieces).max(1);
        let mut start = 0;
        while start < rows {
            let length = step.min(rows - start);
            self.ready.push_back(batch.slice(start, length));
            start += length;
        }
    }

    fn dressed(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let (_, columns, _) = batch.into_parts();
        RecordBatch::try_new_with_options(SchemaRef::clone(&self.schema), columns, &options).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("the engine computed other columns than it announced: {error}"))
                .with_source(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, Int64Array};
    use arrow_schema::{DataType, Field, Schema};
    use proptest::prelude::*;

    use super::*;

    fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
    }

    fn batch(values: std::ops::Range<i64>) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        RecordBatch::try_from_iter([("n", column)]).unwrap()
    }

    proptest! {
        #[test]
        fn every_row_comes_out_once_and_in_order(sizes in prop::collection::vec(0_i64..5000, 0..12), target in 1_usize..20_000) {
            let mut resize = Resize::new(schema(), target);
            let (mut next, mut seen) = (0, Vec::new());
            for size in sizes {
                resize.put(batch(next..next + size)).unwrap();
                next += size;
                while let Some(batch) = resize.take() {
                    prop_assert_eq!(batch.schema(), schema());
                    prop_assert!(bytes_of(&batch) <= target.max(8) * 2 + 8);
                    seen.extend(batch.column(0).as_primitive::<Int64Type>().values().iter().copied());
                }
            }
            resize.end().unwrap();
            while let Some(batch) = resize.take() {
                seen.extend(batch.column(0).as_primitive::<Int64Type>().values().iter().copied());
            }
            prop_assert_eq!(seen, (0..next).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_without_columns_are_counted() {
        let schema = Arc::new(Schema::empty());
        let options = RecordBatchOptions::new().with_row_count(Some(7));
        let empty = RecordBatch::try_new_with_options(Arc::clone(&schema), Vec::new(), &options).unwrap();
        let mut resize = Resize::new(schema, 1 << 20);
        resize.put(empty).unwrap();
        resize.end().unwrap();
        assert_eq!(resize.take().unwrap().num_rows(), 7);
    }

    #[test]
    fn a_null_that_was_not_announced_is_an_error() {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
        let batch = RecordBatch::try_from_iter([("n", column)]).unwrap();
        let error = Resize::new(schema(), 100).put(batch).unwrap_err();
        assert!(error.message().contains("other columns"), "{error}");
    }
}
