use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type};
use arrow_array::{
    Array, BinaryArray, Date32Array, Decimal32Array, Decimal64Array, Decimal128Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, StringArray, TimestampMicrosecondArray,
    UInt16Array, UInt32Array, UInt64Array,
};

use super::*;

fn single(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("c", array, true)]).unwrap()
}

fn form(batch: &RecordBatch, note: &[u8]) -> Form {
    Form::read(note, batch.schema_ref()).unwrap()
}

/// The batch packed, after it came back whole.
fn packed(batch: &RecordBatch) -> RecordBatch {
    let (packed, note) = pack(batch).unwrap().unwrap();
    let form = form(batch, &note);
    assert_eq!((form.schema(), form.note()), (packed.schema_ref(), note));
    let whole = form.unpack(&packed).unwrap();
    assert_eq!(&whole, batch);
    whole.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
    packed
}

fn planes(packed: &RecordBatch) -> Vec<Vec<Option<u8>>> {
    packed.columns().iter().map(|plane| plane.as_primitive::<UInt8Type>().iter().collect()).collect()
}

/// A column of every type that is packed, and some that are not.
fn mixed() -> RecordBatch {
    let texts = vec![Some("Utrecht"), None, Some(""), Some("ünï🏹"), Some("Amersfoort")];
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let decimals = Decimal128Array::from(vec![Some(i128::MAX), Some(i128::MIN), None, Some(0), Some(-1)]);
    let columns: [ArrayRef; 17] = [
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(Int64Array::from(vec![Some(i64::MAX), Some(i64::MIN), None, Some(0), Some(-1)])),
        Arc::new(LargeStringArray::from(texts)),
        Arc::new(Float64Array::from(vec![0.5, f64::NAN, -0.0, f64::INFINITY, 1e300])),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes)),
        Arc::new(Int8Array::from(vec![1, 2, 3, 4, 5])),
        Arc::new(Int16Array::from(vec![i16::MIN, i16::MAX, 0, -1, 1])),
        Arc::new(Int32Array::from(vec![i32::MIN, i32::MAX, 0, -1, 1])),
        Arc::new(UInt16Array::from(vec![0, u16::MAX, 1, 256, 255])),
        Arc::new(UInt32Array::from(vec![0, u32::MAX, 1, 256, 255])),
        Arc::new(UInt64Array::from(vec![0, u64::MAX, 1, 256, 255])),
        Arc::new(Date32Array::from(vec![Some(20_000), None, Some(20_001), Some(-5), Some(0)])),
        Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3, 4, i64::MAX]).with_timezone("UTC")),
        Arc::new(Decimal32Array::from(vec![1, -2, 3, 4, 5])),
        Arc::new(Decimal64Array::from(vec![1, -2, 3, 4, 5])),
        Arc::new(decimals.with_precision_and_scale(38, 10).unwrap()),
    ];
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().enumerate().map(|(n, array)| (n.to_string(), array, true)),
    )
    .unwrap()
}

#[test]
fn every_batch_comes_back() {
    let whole = mixed();
    // Slices begin in the middle of their bytes; none of a batch's bytes but those that it shows are sent.
    for (from, rows) in [(0, 5), (1, 3), (2, 1), (3, 2), (4, 0), (0, 0), (2, 0)] {
        let batch = whole.slice(from, rows);
        let packed = packed(&batch);
        let shown: usize = batch.column(0).as_string::<i32>().iter().flatten().map(str::len).sum();
        let texts = packed.column(packed.num_columns() - 4);
        assert_eq!(texts.as_binary::<i32>().values().len(), shown, "{from} and {rows} more");
    }
}

#[test]
fn only_planes_that_differ_are_kept() {
    let plane = |bytes: &[u8]| bytes.iter().copied().map(Some).collect::<Vec<_>>();
    for (numbers, wanted) in [
        (vec![7, 300, 0], vec![plane(&[7, 44, 0]), plane(&[0, 1, 0])]),
        // A base is taken off where that saves a plane: 1,000,000 has three bytes.
        (vec![1_000_000, 1_000_255], vec![plane(&[0, 255])]),
        (vec![-1, 254], vec![plane(&[0, 255])]),
        (vec![200, 255], vec![plane(&[200, 255])]),
        (vec![5, 5], vec![plane(&[5, 5])]),
        (vec![], vec![plane(&[])]),
    ] {
        assert_eq!(planes(&packed(&single(Arc::new(Int64Array::from(numbers.clone()))))), wanted, "{numbers:?}");
    }
}

