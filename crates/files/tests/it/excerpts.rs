//! Rows as they are stored: handed on as a file of their own, and read again, with the same values as batches have.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::*;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use bowshot_core::{Cancel, ErrorKind, Excerpt, Options, Plan, Result};
use bowshot_files::open_excerpt;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataReader};
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::damaged::Numbers;
use crate::direct::{flat, keeping, small_pages};
use crate::support::*;

/// No excerpt is too large.
const LIMIT: usize = usize::MAX;

fn handed_on() -> Options {
    Options { excerpts: true, ..options() }
}

/// The bytes of an excerpt, which come in pieces of the size that they should have.
fn gathered(excerpt: Excerpt<'_>) -> Result<Vec<u8>> {
    let wanted = excerpt.bytes;
    let mut bytes = Vec::new();
    for piece in excerpt.pieces {
        let piece = piece?;
        assert!(!piece.is_empty() && piece.len() <= 1 << 20, "{}", piece.len());
        bytes.extend_from_slice(&piece);
    }
    assert_eq!(bytes.len() as u64, wanted);
    Ok(bytes)
}

/// The whole result, and how many excerpts it came in; what cannot be handed on comes in batches.
fn read_excerpts(plan: &Plan, smaller: u64, decoding: &Options) -> Result<(RecordBatch, usize)> {
    let mut connection = plan.scan.connect(&Cancel::new())?;
    let (mut batches, mut excerpts) = (Vec::new(), 0);
    for partition in 0..plan.partitions.len() {
        let mut reader = connection.open(partition)?;
        loop {
            if let Some(excerpt) = reader.excerpt(smaller)? {
                let rows = excerpt.rows;
                let mut received = open_excerpt(gathered(excerpt)?.into(), &plan.schema, decoding, LIMIT)?;
                let before = batches.len();
                while let Some(batch) = received.next()? {
                    batches.push(batch);
                }
                let found: usize = batches[before..].iter().map(RecordBatch::num_rows).sum();
                assert_eq!(found as u64, rows);
                excerpts += 1;
                continue;
            }
            let Some(batch) = reader.next()? else { break };
            batches.push(batch);
        }
    }
    Ok((concat_batches(&plan.schema, &batches)?, excerpts))
}

fn through(path: &Path, sql: &str, options: &Options) -> (RecordBatch, usize) {
    read_excerpts(&plan(&uri(path), sql, options).unwrap(), 0, options).unwrap()
}

#[test]
fn every_value_arrives_whatever_the_pages_look_like() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.parquet");
    let patterns: [fn(usize) -> bool; 3] = [|_| true, |row| row % 3 != 1, |_| false];
    for (number, there) in patterns.into_iter().enumerate() {
        let batch = flat(20_000, there);
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for (dictionary, group) in [(1 << 20, 9_000), (5_000, 5_000), (0, 7_000)] {
                let compression = if number % 2 == 0 { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
                write_parquet(&path, &batch, small_pages(version, compression, dictionary, group));
                for decoding in [handed_on(), keeping()] {
                    let plan = plan(&uri(&path), "", &Options { buffer_bytes: 1, ..handed_on() }).unwrap();

                    let (found, excerpts) = read_excerpts(&plan, 0, &decoding).unwrap();
                    // The second version has encodings of its own, which are left to the reader of batches.
                    let handed = if version == WriterVersion::PARQUET_1_0 { plan.partitions.len() } else { 0 };
                    assert!(excerpts >= handed, "{excerpts} of {}", plan.partitions.len());
                    assert_same(&found, &batch);
                    found.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
                }
            }
        }
    }
}

/// The bytes of a file's first row group, and those of its dictionaries.
fn stored_bytes(path: &Path) -> (u64, u64) {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&File::open(path).unwrap()).unwrap();
    let columns = metadata.row_group(0).columns();
    let dictionary = |column: &ColumnChunkMetaData| {
        column.dictionary_page_offset().map_or(0, |start| (column.data_page_offset() - start) as u64)
    };
    (columns.iter().map(|column| column.byte_range().1).sum(), columns.iter().map(dictionary).sum())
}

