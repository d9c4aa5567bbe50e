//! How much memory a batch's values take.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, GenericByteViewArray, RecordBatch};
use arrow_schema::DataType;

/// The bytes of a batch's values.
///
/// Arrow's own [`get_array_memory_size`](RecordBatch::get_array_memory_size) counts the whole allocation once for every array that lies in it.
/// The columns of a batch that came as one Arrow message share an allocation, so do the slices of a batch: their sum
/// would be a multiple of what there is.
///
/// Views count with the text that they point to, or with all text that the array has, where that is no more than the views themselves: a
/// few words that millions of views point to are not looked for in every one of them.
pub fn bytes_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| bytes_of_array(column.as_ref())).sum()
}

/// The bytes of an array's values, as [`bytes_of`] counts them.
pub fn bytes_of_array(array: &dyn Array) -> usize {
    let own = array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size());
    // Text is no part of a view's slice.
    own + match array.data_type() {
        DataType::Utf8View => text_bytes(array.as_string_view(), own),
        DataType::BinaryView => text_bytes(array.as_binary_view(), own),
        _ => 0,
    }
}

/// The bytes that views point to, whose own are `own`.
fn text_bytes<T: ByteViewType>(views: &GenericByteViewArray<T>, own: usize) -> usize {
    let all: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
    if all <= own { all } else { views.total_buffer_bytes_used() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::StringViewBuilder;
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

    #[test]
    fn views_count_with_their_text_once() {
        let views = |texts: &[&str]| -> RecordBatch {
            let array: ArrayRef = Arc::new(StringViewArray::from(texts.to_vec()));
            RecordBatch::try_from_iter([("v", array)]).unwrap()
        };
        let long = "x".repeat(100);
        // All text belongs to others: what these two point to is looked for.
        let slice = views(&[&long, "thirteen bytes", "short"]).slice(1, 2);
        assert_eq!(bytes_of(&slice), 2 * 16 + 14);
        // A few words that many point to.
        let mut builder = StringViewBuilder::new().with_deduplicate_strings();
        (0..1000).for_each(|_| builder.append_value(&long));
        let words = RecordBatch::try_from_iter([("v", Arc::new(builder.finish()) as ArrayRef)]).unwrap();
        assert_eq!(bytes_of(&words), 1000 * 16 + 100);
    }
}
