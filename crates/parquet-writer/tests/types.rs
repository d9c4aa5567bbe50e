//! Every type of Arrow, written and read back.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod common;

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, IntervalUnit, Schema, TimeUnit};
use arrow_select::concat::concat_batches;
use bowshot_core::ErrorKind;
use bowshot_parquet_writer::{FileWriter, Intervals, Options};
use common::{column, footer, read, written};
use half::f16;
use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};

/// What is read back of an array that is a file's only column.
fn back_with(array: &ArrayRef, options: &Options) -> ArrayRef {
    let batch = column(Arc::clone(array));
    let bytes = written(&batch.schema(), std::slice::from_ref(&batch), options).unwrap();
    let read = read(bytes, batch.num_rows());
    let read = concat_batches(&read[0].schema(), &read).unwrap();
    Arc::clone(read.column(0))
}

fn back(array: &ArrayRef) -> ArrayRef {
    back_with(array, &Options::default())
}

/// The words of the error that an array ends in.
fn refused(array: ArrayRef) -> String {
    let batch = column(array);
    written(&batch.schema(), std::slice::from_ref(&batch), &Options::default()).unwrap_err().to_string()
}

fn unchanged(array: impl Array + 'static) {
    let array: ArrayRef = Arc::new(array);
    same(&back(&array), &array);
    // A slice begins in the middle of its buffers.
    let slice = array.slice(1, array.len() - 1);
    same(&back(&slice), &slice);
}

fn same(found: &ArrayRef, expected: &ArrayRef) {
    assert_eq!(found.data_type(), &named(expected.data_type()));
    assert_eq!(&cast(found, expected.data_type()).unwrap(), expected);
}

/// A type with the names that Parquet's specification has for what lies in lists and maps.
fn named(of: &DataType) -> DataType {
    let renamed =
        |field: &Field, name: &str| Arc::new(field.clone().with_name(name).with_data_type(named(field.data_type())));
    match of {
        DataType::List(item) => DataType::List(renamed(item, "element")),
        DataType::LargeList(item) => DataType::LargeList(renamed(item, "element")),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(renamed(item, "element"), *size),
        DataType::Map(entries, sorted) => {
            let DataType::Struct(fields) = entries.data_type() else { return of.clone() };
            let pair = DataType::Struct(vec![renamed(&fields[0], "key"), renamed(&fields[1], "value")].into());
            DataType::Map(Arc::new(Field::new("key_value", pair, false)), *sorted)
        }
        other => other.clone(),
    }
}

fn becomes(array: impl Array + 'static, expected: impl Array + 'static) {
    let (array, expected): (ArrayRef, ArrayRef) = (Arc::new(array), Arc::new(expected));
    same(&back(&array), &expected);
    let rows = array.len() - 1;
    same(&back(&array.slice(1, rows)), &expected.slice(1, rows));
}

#[test]
fn numbers_texts_and_bytes_stay_what_they_are() {
    unchanged(NullArray::new(3));
    unchanged(BooleanArray::from(vec![Some(true), None, Some(false)]));
    unchanged(Int8Array::from(vec![Some(i8::MIN), None, Some(i8::MAX)]));
    unchanged(Int16Array::from(vec![Some(i16::MIN), None, Some(i16::MAX)]));
    unchanged(Int32Array::from(vec![Some(i32::MIN), None, Some(i32::MAX)]));
    unchanged(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)]));
    unchanged(UInt8Array::from(vec![Some(0), None, Some(u8::MAX)]));
    unchanged(UInt16Array::from(vec![Some(0), None, Some(u16::MAX)]));
    unchanged(UInt32Array::from(vec![Some(0), None, Some(u32::MAX)]));
    unchanged(UInt64Array::from(vec![Some(0), None, Some(u64::MAX)]));
    unchanged(Float16Array::from(vec![Some(f16::MIN), None, Some(f16::from_f32(0.1))]));
    unchanged(Float32Array::from(vec![Some(f32::NAN), None, Some(-0.0)]));
    unchanged(Float64Array::from(vec![Some(f64::NEG_INFINITY), None, Some(5e-324)]));
    unchanged(StringArray::from(vec![Some(""), None, Some("ünï\0🏹")]));
    unchanged(LargeStringArray::from(vec![Some(""), None, Some("ünï\0🏹")]));
    unchanged(StringViewArray::from(vec![Some(""), None, Some("longer than twelve bytes: 🏹")]));
    unchanged(BinaryArray::from(vec![Some(b"".as_slice()), None, Some(b"\xff\0")]));
    unchanged(LargeBinaryArray::from(vec![Some(b"".as_slice()), None, Some(b"\xff\0")]));
    unchanged(BinaryViewArray::from(vec![Some(b"".as_slice()), None, Some(b"longer than twelve \xff\0")]));
    let fixed = [Some([1_u8, 2, 255]), None, Some([0, 0, 0])];
    unchanged(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed.into_iter(), 3).unwrap());
    becomes(
        FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some([0_u8; 0]), None, Some([])].into_iter(), 0).unwrap(),
        BinaryArray::from(vec![Some(b"".as_slice()), None, Some(b"")]),
    );
}

