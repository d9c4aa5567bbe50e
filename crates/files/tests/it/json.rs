//! JSON lines: every cell as `serde_json` has it, and every record that does not fit an error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};
use bowshot_core::{ErrorKind, Options, format_type, parse_type};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::*;

pub fn file(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

pub fn types(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| format_type(field.data_type())).collect()
}

pub fn wishes(types: &[(&str, &str)]) -> Options {
    let types = types.iter().map(|(name, wanted)| ((*name).to_owned(), parse_type(wanted).unwrap())).collect();
    Options { types, ..options() }
}

/// Small partitions and small batches.
pub fn divided() -> Options {
    Options { partition_bytes: Some(1), buffer_bytes: 1, batch_bytes: 4_096, ..options() }
}

/// A cell as JSON has it, without what is NULL in objects.
fn cell(column: &ArrayRef, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    let array = |items: ArrayRef| (0..items.len()).map(|item| cell(&items, item)).collect();
    match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::List(_) => Value::Array(array(column.as_list::<i32>().value(row))),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(column.as_struct().columns());
            let members = columns.map(|(field, column)| (field.name().clone(), cell(column, row)));
            Value::Object(members.filter(|(_, value)| !value.is_null()).collect())
        }
        other => panic!("{other}"),
    }
}

fn rows(batch: &RecordBatch) -> Vec<Value> {
    let schema = batch.schema();
    let row = |row: usize| {
        let cells = schema.fields().iter().zip(batch.columns());
        let cells = cells.map(|(field, column)| (field.name().clone(), cell(column, row)));
        Value::Object(cells.filter(|(_, value)| !value.is_null()).collect())
    };
    (0..batch.num_rows()).map(row).collect()
}

/// The value without what is NULL in objects.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(members.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

fn lines(records: &[Value]) -> String {
    records.iter().fold(String::new(), |mut text, record| {
        writeln!(text, "{record}").unwrap();
        text
    })
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn types_are_those_of_the_values() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\u{feff}{\"i\":1,\"f\":1.5,\"m\":1,\"b\":true,\"t\":\"2024-01-01\",\"n\":null,\"l\":[1,null],\"e\":[],\"s\":{\"x\":1}}\r\n\
                \r\n   \n\
                {\"s\":{\"y\":[{\"z\":\"\\u0000\\ud83d\\ude00\"}]},\"m\":-0.0,\"i\":-9223372036854775808,\"l\":null}\r\n\
                {\"m\":1e3,\"i\":9223372036854775807,\"late\":-0,\"\":\"no name\"}";
    let found = read(&uri(&file(folder.path(), "x.jsonl", text)), "");
    assert_eq!(
        types(&found),
        [
            "int64",
            "float64",
            "float64",
            "bool",
            "utf8",
            "utf8",
            "list<int64>",
            "list<utf8>",
            "struct<x: int64, y: list<struct<z: utf8>>>",
            "int64",
            "utf8"
        ]
    );
    assert_eq!(
        rows(&found),
        [
            json!({"i": 1, "f": 1.5, "m": 1.0, "b": true, "t": "2024-01-01", "l": [1, null], "e": [], "s": {"x": 1}}),
            json!({"s": {"y": [{"z": "\u{0}😀"}]}, "m": -0.0, "i": i64::MIN}),
            json!({"m": 1000.0, "i": i64::MAX, "late": 0, "": "no name"}),
        ]
    );
    assert!(found.column(2).as_primitive::<Float64Type>().value(1).is_sign_negative());
}

#[test]
fn columns_are_chosen_and_rows_limited() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "x.ndjson", "{\"a\":1,\"b\":[1],\"c\":\"x\"}\n{\"c\":\"y\",\"a\":2}\n{\"a\":3}\n");
    let found = read(&uri(&path), "SELECT c AS d, a, c FROM x LIMIT 2");
    assert_eq!(found.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["d", "a", "c"]);
    assert_eq!(rows(&found), [json!({"d": "x", "a": 1, "c": "x"}), json!({"d": "y", "a": 2, "c": "y"})]);
    let error = failure(&uri(&path), "SELECT z FROM data");
    assert_eq!(error.message(), "there is no column \"z\"");
    // What is not asked for may be of two kinds.
    let path = file(folder.path(), "y.ndjson", "{\"a\":1,\"b\":[1]}\n{\"a\":2,\"b\":\"x\"}\n");
    assert_eq!(rows(&read(&uri(&path), "SELECT a FROM data")), [json!({"a": 1}), json!({"a": 2})]);
    assert!(failure(&uri(&path), "SELECT a, b FROM data").message().contains("\"b\" holds an array in line 1"));
}

