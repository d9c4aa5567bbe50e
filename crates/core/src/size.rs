//! How much memory a batch's values take.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// The bytes of a batch's values.
///
/// Arrow's own [`get_array_memory_size`](RecordBatch::get_array_memory_size) counts the whole allocation once for every array that lies in it.
/// The columns of a batch that came as one Arrow message share an allocation, so do the slices of a batch: their sum
/// would be a multiple of what there is.
pub fn bytes_of(batch: &RecordBatch) -> usize {
    let bytes = |column: &dyn Array| {
        let own = column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size());
        // Views point to their text, which is no part of their slice.
        own + match column.data_type() {
            DataType::Utf8View => column.as_string_view().total_buffer_bytes_used(),
            DataType::BinaryView => column.as_binary_view().total_buffer_bytes_used(),
            _ => 0,
        }
    };
    batch.columns().iter().map(|column| bytes(column.as_ref())).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray, StringViewArray};

    use super::*;

    #[test]
    fn slices_count_for_what_they_show() {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..1000).map(|_| "ten bytes.")));
        let batch = RecordBatch::try_from_iter([("n", numbers), ("t", texts)]).unwrap();
        assert_eq!(bytes_of(&batch), 8000 + 10_000 + 4004);
        assert_eq!(bytes_of(&batch.slice(10, 1)), 8 + 10 + 8);
        let view = |text: &str| -> ArrayRef { Arc::new(StringViewArray::from(vec![text])) };
        let batch = RecordBatch::try_from_iter([("v", view("thirteen bytes"))]).unwrap();
        assert_eq!(bytes_of(&batch), 16 + 14);
    }
}
