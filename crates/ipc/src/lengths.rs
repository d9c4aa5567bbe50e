//! Batches whose texts are sent as lengths in place of offsets.
//!
//! Where each value begins is a number that differs from row to row, even where all values are equally long: to a codec like LZ4 or
//! Zstandard these are four bytes of noise a row, for a flag as for a comment. Lengths repeat. Of TPC-H's lineitem in
//! Zstandard, offsets are 29 %.
//!
//! This is no part of Arrow's format, but a batch of it: each column of texts or bytes becomes a column of whole numbers, and one
//! behind all others whose first value holds the bytes of all rows. Who sends such a batch says so beside it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, BinaryType, ByteArrayType, Int32Type, Int64Type, LargeBinaryType, LargeUtf8Type, Utf8Type,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use bowshot_cells::{ordered, texts};

/// The header, and its value, by which a client of a Flight server says that it reads batches with lengths.
pub const READS_LENGTHS: (&str, &str) = ("bowshot-reads", "lengths");

/// What stands in a message's `app_metadata` beside a batch with lengths.
pub const LENGTHS: &[u8] = b"bowshot: lengths";

/// The schema of a batch with lengths in place of the offsets of `schema`; `None` where no column has offsets.
pub fn schema_of_lengths(schema: &Schema) -> Option<SchemaRef> {
    let mut fields = Vec::with_capacity(schema.fields().len());
    let mut bytes: Vec<FieldRef> = Vec::new();
    for field in schema.fields() {
        match parts(field.data_type()) {
            None => fields.push(Arc::clone(field)),
            Some((lengths, kind)) => {
                fields.push(Arc::new(Field::new(field.name(), lengths, field.is_nullable())));
                bytes.push(Arc::new(Field::new(field.name(), kind, false)));
            }
        }
    }
    if bytes.is_empty() {
        return None;
    }
    fields.extend(bytes);
    Some(Arc::new(Schema::new(fields)))
}

/// The types of a column's lengths and of its bytes, if it has offsets.
fn parts(of: &DataType) -> Option<(DataType, DataType)> {
    match of {
        DataType::Utf8 | DataType::Binary => Some((DataType::Int32, DataType::Binary)),
        DataType::LargeUtf8 | DataType::LargeBinary => Some((DataType::Int64, DataType::LargeBinary)),
        _ => None,
    }
}

/// The batch with lengths; `schema` is that of [`schema_of_lengths`].
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
/// use bowshot_ipc::{schema_of_lengths, with_lengths, without_lengths};
///
/// let cities: ArrayRef = Arc::new(StringArray::from(vec!["Utrecht", "Amersfoort"]));
/// let batch = RecordBatch::try_from_iter([("city", cities)])?;
/// let schema = schema_of_lengths(batch.schema_ref()).ok_or("it has texts")?;
/// let sent = with_lengths(&batch, &schema)?;
/// assert_eq!(sent.column(0).as_ref(), &Int32Array::from(vec![7, 10]));
/// assert_eq!(without_lengths(&sent, batch.schema_ref())?, batch);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// It is that of another batch.
pub fn with_lengths(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let mut columns = Vec::with_capacity(schema.fields().len());
    let mut bytes = Vec::new();
    for column in batch.columns() {
        let taken = match column.data_type() {
            DataType::Utf8 => taken_apart::<Utf8Type, Int32Type, BinaryType>(column),
            DataType::Binary => taken_apart::<BinaryType, Int32Type, BinaryType>(column),
            DataType::LargeUtf8 => taken_apart::<LargeUtf8Type, Int64Type, LargeBinaryType>(column),
            DataType::LargeBinary => taken_apart::<LargeBinaryType, Int64Type, LargeBinaryType>(column),
            _ => (Arc::clone(column), None),
        };
        columns.push(taken.0);
        bytes.extend(taken.1);
    }
    columns.extend(bytes);
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)
}

/// The lengths of a column's values, and its bytes as the first value of another.
fn taken_apart<T, L, B>(column: &ArrayRef) -> (ArrayRef, Option<ArrayRef>)
where
    T: ByteArrayType,
    L: ArrowPrimitiveType<Native = T::Offset>,
    B: ByteArrayType<Offset = T::Offset>,
{
    let texts = column.as_bytes::<T>();
    let offsets = texts.value_offsets();
    let lengths: ScalarBuffer<T::Offset> =
        offsets.iter().zip(offsets.iter().skip(1)).map(|(begin, end)| *end - *begin).collect();
    let lengths = PrimitiveArray::<L>::new(lengths, texts.nulls().cloned());
    let all = shown(texts);
    let counts = (0..texts.len()).map(|row| if row == 0 { all.len() } else { 0 });
    let bytes = GenericByteArray::<B>::new(OffsetBuffer::from_lengths(counts), all, None);
    (Arc::new(lengths), Some(Arc::new(bytes)))
}

/// The bytes of all values, one after the other.
fn shown<T: ByteArrayType>(texts: &GenericByteArray<T>) -> Buffer {
    match texts.value_offsets() {
        [first, .., last] => texts.values().slice_with_length(first.as_usize(), last.as_usize() - first.as_usize()),
        _ => Buffer::default(),
    }
}

/// The batch of `schema` whose lengths came.
///
/// # Errors
/// The lengths are not those of the bytes, or of texts that are UTF-8; or the batch is another one's.
pub fn without_lengths(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let (came, mut bytes) = batch.columns().split_at(schema.fields().len().min(batch.num_columns()));
    let mut columns = Vec::with_capacity(came.len());
    for (column, field) in came.iter().zip(schema.fields()) {
        let whole = match field.data_type() {
            DataType::Utf8 => put_together::<Utf8Type, Int32Type, BinaryType>(column, &mut bytes)?,
            DataType::Binary => put_together::<BinaryType, Int32Type, BinaryType>(column, &mut bytes)?,
            DataType::LargeUtf8 => put_together::<LargeUtf8Type, Int64Type, LargeBinaryType>(column, &mut bytes)?,
            DataType::LargeBinary => put_together::<LargeBinaryType, Int64Type, LargeBinaryType>(column, &mut bytes)?,
            _ => Arc::clone(column),
        };
        columns.push(whole);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)
}

fn put_together<T, L, B>(lengths: &ArrayRef, rest: &mut &[ArrayRef]) -> Result<ArrayRef, ArrowError>
where
    T: ByteArrayType,
    L: ArrowPrimitiveType<Native = T::Offset>,
    B: ByteArrayType<Offset = T::Offset>,
{
    let refused = |what: &str| ArrowError::IpcError(format!("lengths of texts {what}"));
    let Some((bytes, others)) = rest.split_first() else { return Err(refused("without their bytes")) };
    *rest = others;
    let (Some(lengths), Some(bytes)) = (lengths.as_primitive_opt::<L>(), bytes.as_bytes_opt::<B>()) else {
        return Err(refused("of another type"));
    };
    let all = shown(bytes);
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0_usize;
    offsets.push(T::Offset::default());
    for length in lengths.values() {
        let offset = length.to_usize().and_then(|length| end.checked_add(length)).filter(|end| *end <= all.len());
        end = offset.ok_or_else(|| refused("that are more than their bytes"))?;
        offsets.push(T::Offset::usize_as(end));
    }
    if end < all.len() {
        return Err(refused("that are fewer than their bytes"));
    }
    let offsets = ordered(ScalarBuffer::from(offsets), end).ok_or_else(|| refused("out of order"))?;
    Ok(Arc::new(texts::<T>(offsets, all, lengths.nulls().cloned())?))
}

#[cfg(test)]
mod tests;
