//! Values as a real cluster sent them: the pages in tests/data.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{ErrorKind, SOURCE_TYPE, format_type};

use super::*;
use crate::cluster::{Cluster, column, page};

/// What stands in for a NULL.
const NULL: &str = "∅";

fn one(page_text: &'static str, options: &Options) -> Result<RecordBatch> {
    let cluster = Cluster::with(move |_| (page(page_text.trim()), false));
    let mut batches = read(&cluster.uri(), "SELECT …", options)?;
    assert_eq!(batches.len(), 1);
    Ok(batches.remove(0))
}

fn shown(column: &dyn Array) -> Vec<String> {
    let options = FormatOptions::default().with_null(NULL);
    let formatter = ArrayFormatter::try_new(column, &options).unwrap();
    (0..column.len()).map(|row| formatter.value(row).to_string()).collect()
}

fn check(batch: &RecordBatch, expected: &[(&str, &str, &[&str])]) {
    for (name, of, values) in expected {
        let (place, field) = batch.schema_ref().column_with_name(name).unwrap();
        assert_eq!(format_type(field.data_type()), *of, "{name}");
        assert!(field.metadata().contains_key(SOURCE_TYPE) && field.is_nullable());
        assert_eq!(shown(batch.column(place)), *values, "{name}");
    }
    assert_eq!(batch.num_columns(), expected.len());
}

#[test]
fn every_type() {
    let batch = one(include_str!("../data/every_type.json"), &Options::default()).unwrap();
    check(
        &batch,
        &[
            ("a", "bool", &["true"]),
            ("b", "int8", &["-128"]),
            ("c", "int16", &["5"]),
            ("d", "int32", &["7"]),
            ("e", "int64", &["9223372036854775807"]),
            ("f", "float32", &["1.1"]),
            ("g", "float64", &["1e300"]),
            ("h", "float64", &["NaN"]),
            ("i", "float64", &["-inf"]),
            ("j", "decimal128(7, 4)", &["123.4500"]),
            ("k", "utf8", &["é\"\\ü"]),
            ("l", "utf8", &["a  "]),
            ("m", "utf8", &["{\"a\":1}"]),
            ("n", "utf8", &["10.0.0.1"]),
            ("o", "fixed_size_binary[16]", &["12151fd2758611e98f9e2a86e4085a59"]),
            ("p", "binary", &["0001ff"]),
            ("q", "date32", &["2024-02-29"]),
            ("r", "utf8", &["01:02:03.123456789012"]),
            ("r2", "time64[us]", &["01:02:03.500"]),
            ("s", "timestamp[ns]", &["2020-01-01T01:02:03.123456789"]),
            ("t", "utf8", &["2020-11-01 01:30:00.123456789012 America/New_York"]),
            ("u", "timestamp[us, UTC]", &["2019-12-31T18:30:00Z"]),
            ("u2", "timestamp[us, UTC]", &["2020-01-01T00:00:00Z"]),
            ("v", "utf8", &["01:02:03.1+05:30"]),
            ("w", "month_day_nano_interval", &["-3 mons"]),
            ("x", "month_day_nano_interval", &["-2 days -3 hours -4 mins -5.678000000 secs"]),
            ("y", "list<int32>", &["[1, ∅, 3]"]),
            ("z", "map", &["{1: x, 2: ∅}"]),
            ("aa", "struct<a: int64, b: utf8, c: float64>", &["{a: 1, b: x, c: ∅}"]),
            ("ab", "struct<field0: int32, field1: int32>", &["{field0: 1, field1: 2}"]),
            ("ac", "null", &[NULL]),
            ("ad", "utf8", &["AgwBAIADRAA="]),
        ],
    );
    let field = |name: &str| batch.schema().field_with_name(name).unwrap().clone();
    assert_eq!(field("j").metadata()[SOURCE_TYPE], "decimal(7, 4)");
    assert_eq!(field("o").metadata()["ARROW:extension:name"], "arrow.uuid");
}