#[test]
fn times_keep_their_instants() {
    unchanged(Date32Array::from(vec![Some(i32::MIN), None, Some(i32::MAX)]));
    unchanged(Date64Array::from(vec![Some(-86_400_000), None, Some(86_400_000 * 20_000)]));
    unchanged(Time32MillisecondArray::from(vec![Some(0), None, Some(86_399_999)]));
    unchanged(Time64MicrosecondArray::from(vec![Some(0), None, Some(86_399_999_999)]));
    unchanged(Time64NanosecondArray::from(vec![Some(0), None, Some(86_399_999_999_999)]));
    let seconds = Time32SecondArray::from(vec![Some(0), None, Some(86_399)]);
    becomes(seconds, Time32MillisecondArray::from(vec![Some(0), None, Some(86_399_000)]));
    for zone in [None, Some("UTC"), Some("Europe/Berlin"), Some("+05:45")] {
        unchanged(TimestampMillisecondArray::from(vec![Some(i64::MIN), None, Some(1)]).with_timezone_opt(zone));
        unchanged(TimestampMicrosecondArray::from(vec![Some(-1), None, Some(i64::MAX)]).with_timezone_opt(zone));
        unchanged(TimestampNanosecondArray::from(vec![Some(0), None, Some(i64::MAX)]).with_timezone_opt(zone));
        becomes(
            TimestampSecondArray::from(vec![Some(-1), None, Some(253_402_300_799)]).with_timezone_opt(zone),
            TimestampMillisecondArray::from(vec![Some(-1000), None, Some(253_402_300_799_000)]).with_timezone_opt(zone),
        );
    }
    unchanged(DurationSecondArray::from(vec![Some(i64::MIN), None, Some(1)]));
    unchanged(DurationMillisecondArray::from(vec![Some(-1), None, Some(1)]));
    unchanged(DurationMicrosecondArray::from(vec![Some(-1), None, Some(1)]));
    unchanged(DurationNanosecondArray::from(vec![Some(-1), None, Some(i64::MAX)]));
}

#[test]
fn times_that_do_not_fit_are_refused_unless_they_are_null() {
    let error = refused(Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])));
    assert_eq!(
        error,
        "column \"c\" (timestamp[s]) holds 9223372036854775807 seconds, which are too many milliseconds in row 1, \
         counted from 0; cast it to int64 or text"
    );
    let error = refused(Arc::new(Date64Array::from(vec![0, 86_400_000, 1])));
    assert!(error.contains("holds 1 milliseconds, which are no day") && error.contains("in row 2"), "{error}");
    assert!(refused(Arc::new(Time32SecondArray::from(vec![i32::MAX]))).contains("2147483647 seconds"));

    let nulls = NullBuffer::from(vec![true, false]);
    becomes(
        TimestampSecondArray::new(vec![1, i64::MAX].into(), Some(nulls.clone())),
        TimestampMillisecondArray::new(vec![1000, 0].into(), Some(nulls.clone())),
    );
    becomes(Date64Array::new(vec![0, 1].into(), Some(nulls.clone())), Date64Array::new(vec![0, 0].into(), Some(nulls)));
}

