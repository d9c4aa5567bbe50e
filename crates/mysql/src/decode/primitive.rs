//! The loop that all columns of one length a value in Arrow have in common.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use bowshot_core::Impossible;
use bowshot_net::collect;

use super::Reject;
use crate::cells::{Cells, NULL};

/// Turns every value by a function that the compiler sees through; `explain` has a closer look at the first one that it
/// cannot turn.
#[inline(always)]
pub(super) fn decode<T: ArrowPrimitiveType>(
    cells: Cells<'_>,
    data_type: &DataType,
    convert: impl Fn(&[u8], u32) -> Option<T::Native>,
    explain: impl Fn(&[u8], u32) -> Reject,
) -> Result<ArrayRef, Reject> {
    let bytes = cells.bytes;
    let mut failed = NULL;
    let mut turn = |offset: u32| {
        convert(bytes, offset).unwrap_or_else(|| {
            failed = if failed == NULL { offset } else { failed };
            T::Native::default()
        })
    };
    // One loop for columns with NULLs and without: of `convert` in two places, the compiler makes a call for each value.
    let nullable = |&offset: &u32| if offset == NULL { T::Native::default() } else { turn(offset) };
    let values: Vec<T::Native> = collect(cells.offsets.iter().map(nullable));
    if failed != NULL {
        return Err(explain(bytes, failed));
    }
    let array = PrimitiveArray::<T>::try_new(values.into(), cells.validity())?;
    Ok(Arc::new(array.with_data_type(data_type.clone())))
}

/// The same for dates, of which some are none: those become NULL, if that is asked for.
#[inline(always)]
pub(super) fn decode_dates<T: ArrowPrimitiveType>(
    cells: Cells<'_>,
    data_type: &DataType,
    impossible: Impossible,
    convert: impl Fn(&[u8], u32) -> Option<T::Native>,
    explain: impl Fn(&[u8], u32) -> Reject,
) -> Result<ArrayRef, Reject> {
    // A closure of its own: a reference to `convert` would be called, not inlined.
    match (decode::<T>(cells, data_type, |bytes, offset| convert(bytes, offset), &explain), impossible) {
        (Err(Reject::ZeroDate(_)), Impossible::Null) => {}
        (outcome, _) => return outcome,
    }
    let mut values = Vec::with_capacity(cells.len());
    for &offset in cells.offsets {
        let value = if offset == NULL { None } else { convert(cells.bytes, offset) };
        if value.is_none()
            && offset != NULL
            && let reject @ (Reject::Value { .. } | Reject::Broken(_)) = explain(cells.bytes, offset)
        {
            return Err(reject);
        }
        values.push(value);
    }
    let valid = BooleanBuffer::collect_bool(values.len(), |row| values.get(row).is_some_and(Option::is_some));
    let values: Vec<T::Native> = values.into_iter().map(Option::unwrap_or_default).collect();
    let array = PrimitiveArray::<T>::try_new(values.into(), Some(NullBuffer::new(valid)))?;
    Ok(Arc::new(array.with_data_type(data_type.clone())))
}