#[test]
fn the_users_types_are_parsed_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"n\":\"12.50\",\"at\":\"2024-01-01T10:00:00.123456789Z\",\"d\":\"2024-02-29\",\"u\":18446744073709551615,\
                \"any\":{\"b\": [1, 2.0]},\"x\":0.1234567890123456789,\"big\":12345678901234567890.5,\"w\":1.00}\n\
                {\"n\":7,\"at\":null,\"any\":\"text\",\"u\":0,\"x\":1}\n{\"any\":1e400}\n{\"any\":true}\n";
    let path = file(folder.path(), "x.json", text);
    let wanted = [
        ("n", "decimal128(10, 2)"),
        ("at", "timestamp[ns, UTC]"),
        ("d", "date32"),
        ("u", "uint64"),
        ("any", "utf8"),
        ("x", "float64"),
        ("big", "decimal128(38, 2)"),
        ("w", "int32"),
        ("later", "time64[us]"),
    ];
    let found = read_with(&uri(&path), "", &wishes(&wanted)).unwrap();
    assert_eq!(types(&found), wanted.map(|(_, of)| of));
    let shown = |name: &str| -> Vec<String> {
        let column = found.column_by_name(name).unwrap();
        (0..4).map(|row| arrow_cast::display::array_value_to_string(column, row).unwrap()).collect()
    };
    assert_eq!(shown("n"), ["12.50", "7.00", "", ""]);
    let at = found.column_by_name("at").unwrap().as_primitive::<TimestampNanosecondType>();
    assert_eq!(at.value(0), 1_704_103_200_123_456_789);
    assert_eq!(shown("u")[0], "18446744073709551615");
    assert_eq!(shown("any"), ["{\"b\": [1, 2.0]}", "text", "1e400", "true"]);
    assert_eq!(shown("x")[..2], ["0.12345678901234568", "1.0"]);
    assert_eq!(shown("big")[0], "12345678901234567890.50");
    assert_eq!(found.column_by_name("later").unwrap().null_count(), 4);
    for (name, of, value) in [
        ("d", "date32", "2024-02-30"),
        ("d", "date32", "1"),
        ("at", "timestamp[us]", "2024-01-01 10:00:00.1234567"),
        ("n", "decimal128(10, 2)", "1.005"),
        ("n", "int64", "1.5"),
        ("b", "bool", "maybe"),
        ("f", "float32", "1e300"),
    ] {
        let path =
            file(folder.path(), "y.jsonl", format!("{{\"{name}\":null}}\n{{}}\n{{\"{name}\":\"{value}\"}}\n{{}}\n"));
        let error = read_with(&uri(&path), "", &wishes(&[(name, of)])).unwrap_err();
        let message = format!("column \"{name}\" is {of}, and line 3 of {} holds \"{value}\"", path.display());
        assert_eq!((error.message(), error.kind(), error.column()), (message.as_str(), ErrorKind::Value, Some(name)));
        assert!(error.hint().unwrap().contains("utf8"), "{error}");
    }
}

#[test]
fn the_users_types_may_lie_within_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "x.jsonl",
        "{\"a\":[{\"d\":\"2024-01-01\"},null],\"m\":{\"k1\":1,\"k2\":\"2\"}}\n{\"a\":[],\"m\":{}}\n{\"m\":null}\n",
    );
    let day = DataType::Struct(vec![Field::new("d", DataType::Date32, true)].into());
    let list = DataType::LargeList(Field::new_list_field(day, true).into());
    let entries = vec![Field::new("keys", DataType::Utf8, false), Field::new("values", DataType::Int16, true)];
    let map = DataType::Map(Field::new("entries", DataType::Struct(entries.into()), false).into(), false);
    let types = BTreeMap::from([("a".to_owned(), list.clone()), ("m".to_owned(), map.clone())]);
    let wished = Options { types, ..options() };
    let found = read_with(&uri(&path), "", &wished).unwrap();
    assert_eq!((found.column(0).data_type(), found.column(1).data_type()), (&list, &map));
    let shown = |column: usize, row| arrow_cast::display::array_value_to_string(found.column(column), row).unwrap();
    assert_eq!((shown(0, 0), shown(1, 0)), ("[{d: 2024-01-01}, ]".to_owned(), "{k1: 1, k2: 2}".to_owned()));
    assert_eq!((shown(0, 1), shown(1, 1), found.column(1).is_null(2)), ("[]".to_owned(), "{}".to_owned(), true));
    for (text, words) in [
        ("{\"a\":[{\"d\":\"x\"}]}", "column \"a\" is date32, and line 1"),
        ("{\"a\":[{\"e\":\"x\"}]}", "key \"e\" in column \"a[]\""),
        ("{\"a\":\"x\"}", "column \"a\" is a list, and line 1"),
        ("{\"m\":{\"k\":1,\"k\":2}}", "the key \"k\" twice"),
        ("{\"m\":{\"k\":40000}}", "is int16, and line 1"),
    ] {
        let path = file(folder.path(), "y.jsonl", text);
        let error = read_with(&uri(&path), "", &wished).unwrap_err();
        assert!(error.message().contains(words), "{error}");
    }
}

