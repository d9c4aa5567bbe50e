//! What each option does, as the footer shows it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bowshot_core::ErrorKind;
use bowshot_parquet_writer::{FileWriter, Options};
use common::{footer, read, written};
use parquet::basic::{Compression, Encoding, PageType};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

fn options(texts: &[(&str, &str)]) -> Options {
    Options::from_texts(texts.iter().copied()).unwrap()
}

fn batch(rows: i64) -> RecordBatch {
    let numbers: ArrayRef = Arc::new((0..rows).collect::<Int64Array>());
    let texts: ArrayRef = Arc::new((0..rows).map(|at| Some(format!("text {}", at % 10))).collect::<StringArray>());
    RecordBatch::try_from_iter([("n", numbers), ("t", texts)]).unwrap()
}

fn written_with(texts: &[(&str, &str)], rows: i64) -> (Vec<u8>, ParquetMetaData) {
    let batch = batch(rows);
    let bytes = written(&batch.schema(), std::slice::from_ref(&batch), &options(texts)).unwrap();
    let back = read(bytes.clone(), batch.num_rows());
    let back = arrow_select::concat::concat_batches(&batch.schema(), &back).unwrap();
    assert_eq!(back.columns(), batch.columns(), "{texts:?}");
    let found = footer(&bytes);
    (bytes, found)
}

#[test]
fn every_codec_compresses_and_is_named() {
    for (name, level, expected) in [
        ("none", None, "UNCOMPRESSED"),
        ("snappy", None, "SNAPPY"),
        ("gzip", Some("1"), "GZIP"),
        ("zstd", Some("1"), "ZSTD"),
        ("lz4", None, "LZ4_RAW"),
        ("brotli", Some("4"), "BROTLI"),
    ] {
        let mut texts = vec![("compression", name)];
        texts.extend(level.map(|level| ("compression_level", level)));
        let (_, found) = written_with(&texts, 5000);
        for column in found.row_group(0).columns() {
            assert!(format!("{:?}", column.compression()).starts_with(expected), "{name}: {:?}", column.compression());
            let is_smaller = column.compressed_size() < column.uncompressed_size();
            assert_eq!(is_smaller, column.compression() != Compression::UNCOMPRESSED, "{name}");
        }
    }
}

#[test]
fn levels_change_the_size() {
    let size = |level| written_with(&[("compression", "zstd"), ("compression_level", level)], 50_000).0.len();
    assert_ne!(size("1"), size("19"));
}

#[test]
fn row_groups_end_at_their_rows_over_batches() {
    let batch = batch(1000);
    let bytes =
        written(&batch.schema(), &[batch.clone(), batch.clone(), batch], &options(&[("row_group_rows", "700")]));
    let found = footer(&bytes.unwrap());
    let rows: Vec<i64> = found.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(rows, [700, 700, 700, 700, 200]);
    assert!(found.file_metadata().created_by().unwrap().starts_with("bowshot version 0."));
}

#[test]
fn row_groups_of_one_row_do_not_exhaust_the_stack() {
    let (_, found) = written_with(&[("row_group_rows", "1")], 5000);
    assert_eq!(found.num_row_groups(), 5000);
}

#[test]
fn row_groups_end_at_their_bytes_and_memory_is_bounded() {
    let texts: ArrayRef = Arc::new(
        (0..200_000_u64)
            .map(|at| Some(format!("{:032x}", u128::from(at).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835))))
            .collect::<StringArray>(),
    );
    let batch = RecordBatch::try_from_iter([("t", texts)]).unwrap();
    let limit = 1 << 20;
    let options = options(&[("row_group_bytes", "1048576"), ("compression", "none"), ("dictionary", "false")]);
    let to = common::Shared::default();
    let mut writer = FileWriter::new(to, &batch.schema(), &options).unwrap();
    for start in (0..200_000).step_by(10_000) {
        writer.write(&batch.slice(start, 10_000)).unwrap();
        assert!(writer.memory() < 3 * limit, "{}", writer.memory());
    }
    // All at once makes the same row groups as one after the other.
    let bytes = written(&batch.schema(), std::slice::from_ref(&batch), &options).unwrap();
    let found = footer(&bytes);
    assert!(found.num_row_groups() > 5, "{}", found.num_row_groups());
    for group in found.row_groups().iter().rev().skip(1) {
        let bytes = usize::try_from(group.compressed_size()).unwrap();
        assert!((limit * 9 / 10..limit * 13 / 10).contains(&bytes), "{bytes}");
    }
}