#[test]
fn decimals_of_every_width_and_scale_are_exact() {
    for (precision, scale) in [(1, 0), (1, 1), (2, 0), (9, 4), (9, 9)] {
        let values = vec![Some(10_i32.pow(precision.into()) - 1), None, Some(1 - 10_i32.pow(precision.into()))];
        unchanged_decimal(Decimal32Array::from(values).with_precision_and_scale(precision, scale).unwrap());
    }
    for (precision, scale) in [(1, 0), (9, 2), (10, 0), (18, 18)] {
        let values = vec![Some(10_i64.pow(precision.into()) - 1), None, Some(1 - 10_i64.pow(precision.into()))];
        unchanged(Decimal64Array::from(values).with_precision_and_scale(precision, scale).unwrap());
    }
    for (precision, scale) in [(1, 0), (9, 2), (18, 0), (19, 3), (38, 38)] {
        let values = vec![Some(10_i128.pow(precision.into()) - 1), None, Some(1 - 10_i128.pow(precision.into()))];
        unchanged(Decimal128Array::from(values).with_precision_and_scale(precision, scale).unwrap());
    }
    for (precision, scale) in [(1, 0), (9, 2), (18, 0), (38, 3), (39, 0), (76, 76)] {
        let most = i256::from_i128(10).wrapping_pow(precision.into()).wrapping_sub(i256::ONE);
        let values = vec![Some(most), None, Some(most.wrapping_neg())];
        unchanged(Decimal256Array::from(values).with_precision_and_scale(precision, scale).unwrap());
    }
}

/// Of one digit, 32 bits become 64.
fn unchanged_decimal(array: Decimal32Array) {
    if array.precision() > 1 {
        return unchanged(array);
    }
    let wide: Decimal64Array = array.iter().map(|value| value.map(i64::from)).collect();
    let wide = wide.with_precision_and_scale(array.precision(), array.scale()).unwrap();
    becomes(array, wide);
}

#[test]
fn scales_that_parquet_lacks_become_more_digits() {
    becomes(
        Decimal128Array::from(vec![Some(12_345), None]).with_precision_and_scale(5, -3).unwrap(),
        Decimal128Array::from(vec![Some(12_345_000), None]).with_precision_and_scale(8, 0).unwrap(),
    );
    becomes(
        Decimal64Array::from(vec![Some(-99), None]).with_precision_and_scale(2, -17).unwrap(),
        Decimal128Array::from(vec![Some(-9_900_000_000_000_000_000), None]).with_precision_and_scale(19, 0).unwrap(),
    );
    let nines = i256::from_i128(99).wrapping_mul(i256::from_i128(10).wrapping_pow(40));
    becomes(
        Decimal128Array::from(vec![Some(99), None]).with_precision_and_scale(2, -40).unwrap(),
        Decimal256Array::from(vec![Some(nines), None]).with_precision_and_scale(42, 0).unwrap(),
    );
    let error = refused(Arc::new(Decimal128Array::from(vec![1]).with_data_type(DataType::Decimal128(2, -75))));
    assert!(error.contains("column \"c\"") && error.contains("1 to 76 digits"), "{error}");
}

#[test]
fn decimals_with_more_digits_than_their_type_are_refused() {
    let of = |value, precision| Decimal128Array::from(vec![0, value]).with_precision_and_scale(precision, 1).unwrap();
    for (value, precision) in [(1_000, 3), (-1_000, 3), (10_i128.pow(18), 18), (i128::MAX, 9), (i128::MIN, 38)] {
        let error = refused(Arc::new(of(value, precision)));
        assert!(error.contains(&format!("holds {value}, which has more than {precision} digits, in row 1")), "{error}");
    }
    let error = refused(Arc::new(Decimal32Array::from(vec![i32::MIN]).with_precision_and_scale(9, 0).unwrap()));
    assert!(error.contains("more than 9 digits"), "{error}");
    let error = refused(Arc::new(Decimal64Array::from(vec![10]).with_precision_and_scale(1, 0).unwrap()));
    assert!(error.contains("more than 1 digits"), "{error}");
    let most = i256::from_i128(10).wrapping_pow(76);
    let error = refused(Arc::new(Decimal256Array::from(vec![most]).with_precision_and_scale(76, 0).unwrap()));
    assert!(error.contains("more than 76 digits"), "{error}");
}

