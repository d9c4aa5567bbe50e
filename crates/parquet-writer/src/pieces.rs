//! Batches in pieces, so that a row group ends near its bytes however large a batch is.

use arrow_array::{Array, RecordBatch};

/// Pieces of more bytes than this make nothing faster.
const MOST_BYTES: usize = 16 << 20;
/// Nor do pieces of fewer rows make row groups more even.
const LEAST_ROWS: usize = 64;

/// How many rows of a batch a piece has at most, where row groups have about this many bytes.
pub(crate) fn rows_a_piece(batch: &RecordBatch, row_group_bytes: usize) -> usize {
    let rows = batch.num_rows();
    // What cannot be measured by its slice is taken whole.
    let bytes = |data: arrow_array::ArrayRef| {
        data.to_data().get_slice_memory_size().unwrap_or_else(|_| data.get_array_memory_size())
    };
    let total = batch.columns().iter().cloned().map(bytes).fold(0_usize, usize::saturating_add);
    let limit = (row_group_bytes / 8).clamp(1, MOST_BYTES);
    if total <= limit {
        return rows.max(1);
    }
    let pieces = total.div_ceil(limit);
    rows.div_ceil(pieces).max(LEAST_ROWS.min(rows)).max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, StringArray};

    use super::*;

    #[test]
    fn large_batches_are_cut_evenly_and_small_ones_not() {
        let numbers: Int64Array = (0..1_000_000).collect();
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as _)]).unwrap();
        assert_eq!(rows_a_piece(&batch, 128 << 20), 1_000_000);
        let piece = rows_a_piece(&batch, 1 << 20);
        assert!((10_000..=17_000).contains(&piece), "{piece}");
        // A slice counts for what it has itself.
        assert_eq!(rows_a_piece(&batch.slice(5, 100), 1 << 20), 100);
        assert_eq!(rows_a_piece(&batch.slice(0, 0), 1 << 20), 1);

        let texts: StringArray = (0..100).map(|_| Some("x".repeat(1 << 20))).collect();
        let batch = RecordBatch::try_from_iter([("t", Arc::new(texts) as _)]).unwrap();
        assert_eq!(rows_a_piece(&batch, 1 << 20), LEAST_ROWS);
    }
}