#[test]
fn dictionaries_can_be_left_out() {
    for (dictionary, expected) in [("auto", true), ("true", true), ("false", false)] {
        let (_, found) = written_with(&[("dictionary", dictionary)], 5000);
        let column = found.row_group(0).column(1);
        assert_eq!(column.dictionary_page_offset().is_some(), expected);
        assert_eq!(column.encodings().any(|encoding| encoding == Encoding::RLE_DICTIONARY), expected);
    }
    let (_, found) = written_with(&[("dictionary", "t")], 5000);
    let has = |column: usize| found.row_group(0).column(column).dictionary_page_offset().is_some();
    assert_eq!((has(0), has(1)), (false, true));
    let error = FileWriter::new(std::io::sink(), &batch(1).schema(), &options(&[("dictionary", "yes")])).unwrap_err();
    assert!(error.to_string().starts_with("dictionary names the column \"yes\""), "{error}");
    // Numbers that never repeat, and ten texts.
    let (_, found) = written_with(&[], 5000);
    let has = |column: usize| found.row_group(0).column(column).dictionary_page_offset().is_some();
    assert_eq!((has(0), has(1)), (false, true));
    // A dictionary that is too large is left.
    let (_, found) = written_with(&[("dictionary", "true"), ("dictionary_bytes", "1024")], 5000);
    assert!(found.row_group(0).column(0).encodings().any(|encoding| encoding == Encoding::PLAIN));
}

#[test]
fn statistics_are_as_fine_as_asked() {
    for (statistics, chunk, pages) in [("none", false, false), ("chunk", true, false), ("page", true, true)] {
        let (_, found) = written_with(&[("statistics", statistics)], 5000);
        let column = found.row_group(0).column(0);
        assert_eq!(column.statistics().is_some(), chunk, "{statistics}");
        assert_eq!(column.column_index_offset().is_some(), pages, "{statistics}");
        if let Some(statistics) = column.statistics() {
            assert_eq!(statistics.min_bytes_opt(), Some(0_i64.to_le_bytes().as_slice()));
            assert_eq!(statistics.max_bytes_opt(), Some(4999_i64.to_le_bytes().as_slice()));
            assert_eq!(statistics.null_count_opt(), Some(0));
        }
    }
}

#[test]
fn pages_end_at_their_rows_and_bytes() {
    let pages = |texts: &[(&str, &str)]| {
        let (bytes, _) = written_with(texts, 5000);
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let group = reader.get_row_group(0).unwrap();
        let kinds = group.get_column_page_reader(0).unwrap().map(|page| page.unwrap().page_type());
        kinds.collect::<Vec<_>>()
    };
    let few = pages(&[("dictionary", "false")]);
    assert_eq!(few, [PageType::DATA_PAGE]);
    assert!(pages(&[("dictionary", "false"), ("page_rows", "1000")]).len() >= 5);
    assert!(pages(&[("dictionary", "false"), ("page_bytes", "4096")]).len() >= 5);
    assert_eq!(pages(&[("dictionary", "false"), ("page_version", "2")]), [PageType::DATA_PAGE_V2]);
}

#[test]
fn bloom_filters_belong_to_their_columns() {
    let filters = |texts: &[(&str, &str)]| {
        let (_, found) = written_with(texts, 5000);
        found.row_group(0).columns().iter().map(|column| column.bloom_filter_offset().is_some()).collect::<Vec<_>>()
    };
    assert_eq!(filters(&[]), [false, false]);
    assert_eq!(filters(&[("bloom_filters", "all")]), [true, true]);
    assert_eq!(filters(&[("bloom_filters", "t"), ("bloom_filter_fpp", "0.001")]), [false, true]);
    let error = FileWriter::new(std::io::sink(), &batch(1).schema(), &options(&[("bloom_filters", "x")])).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("x")));
    assert!(error.to_string().contains("write names of these: n, t"), "{error}");
    let mut impossible = options(&[("bloom_filters", "all")]);
    impossible.bloom_filter_fpp = 2.0;
    let error = FileWriter::new(std::io::sink(), &batch(1).schema(), &impossible).unwrap_err();
    assert!(error.to_string().contains("bloom_filter_fpp is 2"), "{error}");
}

#[test]
fn the_arrow_schema_and_the_users_keys_are_in_the_footer() {
    let keys = |texts: &[(&str, &str)]| {
        let (_, found) = written_with(texts, 1);
        let pairs = found.file_metadata().key_value_metadata().cloned().unwrap_or_default();
        pairs.into_iter().map(|pair| (pair.key, pair.value.unwrap_or_default())).collect::<Vec<_>>()
    };
    assert_eq!(keys(&[])[0].0, "ARROW:schema");
    assert!(keys(&[("arrow_schema", "false")]).is_empty());
    assert_eq!(keys(&[("metadata.a.b", "c"), ("arrow_schema", "false")]), [("a.b".to_owned(), "c".to_owned())]);
}