/// The numbers of a column of intervals, as they lie in the file.
fn interval_bytes(array: ArrayRef) -> Vec<Option<[u32; 3]>> {
    let batch = column(array);
    let bytes = written(&batch.schema(), std::slice::from_ref(&batch), &Options::default()).unwrap();
    let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let reader = file.get_row_group(0).unwrap().get_column_reader(0).unwrap();
    let ColumnReader::FixedLenByteArrayColumnReader(mut reader) = reader else { panic!("not twelve bytes") };
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    reader.read_records(batch.num_rows(), Some(&mut levels), None, &mut values).unwrap();
    let mut values = values.iter().map(|value| {
        let number = |at: usize| u32::from_le_bytes(value.data()[at..at + 4].try_into().unwrap());
        [number(0), number(4), number(8)]
    });
    levels.iter().map(|level| (*level == 1).then(|| values.next().unwrap())).collect()
}

#[test]
fn intervals_become_months_days_and_milliseconds() {
    let months = IntervalYearMonthArray::from(vec![Some(14), None, Some(i32::MAX)]);
    let most = i32::MAX.unsigned_abs();
    assert_eq!(interval_bytes(Arc::new(months.clone())), [Some([14, 0, 0]), None, Some([most, 0, 0])]);
    unchanged(months);
    let days = IntervalDayTimeArray::from(vec![Some(IntervalDayTime::new(3, 4)), None]);
    assert_eq!(interval_bytes(Arc::new(days.clone())), [Some([0, 3, 4]), None]);
    unchanged(days);
    let of = |months, days, nanoseconds| Some(IntervalMonthDayNano::new(months, days, nanoseconds));
    let all = IntervalMonthDayNanoArray::from(vec![of(1, 2, 3_000_000), None, of(0, 0, 4_294_967_295_000_000)]);
    assert_eq!(interval_bytes(Arc::new(all)), [Some([1, 2, 3]), None, Some([0, 0, u32::MAX])]);

    for (value, word) in [
        (of(-1, 0, 0), "-1 months"),
        (of(0, -2, 0), "-2 days"),
        (of(0, 0, -1_000_000), "-1 milliseconds"),
        (of(0, 0, 1), "1 nanoseconds"),
        (of(0, 0, 4_294_967_296_000_000), "4294967296 milliseconds"),
    ] {
        let error = refused(Arc::new(IntervalMonthDayNanoArray::from(vec![of(0, 0, 0), value])));
        assert!(error.contains(word) && error.contains("row 1") && error.contains("intervals=struct"), "{error}");
    }
    assert!(refused(Arc::new(IntervalYearMonthArray::from(vec![-5]))).contains("-5 months"));
}

#[test]
fn intervals_as_structs_hold_everything() {
    let mut options = Options::default();
    options.intervals = Intervals::Struct;
    let parts = |array: ArrayRef| -> Vec<Option<(i32, i32, i64)>> {
        let read = back_with(&array, &options);
        let rows = read.as_struct();
        let part = |row: usize| {
            let number = |at: usize| rows.column(at).as_primitive::<Int32Type>().value(row);
            (number(0), number(1), rows.column(2).as_primitive::<types::Int64Type>().value(row))
        };
        (0..rows.len()).map(|row| rows.is_valid(row).then(|| part(row))).collect()
    };
    let value = IntervalMonthDayNano::new(i32::MIN, -1, i64::MAX);
    let array = IntervalMonthDayNanoArray::from(vec![Some(value), None]);
    assert_eq!(parts(Arc::new(array)), [Some((i32::MIN, -1, i64::MAX)), None]);
    let array = IntervalDayTimeArray::from(vec![Some(IntervalDayTime::new(-3, i32::MIN)), None]);
    assert_eq!(parts(Arc::new(array)), [Some((0, -3, i64::from(i32::MIN) * 1_000_000)), None]);
    let array = IntervalYearMonthArray::from(vec![Some(-14), None]);
    assert_eq!(parts(Arc::new(array)), [Some((-14, 0, 0)), None]);
}

