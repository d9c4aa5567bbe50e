//! Columns of whole numbers, and of what is stored as such: dates, times, decimals.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{Array, ArrayRef, UInt8Array, make_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};

use super::planes::{self, Planes, Whole};

/// How many bytes a value of this type has, if it is packed. A single byte has nothing to gain, and the bytes of a floating point
/// number say nothing by themselves.
pub(super) fn width(of: &DataType) -> Option<usize> {
    let is_decimal = matches!(of, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..));
    let is_whole = of.is_integer() || of.is_temporal() || is_decimal;
    of.primitive_width().filter(|width| is_whole && *width > 1)
}

/// The planes of a column, the first one with its NULLs, if it is packed.
pub(super) fn take_apart(column: &ArrayRef) -> Option<(Planes, Vec<ArrayRef>)> {
    let width = width(column.data_type())?;
    let data = column.to_data();
    let (planes, bytes) = match width {
        2 => planes_of::<i16>(&data),
        4 => planes_of::<i32>(&data),
        8 => planes_of::<i64>(&data),
        _ => planes_of::<i128>(&data),
    };
    Some((planes, arrays(bytes, data.nulls())))
}

fn planes_of<T: Whole>(data: &ArrayData) -> (Planes, Vec<Vec<u8>>) {
    let values = data.buffer::<T>(0).get(..data.len()).unwrap_or_default();
    planes::take_apart(values, data.nulls().filter(|nulls| nulls.null_count() > 0))
}

/// Planes as arrays, the first one with the NULLs.
pub(super) fn arrays(planes: Vec<Vec<u8>>, nulls: Option<&NullBuffer>) -> Vec<ArrayRef> {
    let array = |(plane, bytes): (usize, Vec<u8>)| -> ArrayRef {
        Arc::new(UInt8Array::new(bytes.into(), nulls.filter(|_| plane == 0).cloned()))
    };
    planes.into_iter().enumerate().map(array).collect()
}

/// The column of this type whose planes these are.
///
/// # Errors
/// They are none, or `base` does not fit the type.
pub(super) fn put_together(of: &DataType, parts: &[&ArrayRef], base: i128) -> Result<ArrayRef, ArrowError> {
    let values = match width(of) {
        Some(2) => Buffer::from_vec(values::<i16>(parts, base)?),
        Some(4) => Buffer::from_vec(values::<i32>(parts, base)?),
        Some(8) => Buffer::from_vec(values::<i64>(parts, base)?),
        Some(16) => Buffer::from_vec(values::<i128>(parts, base)?),
        _ => return Err(refused(&format!("of {of}, which has none"))),
    };
    let (rows, nulls) = rows_and_nulls(parts)?;
    let data = ArrayData::builder(of.clone()).len(rows).nulls(nulls.cloned()).add_buffer(values);
    Ok(make_array(data.build()?))
}

/// The numbers whose planes these are.
///
/// # Errors
/// They are none, or `base` does not fit the type.
pub(super) fn values<T: Whole>(parts: &[&ArrayRef], base: i128) -> Result<Vec<T>, ArrowError> {
    let (rows, _) = rows_and_nulls(parts)?;
    let bytes = |part: &&ArrayRef| match part.as_primitive_opt::<UInt8Type>() {
        Some(plane) if plane.len() == rows => Ok(plane.values().clone()),
        _ => Err(refused("that are no bytes")),
    };
    let planes = parts.iter().map(bytes).collect::<Result<Vec<_>, _>>()?;
    let planes: Vec<&[u8]> = planes.iter().map(|plane| &plane[..]).collect();
    let base = T::try_from(base).map_err(|_| refused("of numbers that are too large for their type"))?;
    Ok(planes::put_together(&planes, rows, base))
}

/// How many values planes have, and which of them are NULL.
pub(super) fn rows_and_nulls<'a>(parts: &[&'a ArrayRef]) -> Result<(usize, Option<&'a NullBuffer>), ArrowError> {
    let first: &'a ArrayRef = parts.first().copied().ok_or_else(|| refused("that are missing"))?;
    Ok((first.len(), first.nulls()))
}

fn refused(what: &str) -> ArrowError {
    ArrowError::IpcError(format!("a packed batch with planes {what}"))
}
