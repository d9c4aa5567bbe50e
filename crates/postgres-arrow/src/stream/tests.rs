#![expect(clippy::disallowed_types, reason = "these bytes are the test's own")]

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal256Type, Int32Type};
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use bowshot_postgres_values::{Attribute, Kind};
use postgres_types::Type;
use proptest::prelude::*;

use super::*;

fn settings() -> Settings {
    Settings { batch_bytes: 1 << 20, compression: None, infinity: Impossible::Error, money_scale: 2 }
}

/// A started stream of columns of built-in types.
fn started(settings: Settings, columns: &[(&str, Type, i32, bool)]) -> Stream {
    let mut stream = Stream::new(settings);
    for (name, builtin, modifier, not_null) in columns {
        let described = Described { name: (*name).into(), oid: builtin.oid(), modifier: *modifier, origin: None };
        stream.describe(described, 0, *not_null);
    }
    assert_eq!(stream.unknown_type(), None);
    stream.start().unwrap();
    stream
}

/// What C does for a value of no fixed length, or for NULL.
fn put(stream: &mut Stream, column: usize, row: usize, value: Option<&[u8]>) {
    let length = value.map_or(0, <[u8]>::len);
    if stream.raw[column].used + length > stream.raw[column].room {
        stream.grow(column, length).unwrap();
    }
    let (memory, raw) = (&mut stream.filled[column].memory, &mut stream.raw[column]);
    match value {
        Some(value) => memory.values.bytes()[raw.used..raw.used + length].copy_from_slice(value),
        None => null(memory, raw, row),
    }
    raw.used += length;
    memory.offsets.native::<i32>(row + 2)[row + 1] = i32::try_from(raw.used).unwrap();
}

fn null(memory: &mut Memory, raw: &mut RawColumn, row: usize) {
    memory.validity.bytes()[row / 8] &= !(1 << (row % 8));
    raw.nulls += 1;
}

/// What C does for four bytes.
fn put4(stream: &mut Stream, column: usize, row: usize, value: Option<i32>) {
    let memory = &mut stream.filled[column].memory;
    memory.values.native::<i32>(row + 1)[row] = value.unwrap_or_default();
    if value.is_none() {
        null(memory, &mut stream.raw[column], row);
    }
}

/// The pieces of a batch, and room for the next one.
fn sent(stream: &mut Stream, rows: usize, bytes: &mut Vec<u8>) {
    for piece in stream.batch(rows).unwrap() {
        bytes.extend_from_slice(piece);
    }
    stream.clear().unwrap();
}

/// All batches of a stream that ends here.
fn read(mut stream: Stream, mut bytes: Vec<u8>) -> Vec<RecordBatch> {
    for piece in stream.finish().unwrap() {
        bytes.extend_from_slice(piece);
    }
    let reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
    assert_eq!(reader.schema(), stream.schema());
    reader.collect::<std::result::Result<_, _>>().unwrap()
}

/// A stream with a column of numbers and one of an enum, which is a dictionary.
fn with_an_enum() -> Stream {
    let mut stream = Stream::new(settings());
    for (name, oid) in [("id", 23), ("mood", 90_001)] {
        stream.describe(Described { name: name.into(), oid, modifier: -1, origin: None }, 0, false);
    }
    let kind = Kind::Enumeration(vec!["sad".into(), "happy".into()]);
    stream.know_type(90_001, CatalogType { name: "mood".into(), kind, output: String::new() });
    stream.know_labels(90_001, &[90_011, 90_012]);
    assert_eq!(stream.unknown_type(), None);
    stream.start().unwrap();
    stream
}

