//! Flat columns come straight from their pages: the same values, whatever the pages look like and however large batches are.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{Cancel, Casts, Options, Result, Stream};
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::support::*;

/// Everything is kept.
pub fn keeping() -> Options {
    Options { buffer_bytes: isize::MAX.unsigned_abs(), ..options() }
}

/// Flat columns, each as often NULL as `there` allows.
pub fn flat(rows: usize, there: fn(usize) -> bool) -> RecordBatch {
    let nullable = (0..rows).any(|row| !there(row));
    fn some<T>(rows: usize, there: fn(usize) -> bool, value: impl Fn(usize) -> T) -> Vec<Option<T>> {
        (0..rows).map(|row| there(row).then(|| value(row))).collect()
    }
    let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let decimals = |precision, bits: u32| {
        let bound = 10_i128.pow(precision);
        let array = Decimal128Array::from(some(rows, there, |row| (i128::from(mixed(row) >> (64 - bits)) % bound) - 7));
        Arc::new(array.with_precision_and_scale(precision as u8, 2).unwrap()) as ArrayRef
    };
    // Short and long, of two bytes a letter, with few and with many different ones.
    let text = |row: usize| "ü".repeat(row % 23) + &(mixed(row) % 5000).to_string();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i32", Arc::new(Int32Array::from(some(rows, there, |row| mixed(row) as i32)))),
        ("few", Arc::new(Int32Array::from(some(rows, there, |row| (row / 100 % 3) as i32)))),
        ("u32", Arc::new(UInt32Array::from(some(rows, there, |row| u32::MAX - row as u32)))),
        ("i64", Arc::new(Int64Array::from(some(rows, there, |row| mixed(row) as i64)))),
        ("u64", Arc::new(UInt64Array::from(some(rows, there, |row| mixed(row) >> 50)))),
        ("i8", Arc::new(Int8Array::from(some(rows, there, |row| row as i8)))),
        ("i16", Arc::new(Int16Array::from(some(rows, there, |row| (row as i16).wrapping_sub(99))))),
        ("u8", Arc::new(UInt8Array::from(some(rows, there, |row| row as u8)))),
        ("u16", Arc::new(UInt16Array::from(some(rows, there, |row| row as u16)))),
        ("bool", Arc::new(BooleanArray::from(some(rows, there, |row| mixed(row) % 3 == 0)))),
        ("t32", Arc::new(Time32MillisecondArray::from(some(rows, there, |row| row as i32)))),
        ("t64", Arc::new(Time64MicrosecondArray::from(some(rows, there, |row| row as i64 * 7)))),
        ("t64n", Arc::new(Time64NanosecondArray::from(some(rows, there, |row| row as i64 * 7)))),
        ("d38", decimals(37, 63)),
        ("d20", decimals(20, 63)),
        ("f32", Arc::new(Float32Array::from(some(rows, there, |row| row as f32 / 3.0)))),
        ("f64", Arc::new(Float64Array::from(some(rows, there, |row| (row % 1000) as f64 / 7.0)))),
        ("d9", decimals(9, 20)),
        ("d18", decimals(18, 58)),
        ("date", Arc::new(Date32Array::from(some(rows, there, |row| (row % 2500) as i32 - 1000)))),
        ("ms", Arc::new(TimestampMillisecondArray::from(some(rows, there, |row| row as i64 * 1000)))),
        ("us", Arc::new(TimestampMicrosecondArray::from(some(rows, there, |row| -(row as i64))).with_timezone("UTC"))),
        ("ns", Arc::new(TimestampNanosecondArray::from(some(rows, there, |row| row as i64 * 1_000_000_007)))),
        ("text", Arc::new(StringViewArray::from_iter(some(rows, there, text)))),
        ("long", Arc::new(StringViewArray::from_iter(some(rows, there, |row| text(row) + &"x".repeat(row % 7 * 40))))),
        ("flag", Arc::new(StringViewArray::from_iter(some(rows, there, |row| ["A", "N", "R"][row % 3])))),
        ("offsets", Arc::new(StringArray::from_iter(some(rows, there, text)))),
        ("of 64 bits", Arc::new(LargeStringArray::from_iter(some(rows, there, |row| "y".repeat(row % 90))))),
        ("letter", Arc::new(StringArray::from_iter(some(rows, there, |row| ["A", "N", "R", ""][row / 50 % 4])))),
        ("binary", Arc::new(BinaryArray::from_iter(some(rows, there, |row| vec![0xff; row % 70])))),
        ("large", Arc::new(LargeBinaryArray::from_iter(some(rows, there, |row| vec![row as u8; row % 5])))),
        ("bytes", Arc::new(BinaryViewArray::from_iter(some(rows, there, |row| vec![row as u8, 0xff, 0xc3])))),
    ];
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), nullable);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

