//! Arbitrary batches, cuts and options: what is read is what was written.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    ListArray, RecordBatch, StringArray, StringViewArray, StructArray, TimestampMillisecondArray, TimestampSecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use bowshot_parquet_writer::Options;
use common::{read, written};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// One row of every kind of column.
#[derive(Clone, Debug)]
struct Row {
    number: Option<i64>,
    real: Option<f64>,
    flag: Option<bool>,
    text: Option<String>,
    bytes: Option<Vec<u8>>,
    seconds: Option<i64>,
    decimal: Option<i128>,
    word: Option<u8>,
    list: Option<Vec<Option<i32>>>,
    pair: Option<(Option<i32>, String)>,
}

fn row() -> impl Strategy<Value = Row> {
    let seconds = i64::MIN / 1000..=i64::MAX / 1000;
    let decimal = -(10_i128.pow(30) - 1)..10_i128.pow(30);
    let simple = (any::<Option<i64>>(), any::<Option<f64>>(), any::<Option<bool>>(), option::of(".{0,30}"));
    let scalars = (option::of(vec(any::<u8>(), 0..20)), option::of(seconds), option::of(decimal), option::of(0..4_u8));
    let nested = (option::of(vec(any::<Option<i32>>(), 0..5)), option::of((any::<Option<i32>>(), ".{0,5}")));
    (simple, scalars, nested).prop_map(|(simple, scalars, nested)| Row {
        number: simple.0,
        real: simple.1,
        flag: simple.2,
        text: simple.3,
        bytes: scalars.0,
        seconds: scalars.1,
        decimal: scalars.2,
        word: scalars.3,
        list: nested.0,
        pair: nested.1,
    })
}

/// Lists with the name that Parquet's specification has for their items.
fn lists(rows: &[Row]) -> ListArray {
    let (_, offsets, items, nulls) =
        ListArray::from_iter_primitive::<Int32Type, _, _>(rows.iter().map(|row| row.list.clone())).into_parts();
    ListArray::new(Arc::new(Field::new("element", DataType::Int32, true)), offsets, items, nulls)
}

/// The rows as they are given, or as they are stored.
fn batch(rows: &[Row], is_stored: bool) -> RecordBatch {
    let seconds: ArrayRef = if is_stored {
        Arc::new(rows.iter().map(|row| row.seconds.map(|value| value * 1000)).collect::<TimestampMillisecondArray>())
    } else {
        Arc::new(rows.iter().map(|row| row.seconds).collect::<TimestampSecondArray>())
    };
    let words = ["one", "two", "three", "four"];
    let keys: Int32Array = rows.iter().map(|row| row.word.map(i32::from)).collect();
    let dictionary = DictionaryArray::<Int32Type>::new(keys, Arc::new(StringArray::from(words.to_vec())));
    let views = rows.iter().map(|row| row.text.as_ref().map(|text| format!("{text}{text}")));
    let pair = StructArray::new(
        vec![Field::new("a", DataType::Int32, true), Field::new("b", DataType::Utf8, false)].into(),
        vec![
            Arc::new(rows.iter().map(|row| row.pair.as_ref().and_then(|pair| pair.0)).collect::<Int32Array>()),
            Arc::new(StringArray::from_iter_values(
                rows.iter().map(|row| row.pair.as_ref().map_or("", |pair| &pair.1)),
            )),
        ],
        Some(NullBuffer::from_iter(rows.iter().map(|row| row.pair.is_some()))),
    );
    let decimals: Decimal128Array = rows.iter().map(|row| row.decimal).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(rows.iter().map(|row| row.number).collect::<Int64Array>())),
        ("real", Arc::new(rows.iter().map(|row| row.real).collect::<Float64Array>())),
        ("flag", Arc::new(rows.iter().map(|row| row.flag).collect::<BooleanArray>())),
        ("text", Arc::new(rows.iter().map(|row| row.text.clone()).collect::<StringArray>())),
        ("view", Arc::new(views.collect::<StringViewArray>())),
        ("bytes", Arc::new(rows.iter().map(|row| row.bytes.as_deref()).collect::<BinaryArray>())),
        ("seconds", seconds),
        ("decimal", Arc::new(decimals.with_precision_and_scale(30, 3).unwrap())),
        ("word", Arc::new(dictionary)),
        ("list", Arc::new(lists(rows))),
        ("pair", Arc::new(pair)),
    ];
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|column| column.1).collect()).unwrap()
}

/// Each cell as text: dictionaries are not the same after each way, their cells are.
fn cells(batch: &RecordBatch) -> Vec<Vec<String>> {
    let options = arrow_cast::display::FormatOptions::new().with_null("NULL");
    let column = |array: &ArrayRef| {
        let shown = arrow_cast::display::ArrayFormatter::try_new(array, &options).unwrap();
        (0..array.len()).map(|row| shown.value(row).to_string()).collect()
    };
    batch.columns().iter().map(column).collect()
}

fn options() -> impl Strategy<Value = Options> {
    let codec = prop_oneof![Just("none"), Just("snappy"), Just("gzip"), Just("zstd"), Just("lz4"), Just("brotli")];
    let statistics = prop_oneof![Just("none"), Just("chunk"), Just("page")];
    let (version, blooms) = (prop_oneof![Just("1"), Just("2")], prop_oneof![Just("none"), Just("all")]);
    (codec, statistics, version, blooms, any::<bool>(), 1..40_usize, 1024..4096_usize).prop_map(
        |(codec, statistics, version, blooms, dictionary, rows, bytes)| {
            let (dictionary, rows, bytes) = (dictionary.to_string(), rows.to_string(), bytes.to_string());
            Options::from_texts([
                ("compression", codec),
                ("statistics", statistics),
                ("page_version", version),
                ("bloom_filters", blooms),
                ("bloom_filter_values", "100"),
                ("dictionary", &dictionary),
                ("row_group_rows", &rows),
                ("page_bytes", &bytes),
                ("dictionary_bytes", &bytes),
            ])
            .unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_was_written(rows in vec(row(), 1..80), cuts in vec(0..80_usize, 0..4), options in options()) {
        let given = batch(&rows, false);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows.len())).chain([0, rows.len()]).collect();
        cuts.sort_unstable();
        let slices: Vec<RecordBatch> = cuts.windows(2).map(|cut| given.slice(cut[0], cut[1] - cut[0])).collect();
        let bytes = written(&given.schema(), &slices, &options).unwrap();
        let found = read(bytes, 33);
        let found = concat_batches(&found[0].schema(), &found).unwrap();
        let expected = batch(&rows, true);
        prop_assert_eq!(found.schema(), expected.schema());
        prop_assert_eq!(cells(&found), cells(&expected));
    }
}