#[test]
fn streams_that_share_batches_begin_with_one_head() {
    let mut stream = with_an_enum();
    let head: Vec<u8> = stream.head().unwrap().iter().flat_map(|piece| piece.to_vec()).collect();
    let mut batches = Vec::new();
    for (id, label) in [(1, 90_012), (2, 90_011)] {
        put4(&mut stream, 0, 0, Some(id));
        put4(&mut stream, 1, 0, Some(label));
        let mut bytes = Vec::new();
        sent(&mut stream, 1, &mut bytes);
        batches.push(bytes);
    }
    // Any batch follows the head in any stream, and an end follows any number of them.
    for (order, expected) in [(vec![1], vec![2]), (vec![1, 0], vec![2, 1]), (vec![], vec![])] {
        let mut bytes = head.clone();
        for place in order {
            bytes.extend_from_slice(&batches[place]);
        }
        bytes.extend_from_slice(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        let reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
        assert_eq!(reader.schema(), stream.schema());
        let read: Vec<RecordBatch> = reader.collect::<std::result::Result<_, _>>().unwrap();
        let ids: Vec<i32> = read.iter().map(|batch| batch.column(0).as_primitive::<Int32Type>().value(0)).collect();
        assert_eq!(ids, expected);
        for batch in &read {
            let moods = batch.column(1).as_dictionary::<Int32Type>();
            let mood = moods.values().as_string::<i32>().value(moods.key(0).unwrap());
            let first = batch.column(0).as_primitive::<Int32Type>().value(0) == 1;
            assert_eq!(mood, if first { "happy" } else { "sad" });
        }
    }
}

#[test]
fn a_stream_without_batches_has_its_schema() {
    let stream = started(settings(), &[("id", Type::INT4, -1, true), ("name", Type::TEXT, -1, false)]);
    let schema = stream.schema();
    assert!(!schema.field(0).is_nullable() && schema.field(1).is_nullable());
    assert_eq!(schema.field(1).metadata()["bowshot.type"], "text");
    assert!(read(stream, Vec::new()).is_empty());
}

#[test]
fn memory_is_used_again_from_batch_to_batch() {
    let small = Settings { batch_bytes: 4 << 10, ..settings() };
    let mut stream = started(small, &[("id", Type::INT4, -1, true)]);
    let mut bytes = Vec::new();
    let mut places = Vec::new();
    for batch in 0..3 {
        places.push(stream.columns()[0].values);
        put4(&mut stream, 0, 0, Some(batch));
        sent(&mut stream, 1, &mut bytes);
    }
    assert_eq!(places[0], places[2]);
    let batches = read(stream, bytes);
    let ids = batches.iter().map(|batch| batch.column(0).as_primitive::<Int32Type>().value(0));
    assert_eq!(ids.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn batches_grow_up_to_what_is_asked_for() {
    let mut stream = started(settings(), &[("id", Type::INT4, -1, true)]);
    let mut sizes = Vec::new();
    for _ in 0..6 {
        sizes.push(stream.bytes_most());
        stream.clear().unwrap();
    }
    assert_eq!(sizes, [8 << 10, 32 << 10, 128 << 10, 512 << 10, 1 << 20, 1 << 20]);
}

#[test]
fn null_in_a_column_that_is_not_null_is_an_error() {
    let mut stream = started(settings(), &[("id", Type::INT4, -1, true)]);
    put4(&mut stream, 0, 0, None);
    let error = stream.batch(1).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Protocol, Some("id")));
}

#[test]
fn infinite_dates_are_an_error_or_null() {
    let columns = [("day", Type::DATE, -1, true)];
    for (infinity, expected) in [(Impossible::Error, Err("holds infinity")), (Impossible::Null, Ok(1))] {
        let mut stream = started(Settings { infinity, ..settings() }, &columns);
        put4(&mut stream, 0, 0, Some(0));
        put4(&mut stream, 0, 1, Some(i32::MAX));
        match (stream.batch(2), expected) {
            (Err(error), Err(words)) => assert!(error.message().contains(words), "{error}"),
            (Ok(pieces), Ok(nulls)) => {
                let bytes = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
                let batch = &read(stream, bytes)[0];
                assert_eq!(batch.column(0).null_count(), nulls);
                assert_eq!(batch.column(0).as_primitive::<Date32Type>().value(0), 10_957);
            }
            (found, _) => panic!("{found:?}"),
        }
    }
}

#[test]
fn a_decimal_of_many_digits_is_made_here() {
    let stream = started(settings(), &[("price", Type::NUMERIC, (38 << 16 | 2) + 4, false)]);
    assert_eq!(stream.raw[0].how, How::Decimal);
    // 1 followed by eight digits to the base 10,000: 10^32.
    let disk: Vec<u8> = [0x8000u16 | 2 << 7 | 8, 1].iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(stream.decimal(0, &disk).unwrap(), 10i128.pow(34));
    let nan = 0xC000u16.to_ne_bytes();
    assert!(stream.decimal(0, &nan).unwrap_err().message().contains("holds NaN"));
    assert_eq!(stream.decimal(1, &nan).unwrap_err().kind(), ErrorKind::Internal);
}

#[test]
fn numerics_without_a_scale_are_decimals_of_256_bits() {
    let mut stream = started(settings(), &[("total", Type::NUMERIC, -1, false)]);
    let disk: Vec<u8> = [0x8000u16 | 0x2000 | 2 << 7, 12, 5000].iter().flat_map(|word| word.to_ne_bytes()).collect();
    put(&mut stream, 0, 0, Some(&disk));
    put(&mut stream, 0, 1, None);
    let mut bytes = Vec::new();
    sent(&mut stream, 2, &mut bytes);
    let batch = &read(stream, bytes)[0];
    let totals = batch.column(0).as_primitive::<Decimal256Type>();
    assert_eq!(totals.value_as_string(0), format!("-12.5{}", "0".repeat(37)));
    assert_eq!(totals.null_count(), 1);
}

#[test]
fn text_that_is_not_utf8_is_an_error() {
    let mut stream = started(settings(), &[("name", Type::TEXT, -1, false)]);
    put(&mut stream, 0, 0, Some(b"\xff"));
    assert!(stream.batch(1).unwrap_err().message().contains("bytes that are not UTF-8"));
}

#[test]
fn types_are_asked_for_until_all_parts_are_known() {
    let mut stream = Stream::new(settings());
    stream.describe(Described { name: "pairs".into(), oid: 90_001, modifier: -1, origin: None }, 1, false);
    let attribute = |name: &str, oid| Attribute { name: name.into(), oid, modifier: -1, dimensions: 0 };
    let scalar = |name: &str, kind| CatalogType { name: name.into(), kind, output: String::new() };
    assert_eq!(stream.unknown_type(), Some(90_001));
    stream.know_type(90_001, scalar("_pair", Kind::Array(90_002)));
    assert_eq!(stream.unknown_type(), Some(90_002));
    let attributes = vec![attribute("n", Type::INT4.oid()), attribute("mood", 90_003)];
    stream.know_type(90_002, scalar("pair", Kind::Composite(attributes)));
    assert_eq!(stream.unknown_type(), Some(90_003));
    stream.know_type(90_003, scalar("mood", Kind::Enumeration(vec!["sad".into()])));
    assert_eq!(stream.unknown_type(), None);
    stream.start().unwrap();
    assert_eq!(stream.raw[0].how, How::Sent);
    assert!(matches!(stream.schema().field(0).data_type(), DataType::List(_)));
}

#[test]
fn types_without_a_decoder_come_as_text() {
    for (builtin, how) in [(Type::POINT, How::Output), (Type::POINT_ARRAY, How::SentTexts)] {
        let mut stream = Stream::new(settings());
        stream.describe(Described { name: "p".into(), oid: builtin.oid(), modifier: -1, origin: None }, 0, false);
        while let Some(oid) = stream.unknown_type() {
            let kind = if oid == Type::POINT_ARRAY.oid() { Kind::Array(Type::POINT.oid()) } else { Kind::Scalar };
            stream.know_type(oid, CatalogType { kind, ..CatalogType::builtin(oid) });
        }
        stream.start().unwrap();
        assert_eq!(stream.raw[0].how, how);
    }
}

#[test]
fn what_c_writes_is_checked() {
    let mut stream = started(settings(), &[("name", Type::TEXT, -1, false)]);
    put(&mut stream, 0, 0, Some(b"abc"));
    put(&mut stream, 0, 1, Some(b"def"));
    stream.filled[0].memory.offsets.native::<i32>(3)[1] = 5;
    assert!(stream.batch(2).is_ok());
    stream.clear().unwrap();
    for wrong in [-1, 7] {
        let mut stream = started(settings(), &[("name", Type::TEXT, -1, false)]);
        put(&mut stream, 0, 0, Some(b"abc"));
        put(&mut stream, 0, 1, Some(b"def"));
        stream.filled[0].memory.offsets.native::<i32>(3)[1] = wrong;
        assert_eq!(stream.batch(2).unwrap_err().kind(), ErrorKind::Protocol);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn every_value_comes_out_as_it_went_in(
        rows in proptest::collection::vec((any::<Option<i32>>(), proptest::option::of(".{0,40}")), 1..60),
        compression in prop_oneof![
            Just(None),
            Just(Some(CompressionType::LZ4_FRAME)),
            Just(Some(CompressionType::ZSTD)),
        ],
        turns in 1..4usize,
    ) {
        let columns = [("n", Type::INT4, -1, false), ("name", Type::TEXT, -1, false), ("b", Type::BYTEA, -1, false)];
        let mut stream = started(Settings { compression, ..settings() }, &columns);
        let mut bytes = Vec::new();
        for _ in 0..turns {
            for (row, (number, name)) in rows.iter().enumerate() {
                put4(&mut stream, 0, row, *number);
                put(&mut stream, 1, row, name.as_deref().map(str::as_bytes));
                put(&mut stream, 2, row, name.as_deref().map(str::as_bytes));
            }
            sent(&mut stream, rows.len(), &mut bytes);
        }
        let batches = read(stream, bytes);
        prop_assert_eq!(batches.len(), turns);
        for batch in batches {
            let numbers: Vec<_> = batch.column(0).as_primitive::<Int32Type>().iter().collect();
            let names: Vec<_> = batch.column(1).as_string::<i32>().iter().collect();
            let blobs: Vec<_> = batch.column(2).as_binary::<i32>().iter().collect();
            prop_assert_eq!(numbers, rows.iter().map(|row| row.0).collect::<Vec<_>>());
            prop_assert_eq!(names, rows.iter().map(|row| row.1.as_deref()).collect::<Vec<_>>());
            prop_assert_eq!(blobs, rows.iter().map(|row| row.1.as_deref().map(str::as_bytes)).collect::<Vec<_>>());
        }
    }
}
