use std::collections::VecDeque;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use bowshot_core::{ErrorKind, Result};
use bytes::Bytes;
use proptest::prelude::*;

use super::Column;
use crate::input::{Feed, Input};
use crate::types;

/// Bytes in pieces.
struct Pieces(VecDeque<Bytes>);

impl Feed for Pieces {
    fn piece(&mut self) -> Result<Option<Bytes>> {
        Ok(self.0.pop_front())
    }
}

fn input(bytes: &[u8], size: usize) -> Input<Pieces> {
    Input::new(Pieces(bytes.chunks(size.max(1)).map(Bytes::copy_from_slice).collect()))
}

fn column(kind: &str) -> Column {
    Column::new(&types::column("c", kind, "UTC").unwrap().kind)
}

/// A block's values, read in pieces of this size, twice: two blocks make one array.
fn read(kind: &str, rows: usize, bytes: &[u8], size: usize) -> Result<ArrayRef> {
    let mut input = input(&[bytes, bytes].concat(), size);
    let mut column = column(kind);
    for _ in 0..2 {
        column.prefix(&mut input)?;
        column.append(&mut input, rows)?;
    }
    assert!(input.is_over()?);
    column.finish()
}

fn shown(array: &ArrayRef) -> Vec<String> {
    // Shown in UTC: the names of time zones are not known here.
    let array = &match array.data_type() {
        DataType::Timestamp(unit, _) => {
            make_array(array.to_data().into_builder().data_type(DataType::Timestamp(*unit, None)).build().unwrap())
        }
        _ => ArrayRef::clone(array),
    };
    (0..array.len())
        .map(|row| {
            if array.is_null(row) || array.data_type() == &DataType::Null {
                "null".into()
            } else {
                array_value_to_string(array, row).unwrap()
            }
        })
        .collect()
}

fn number(value: u64) -> [u8; 8] {
    value.to_le_bytes()
}

#[test]
fn values_of_every_layout_in_pieces_of_every_size() {
    let low =
        [&number(1)[..], &number(0x600), &number(3), &[0, 1, b'a', 2, b'b', b'c'], &number(3), &[2, 0, 1]].concat();
    let lists = [&number(2)[..], &number(2), &number(3), &[7, 8, 9]].concat();
    let map = [&number(1)[..], &number(2), &[1, b'k', 1, b'l'], &[5, 6]].concat();
    let uuid = [0x0123_4567_89ab_cdef_u64.to_le_bytes(), 0xfedc_ba98_7654_3210_u64.to_le_bytes()].concat();
    let cases: Vec<(&str, usize, Vec<u8>, Vec<&str>)> = vec![
        ("UInt16", 2, vec![1, 0, 255, 255], vec!["1", "65535"]),
        ("Nullable(Int8)", 2, vec![1, 0, 0, 255], vec!["null", "-1"]),
        ("Bool", 2, vec![1, 0], vec!["true", "false"]),
        ("String", 2, vec![0, 3, b'a', 0xc3, 0xbc], vec!["", "aü"]),
        ("FixedString(2)", 1, vec![b'a', 0], vec!["6100"]),
        ("Date", 1, vec![0xff, 0xff], vec!["2149-06-06"]),
        ("DateTime", 1, vec![0xff; 4], vec!["2106-02-07T06:28:15"]),
        ("DateTime64(2)", 1, (-1_i64).to_le_bytes().to_vec(), vec!["1969-12-31T23:59:59.990"]),
        ("Decimal(9, 2)", 1, (-150_i32).to_le_bytes().to_vec(), vec!["-1.50"]),
        ("Decimal(18, 4)", 1, 15_000_i64.to_le_bytes().to_vec(), vec!["1.5000"]),
        ("Int128", 1, i128::MIN.to_le_bytes().to_vec(), vec!["-170141183460469231731687303715884105728"]),
        ("UInt128", 1, vec![255; 16], vec!["340282366920938463463374607431768211455"]),
        ("BFloat16", 1, vec![0xc0, 0x3f], vec!["1.5"]),
        ("Enum8('x' = -2, 'y' = 1)", 2, vec![1, 254], vec!["y", "x"]),
        ("UUID", 1, uuid, vec!["0123456789abcdeffedcba9876543210"]),
        ("IPv4", 1, vec![4, 3, 2, 1], vec!["1.2.3.4"]),
        ("IPv6", 1, [vec![0; 15], vec![1]].concat(), vec!["::1"]),
        ("Nullable(Nothing)", 2, vec![1, 1, b'0', b'0'], vec!["null", "null"]),
        ("Array(UInt8)", 3, lists, vec!["[7, 8]", "[]", "[9]"]),
        ("Tuple(UInt8, String)", 2, vec![1, 2, 1, b'a', 0], vec!["{1: 1, 2: a}", "{1: 2, 2: }"]),
        ("Map(String, UInt8)", 2, map, vec!["{k: 5}", "{l: 6}"]),
        ("LowCardinality(String)", 3, low.clone(), vec!["bc", "", "a"]),
        ("LowCardinality(Nullable(String))", 3, low, vec!["bc", "null", "a"]),
    ];
    for (kind, rows, bytes, values) in cases {
        for size in [1, 2, 3, 5, 1000] {
            let array = read(kind, rows, &bytes, size).unwrap_or_else(|error| panic!("{kind}: {error:?}"));
            assert_eq!(array.data_type(), &types::column("c", kind, "UTC").unwrap().kind.arrow());
            assert_eq!(shown(&array), [values.clone(), values.clone()].concat(), "{kind} in pieces of {size}");
        }
    }
}

