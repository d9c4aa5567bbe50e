//! The functions as a C program calls them.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]
#![expect(unsafe_code, reason = "the tests are the caller")]

use std::path::Path;
use std::sync::Arc;

use arrow_array::StringViewArray;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray, StructArray, make_array, types::Int32Type,
};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema};
use bowshot_border::{Answer, Texts, request};
use bowshot_parquet::*;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// What a function answered: the number and the texts, or those of the error.
fn answered(call: impl FnOnce(*mut Answer)) -> Result<(i64, Vec<String>), Vec<String>> {
    let mut answer = Answer::default();
    call(&mut answer);
    // SAFETY: the bytes are this answer's, and freed once.
    let texts = unsafe {
        let texts = request(answer.bytes.expose_provenance().try_into().unwrap(), answer.length).unwrap();
        bowshot_parquet_free(answer.bytes, answer.length);
        texts
    };
    let texts = texts.texts_from(0).unwrap().into_iter().map(str::to_owned).collect();
    if answer.failed == 0 { Ok((answer.value, texts)) } else { Err(texts) }
}

fn address<T>(of: &mut T) -> i64 {
    (&raw mut *of).expose_provenance().try_into().unwrap()
}

fn open(path: &Path, options: &[&str], schema: &Schema) -> Result<i64, Vec<String>> {
    let mut texts = Texts::from([path.to_str().unwrap()]);
    options.iter().for_each(|text| texts.push(text));
    let mut bytes = texts.to_bytes();
    let mut schema = FFI_ArrowSchema::try_from(schema).unwrap();
    let at = bytes.as_mut_ptr().expose_provenance().try_into().unwrap();
    let length = bytes.len().try_into().unwrap();
    // SAFETY: the request and the schema live until the call returns.
    let opened = answered(|answer| unsafe { bowshot_parquet_open(answer, at, length, address(&mut schema)) });
    opened.map(|(handle, _)| handle)
}

fn write(writer: i64, array: &dyn Array) -> Result<i64, Vec<String>> {
    write_as(writer, array, 0)
}

fn write_as(writer: i64, array: &dyn Array, schema: i64) -> Result<i64, Vec<String>> {
    let mut array = FFI_ArrowArray::new(&array.to_data());
    // SAFETY: the array is one of the schema, but where a test tells lies that must be found.
    let written = answered(|answer| unsafe { bowshot_parquet_write(answer, writer, address(&mut array), schema) });
    assert!(array.is_released());
    written.map(|(rows, _)| rows)
}

fn finish(writer: i64) -> Result<(i64, Vec<String>), Vec<String>> {
    // SAFETY: the handle is open, and not used again.
    answered(|answer| unsafe { bowshot_parquet_finish(answer, writer) })
}

fn abort(writer: i64) {
    // SAFETY: the handle is open, and not used again.
    answered(|answer| unsafe { bowshot_parquet_abort(answer, writer) }).unwrap();
}

fn batch(texts: ArrayRef) -> RecordBatch {
    let numbers: Int32Array = (0..i32::try_from(texts.len()).unwrap()).collect();
    let schema =
        Schema::new(vec![Field::new("n", DataType::Int32, false), Field::new("t", texts.data_type().clone(), true)]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(numbers), texts]).unwrap()
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_file_is_opened_written_and_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let batch = batch(Arc::new(StringArray::from(vec![Some("a"), None])));
    let writer = open(&path, &["compression", "snappy", "row_group_rows", "3"], &batch.schema()).unwrap();
    assert_eq!(write(writer, &StructArray::from(batch.clone())), Ok(2));
    assert_eq!(write(writer, &StructArray::from(batch.clone())), Ok(4));
    let (rows, texts) = finish(writer).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!((rows, texts), (4, vec!["2".to_owned(), bytes.len().to_string()]));
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap().with_batch_size(2);
    let found: Vec<RecordBatch> = reader.build().unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 4);
    assert_eq!(found[0].columns(), batch.columns());
}

#[test]
fn an_aborted_file_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let batch = batch(Arc::new(StringArray::from(vec!["a"])));
    let writer = open(&folder.path().join("a.parquet"), &[], &batch.schema()).unwrap();
    write(writer, &StructArray::from(batch)).unwrap();
    assert!(!is_empty(folder.path()));
    abort(writer);
    assert!(is_empty(folder.path()));
}

