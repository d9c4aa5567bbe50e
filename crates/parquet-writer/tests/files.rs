//! Files on the disk: whole, or not there.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::fs::OpenOptions;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray, TimestampSecondArray};
use bowshot_core::ErrorKind;
use bowshot_parquet_writer::{Codec, FileWriter, Options};
use common::{column, read};

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn numbers(count: i64) -> ArrayRef {
    // Nothing that an encoding makes small.
    Arc::new(
        (0..count).map(|at| Some(at.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed()))).collect::<Int64Array>(),
    )
}

#[test]
fn a_finished_file_is_whole_and_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let batch = column(numbers(1000));
    let mut writer = FileWriter::create(&path, &batch.schema(), &Options::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch.slice(0, 0)).unwrap();
    writer.write(&batch).unwrap();
    assert_eq!((writer.rows(), path.exists()), (2000, false));
    let summary = writer.finish().unwrap();
    assert_eq!((summary.rows, summary.row_groups), (2000, 1));
    assert_eq!(names(folder.path()), ["a.parquet"]);
    let rows = read(std::fs::read(&path).unwrap(), 1000);
    assert_eq!(rows, [batch.clone(), batch]);
}

#[test]
fn a_file_of_no_batches_has_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let batch = column(numbers(0));
    let summary = FileWriter::create(&path, &batch.schema(), &Options::default()).unwrap().finish().unwrap();
    assert_eq!((summary.rows, summary.row_groups), (0, 0));
    assert_eq!(read(std::fs::read(&path).unwrap(), 1), []);
}

#[test]
fn a_file_that_is_dropped_or_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, b"old").unwrap();
    let batch = column(numbers(10));
    let mut options = Options::default();
    let error = FileWriter::create(&path, &batch.schema(), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().ends_with("overwrite=true"), "{error}");
    options.overwrite = true;
    for give_up in [drop, |mut writer: FileWriter| writer.abort()] {
        let mut writer = FileWriter::create(&path, &batch.schema(), &options).unwrap();
        writer.write(&batch).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        give_up(writer);
        assert_eq!(names(folder.path()), ["a.parquet"]);
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

#[test]
fn an_error_gives_the_file_up_and_tells_the_row_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let good = column(Arc::new(TimestampSecondArray::from(vec![1; 1000])));
    let mut writer = FileWriter::create(&path, &good.schema(), &Options::default()).unwrap();
    writer.write(&good).unwrap();
    let error = writer.write(&column(Arc::new(TimestampSecondArray::from(vec![1, 2, i64::MIN])))).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
    assert!(error.to_string().contains("in row 1002, counted from 0"), "{error}");
    assert!(names(folder.path()).is_empty());
    let error = writer.write(&good).unwrap_err();
    assert!(error.to_string().contains("was given up after an earlier error"), "{error}");
    assert!(writer.finish().unwrap_err().to_string().contains("was given up"));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let schema = column(numbers(1)).schema();
    let mut writer = FileWriter::new(std::io::sink(), &schema, &Options::default()).unwrap();
    let error = writer.write(&column(Arc::new(StringArray::from(vec!["x"])))).unwrap_err().to_string();
    assert!(error.contains("\"c\" (utf8)") && error.contains("\"c\" (int64)"), "{error}");
    let mut writer = FileWriter::new(std::io::sink(), &schema, &Options::default()).unwrap();
    let two = arrow_array::RecordBatch::try_from_iter([("c", numbers(1)), ("d", numbers(1))]).unwrap();
    assert!(writer.write(&two).unwrap_err().to_string().contains("has 2 columns, the file 1"));
}

#[test]
fn a_folder_that_is_missing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/where.parquet");
    let error = FileWriter::create(&path, &column(numbers(1)).schema(), &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let words = error.to_string();
    assert!(words.contains("no/where.parquet cannot be written") && words.contains("make the folder first"), "{words}");
}

/// Where the kernel refuses every byte.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_not_a_short_file() {
    let batch = column(numbers(100_000));
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut options = Options::default();
    options.codec = Codec::None;
    let mut writer = FileWriter::new(full, &batch.schema(), &options).unwrap();
    // Small files stay in memory until their end.
    let error = writer.write(&batch).and_then(|()| writer.finish()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error:?}");
    assert!(error.to_string().contains("No space left") && error.to_string().contains("free some space"), "{error}");
}

const LIMITED: &str = "BOWSHOT_FILES_ARE_LIMITED";

/// A file that may not grow, as on a disk that fills up in the middle.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_leaves_nothing_behind() {
    if let Some(folder) = std::env::var_os(LIMITED) {
        let batch = column(numbers(100_000));
        let mut options = Options::default();
        (options.codec, options.row_group_rows) = (Codec::None, 10_000);
        let path = Path::new(&folder).join("a.parquet");
        let mut writer = FileWriter::create(&path, &batch.schema(), &options).unwrap();
        let error = writer.write(&batch).and_then(|()| writer.finish()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error:?}");
        assert!(error.to_string().contains("File too large"), "{error}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "a_disk_that_fills_up_leaves_nothing_behind";
    let limited = "trap '' XFSZ; ulimit -f 100; exec \"$0\" --exact \"$1\" --nocapture";
    let mut command = Command::new("bash");
    command.args(["-c", limited]).arg(std::env::current_exe().unwrap()).arg(name).env(LIMITED, folder.path());
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}{output:?}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn two_writers_of_one_target_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = column(numbers(1)).schema();
    let open = || FileWriter::create(&path, &schema, &Options::default()).unwrap();
    let (mut first, mut second) = (open(), open());
    first.write(&column(numbers(1))).unwrap();
    second.write(&column(numbers(2))).unwrap();
    first.finish().unwrap();
    assert!(second.finish().unwrap_err().to_string().contains("exists already"));
    assert_eq!(read(std::fs::read(&path).unwrap(), 9), [column(numbers(1))]);
    assert_eq!(names(folder.path()), ["a.parquet"]);
}