#[test]
fn files_of_a_folder_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("y=2024")).unwrap();
    std::fs::create_dir_all(folder.path().join("y=2025")).unwrap();
    file(folder.path(), "y=2024/a.jsonl", "{\"a\":1,\"n\":null}\n");
    file(folder.path(), "y=2024/empty.jsonl", "");
    file(folder.path(), "y=2025/b.ndjson.gz", gzip("{\"b\":true,\"a\":2.5}\n"));
    let packed = zstd::encode_all(&b"{\"a\":4}\n{\"n\":\"x\"}"[..], 1).unwrap();
    file(folder.path(), "y=2025/c.json.zst", packed);
    let found = read(&uri(folder.path()), "");
    assert_eq!(types(&found), ["float64", "utf8", "bool", "int64"]);
    assert_eq!(
        rows(&found),
        [
            json!({"a": 1.0, "y": 2024}),
            json!({"b": true, "a": 2.5, "y": 2025}),
            json!({"a": 4.0, "y": 2025}),
            json!({"n": "x", "y": 2025})
        ]
    );
    let some = read(&format!("file:{}/**/*.json*", folder.path().display()), "SELECT y, a FROM data LIMIT 2");
    assert_eq!(rows(&some), [json!({"a": 1, "y": 2024}), json!({"a": 4, "y": 2025})]);
    let year = read_with(&uri(folder.path()), "", &wishes(&[("y", "utf8"), ("more", "int8")])).unwrap();
    assert_eq!(types(&year), ["float64", "utf8", "bool", "int8", "utf8"]);
    // A document beside the data is not read as such.
    file(folder.path(), "y=2024/schema.json", "[1, 2]");
    assert!(failure(&uri(folder.path()), "").message().contains("begins with ["));
    std::fs::remove_dir_all(folder.path().join("y=2025")).unwrap();
    std::fs::remove_file(folder.path().join("y=2024/a.jsonl")).unwrap();
    std::fs::remove_file(folder.path().join("y=2024/empty.jsonl")).unwrap();
    file(folder.path(), "y=2024/a.csv.zst", zstd::encode_all(&b"a\n1\n"[..], 1).unwrap());
    assert_eq!(rows(&read(&uri(folder.path()), "")), [json!({"a": 1, "y": 2024})]);
}

#[test]
fn compressed_files_are_whole_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..50_000).map(|i| format!("{{\"a\":{i}}}\n")).collect();
    let (gz, zst) = (gzip(&text), zstd::encode_all(text.as_bytes(), 1).unwrap());
    for (name, packed) in [("x.jsonl.gz", gz), ("x.jsonl.zst", zst)] {
        let path = file(folder.path(), name, &packed);
        let found = read_with(&uri(&path), "", &divided()).unwrap();
        assert_eq!(found.num_rows(), 50_000);
        assert_eq!(read_with(&format!("{}?infer=all", uri(&path)), "", &divided()).unwrap(), found);
        // Frames one behind the other are one text.
        let twice = [packed.as_slice(), packed.as_slice()].concat();
        assert_eq!(read(&uri(&file(folder.path(), name, twice)), "").num_rows(), 100_000);
        let cut = packed.get(..packed.len() - 10).unwrap();
        let error = failure(&uri(&file(folder.path(), name, cut)), "");
        assert!(error.message().contains("damaged or cut off"), "{error}");
    }
    let unmarked = file(folder.path(), "y.jsonl", zstd::encode_all(text.as_bytes(), 1).unwrap());
    assert!(failure(&uri(&unmarked), "").message().contains("packed (ZSTD)"));
}

#[test]
fn what_other_files_are_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let orc = file(folder.path(), "x.orc", "ORC\u{1}\u{2}");
    let other = file(folder.path(), "data", "ORC\u{1}\u{2}");
    for place in [orc.as_path(), other.as_path()] {
        let error = failure(&uri(place), "");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().ends_with("is an ORC file, which is not read"), "{error}");
        assert!(error.hint().unwrap().contains("pyarrow.orc.read_table"), "{error}");
    }
    std::fs::remove_file(other).unwrap();
    assert!(failure(&uri(folder.path()), "").message().contains("ORC"));
    let named_by_content = file(folder.path(), "lines", "{\"a\":1}\n");
    assert_eq!(read(&uri(&named_by_content), "").num_rows(), 1);
    let csv = file(folder.path(), "x.csv", "a\n1\n");
    let error = failure(&format!("{}?infer=all", uri(&csv)), "");
    assert!(error.message().contains("JSON lines alone"), "{error}");
    assert!(failure(&format!("{}?infer=some", uri(&csv)), "").message().contains("infer"));
}