#[test]
fn odd_years_and_keys() {
    let batch = one(include_str!("../data/odd.json"), &Options::default()).unwrap();
    check(
        &batch,
        &[
            ("a", "date32", &["-0001-01-01"]),
            ("b", "date32", &["+12024-02-03"]),
            ("c", "timestamp[us]", &["-0044-03-15T00:00:00"]),
            ("d", "timestamp[us]", &["+12020-01-01T01:02:03.123"]),
            ("e", "map", &["{2020-01-01: 1}"]),
            ("f", "map", &["{1.50: 1}"]),
            ("g", "map", &["{true: 1}"]),
            ("h", "map", &["{1.5: 1, NaN: 2}"]),
            ("i", "map", &["{ab01: 1}"]),
            ("j", "utf8", &["{\"[1, 2]\":1}"]),
            ("k", "map", &["{2020-01-01T00:00:00Z: 1}"]),
            ("l", "utf8", &["{\"[1]\":1}"]),
            ("m", "map", &["{1.1: [[1], ∅]}"]),
            ("n", "float32", &["16777216.0"]),
            ("o", "float32", &["1e-40"]),
            ("p", "float64", &["NaN"]),
        ],
    );
}

#[test]
fn nulls_of_every_type() {
    let batch = one(include_str!("../data/nulls.json"), &Options::default()).unwrap();
    assert_eq!(batch.num_columns(), 32);
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        assert_eq!(shown(column), [NULL], "{field}");
    }
}

#[test]
fn bounds_of_every_type() {
    let batch = one(include_str!("../data/bounds.json"), &Options::default()).unwrap();
    check(
        &batch,
        &[
            ("i1", "int8", &["-128", "127"]),
            ("i2", "int16", &["-32768", "32767"]),
            ("i4", "int32", &["-2147483648", "2147483647"]),
            ("i8", "int64", &["-9223372036854775808", "9223372036854775807"]),
            ("f4", "float32", &["-3.4028235e38", "1e-45"]),
            ("f8", "float64", &["5e-324", "1.7976931348623157e308"]),
            (
                "d",
                "decimal128(38, 0)",
                &["-99999999999999999999999999999999999999", "99999999999999999999999999999999999999"],
            ),
            ("s", "utf8", &["", "\0😀 \"\\/"]),
            ("x", "binary", &["", "00ff"]),
            ("t", "time64[us]", &["00:00:00", "23:59:59.999999"]),
            ("ts", "timestamp[us]", &["0001-01-01T00:00:00", "9999-12-31T23:59:59.999999"]),
            ("tn", "timestamp[ns]", &["1677-09-21T00:12:43.145224193", "2262-04-11T23:47:16.854775807"]),
            ("tz", "timestamp[us, UTC]", &["0001-01-01T00:00:00Z", "9999-12-31T09:59:59.999Z"]),
            ("l", "list<int64>", &["[]", "[9223372036854775807, ∅]"]),
            ("m", "map", &["{}", "{: 1, q\"\\: ∅}"]),
            ("ym", "month_day_nano_interval", &["-2147483648 mons", "2147483647 mons"]),
            ("ds", "month_day_nano_interval", &["0.001000000 secs", "-1.000000000 secs"]),
            ("r", "struct<a: utf8, b: list<struct<c: int64>>>", &["{a: ∅, b: [{c: 1}, ∅]}", NULL]),
        ],
    );
    assert_eq!(batch["f4"].as_primitive::<arrow_array::types::Float32Type>().value(1), f32::from_bits(1));
    assert_eq!(batch["f8"].as_primitive::<arrow_array::types::Float64Type>().value(0), f64::from_bits(1));
}

