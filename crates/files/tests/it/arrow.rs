use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use bowshot_core::Options;

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