#[test]
fn what_stands_below_a_null_takes_no_plane() {
    let values = vec![1, i64::MAX, 3].into();
    let numbers = Int64Array::new(values, Some(vec![true, false, true].into()));
    assert_eq!(planes(&packed(&single(Arc::new(numbers)))), [[Some(1), None, Some(3)]]);
    let none = Int64Array::new(vec![7, 8].into(), Some(vec![false, false].into()));
    assert_eq!(planes(&packed(&single(Arc::new(none)))), [[None, None]]);
}

#[test]
fn more_rows_than_are_looked_at_at_once_come_back() {
    for rows in [255, 256, 257, 1000] {
        let numbers: Int64Array = (0..rows).map(|n| (n % 7 > 0).then_some(n * n * 1_000_003 - 5_000_000)).collect();
        let large: Decimal128Array = (0..rows).map(|n| Some(i128::from(n) << 80 | 1)).collect();
        let texts: StringArray =
            (0..rows).map(|n| (n % 3 > 0).then(|| "ab".repeat(usize::try_from(n % 300).unwrap()))).collect();
        let columns: [(&str, ArrayRef); 3] = [("n", Arc::new(numbers)), ("d", Arc::new(large)), ("t", Arc::new(texts))];
        packed(&RecordBatch::try_from_iter(columns).unwrap());
    }
}

#[test]
fn what_gains_nothing_is_left_alone() {
    let flags: ArrayRef = Arc::new(Int8Array::from(vec![1, 2]));
    assert_eq!(pack(&single(flags)).unwrap(), None);
}

#[test]
fn lengths_that_are_not_those_of_the_bytes_are_refused() {
    let whole = single(Arc::new(StringArray::from(vec!["a", "b"])));
    let (_, note) = pack(&whole).unwrap().unwrap();
    let came = |lengths: Vec<u8>, bytes: &str| {
        let rest = vec![""; lengths.len() - 1];
        let bytes: BinaryArray = std::iter::once(bytes).chain(rest).map(|text| Some(text.as_bytes())).collect();
        let lengths: ArrayRef = Arc::new(lengths.into_iter().collect::<arrow_array::UInt8Array>());
        let sent = RecordBatch::try_from_iter([("", lengths), ("", Arc::new(bytes) as ArrayRef)]).unwrap();
        form(&whole, &note).unpack(&sent).map_err(|error| error.to_string())
    };
    let texts = came(vec![1, 2], "aü").unwrap();
    assert_eq!(texts.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["a", "ü"]);
    for (lengths, bytes, why) in [
        (vec![1, 3], "aü", "more than their bytes"),
        (vec![1, 1], "abc", "fewer than their bytes"),
        (vec![255, 255], "abc", "more than their bytes"),
        // Whole together, but not each.
        (vec![2, 1], "aü", "utf-8"),
    ] {
        let error = came(lengths.clone(), bytes).unwrap_err();
        assert!(error.to_lowercase().contains(why), "{lengths:?}: {error}");
    }
}

#[test]
fn negative_lengths_are_refused() {
    let whole = single(Arc::new(StringArray::from(vec!["a", "b"])));
    let (packed, _) = pack(&whole).unwrap().unwrap();
    // One plane, and a base of -1.
    let note = [&b"bowshot: packed "[..], &[1, 1]].concat();
    let error = form(&whole, &note).unpack(&packed).unwrap_err().to_string();
    assert!(error.contains("fewer than their bytes"), "{error}");
    let note = [&b"bowshot: packed "[..], &[1, 3]].concat();
    let error = form(&whole, &note).unpack(&packed).unwrap_err().to_string();
    assert!(error.contains("more than their bytes"), "{error}");
}

#[test]
fn a_batch_of_other_columns_is_refused() {
    let whole = mixed();
    let (packed, note) = pack(&whole).unwrap().unwrap();
    let form = form(&whole, &note);
    let all: Vec<usize> = (0..packed.num_columns()).collect();
    for gone in all.clone() {
        let left: Vec<usize> = all.iter().copied().filter(|column| *column != gone).collect();
        assert!(form.unpack(&packed.project(&left).unwrap()).is_err(), "without column {gone}");
    }
    assert!(form.unpack(&whole).is_err());
    let base_too_large = [&b"bowshot: packed "[..], &[1], &[0xff; 5], &[1]].concat();
    let small = single(Arc::new(Int16Array::from(vec![1])));
    let (packed, _) = pack(&small).unwrap().unwrap();
    let error = self::form(&small, &base_too_large).unpack(&packed).unwrap_err().to_string();
    assert!(error.contains("too large for their type"), "{error}");
    assert!(Form::read(b"bowshot: packed \x03\x00", small.schema_ref()).is_err(), "three planes of two bytes");
    assert_eq!(packed.column(0).as_primitive_opt::<Int64Type>(), None);
}