#[test]
fn rows_of_a_row_group_are_handed_on_with_the_pages_that_hold_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.parquet");
    let workers = Options { connections: Some(4), ..handed_on() };
    let patterns: [fn(usize) -> bool; 3] = [|_| true, |row| row % 3 != 1, |row| row / 9_000 % 2 == 0];
    for (number, there) in patterns.into_iter().enumerate() {
        let batch = flat(40_000, there);
        // No dictionary, one, and one that is full before the row group is over.
        for dictionary in [0, 1 << 20, 5_000] {
            let compression = if number == 0 { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
            write_parquet(&path, &batch, small_pages(WriterVersion::PARQUET_1_0, compression, dictionary, 40_000));
            let plan = plan(&uri(&path), "", &workers).unwrap();
            let labels: Vec<&str> = plan.partitions.iter().map(|partition| partition.label.as_str()).collect();
            assert_eq!(labels.len(), 4, "{labels:?}");
            assert!(labels[1].starts_with("rows 10000 to 19999 of row group 0"), "{labels:?}");
            for decoding in [handed_on(), keeping()] {
                let (found, excerpts) = read_excerpts(&plan, 0, &decoding).unwrap();
                assert_eq!(excerpts, 4);
                assert_same(&found, &batch);
                found.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
            }
            // Pages at a cut are in both pieces, and no others.
            let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
            let sizes = (0..4).map(|part| connection.open(part).unwrap().excerpt(0).unwrap().unwrap().bytes);
            let (stored, dictionaries) = stored_bytes(&path);
            let (sent, most) = (sizes.sum::<u64>(), stored + 3 * (dictionaries + 32 * 16_000) + 4 * 8_000);
            assert!(sent <= most, "{sent} bytes of {stored}, at most {most}");
        }
    }
    // Cut only for those who take excerpts, and not where there is next to nothing.
    let sql = "SELECT few FROM flat";
    assert_eq!(plan(&uri(&path), sql, &workers).unwrap().partitions.len(), 1);
    assert_eq!(plan(&uri(&path), "", &Options { excerpts: false, ..workers.clone() }).unwrap().partitions.len(), 2);
    let (found, excerpts) = through(&path, "SELECT i64, long FROM flat LIMIT 25000", &workers);
    assert_eq!((found.num_rows(), excerpts), (25_000, 2));
    assert_same(&found, &read(&uri(&path), "SELECT i64, long FROM flat LIMIT 25000"));
}

#[test]
fn columns_come_in_the_order_and_under_the_names_of_the_query() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.parquet");
    let batch = flat(20_000, |row| row % 11 != 3);
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(6_000)).build();
    write_parquet(&path, &batch, properties);
    let types = [("text".to_owned(), DataType::Utf8), ("long".to_owned(), DataType::LargeUtf8)];
    let options = Options { types: types.into(), ..handed_on() };
    let sql = "SELECT us, text, i32 AS number, long FROM flat";
    let (found, excerpts) = through(&path, sql, &options);
    assert!(excerpts > 0);
    assert_eq!(found.schema().field(2).name(), "number");
    assert_same(&found, &read_with(&uri(&path), sql, &options).unwrap());
    // A limit in the middle of a row group leaves batches of it.
    for (limit, wanted) in [(12_000, 2), (14_000, 2)] {
        let sql = format!("SELECT i64 FROM flat LIMIT {limit}");
        let (found, excerpts) = through(&path, &sql, &handed_on());
        assert_eq!((found.num_rows(), excerpts), (limit, wanted));
        assert_same(&found, &read(&uri(&path), &sql));
    }
}

#[test]
fn what_cannot_be_handed_on_comes_in_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.parquet");
    write_parquet(&path, &many_types(20_000), WriterProperties::default());
    let one = Options { connections: Some(1), ..handed_on() };
    // Lists and structures; a type that the file has not; a column of which two are asked for is one.
    let cast = Options { types: [("i32".to_owned(), DataType::Int64)].into(), ..one.clone() };
    for (sql, options) in [("", &one), ("SELECT i32, id FROM many", &cast)] {
        let plan = plan(&uri(&path), sql, options).unwrap();
        assert!(!plan.scan.has_excerpts(), "{sql}");
        let (found, excerpts) = read_excerpts(&plan, 1, options).unwrap();
        assert_eq!(excerpts, 0);
        assert_same(&found, &read_with(&uri(&path), sql, options).unwrap());
    }
    let twice = "SELECT id, id AS again, i32 FROM many";
    let (found, _) = through(&path, twice, &one);
    assert_same(&found, &read(&uri(&path), twice));
    // Stored in as many bytes as it has in memory.
    let numbers: ArrayRef =
        Arc::new(UInt64Array::from_iter_values((0..50_000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
    write_parquet(&path, &RecordBatch::try_from_iter([("n", numbers)]).unwrap(), WriterProperties::default());
    let plan = plan(&uri(&path), "", &one).unwrap();
    assert_eq!(read_excerpts(&plan, 0, &one).unwrap().1, 1);
    assert_eq!(read_excerpts(&plan, 4, &one).unwrap().1, 0);
    // Nobody asked for them when it was planned, and all workers shall have something to do.
    let few = handed_on();
    let pieces = |options: &Options| crate::support::plan(&uri(&path), "", options).unwrap().partitions.len();
    assert_eq!(pieces(&Options { buffer_bytes: 1, ..few }), pieces(&Options { buffer_bytes: 1, ..options() }));
}

#[test]
fn a_folder_s_name_is_no_column_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let batch = RecordBatch::try_from_iter([("n", numbers)]).unwrap();
    for year in ["year=2023", "year=2024"] {
        std::fs::create_dir(folder.path().join(year)).unwrap();
        write_parquet(&folder.path().join(year).join("a.parquet"), &batch, WriterProperties::default());
    }
    let one = Options { connections: Some(1), ..handed_on() };
    let (found, excerpts) = through(folder.path(), "SELECT n, year FROM data", &one);
    assert_eq!((found.num_rows(), excerpts), (2000, 0));
    let (found, excerpts) = through(folder.path(), "SELECT n FROM data", &one);
    assert_eq!((found.num_rows(), excerpts), (2000, 2));
}

#[test]
fn a_file_that_changes_meanwhile_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.parquet");
    let batch = flat(20_000, |_| true);
    write_parquet(&path, &batch, WriterProperties::default());
    let one = Options { connections: Some(1), ..handed_on() };
    let plan = plan(&uri(&path), "", &one).unwrap();
    let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
    let mut reader = connection.open(0).unwrap();
    let excerpt = reader.excerpt(1).unwrap().unwrap();
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().set_len(100_000).unwrap();
    let error = gathered(excerpt).unwrap_err();
    assert!(error.message().contains("changed since"), "{error}");
}