#[test]
fn what_a_type_cannot_hold_is_a_value_error() {
    for (kind, bytes) in [
        ("String", vec![1, 0xff]),
        ("Enum8('x' = 1)", vec![9]),
        ("Decimal(9, 0)", 2_000_000_000_i32.to_le_bytes().to_vec()),
        ("DateTime64(8)", i64::MAX.to_le_bytes().to_vec()),
    ] {
        assert_eq!(read(kind, 1, &bytes, 100).unwrap_err().kind(), ErrorKind::Value, "{kind}");
    }
    // What stands under NULL has no meaning.
    let nulls = read("Nullable(Enum8('x' = 1))", 1, &[1, 9], 100).unwrap();
    assert_eq!(nulls.null_count(), 2);
    let texts = read("Nullable(DateTime64(8))", 1, &[vec![1], i64::MAX.to_le_bytes().to_vec()].concat(), 100).unwrap();
    assert_eq!(texts.null_count(), 2);
}

#[test]
fn what_is_claimed_is_not_allocated() {
    let huge = usize::MAX / 64;
    for kind in
        ["UInt64", "String", "Array(String)", "LowCardinality(String)", "Nullable(UUID)", "FixedString(1000000)"]
    {
        let mut column = column(kind);
        let mut input = input(&[&number(1)[..], &[1; 100]].concat(), 10);
        assert!(column.prefix(&mut input).and_then(|()| column.append(&mut input, huge)).is_err(), "{kind}");
        assert!(column.bytes() < 10_000, "{kind}");
    }
}

#[test]
fn uuids_have_the_order_of_their_text() {
    let array = read("UUID", 1, &(0..16).collect::<Vec<u8>>(), 4).unwrap();
    assert_eq!(array.as_fixed_size_binary().value(0), [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]);
}

const KINDS: [&str; 12] = [
    "String",
    "Nullable(String)",
    "Array(Array(Nullable(String)))",
    "LowCardinality(Nullable(String))",
    "Array(LowCardinality(String))",
    "Map(String, Array(UInt8))",
    "Tuple(a String, b Array(Date))",
    "Enum16('a' = 1, 'b' = 2)",
    "Decimal(38, 2)",
    "Array(Nothing)",
    "IPv6",
    "DateTime64(4)",
];

proptest! {
    #[test]
    fn hostile_bytes_are_errors(kind in 0..KINDS.len(), rows in 0_usize..1000, bytes in proptest::collection::vec(any::<u8>(), 0..300), size in 1_usize..40) {
        let mut column = column(KINDS[kind]);
        let mut input = input(&bytes, size);
        if column.prefix(&mut input).and_then(|()| column.append(&mut input, rows)).is_ok() {
            let _ = column.finish();
        }
    }

    #[test]
    fn plausible_low_cardinality_never_panics(keys in 0_u8..5, count in 0_u8..9, kind in 0_u8..5, tail in proptest::collection::vec(0_u8..6, 0..80)) {
        let bytes = [&number(1)[..], &number(0x600 + u64::from(kind)), &number(keys.into()), &vec![0; keys.into()], &number(count.into()), &tail].concat();
        let mut column = column("LowCardinality(Nullable(String))");
        let mut input = input(&bytes, 7);
        if column.prefix(&mut input).and_then(|()| column.append(&mut input, 8)).is_ok() {
            prop_assert_eq!(column.finish().unwrap().len(), 8);
        }
    }

    #[test]
    fn pieces_make_no_difference(texts in proptest::collection::vec(".{0,200}", 0..20), size in 1_usize..50) {
        let mut bytes = Vec::new();
        for text in &texts {
            let mut length = text.len();
            while length >= 0x80 {
                bytes.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
                length >>= 7;
            }
            bytes.push(u8::try_from(length).unwrap());
            bytes.extend_from_slice(text.as_bytes());
        }
        let array = read("String", texts.len(), &bytes, size).unwrap();
        let read: Vec<&str> = array.as_string::<i32>().iter().flatten().collect();
        let twice: Vec<&str> = texts.iter().chain(&texts).map(String::as_str).collect();
        prop_assert_eq!(read, twice);
    }
}