#[test]
fn dictionaries_and_runs_are_unpacked_where_readers_need_it() {
    let texts: DictionaryArray<Int8Type> = vec![Some("a"), None, Some("b"), Some("a")].into_iter().collect();
    unchanged(texts.clone());
    let keys = Int32Array::from(vec![Some(1), None, Some(0), Some(2)]);
    let dictionary = |values: ArrayRef| DictionaryArray::<Int32Type>::try_new(keys.clone(), values).unwrap();
    // A NULL among the values is a NULL of the column.
    becomes(
        dictionary(Arc::new(Int64Array::from(vec![Some(10), Some(20), None]))),
        Int64Array::from(vec![Some(20), None, Some(10), None]),
    );
    becomes(
        dictionary(Arc::new(StringViewArray::from(vec!["a", "longer than twelve bytes", "c"]))),
        StringViewArray::from(vec![Some("longer than twelve bytes"), None, Some("a"), Some("c")]),
    );
    becomes(
        dictionary(Arc::new(TimestampSecondArray::from(vec![1, 2, 3]))),
        TimestampMillisecondArray::from(vec![Some(2000), None, Some(1000), Some(3000)]),
    );
    becomes(
        dictionary(Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8], [2], [3]].into_iter()).unwrap())),
        FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some([2_u8]), None, Some([1]), Some([3])].into_iter(), 1)
            .unwrap(),
    );
    let runs = RunArray::<Int32Type>::try_new(
        &Int32Array::from(vec![2, 3, 5]),
        &StringArray::from(vec![Some("x"), None, Some("y")]),
    );
    becomes(runs.unwrap(), StringArray::from(vec![Some("x"), Some("x"), None, Some("y"), Some("y")]));
}

#[test]
fn runs_may_have_nulls_though_their_field_has_none() {
    let values = StringArray::from(vec![Some("x"), None]);
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![1, 2]), &values).unwrap();
    let schema = Schema::new(vec![Field::new("c", runs.data_type().clone(), false)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(runs)]).unwrap();
    let bytes = written(&batch.schema(), std::slice::from_ref(&batch), &Options::default()).unwrap();
    assert_eq!(read(bytes, 2)[0].column(0).as_string::<i32>(), &values);
}

#[test]
fn nested_types_keep_their_shapes() {
    let mut list = ListBuilder::new(Int32Builder::new());
    list.append_value([Some(1), None]);
    list.append_null();
    list.append_value([]);
    list.append_value([Some(2)]);
    unchanged(list.finish());
    let mut fixed = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for row in [Some([Some(1), None]), None, Some([Some(3), Some(4)])] {
        row.unwrap_or_default().iter().for_each(|item| fixed.values().append_option(*item));
        fixed.append(row.is_some());
    }
    unchanged(fixed.finish());
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("a");
    map.values().append_null();
    map.append(true).unwrap();
    map.append(false).unwrap();
    map.append(true).unwrap();
    unchanged(map.finish());

    let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(1), None, Some(3)]));
    let milliseconds: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![Some(1000), None, Some(3000)]));
    let of = |array: &ArrayRef| {
        let field = Field::new("at", array.data_type().clone(), true);
        let nulls = NullBuffer::from(vec![true, true, false]);
        StructArray::new(vec![field].into(), vec![Arc::clone(array)], Some(nulls))
    };
    becomes(of(&seconds), of(&milliseconds));
    // NULLs come back over values of their own.
    let large = |items: ArrayRef| {
        let field = Arc::new(Field::new("item", items.data_type().clone(), true));
        LargeListArray::new(field, OffsetBuffer::new(vec![0, 2, 2, 3].into()), items, None)
    };
    becomes(large(seconds), large(milliseconds));
}