/// Many pages a column; with a dictionary of at most so many bytes, none if 0, and row groups of so many rows.
pub fn small_pages(
    version: WriterVersion,
    compression: Compression,
    dictionary: usize,
    group: usize,
) -> WriterProperties {
    WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(compression)
        .set_dictionary_enabled(dictionary > 0)
        .set_dictionary_page_size_limit(dictionary.max(1))
        .set_data_page_size_limit(7_000)
        .set_write_batch_size(333)
        .set_max_row_group_row_count(Some(group))
        .build()
}

/// Batches of this size, of pieces that are as small as they get.
fn in_pieces(batch_bytes: usize) -> Options {
    Options { batch_bytes, buffer_bytes: 1, ..options() }
}

fn batches(path: &std::path::Path, options: &Options) -> Result<Vec<RecordBatch>> {
    Stream::start(plan(&uri(path), "", options)?, options, Cancel::new()).collect()
}

#[test]
fn pages_of_every_kind_give_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.parquet");
    let patterns: [fn(usize) -> bool; 4] = [|_| true, |row| row % 3 != 1, |row| row % 1000 < 700, |_| false];
    for (number, there) in patterns.into_iter().enumerate() {
        let batch = flat(20_000, there);
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            // A dictionary of everything, of the first values only, and none.
            for (dictionary, group) in [(1 << 20, 9_000), (5_000, 20_000), (0, 18_000)] {
                let compression = if number % 2 == 0 { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
                write_parquet(&path, &batch, small_pages(version, compression, dictionary, group));
                for options in [keeping(), options(), in_pieces(1), in_pieces(700_000)] {
                    let found = read_with(&uri(&path), "", &options).unwrap();
                    assert_same(&found, &batch);
                    found.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
                    let found =
                        read_with(&uri(&path), "SELECT text, d18, bytes FROM flat LIMIT 9500", &options).unwrap();
                    let wanted = ["text", "d18", "bytes"].map(|name| batch.schema().index_of(name).unwrap());
                    assert_same(&found, &batch.slice(0, 9_500).project(&wanted).unwrap());
                }
            }
        }
    }
}

#[test]
fn text_comes_as_the_kind_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.parquet");
    let batch = flat(10_000, |row| row % 11 != 3);
    write_parquet(&path, &batch, WriterProperties::default());
    let texts = ["text", "long", "flag", "offsets", "of 64 bits", "letter"].map(|name| (name, DataType::Utf8));
    let bytes = ["bytes", "binary", "large"].map(|name| (name, DataType::LargeBinary));
    let types: BTreeMap<_, _> = texts.into_iter().chain(bytes).map(|(name, of)| (name.to_owned(), of)).collect();
    let cast = Casts::new(&batch.schema(), &types).unwrap().apply(batch).unwrap();
    let found = read_with(&uri(&path), "", &Options { types, ..options() }).unwrap();
    assert_same(&found, &cast);
    assert_eq!(found.schema().field_with_name("long").unwrap().data_type(), &DataType::Utf8);
    assert_eq!(found.schema().field_with_name("bytes").unwrap().data_type(), &DataType::LargeBinary);
}

#[test]
fn who_keeps_all_gets_row_groups_as_batches_and_small_ones_are_put_together() {
    let folder = tempfile::tempdir().unwrap();
    for (name, batch, group, wanted) in [
        ("flat", flat(20_000, |_| true), 9_000, vec![9_000, 9_000, 2_000]),
        ("small", flat(20_000, |_| true), 500, vec![20_000]),
        // Left to the crate's reader.
        ("many", many_types(20_000), 9_000, vec![20_000]),
    ] {
        let path = folder.path().join(format!("{name}.parquet"));
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group));
        write_parquet(&path, &batch, properties.build());
        let rows: Vec<usize> = batches(&path, &keeping()).unwrap().iter().map(RecordBatch::num_rows).collect();
        assert_eq!(rows, wanted, "{name}");
        // Who asks for a size gets it.
        let small = Options { batch_bytes: 100_000, ..keeping() };
        assert!(batches(&path, &small).unwrap().len() > 10, "{name}");
    }
}

#[test]
fn batches_have_about_the_bytes_that_are_asked_for_whatever_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("skewed.parquet");
    // Two values of 4,000 bytes in a dictionary, which a footer counts once; and no others in the last third.
    let long = |row: usize| if row < 20_000 { ["a", "b"][row % 2].repeat(4_000) } else { String::new() };
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..30_000).map(long)));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..30_000));
    let more: ArrayRef = Arc::new(StringArray::from_iter_values((0..30_000).map(|row| format!("row {row}"))));
    let batch = RecordBatch::try_from_iter([("number", numbers), ("text", texts), ("more", more)]).unwrap();
    write_parquet(&path, &batch, WriterProperties::default());
    let found = batches(&path, &options()).unwrap();
    assert_same(&arrow_select::concat::concat_batches(&found[0].schema(), &found).unwrap(), &batch);
    let most = found.iter().map(bowshot_core::bytes_of).max().unwrap();
    assert!(most < 5 << 20, "{most}");
    assert!(found.len() < 200, "{}", found.len());
}
