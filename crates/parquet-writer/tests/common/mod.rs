//! Files in memory, and what Parquet's own reader finds in them.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]
#![allow(dead_code, reason = "each test program uses some of the helpers")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use bowshot_core::Result;
use bowshot_parquet_writer::{FileWriter, Options};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};

/// Bytes that a writer owns and a test reads.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of a file of these batches.
pub fn written(schema: &Schema, batches: &[RecordBatch], options: &Options) -> Result<Vec<u8>> {
    let to = Shared::default();
    let mut writer = FileWriter::new(to.clone(), schema, options)?;
    for batch in batches {
        writer.write(batch)?;
    }
    let summary = writer.finish()?;
    let bytes = std::mem::take(&mut *to.0.lock().unwrap());
    assert_eq!(summary.bytes, u64::try_from(bytes.len()).unwrap());
    Ok(bytes)
}

/// The batches of a file, of this many rows each.
pub fn read(bytes: Vec<u8>, rows: usize) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    reader.with_batch_size(rows.max(1)).build().unwrap().map(|batch| batch.unwrap()).collect()
}

/// The footer, with the indexes of pages where there are some.
pub fn footer(bytes: &[u8]) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
    reader.parse_and_finish(&bytes::Bytes::copy_from_slice(bytes)).unwrap()
}

/// A batch of one column, `c`.
pub fn column(array: ArrayRef) -> RecordBatch {
    let schema = Schema::new(vec![Field::new("c", array.data_type().clone(), true)]);
    RecordBatch::try_new(Arc::new(schema), vec![array]).unwrap()
}