#[test]
fn list_views_and_lists_of_nothing_become_lists() {
    let item = || Arc::new(Field::new("item", DataType::Int32, true));
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let nulls = || Some(NullBuffer::from(vec![true, false, true, true]));
    // Out of order, overlapping, and with items below a NULL.
    let view = ListViewArray::new(item(), vec![2, 0, 0, 1].into(), vec![2, 1, 3, 0].into(), values.clone(), nulls());
    let rows = vec![Some(vec![Some(3), Some(4)]), None, Some(vec![Some(1), Some(2), Some(3)]), Some(vec![])];
    becomes(view, ListArray::from_iter_primitive::<Int32Type, _, _>(rows.clone()));
    let view = LargeListViewArray::new(item(), vec![2, 0, 0, 1].into(), vec![2, 1, 3, 0].into(), values, nulls());
    becomes(view, LargeListArray::from_iter_primitive::<Int32Type, _, _>(rows));
    let none: ArrayRef = Arc::new(Int32Array::from(Vec::<i32>::new()));
    let nulls = Some(NullBuffer::from(vec![true, false, true]));
    becomes(
        FixedSizeListArray::try_new_with_length(item(), 0, none, nulls, 3).unwrap(),
        ListArray::from_iter_primitive::<Int32Type, Vec<Option<i32>>, _>(vec![Some(vec![]), None, Some(vec![])]),
    );
}

#[test]
fn what_lies_under_a_null_or_beside_a_list_does_not_matter() {
    let bad: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1, i64::MAX, 2, i64::MAX]));
    let field = Arc::new(Field::new("item", bad.data_type().clone(), false));
    let nulls = Some(NullBuffer::from(vec![true, false, true]));
    let list = ListArray::new(field.clone(), OffsetBuffer::new(vec![0, 1, 2, 3].into()), bad.clone(), nulls.clone());
    let good: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1000, 2000]));
    let stored = Arc::new(Field::new("item", good.data_type().clone(), false));
    becomes(list, ListArray::new(stored, OffsetBuffer::new(vec![0, 1, 1, 2].into()), good, nulls));

    // The same value seen by a row.
    let list = ListArray::new(field, OffsetBuffer::new(vec![0, 1, 4].into()), bad, None);
    let error = refused(Arc::new(list));
    assert!(error.contains("column \"c.item\"") && error.contains("in row 1"), "{error}");
}

#[test]
fn nulls_where_there_must_be_none_are_refused_at_every_depth() {
    let child = Field::new("x", DataType::Int32, false);
    // SAFETY: the promise that is broken is about NULLs, and only the writer looks at the array.
    #[expect(unsafe_code, reason = "safe constructors refuse what the writer must refuse")]
    let broken = unsafe {
        StructArray::new_unchecked(vec![child].into(), vec![Arc::new(Int32Array::from(vec![Some(1), None]))], None)
    };
    let error = refused(Arc::new(broken));
    assert!(error.contains("column \"c.x\" (int32) holds NULL") && error.contains("in row 1"), "{error}");
    assert!(error.contains("declare the field nullable"), "{error}");
}