#[test]
fn types_are_the_users_where_they_hold_every_value() {
    let wanted = [
        ("a", DataType::Utf8),
        ("b", DataType::Int64),
        ("d", DataType::Int8),
        ("j", DataType::Decimal128(5, 2)),
        ("q", DataType::Utf8),
        ("r2", DataType::Time64(TimeUnit::Nanosecond)),
        ("s", DataType::Utf8),
        ("u", DataType::Timestamp(TimeUnit::Second, Some("UTC".into()))),
        ("x", DataType::LargeUtf8),
        ("z", DataType::Utf8),
        ("aa", DataType::Utf8),
    ];
    let types = wanted.map(|(name, of)| (name.to_owned(), of)).into();
    let batch = one(include_str!("../data/every_type.json"), &Options { types, ..Options::default() }).unwrap();
    for (name, value) in [
        ("a", "true"),
        ("b", "-128"),
        ("d", "7"),
        ("j", "123.45"),
        ("q", "2024-02-29"),
        ("r2", "01:02:03.500"),
        ("s", "2020-01-01 01:02:03.123456789"),
        ("u", "2019-12-31T18:30:00Z"),
        ("x", "-2 03:04:05.678"),
        ("z", "{\"1\":\"x\",\"2\":null}"),
        ("aa", "[1,\"x\",null]"),
    ] {
        assert_eq!(shown(&batch[name]), [value], "{name}");
    }
    for (name, of, kind) in [
        ("e", DataType::Int32, ErrorKind::Value),
        ("r", DataType::Time64(TimeUnit::Nanosecond), ErrorKind::Value),
        ("s", DataType::Timestamp(TimeUnit::Microsecond, None), ErrorKind::Value),
        ("nix", DataType::Utf8, ErrorKind::Config),
        ("y", DataType::Int32, ErrorKind::Config),
    ] {
        let options = Options { types: [(name.to_owned(), of)].into(), ..Options::default() };
        let error = one(include_str!("../data/every_type.json"), &options).unwrap_err();
        assert_eq!((error.kind(), error.column()), (kind, Some(name)), "{error}");
    }
}

#[test]
fn values_without_a_place_are_errors_that_name_their_column() {
    let with = |of: &str, numbers: &str, value: &str| {
        let of =
            format!(r#"{{"name":"v","type":"{of}","typeSignature":{{"rawType":"{of}","arguments":[{numbers}]}}}}"#);
        let inside = format!("\"columns\":[{}],\"data\":[[1,{value}]]", [column("n", "bigint"), of].join(","));
        let cluster = Cluster::with(move |_| (page(&inside), false));
        fails(&cluster.uri(), "SELECT …")
    };
    let number = |number: i64| format!(r#"{{"kind":"LONG","value":{number}}}"#);
    let nine = number(9);
    let ten = [number(3), number(1)].join(",");
    for (of, numbers, value) in [
        ("tinyint", "", "128"),
        ("real", "", "1e39"),
        ("double", "", "1e309"),
        ("double", "", "\"nan\""),
        ("decimal", &ten, "\"100.5\""),
        ("decimal", &ten, "\"1.25\""),
        ("date", "", "\"2023-02-29\""),
        ("date", "", "\"+9999999-01-01\""),
        ("time", "", "\"24:00:00\""),
        ("timestamp", &nine, "\"3000-01-01 00:00:00.000000001\""),
        ("timestamp", "", "\"2020-01-01 00:00:00.0000001\""),
        ("timestamp with time zone", "", "\"2020-11-01 01:30:00 America/New_York\""),
        ("timestamp with time zone", "", "\"2020-11-01 01:30:00\""),
        ("interval day to second", "", "\"99999999999 00:00:00.000\""),
        ("uuid", "", "\"12151fd2-7586-11e9-8f9e-2a86e4085a5\""),
        ("uuid", "", "\"12151fd2-7586-11e9-8f9e-2a86e4085aé\""),
    ] {
        let error = with(of, numbers, value);
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("v")), "{of} {value}: {error}");
        assert!(error.hint().unwrap().contains("utf8"), "{error}");
    }
    for (of, numbers, value) in [
        ("boolean", "", "1"),
        ("varchar", "", "1"),
        ("varbinary", "", "\"?\""),
        ("varchar", "", "\"\\ud800\""),
        ("decimal", &number(99), "1"),
        ("decimal", "", "1"),
        ("unknown", "", "1"),
    ] {
        let error = with(of, numbers, value);
        assert_eq!((error.kind(), error.column()), (ErrorKind::Protocol, Some("v")), "{of} {value}: {error}");
    }
}
