use arrow_array::{BinaryArray, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, StringArray};

use super::*;

/// A batch with a column of every type that has offsets, and one that has none.
fn batch() -> RecordBatch {
    let texts = vec![Some("Utrecht"), None, Some(""), Some("ünï🏹"), Some("Amersfoort")];
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let column = |array: ArrayRef, name: &str| (name.to_owned(), array, true);
    RecordBatch::try_from_iter_with_nullable([
        column(Arc::new(StringArray::from(texts.clone())), "text"),
        column(Arc::new(Int64Array::from_iter_values(0..5)), "number"),
        column(Arc::new(LargeStringArray::from(texts)), "large text"),
        column(Arc::new(BinaryArray::from(bytes.clone())), "bytes"),
        column(Arc::new(LargeBinaryArray::from(bytes)), "large bytes"),
    ])
    .unwrap()
}

fn sent(batch: &RecordBatch) -> RecordBatch {
    with_lengths(batch, &schema_of_lengths(batch.schema_ref()).unwrap()).unwrap()
}

#[test]
fn every_batch_comes_back() {
    let whole = batch();
    // Slices begin in the middle of their bytes; none of a batch's bytes but those that it shows are sent.
    for (from, rows) in [(0, 5), (1, 3), (2, 1), (3, 2), (4, 0), (0, 0)] {
        let batch = whole.slice(from, rows);
        let sent = sent(&batch);
        assert_eq!(without_lengths(&sent, batch.schema_ref()).unwrap(), batch, "{from} and {rows} more");
        let shown: usize = batch.column(0).as_string::<i32>().iter().flatten().map(str::len).sum();
        assert_eq!(sent.column(5).as_binary::<i32>().values().len(), shown);
    }
    assert_eq!(sent(&whole).column(0).as_primitive::<Int32Type>().values(), &[7, 0, 0, 9, 10]);
}

#[test]
fn without_texts_nothing_changes() {
    assert_eq!(schema_of_lengths(&Schema::new(vec![Field::new("number", DataType::Int64, false)])), None);
}

#[test]
fn lengths_that_are_not_those_of_the_bytes_are_refused() {
    let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8, true)]));
    let came = |lengths: Vec<i32>, bytes: &str| {
        let rest = vec![""; lengths.len() - 1];
        let bytes: BinaryArray = std::iter::once(bytes).chain(rest).map(|text| Some(text.as_bytes())).collect();
        let lengths: ArrayRef = Arc::new(Int32Array::from(lengths));
        let sent = RecordBatch::try_from_iter([("text", lengths), ("bytes", Arc::new(bytes) as ArrayRef)]).unwrap();
        without_lengths(&sent, &schema).map_err(|error| error.to_string())
    };
    let texts = came(vec![1, 2], "aü").unwrap();
    assert_eq!(texts.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["a", "ü"]);
    for (lengths, bytes, why) in [
        (vec![1, 3], "aü", "more than their bytes"),
        (vec![1, 1], "abc", "fewer than their bytes"),
        (vec![4, -1], "abc", "more than their bytes"),
        (vec![i32::MAX, i32::MAX], "abc", "more than their bytes"),
        // Whole together, but not each.
        (vec![2, 1], "aü", "utf-8"),
    ] {
        let error = came(lengths.clone(), bytes).unwrap_err();
        assert!(error.to_lowercase().contains(why), "{lengths:?}: {error}");
    }
}

#[test]
fn a_batch_of_other_columns_is_refused() {
    let whole = batch();
    let sent = sent(&whole);
    // The schema's last columns have no bytes.
    let fewer = sent.project(&[0, 1, 2, 3, 4]).unwrap();
    assert!(without_lengths(&fewer, whole.schema_ref()).is_err());
    let swapped = sent.project(&[1, 0, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    assert!(without_lengths(&swapped, whole.schema_ref()).is_err());
}
