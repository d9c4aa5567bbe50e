//! A batch as bytes and back: an Arrow IPC stream of its own.
//!
//! The [streaming format](https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format) carries the schema and the dictionaries
//! of each batch with it, so that any reader can read any batch in any order.
#![expect(
    clippy::disallowed_types,
    reason = "what is read back is what this process wrote, in a file that has no name any more"
)]

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::ArrowError;
use bowshot_core::{Error, ErrorKind, Result};

/// The bytes of a batch, compressed: a disk is slower than LZ4.
pub(crate) fn encode(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME))?;
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), batch.schema_ref(), options)?;
    writer.write(batch)?;
    writer.finish()?;
    writer.into_inner()
}

/// The batch that [`encode`] wrote.
pub(crate) fn decode(bytes: &[u8]) -> Result<RecordBatch> {
    let damaged = |why: String| Error::new(ErrorKind::Io, format!("a spilled batch cannot be read back: {why}"));
    let mut reader = StreamReader::try_new(bytes, None).map_err(|error| damaged(error.to_string()))?;
    match reader.next() {
        Some(batch) => batch.map_err(|error| damaged(error.to_string())),
        None => Err(damaged("there is none".into())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Int64Array, ListArray, RecordBatchOptions, StringArray,
        StringViewArray,
    };
    use arrow_schema::{DataType, Field, Schema};

    use super::*;

    fn sample() -> RecordBatch {
        let columns: [(&str, ArrayRef); 6] = [
            ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(-4)]))),
            ("b", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]))),
            ("t", Arc::new(StringArray::from(vec![Some(""), Some("Utrecht"), None, Some("a")]))),
            ("v", Arc::new(StringViewArray::from(vec!["short", "much longer than twelve bytes", "", "x"]))),
            ("d", Arc::new(DictionaryArray::<Int32Type>::from_iter(["a", "b", "a", "c"]))),
            (
                "l",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([
                    Some(vec![Some(1), None]),
                    None,
                    Some(vec![]),
                    Some(vec![Some(7)]),
                ])),
            ),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn a_batch_comes_back_as_it_was_with_every_slice_of_it() {
        let batch = sample();
        for start in 0..=4 {
            for length in 0..=4 - start {
                let slice = batch.slice(start, length);
                assert_eq!(decode(&encode(&slice).unwrap()).unwrap(), slice, "rows {start} to {}", start + length);
            }
        }
    }

    #[test]
    fn metadata_nullability_and_rows_without_columns_survive() {
        let field =
            Field::new("n", DataType::Int64, false).with_metadata([("bowshot.type".into(), "int8".into())].into());
        let schema = Arc::new(Schema::new_with_metadata(vec![field], [("key".into(), "value".into())].into()));
        let batch = RecordBatch::try_new(schema, vec![Arc::new(Int64Array::from(vec![1]))]).unwrap();
        assert_eq!(decode(&encode(&batch).unwrap()).unwrap().schema(), batch.schema());
        let options = RecordBatchOptions::new().with_row_count(Some(7));
        let empty = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options).unwrap();
        assert_eq!(decode(&encode(&empty).unwrap()).unwrap().num_rows(), 7);
    }

    #[test]
    fn what_was_cut_off_is_an_error() {
        let bytes = encode(&sample()).unwrap();
        // The last eight bytes say that no batch follows.
        for length in 0..bytes.len() - 8 {
            assert_eq!(decode(&bytes[..length]).unwrap_err().kind(), ErrorKind::Io, "{length} bytes");
        }
    }
}
