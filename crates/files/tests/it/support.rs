//! Writing and reading.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Decimal256Type, Int32Type, Int64Type};
use arrow_array::*;
use arrow_buffer::{OffsetBuffer, i256};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use arrow_select::concat::concat_batches;
use bowshot_core::{Cancel, Error, Options, Plan, Query, Request, Result, Source, Stream};
use bowshot_files::Files;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

/// Two workers, whatever the machine has.
pub fn options() -> Options {
    Options { connections: Some(2), ..Options::default() }
}

pub fn plan(uri: &str, query: &str, options: &Options) -> Result<Plan> {
    Files::from_uri(uri)?.plan(&Request::new(Query::new(query), options.clone()), &Cancel::new())
}

/// The whole result as one batch.
pub fn read_with(uri: &str, query: &str, options: &Options) -> Result<RecordBatch> {
    finish(plan(uri, query, options)?, options)
}

pub fn finish(plan: Plan, options: &Options) -> Result<RecordBatch> {
    let schema = Arc::clone(&plan.schema);
    let expected: Option<u64> = plan.partitions.iter().map(|partition| partition.rows).sum();
    let batches = Stream::start(plan, options, Cancel::new()).collect::<Result<Vec<_>>>()?;
    for batch in &batches {
        assert_eq!(batch.schema(), schema);
    }
    let batch = concat_batches(&schema, &batches)?;
    if let Some(expected) = expected {
        assert_eq!(batch.num_rows() as u64, expected);
    }
    Ok(batch)
}

pub fn read(uri: &str, query: &str) -> RecordBatch {
    read_with(uri, query, &options()).unwrap()
}

pub fn failure(uri: &str, query: &str) -> Error {
    read_with(uri, query, &options()).unwrap_err()
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Columns of two results, without their metadata.
pub fn assert_same(found: &RecordBatch, wanted: &RecordBatch) {
    assert_eq!(found.num_columns(), wanted.num_columns());
    for (place, field) in wanted.schema().fields().iter().enumerate() {
        assert_eq!(found.schema().field(place).name(), field.name());
        assert_eq!(&found.column(place).to_data(), &wanted.column(place).to_data(), "{}", field.name());
    }
}

pub fn write_parquet(path: &Path, batch: &RecordBatch, properties: WriterProperties) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Row `i` of `rows` of every type, each third one NULL where a column allows it.
pub fn many_types(rows: usize) -> RecordBatch {
    fn some<T>(rows: usize, value: impl Fn(usize) -> T) -> Vec<Option<T>> {
        (0..rows).map(|i| (i % 3 != 2).then(|| value(i))).collect()
    }
    let text = some(rows, |i| format!("täxt {} {}", i % 17, "x".repeat(i % 29)));
    let decimals = |p, s| {
        let array = Decimal128Array::from(some(rows, |i| i as i128 * 7 - 100));
        Arc::new(array.with_precision_and_scale(p, s).unwrap()) as ArrayRef
    };
    let wide = PrimitiveArray::<Decimal256Type>::from_iter(some(rows, |i| i256::from_i128(i as i128 * -13)));
    let numbers = Int64Array::from(some(rows * 2, |i| i as i64));
    let item = Arc::new(Field::new_list_field(DataType::Int64, true));
    let list = ListArray::new(
        item,
        OffsetBuffer::from_lengths((0..rows).map(|i| if i + 1 == rows { 2 } else { i % 3 })),
        Arc::new(numbers),
        None,
    );
    let inner: Fields = vec![Field::new("a", DataType::Int32, true), Field::new("b", DataType::Utf8, true)].into();
    let structs = StructArray::new(
        inner,
        vec![Arc::new(Int32Array::from(some(rows, |i| i as i32))), Arc::new(StringArray::from(text.clone()))],
        None,
    );
    let words: DictionaryArray<Int32Type> = text.iter().map(|text| text.as_deref()).collect();
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..rows as i64)), false),
        ("i8", Arc::new(Int8Array::from(some(rows, |i| i as i8))), true),
        ("i16", Arc::new(Int16Array::from(some(rows, |i| (i as i16).wrapping_sub(99)))), true),
        ("i32", Arc::new(Int32Array::from(some(rows, |i| i32::MIN + i as i32))), true),
        ("u8", Arc::new(UInt8Array::from(some(rows, |i| i as u8))), true),
        ("u16", Arc::new(UInt16Array::from(some(rows, |i| i as u16))), true),
        ("u32", Arc::new(UInt32Array::from(some(rows, |i| u32::MAX - i as u32))), true),
        ("u64", Arc::new(UInt64Array::from(some(rows, |i| u64::MAX - i as u64))), true),
        ("f32", Arc::new(Float32Array::from(some(rows, |i| i as f32 / 3.0))), true),
        ("f64", Arc::new(Float64Array::from(some(rows, |i| i as f64 / 7.0))), true),
        ("yes", Arc::new(BooleanArray::from(some(rows, |i| i % 2 == 0))), true),
        ("text", Arc::new(StringArray::from(text.clone())), true),
        ("large", Arc::new(LargeStringArray::from(text.clone())), true),
        ("bytes", Arc::new(BinaryArray::from_iter(some(rows, |i| vec![i as u8, 0xff]))), true),
        ("dict", Arc::new(words), true),
        ("d9", decimals(9, 2), true),
        ("d18", decimals(18, 4), true),
        ("d38", decimals(38, 10), true),
        ("d76", Arc::new(wide.with_precision_and_scale(60, 5).unwrap()), true),
        ("date", Arc::new(Date32Array::from(some(rows, |i| i as i32 - 1000))), true),
        ("time", Arc::new(Time64MicrosecondArray::from(some(rows, |i| i as i64))), true),
        ("ts_ns", Arc::new(TimestampNanosecondArray::from(some(rows, |i| i as i64 * 1_000_000_007))), true),
        (
            "ts_utc",
            Arc::new(TimestampMicrosecondArray::from(some(rows, |i| -(i as i64))).with_timezone("Europe/Berlin")),
            true,
        ),
        ("list", Arc::new(list), true),
        ("struct", Arc::new(structs), true),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter((0..rows).map(|i| [i as u8; 16])).unwrap()), false),
        ("offsets", Arc::new(PrimitiveArray::<Int64Type>::from(some(rows, |i| i as i64 * i as i64))), true),
        ("seconds", Arc::new(TimestampMillisecondArray::from(some(rows, |i| i as i64 * 1000))), true),
    ];
    let field = |(name, array, null): &(&str, ArrayRef, bool)| Field::new(*name, array.data_type().clone(), *null);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    assert!(matches!(
        schema.field_with_name("ts_ns").unwrap().data_type(),
        DataType::Timestamp(TimeUnit::Nanosecond, None)
    ));
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array, _)| array).collect()).unwrap()
}
