use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt64Array,
};
use proptest::prelude::*;

use super::*;

fn answer(columns: Vec<(&str, ArrayRef)>) -> Answer {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    Answer { schema: batch.schema(), batches: vec![batch], truncated: false }
}

fn shown(answer: &Answer) -> Rows {
    rows(answer, 100, &ConsoleOptions::default()).unwrap()
}

fn texts(row: &[Option<String>]) -> Vec<&str> {
    row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect()
}

#[test]
fn no_digit_of_a_number_is_lost() {
    let money = Decimal128Array::from(vec![99_999_999_999_999_999_999_999_999_999_999_999_999_i128]);
    let answer = answer(vec![
        ("i", Arc::new(Int64Array::from(vec![i64::MIN + 1]))),
        ("u", Arc::new(UInt64Array::from(vec![u64::MAX]))),
        ("d", Arc::new(money.with_precision_and_scale(38, 2).unwrap())),
        ("f", Arc::new(Float64Array::from(vec![0.1 + 0.2]))),
    ]);
    let rows = shown(&answer);
    assert_eq!(
        texts(&rows.rows[0]),
        [
            "-9223372036854775807",
            "18446744073709551615",
            "999999999999999999999999999999999999.99",
            "0.30000000000000004"
        ]
    );
    assert!(rows.columns.iter().all(|column| column.kind == ColumnKind::Number));
    assert_eq!(rows.columns[2].data_type, "decimal128(38, 2)");
}

#[test]
fn other_values_are_text_and_null_is_null() {
    let time = TimestampMicrosecondArray::from(vec![1_700_000_000_123_456]).with_timezone("UTC");
    let answer = answer(vec![
        ("t", Arc::new(time)),
        ("b", Arc::new(BooleanArray::from(vec![true]))),
        ("s", Arc::new(StringArray::from(vec!["<b>Ünïcode</b>"]))),
        ("x", Arc::new(BinaryArray::from(vec![&[0_u8, 255][..]]))),
        ("n", Arc::new(Int64Array::from(vec![None]))),
    ]);
    let rows = shown(&answer);
    assert_eq!(texts(&rows.rows[0]), ["2023-11-14T22:13:20.123456Z", "true", "<b>Ünïcode</b>", "00ff", "NULL"]);
    let kinds: Vec<ColumnKind> = rows.columns.iter().map(|column| column.kind).collect();
    use ColumnKind::*;
    assert_eq!(kinds, [Time, Boolean, Text, Bytes, Number]);
}

#[test]
fn rows_and_bytes_are_bounded() {
    let answer = answer(vec![("s", Arc::new(StringArray::from(vec!["é".repeat(10); 50])))]);
    let few = rows(&answer, 3, &ConsoleOptions::default()).unwrap();
    assert!(few.rows.len() == 3 && few.truncated);
    let all = rows(&answer, 50, &ConsoleOptions::default()).unwrap();
    assert!(all.rows.len() == 50 && !all.truncated && all.cut == 0);
    let small = rows(&answer, 50, &ConsoleOptions { query_bytes: 100, ..ConsoleOptions::default() }).unwrap();
    assert!(small.rows.len() == 5 && small.truncated);
    let narrow = rows(&answer, 50, &ConsoleOptions { cell_bytes: 5, ..ConsoleOptions::default() }).unwrap();
    assert_eq!((narrow.rows[0][0].as_deref(), narrow.cut), (Some("éé…"), 50));
}

proptest! {
    #[test]
    fn every_float_and_integer_can_be_read_back(float in any::<f64>(), integer in any::<i64>()) {
        let answer = answer(vec![
            ("f", Arc::new(Float64Array::from(vec![float]))),
            ("i", Arc::new(Int64Array::from(vec![integer]))),
        ]);
        let rows = shown(&answer);
        let text = texts(&rows.rows[0]);
        let read: f64 = text[0].parse().unwrap();
        prop_assert!(read == float || (read.is_nan() && float.is_nan()));
        prop_assert_eq!(text[1].parse::<i64>().unwrap(), integer);
    }
}