#[test]
fn types_without_a_home_are_refused_by_name() {
    let fields = [(0, Arc::new(Field::new("i", DataType::Int32, true)))].into_iter().collect();
    let union =
        UnionArray::try_new(fields, vec![0_i8].into(), None, vec![Arc::new(Int32Array::from(vec![1]))]).unwrap();
    let error = refused(Arc::new(union));
    assert!(error.starts_with("column \"c\"") && error.contains("has no unions") && error.contains("make a struct"));
    let empty = StructArray::new_empty_fields(2, None);
    assert!(refused(Arc::new(empty)).contains("no struct without fields"));
    let error = FileWriter::new(std::io::sink(), &Schema::empty(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("no columns"));
    let twice = Schema::new(vec![Field::new("a", DataType::Int8, true), Field::new("a", DataType::Int8, true)]);
    let error = FileWriter::new(std::io::sink(), &twice, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("two fields are called \"a\""), "{error}");
    let mut deep = DataType::Int8;
    for _ in 0..100 {
        deep = DataType::List(Arc::new(Field::new("item", deep, true)));
    }
    let deep = Schema::new(vec![Field::new("a", deep, true)]);
    let error = FileWriter::new(std::io::sink(), &deep, &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("64 levels deep"), "{error}");
}

#[test]
fn durations_need_the_schema_that_tells_their_unit() {
    let mut options = Options::default();
    options.arrow_schema = false;
    let schema = Schema::new(vec![Field::new("d", DataType::Duration(TimeUnit::Second), true)]);
    let error = FileWriter::new(std::io::sink(), &schema, &options).unwrap_err().to_string();
    assert!(error.contains("column \"d\" (duration[s])") && error.contains("arrow_schema=true"), "{error}");
    let schema = Schema::new(vec![Field::new("d", DataType::Interval(IntervalUnit::DayTime), true)]);
    FileWriter::new(std::io::sink(), &schema, &options).unwrap();
}

#[test]
fn extensions_and_metadata_are_kept_and_known_ones_annotated() {
    let meta = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let uuid = meta(&[("ARROW:extension:name", "arrow.uuid"), ("ARROW:extension:metadata", "")]);
    let json = meta(&[("ARROW:extension:name", "arrow.json"), ("ARROW:extension:metadata", "")]);
    let own = meta(&[("ARROW:extension:name", "me.mine"), ("unit", "m"), ("PARQUET:field_id", "7")]);
    let id = Field::new("id", DataType::FixedSizeBinary(16), false).with_metadata(uuid);
    let item = Arc::new(Field::new("item", DataType::Utf8, true).with_metadata(json));
    let fields = vec![
        id,
        Field::new("docs", DataType::List(item.clone()), true),
        Field::new("x", DataType::Int32, true).with_metadata(own),
    ];
    let schema = Arc::new(Schema::new_with_metadata(fields, meta(&[("owner", "me")])));
    let batch = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(FixedSizeBinaryArray::try_from_iter([[7_u8; 16]].into_iter()).unwrap()),
            Arc::new(ListArray::new(
                item,
                OffsetBuffer::new(ScalarBuffer::from(vec![0, 1])),
                Arc::new(StringArray::from(vec!["{}"])),
                None,
            )),
            Arc::new(Int32Array::from(vec![1])),
        ],
    );
    let bytes = written(&schema, &[batch.unwrap()], &Options::default()).unwrap();
    let found = footer(&bytes);
    let shown: Vec<String> = found
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|c| format!("{:?} {:?}", c.path().string(), c.logical_type_ref()))
        .collect();
    assert_eq!(shown, ["\"id\" Some(Uuid)", "\"docs.list.element\" Some(Json)", "\"x\" None"]);
    let keys = found.file_metadata().key_value_metadata().unwrap();
    assert!(keys.iter().any(|pair| pair.key == "owner" && pair.value.as_deref() == Some("me")));
    assert_eq!(found.file_metadata().schema_descr().column(2).self_type().get_basic_info().id(), 7);
    let read = read(bytes, 1);
    assert_eq!(read[0].schema().field(0).metadata(), schema.field(0).metadata());
    assert_eq!(read[0].schema().field(2).metadata(), schema.field(2).metadata());
}

#[test]
fn the_unit_of_each_interval_is_declared() {
    let array: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 0, 0)]));
    let batch = column(array);
    let bytes = written(&batch.schema(), std::slice::from_ref(&batch), &Options::default()).unwrap();
    let leaf = footer(&bytes).file_metadata().schema_descr().column(0);
    assert_eq!((leaf.type_length(), leaf.converted_type()), (12, parquet::basic::ConvertedType::INTERVAL));
}