#[test]
fn a_long_record_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(20 << 20);
    let path =
        file(folder.path(), "x.jsonl", format!("{{\"a\":\"{long}\"}}\n{{\"a\":\"y\",\"b\":1}}\n{{\"a\":\"{long}\"}}"));
    for (infer, partition_bytes) in [("all", 1 << 20), ("all", 1 << 40), ("sample", 1 << 20)] {
        let options = Options { partition_bytes: Some(partition_bytes), ..divided() };
        let found = read_with(&format!("{}?infer={infer}", uri(&path)), "", &options).unwrap();
        let texts = found.column(0).as_string::<i32>();
        assert_eq!([0, 1, 2].map(|row| texts.value(row).len()), [20 << 20, 1, 20 << 20]);
        assert_eq!(found.column(1).as_primitive::<Int64Type>().value(1), 1);
    }
}

/// Small texts that become large arrays.
#[test]
fn memory_is_bounded_by_what_arrays_take() {
    let folder = tempfile::tempdir().unwrap();
    let wide: Map<String, Value> = (0..2_000).map(|i| (format!("k{i}"), i.into())).collect();
    let text = format!("{}\n{}", Value::Object(wide), "{}\n".repeat(3_000));
    let path = file(folder.path(), "x.jsonl", text);
    let options = Options { batch_bytes: 1 << 20, ..options() };
    let plan = plan(&uri(&path), "", &options).unwrap();
    let batches: Vec<_> = bowshot_core::Stream::start(plan, &options, Default::default()).map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 3_001);
    let sizes: Vec<usize> = batches.iter().map(RecordBatch::get_array_memory_size).collect();
    assert!(sizes.len() > 10 && sizes.iter().all(|size| *size < 8 << 20), "{sizes:?}");
    let keys = (0..10_001).fold(String::new(), |mut text, i| {
        writeln!(text, "{{\"m\":{{\"k{i}\":1}}}}").unwrap();
        text
    });
    let path = file(folder.path(), "y.jsonl", keys);
    assert!(failure(&uri(&path), "").message().contains("different keys above 10000"));
    assert_eq!(read_with(&uri(&path), "", &wishes(&[("m", "utf8")])).unwrap().num_rows(), 10_001);
}

fn value() -> impl Strategy<Value = Vec<(String, Value)>> {
    let number = prop_oneof![any::<i64>(), -5_i64..5];
    let numbers = prop::collection::vec(prop::option::of(any::<i64>()), 0..4);
    let float = any::<f64>().prop_filter("finite", |value| value.is_finite());
    let columns = (
        prop::option::of(number.prop_map(Value::from)),
        prop::option::of(float.prop_map(Value::from)),
        prop::option::of(any::<bool>().prop_map(Value::from)),
        prop::option::of("\\PC{0,12}|[\\x00-\\x20\"\\\\]{0,5}".prop_map(Value::from)),
        prop::option::of(numbers.prop_map(|items| json!({"items": items}))),
        prop::option::of(prop::collection::vec("[a-z]{0,3}".prop_map(|text| json!({"text": text})), 0..3)),
    );
    let named = columns.prop_map(|(i, f, b, t, o, l)| {
        let all = [("i", i), ("f f", f), ("\"b\"", b), ("té", t), ("o", o), ("l", l.map(Value::from))];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Vec<_>>()
    });
    named.prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn records_come_back(records in prop::collection::vec(value(), 1..200), ends in prop::sample::select(vec!["\n", "\r\n", "\n \n"])) {
        let mut text = String::new();
        let mut wanted = vec![json!({"id": 1})];
        text.push_str("{\"id\":1}");
        for record in &records {
            let members = record.iter().map(|(name, value)| format!("{}: {value}", Value::from(name.as_str())));
            write!(text, "{ends}{{{}}}", members.collect::<Vec<_>>().join(" , ")).unwrap();
            wanted.push(without_nulls(&Value::Object(record.iter().cloned().collect())));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), "x.jsonl", &text);
        for options in [options(), divided()] {
            prop_assert_eq!(&rows(&read_with(&uri(&path), "", &options).unwrap()), &wanted);
        }
    }
}

#[test]
fn ranges_of_lines_are_all_lines() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Value> = (0..90_000)
        .map(|i| json!({"id": i, "text": "{\"\\n\n".repeat(i % 17), "more": {"a": [i, null], "b": f64::from(u32::try_from(i).unwrap()) / 7.0}}))
        .collect();
    let path = file(folder.path(), "x.jsonl", lines(&records));
    for connections in [1, 2, 5] {
        let options = Options { buffer_bytes: 1, connections: Some(connections), ..Options::default() };
        let plan = plan(&uri(&path), "", &options).unwrap();
        assert!(plan.partitions.len() > 3, "{plan}");
        assert_eq!(rows(&finish(plan, &options).unwrap()), records);
    }
}