#[test]
fn errors_say_their_kind_words_way_out_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = batch(Arc::new(StringArray::from(vec!["a"]))).schema();
    let error = open(&path, &["row_group_rows", "x"], &schema).unwrap_err();
    assert_eq!(
        error,
        ["CONFIG", "row_group_rows is \"x\", which is no whole number", "write a number of 1 or more", "", ""]
    );
    assert_eq!(open(&path, &["compression"], &schema).unwrap_err()[0], "INTERNAL");
    assert_eq!(open(&folder.path().join("no/a.parquet"), &[], &schema).unwrap_err()[0], "IO");
    assert_eq!(answered(|answer| unsafe { bowshot_parquet_write(answer, 0, 0, 0) }).unwrap_err()[0], "INTERNAL");
    assert!(is_empty(folder.path()));
}

/// Text that is none.
fn broken_text() -> ArrayRef {
    let data = StringArray::from(vec!["ab", "cd"]).into_data().into_builder();
    let data = data.buffers(vec![Buffer::from_vec(vec![0_i32, 2, 4]), Buffer::from(b"ab\xff\xfe".as_slice())]);
    // SAFETY: only the border looks at the array, which believes nothing.
    make_array(unsafe { data.build_unchecked() })
}

#[test]
fn what_is_no_arrow_data_is_refused_and_gives_the_file_up() {
    let folder = tempfile::tempdir().unwrap();
    // SAFETY: only the border looks at the array, which believes nothing.
    let keys = unsafe {
        DictionaryArray::<Int32Type>::new_unchecked(
            Int32Array::from(vec![0, 7]),
            Arc::new(StringArray::from(vec!["a"])),
        )
    };
    for (array, words) in [(broken_text(), "not UTF-8"), (Arc::new(keys) as ArrayRef, "no valid Arrow data")] {
        let batch = batch(array);
        let writer = open(&folder.path().join("a.parquet"), &[], &batch.schema()).unwrap();
        let error = write(writer, &StructArray::from(batch)).unwrap_err();
        assert_eq!((error[0].as_str(), error[3].as_str()), ("VALUE", "t"));
        assert!(error[1].contains(words), "{error:?}");
        assert!(is_empty(folder.path()));
        assert!(finish(writer).unwrap_err()[1].contains("was given up"));
    }
}

#[test]
fn views_below_nulls_may_be_anything_and_others_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let views = |nulls: Option<NullBuffer>| -> ArrayRef {
        let texts = StringViewArray::from(vec!["longer than twelve bytes", "short", "longer than twelve bytes"]);
        let mut views = texts.views().to_vec();
        // A length, and a place that no buffer has.
        views[2] = u128::from(u32::MAX >> 1) | (7 << 64);
        let buffers = texts.data_buffers().to_vec();
        // SAFETY: only the border looks at the array, which believes nothing.
        Arc::new(unsafe { StringViewArray::new_unchecked(views.into(), buffers, nulls) })
    };
    let good = batch(views(Some(NullBuffer::from(vec![true, true, false]))));
    let writer = open(&path, &[], &good.schema()).unwrap();
    write(writer, &StructArray::from(good)).unwrap();
    finish(writer).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).unwrap()).unwrap();
    let found = reader.build().unwrap().next().unwrap().unwrap();
    let expected = StringViewArray::from(vec![Some("longer than twelve bytes"), Some("short"), None]);
    assert_eq!(found.column(1).as_string_view(), &expected);

    let bad = batch(views(None));
    let writer = open(&folder.path().join("b.parquet"), &[], &bad.schema()).unwrap();
    assert!(write(writer, &StructArray::from(bad)).unwrap_err()[1].contains("no valid Arrow data"));
    abort(writer);
}

#[test]
fn an_array_of_another_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let batch = batch(Arc::new(StringArray::from(vec!["a"])));
    let writer = open(&folder.path().join("a.parquet"), &[], &batch.schema()).unwrap();
    let one = StructArray::from(vec![(
        Arc::new(Field::new("n", DataType::Int32, true)),
        Arc::new(Int32Array::from(vec![1])) as ArrayRef,
    )]);
    assert!(write(writer, &one).unwrap_err()[1].contains("has 1 columns, the file 2"));
    assert!(finish(writer).unwrap_err()[1].contains("was given up"));

    let writer = open(&folder.path().join("a.parquet"), &[], &batch.schema()).unwrap();
    let other = crate::batch(Arc::new(Int32Array::from(vec![1])));
    let mut schema = FFI_ArrowSchema::try_from(other.schema().as_ref()).unwrap();
    let error = write_as(writer, &StructArray::from(other), address(&mut schema)).unwrap_err();
    assert!(error[1].contains("\"t\" (int32)") && error[1].contains("\"t\" (utf8)"), "{error:?}");
    abort(writer);
    assert!(is_empty(folder.path()));
}
