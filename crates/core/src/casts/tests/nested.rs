//! Values inside of values follow the rules of their own types.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, Int32Array, Int64Array, ListArray, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields, TimeUnit};

use super::{refusal, turn};

fn lists() -> ListArray {
    ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![Some(1 << 40)])])
}

fn list_of(data_type: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", data_type, true)))
}

fn texts(array: &ArrayRef) -> Vec<Option<&str>> {
    array.as_string::<i32>().iter().collect()
}

#[test]
fn items_are_turned_one_by_one() {
    let turned = turn(lists(), list_of(DataType::Float64)).unwrap();
    assert_eq!((turned.len(), turned.null_count(), turned.data_type()), (3, 1, &list_of(DataType::Float64)));
    let large = turn(lists(), DataType::LargeList(Arc::new(Field::new("n", DataType::UInt64, true)))).unwrap();
    assert_eq!(large.as_list::<i64>().value(0).null_count(), 1);
    let message = refusal(lists(), list_of(DataType::Int32));
    assert!(message.contains("holds 1099511627776, which list<int32> cannot"), "{message}");
    // Only the rows that are there.
    let turned = turn(lists().slice(0, 2), list_of(DataType::Int32)).unwrap();
    assert_eq!(turned.as_list::<i32>().value(0).as_primitive::<Int32Type>().value(0), 1);
}

#[test]
fn what_lies_under_a_null_is_not_looked_at() {
    let hidden = NullBuffer::from(vec![true, false]);
    let field = |data_type| Fields::from(vec![Field::new("n", data_type, true)]);
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 1 << 40]));
    let structs = StructArray::new(field(DataType::Int64), vec![Arc::clone(&numbers)], Some(hidden.clone()));
    let turned = turn(structs.clone(), DataType::Struct(field(DataType::Int32))).unwrap();
    assert_eq!(turned.as_struct().column(0).as_primitive::<Int32Type>().value(0), 1);
    let structs = StructArray::new(field(DataType::Int64), vec![Arc::clone(&numbers)], None);
    assert!(refusal(structs, DataType::Struct(field(DataType::Int32))).contains("holds 1099511627776"));
    let item = |data_type| Arc::new(Field::new("item", data_type, true));
    let fixed = FixedSizeListArray::new(item(DataType::Int64), 1, numbers, Some(hidden));
    assert!(turn(fixed, DataType::FixedSizeList(item(DataType::Int32), 1)).is_ok());
}

#[test]
fn maps_and_dictionaries_are_turned() {
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    maps.keys().append_value("a");
    maps.values().append_value(1);
    maps.append(true).unwrap();
    let maps = maps.finish();
    assert_eq!(texts(&turn(maps, DataType::Utf8).unwrap()), [Some("{\"a\": 1}")]);
    let words: DictionaryArray<Int32Type> = ["7", "8", "7"].into_iter().collect();
    let turned = turn(words.clone(), DataType::Int64).unwrap();
    assert_eq!(turned.as_primitive::<Int64Type>(), &Int64Array::from(vec![7, 8, 7]));
    let packed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    assert_eq!(turn(StringArray::from(vec!["x"]), packed.clone()).unwrap().data_type(), &packed);
    assert!(refusal(words, DataType::Boolean).contains("holds 7, which bool cannot"));
}

#[test]
fn the_text_of_nested_values_tells_them_apart() {
    let one = ListArray::new(
        Arc::new(Field::new("item", DataType::Utf8, true)),
        arrow_buffer::OffsetBuffer::new(vec![0, 2, 3, 3].into()),
        Arc::new(StringArray::from(vec![Some("a"), None, Some("a, \"b\"\n")])),
        Some(NullBuffer::from(vec![true, true, false])),
    );
    let turned = turn(one, DataType::Utf8).unwrap();
    assert_eq!(texts(&turned), [Some("[\"a\", null]"), Some("[\"a, \\\"b\\\"\\n\"]"), None]);
    let at = TimestampMicrosecondArray::from(vec![0]).with_timezone("Europe/Berlin");
    let fields = Fields::from(vec![
        Field::new("n", DataType::Int32, true),
        Field::new("at", DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into())), true),
    ]);
    let structs = StructArray::new(fields, vec![Arc::new(Int32Array::from(vec![None])), Arc::new(at)], None);
    let turned = turn(structs, DataType::Utf8).unwrap();
    assert_eq!(texts(&turned), [Some("{\"n\": null, \"at\": \"1970-01-01T00:00:00Z\"}")]);
}
