use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::DataType;
use bowshot_core::Options;

use crate::direct::flat;
use crate::support::*;

pub fn write_file(path: &Path, batch: &RecordBatch, step: usize, compression: Option<CompressionType>) {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(File::create(path).unwrap(), &batch.schema(), options).unwrap();
    for at in (0..batch.num_rows()).step_by(step) {
        writer.write(&batch.slice(at, step.min(batch.num_rows() - at))).unwrap();
    }
    writer.finish().unwrap();
}

pub fn write_stream(path: &Path, batch: &RecordBatch) {
    let mut writer = StreamWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.write(&batch.slice(0, 10)).unwrap();
    writer.finish().unwrap();
}

#[test]
fn files_of_every_type_mapped_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let batch = many_types(20_000);
    let compressions = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    for (number, compression) in compressions.into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.arrow"));
        // One dictionary for all batches: a file cannot replace it.
        write_file(&path, &batch, 3_000, compression);
        for end in ["", "?mmap=false", "?trusted=true"] {
            let options = Options { buffer_bytes: 2 << 20, ..options() };
            let plan = plan(&format!("{}{end}", uri(&path)), "", &options).unwrap();
            assert!(plan.partitions.len() > 1 || compression.is_some(), "{plan}");
            assert_same(&finish(plan, &options).unwrap(), &batch);
        }
        let some = read(&uri(&path), "SELECT text, id FROM data LIMIT 3500");
        assert_eq!(some.num_rows(), 3_500);
        assert_eq!(some.column(0), &batch.column_by_name("text").unwrap().slice(0, 3_500));
    }
}

/// Columns that are read each at once, without Arrow's own reader.
pub fn without_children(rows: usize) -> RecordBatch {
    let batch = flat(rows, |row| row % 5 != 1);
    let is_view = |place: &usize| matches!(batch.column(*place).data_type(), DataType::Utf8View | DataType::BinaryView);
    let columns: Vec<usize> = (0..batch.num_columns()).filter(|place| !is_view(place)).collect();
    batch.project(&columns).unwrap()
}

#[test]
fn columns_without_children_are_read_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let (path, stream) = (folder.path().join("x.arrow"), folder.path().join("x.arrows"));
    let batch = without_children(20_000);
    write_stream(&stream, &batch);
    assert_same(&read(&uri(&stream), "").slice(0, 20_000), &batch);
    let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    for compression in [None, Some(CompressionType::LZ4_FRAME)] {
        write_file(&path, &batch, 3_000, compression);
        assert_same(&read(&uri(&path), ""), &batch);
        for pair in names.windows(2) {
            // The other way round than they lie in the file.
            let some = read(&uri(&path), &format!("SELECT \"{}\", \"{}\" FROM x", pair[1], pair[0]));
            assert_eq!(some.column(0), batch.column_by_name(&pair[1]).unwrap());
            assert_eq!(some.column(1), batch.column_by_name(&pair[0]).unwrap());
        }
    }
}

#[test]
fn texts_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.arrow");
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..5_000).map(|row| format!("täxt {row}"))));
    write_file(&path, &RecordBatch::try_from_iter([("text", texts)]).unwrap(), 1_000, None);
    let mut bytes = std::fs::read(&path).unwrap();
    let place = bytes.windows(5).position(|bytes| bytes == "täxt".as_bytes()).unwrap();
    bytes[place + 2] = b'A';
    std::fs::write(&path, &bytes).unwrap();
    let error = failure(&uri(&path), "");
    assert!(error.to_string().contains("x.arrow") && error.to_string().contains("utf-8"), "{error}");
}

#[test]
fn streams_are_told_by_their_content() {
    let folder = tempfile::tempdir().unwrap();
    let batch = many_types(5_000);
    for name in ["x.arrows", "x.arrow", "x.unknown"] {
        let path = folder.path().join(name);
        write_stream(&path, &batch);
        let found = read(&uri(&path), "");
        assert_eq!(found.num_rows(), 5_010);
        assert_same(&found.slice(0, 5_000), &batch);
        assert_eq!(read(&uri(&path), "SELECT d38 FROM x LIMIT 5003").num_columns(), 1);
    }
}
