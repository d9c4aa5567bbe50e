//! Columns of texts, or of bytes, as lengths and bytes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, ArrayRef, GenericBinaryArray, GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use bowshot_cells::{ordered, texts};

use super::numbers;
use super::planes::{self, Planes, Whole};

/// The planes of a column's lengths, and its bytes as the first value of another column; `None` where it is none of texts.
pub(super) fn take_apart(column: &ArrayRef) -> Option<((Planes, Vec<ArrayRef>), ArrayRef)> {
    match column.data_type() {
        DataType::Utf8 => Some(lengths_and_bytes::<Utf8Type>(column)),
        DataType::Binary => Some(lengths_and_bytes::<BinaryType>(column)),
        DataType::LargeUtf8 => Some(lengths_and_bytes::<LargeUtf8Type>(column)),
        DataType::LargeBinary => Some(lengths_and_bytes::<LargeBinaryType>(column)),
        _ => None,
    }
}

fn lengths_and_bytes<T>(column: &ArrayRef) -> ((Planes, Vec<ArrayRef>), ArrayRef)
where
    T: ByteArrayType<Offset: Whole>,
{
    let texts = column.as_bytes::<T>();
    let offsets = texts.value_offsets();
    let lengths: Vec<T::Offset> =
        offsets.iter().zip(offsets.iter().skip(1)).map(|(begin, end)| *end - *begin).collect();
    // The lengths of NULLs, too: they may have bytes.
    let (planes, lengths) = planes::take_apart(&lengths, None);
    let all = shown(texts);
    let counts = (0..texts.len()).map(|row| if row == 0 { all.len() } else { 0 });
    let bytes = GenericBinaryArray::<T::Offset>::new(OffsetBuffer::from_lengths(counts), all, None);
    ((planes, numbers::arrays(lengths, texts.nulls())), Arc::new(bytes))
}

/// The bytes of all values, one after the other.
fn shown<T: ByteArrayType>(texts: &GenericByteArray<T>) -> Buffer {
    match texts.value_offsets() {
        [first, .., last] => texts.values().slice_with_length(first.as_usize(), last.as_usize() - first.as_usize()),
        _ => Buffer::default(),
    }
}

/// The column of this type with these lengths and bytes.
///
/// # Errors
/// They do not belong together, or are not UTF-8 where they should be.
pub(super) fn put_together(
    of: &DataType,
    lengths: &[&ArrayRef],
    base: i128,
    bytes: &ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    match of {
        DataType::Utf8 => column::<Utf8Type>(lengths, base, bytes),
        DataType::Binary => column::<BinaryType>(lengths, base, bytes),
        DataType::LargeUtf8 => column::<LargeUtf8Type>(lengths, base, bytes),
        DataType::LargeBinary => column::<LargeBinaryType>(lengths, base, bytes),
        _ => Err(refused(&format!("of {of}, which has none"))),
    }
}

fn column<T>(lengths: &[&ArrayRef], base: i128, bytes: &ArrayRef) -> Result<ArrayRef, ArrowError>
where
    T: ByteArrayType<Offset: Whole>,
{
    let bytes = bytes.as_binary_opt::<T::Offset>().ok_or_else(|| refused("of another type"))?;
    let all = shown(bytes);
    let offsets = offsets(&numbers::values::<T::Offset>(lengths, base)?, all.len())?;
    let (_, nulls) = numbers::rows_and_nulls(lengths)?;
    Ok(Arc::new(texts::<T>(offsets, all, nulls.cloned())?))
}

/// The offsets of values of these lengths, which fill `bytes` bytes.
fn offsets<O: OffsetSizeTrait>(lengths: &[O], bytes: usize) -> Result<OffsetBuffer<O>, ArrowError> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0_usize;
    offsets.push(O::default());
    for length in lengths {
        let next = length.to_usize().and_then(|length| end.checked_add(length)).filter(|end| *end <= bytes);
        end = next.ok_or_else(|| refused("that are more than their bytes"))?;
        offsets.push(O::usize_as(end));
    }
    if end < bytes {
        return Err(refused("that are fewer than their bytes"));
    }
    ordered(ScalarBuffer::from(offsets), end).ok_or_else(|| refused("out of order"))
}

fn refused(what: &str) -> ArrowError {
    ArrowError::IpcError(format!("a packed batch with lengths {what}"))
}