/// Whole row groups, and the second half of one.
fn excerpts(folder: &Path) -> [(Vec<u8>, Arc<arrow_schema::Schema>); 2] {
    let path = folder.join("flat.parquet");
    let bytes = |rows: usize, connections: usize, partition: usize| {
        write_parquet(&path, &flat(rows, |row| row % 5 != 0), WriterProperties::default());
        let options = Options { connections: Some(connections), ..handed_on() };
        let plan = plan(&uri(&path), "", &options).unwrap();
        let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
        let mut reader = connection.open(partition).unwrap();
        (gathered(reader.excerpt(0).unwrap().unwrap()).unwrap(), Arc::clone(&plan.schema))
    };
    [bytes(3_000, 1, 0), bytes(20_000, 2, 1)]
}

fn rows_of(bytes: Vec<u8>, schema: &Arc<arrow_schema::Schema>, limit: usize) -> Result<usize> {
    let mut received = open_excerpt(bytes.into(), schema, &keeping(), limit)?;
    let mut rows = 0;
    while let Some(batch) = received.next()? {
        rows += batch.num_rows();
    }
    Ok(rows)
}

#[test]
fn a_stranger_s_bytes_are_an_error_or_a_result() {
    let folder = tempfile::tempdir().unwrap();
    for ((whole, schema), rows) in excerpts(folder.path()).into_iter().zip([3_000, 10_000]) {
        assert_eq!(rows_of(whole.clone(), &schema, LIMIT).unwrap(), rows);
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        let mut failed = 0;
        for round in 0..400 {
            let mut bytes = whole.clone();
            for _ in 0..=round % 4 {
                let from = if round % 2 == 0 { 0 } else { bytes.len() - bytes.len().min(12_000) / 2 };
                let place = from + numbers.next(bytes.len() - from);
                bytes[place] = numbers.next(256) as u8;
            }
            if let Err(error) = rows_of(bytes, &schema, 64 << 20) {
                assert_ne!(error.kind(), ErrorKind::Internal, "round {round}: {error}");
                failed += 1;
            }
        }
        assert!(failed > 50, "{failed}");
        for length in [0, 3, 11, 12, whole.len() / 2, whole.len() - 1] {
            let error = rows_of(whole[..length].to_vec(), &schema, LIMIT).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io, "{length} bytes");
        }
        // More than anybody wants, and other columns than were announced.
        assert_eq!(rows_of(whole.clone(), &schema, 100_000).unwrap_err().kind(), ErrorKind::Protocol);
        let other = Arc::new(schema.project(&[0, 1]).unwrap());
        let error = rows_of(whole, &other, LIMIT).unwrap_err();
        assert!(error.message().contains("columns where 2 should be"), "{error}");
    }
}

#[test]
fn where_rows_begin_is_believed_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let [_, (part, schema)] = excerpts(folder.path());
    let key = b"bowshot.rows_before";
    let place = part.windows(key.len()).position(|bytes| bytes == key).unwrap() + key.len();
    // A field's head and the length come before the numbers.
    let first = place + part[place..].iter().position(u8::is_ascii_digit).unwrap();
    let changed = |digits: &[u8]| {
        let mut bytes = part.clone();
        bytes[first..first + digits.len()].copy_from_slice(digits);
        rows_of(bytes, &schema, LIMIT)
    };
    assert_eq!(changed(b"").unwrap(), 10_000);
    let error = changed(b"-").unwrap_err();
    assert!(error.message().contains("does not say where the rows of its columns begin"), "{error}");
    let error = changed(b"9999").unwrap_err();
    assert!(error.message().contains("fewer values than its row group"), "{error}");
}
