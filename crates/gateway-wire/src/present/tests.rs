use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    BinaryViewArray, DictionaryArray, Int32Array, Int64Array, LargeListArray, ListArray, RunArray, StringArray,
    StringViewArray, StructArray,
};
use arrow_schema::FieldRef;

use super::*;
use crate::testing::{Dice, batch, sendable, single};
use crate::{Client, presented};

const LONG: &str = "a text of more than twelve bytes";

fn plain() -> Client {
    Client::of(None)
}

fn able() -> Client {
    Client::of(Some("bowshot/1"))
}

/// The column as a client sees it.
fn seen(column: ArrayRef, client: Client) -> ArrayRef {
    let batch = single(column);
    let schema = presented(&batch.schema(), client);
    let shown = present(&batch, &schema).unwrap();
    assert_eq!(shown.schema(), schema);
    assert_eq!(shown.num_rows(), batch.num_rows());
    Arc::clone(shown.column(0))
}

fn item(of: DataType) -> FieldRef {
    Arc::new(Field::new("item", of, true))
}

#[test]
fn dictionaries_and_runs_become_their_values() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("b"), Some("a")]));
    let dictionary: DictionaryArray<Int8Type> = [Some("a"), None, Some("b"), Some("a")].into_iter().collect();
    let ends = Int32Array::from(vec![1, 2, 3, 4]);
    let runs = RunArray::<Int32Type>::try_new(&ends, texts.as_ref()).unwrap();
    for client in [plain(), able()] {
        assert_eq!(&seen(Arc::new(dictionary.clone()), client), &texts);
        assert_eq!(seen(Arc::new(dictionary.slice(1, 2)), client).as_ref(), texts.slice(1, 2).as_ref());
        assert_eq!(&seen(Arc::new(runs.clone()), client), &texts);
        assert_eq!(seen(Arc::new(runs.slice(1, 3)), client).as_ref(), texts.slice(1, 3).as_ref());
    }
}

#[test]
fn dictionaries_of_views_within_structs_within_lists_become_text() {
    let keys = arrow_array::Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
    let values: ArrayRef = Arc::new(StringViewArray::from(vec![LONG, "short"]));
    let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
    let inner = Arc::new(Field::new("d", dictionary.data_type().clone(), true));
    let structs: ArrayRef = Arc::new(StructArray::from(vec![(inner, dictionary)]));
    let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 3]);
    let list = ListArray::new(item(structs.data_type().clone()), offsets, structs, None);
    let shown = seen(Arc::new(list.slice(1, 1)), plain());
    let texts = shown.as_list::<i32>().value(0);
    let expected = StringArray::from(vec![None, Some(LONG), Some("short")]);
    assert_eq!(texts.as_struct().column(0).as_string::<i32>(), &expected);
}

#[test]
fn views_become_plain_for_who_cannot_read_them() {
    let texts = vec![Some(LONG), None, Some("short"), Some("")];
    let views: ArrayRef = Arc::new(StringViewArray::from(texts.clone()));
    assert_eq!(seen(Arc::clone(&views), plain()).as_string::<i32>(), &StringArray::from(texts));
    assert_eq!(seen(Arc::clone(&views), able()).data_type(), &DataType::Utf8View);
    let bytes: ArrayRef = Arc::new(BinaryViewArray::from(vec![LONG.as_bytes()]));
    assert_eq!(seen(bytes, plain()).as_binary::<i32>().value(0), LONG.as_bytes());
    let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 0, 3]);
    let list: ArrayRef = Arc::new(LargeListArray::new(item(DataType::Utf8View), offsets, views, None));
    let viewed = cast(&list, &DataType::LargeListView(item(DataType::Utf8View))).unwrap();
    let wanted = cast(&list, &DataType::LargeList(item(DataType::Utf8))).unwrap();
    assert_eq!(&seen(viewed, plain()), &wanted);
}

#[test]
fn what_a_client_reads_is_not_copied() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let views: ArrayRef = Arc::new(StringViewArray::from(vec![LONG]));
    assert!(Arc::ptr_eq(&seen(Arc::clone(&numbers), plain()), &numbers));
    assert!(Arc::ptr_eq(&seen(Arc::clone(&views), able()), &views));
}

#[test]
fn every_type_can_be_shown_to_every_client() {
    let mut dice = Dice(1);
    for of in sendable() {
        let whole = batch(&[of], 50, &mut dice);
        for client in [plain(), able()] {
            let schema = presented(whole.schema_ref(), client);
            for piece in [whole.clone(), whole.slice(7, 20), whole.slice(0, 0)] {
                let shown = present(&piece, &schema).unwrap();
                let texts = |batch: &RecordBatch| -> Vec<String> {
                    let column = batch.column(0);
                    (0..column.len())
                        .map(|row| arrow_cast::display::array_value_to_string(column, row).unwrap_or_default())
                        .collect()
                };
                assert_eq!(texts(&shown), texts(&piece));
            }
        }
    }
}

#[test]
fn a_batch_that_was_not_announced_is_an_error_that_names_the_column() {
    let schema = |name: &str, of: DataType, nullable| Arc::new(Schema::new(vec![Field::new(name, of, nullable)]));
    let numbers = single(Arc::new(Int64Array::from(vec![Some(1), None])));
    for (announced, words) in [
        (schema("n", DataType::Int64, true), "a batch has a column \"c0\" where \"n\" was announced"),
        (schema("c0", DataType::Int32, true), "column \"c0\" came as int64 and was announced as int32"),
        (schema("c0", DataType::Utf8, true), "column \"c0\" came as int64 and was announced as utf8"),
        (schema("c0", DataType::Int64, false), "column \"c0\" holds NULL and was announced as one without"),
    ] {
        let error = present(&numbers, &announced).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.column().is_some() && error.message().starts_with(words), "{error}");
    }
    let error = present(&numbers, &Arc::new(Schema::empty())).unwrap_err();
    assert_eq!(error.message(), "a batch has 1 columns, and 0 were announced");
    // Text is not turned into views: only what a client cannot read changes.
    let texts = single(Arc::new(StringArray::from(vec!["a"])));
    assert!(present(&texts, &schema("c0", DataType::Utf8View, true)).is_err());
}

#[test]
fn a_column_that_may_be_null_and_is_not_fits_one_that_may_not() {
    let numbers = single(Arc::new(Int64Array::from(vec![1, 2])));
    let announced = Arc::new(Schema::new(vec![Field::new("c0", DataType::Int64, false)]));
    assert_eq!(present(&numbers, &announced).unwrap().schema(), announced);
}

#[test]
fn texts_of_more_than_two_gibibytes_are_refused_before_they_are_written() {
    assert!(check_length([u32::MAX].into_iter()).is_err());
    assert!(check_length([1 << 30, 1 << 30].into_iter()).is_err());
    assert!(check_length([1 << 30, (1 << 30) - 1].into_iter()).is_ok());
}
