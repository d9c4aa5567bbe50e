//! The files that are written, read back by an independent reader.
#![expect(clippy::disallowed_types, reason = "these bytes are the test's own")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use bowshot_tpch::{Demo, Format, TABLES, tables, write};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn read(folder: &Path, format: Format) -> Vec<RecordBatch> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &Path| -> Vec<RecordBatch> {
        let file = File::open(path).unwrap();
        match format {
            Format::Parquet => {
                let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
                reader.map(Result::unwrap).collect()
            }
            Format::Arrow => FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect(),
        }
    };
    paths.iter().flat_map(|path| read(path)).collect()
}

fn keys(batches: &[RecordBatch], column: &str) -> Vec<i64> {
    let column =
        |batch: &RecordBatch| batch.column_by_name(column).unwrap().as_primitive::<Int64Type>().values().to_vec();
    batches.iter().flat_map(column).collect()
}

#[test]
fn the_tables_are_whole_in_both_formats() {
    let cache = tempfile::tempdir().unwrap();
    let mut sums = HashSet::new();
    for format in [Format::Parquet, Format::Arrow] {
        let demo = Demo { scale: 0.01, format, lineitem_files: 3 };
        let folder = write(cache.path(), &demo).unwrap();
        let found = tables(&folder);
        assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), TABLES);
        // The numbers of rows of the specification's section 4.2.5.1, at 0.01.
        for ((table, folder), rows) in found.iter().zip([2000, 100, 8000, 1500, 15_000, 60_175, 25, 5]) {
            let batches = read(folder, format);
            assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), rows, "{table}");
            let fields = batches[0].schema();
            assert!(fields.fields().iter().all(|field| field.data_type() != &DataType::Utf8View), "{table}");
        }
        let lineitem = &found[5].1;
        assert_eq!(std::fs::read_dir(lineitem).unwrap().count(), 3);
        let orders: HashSet<i64> = keys(&read(&found[4].1, format), "o_orderkey").into_iter().collect();
        let of_lines = keys(&read(lineitem, format), "l_orderkey");
        assert_eq!(of_lines.iter().copied().collect::<HashSet<_>>(), orders);
        sums.insert(of_lines.iter().sum::<i64>());
    }
    assert_eq!(sums.len(), 1, "both formats hold the same rows");
}

#[test]
fn what_is_there_is_not_made_again() {
    let cache = tempfile::tempdir().unwrap();
    let demo = Demo { scale: 0.001, ..Demo::default() };
    let folder = write(cache.path(), &demo).unwrap();
    let marker = folder.join("marker");
    std::fs::write(&marker, "").unwrap();
    assert_eq!(write(cache.path(), &demo).unwrap(), folder);
    assert!(marker.exists());
    // Nothing else lies about.
    assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    let cache = tempfile::tempdir().unwrap();
    let file = cache.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = write(&file, &Demo::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
}
