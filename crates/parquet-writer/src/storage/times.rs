//! Times in units that Parquet lacks.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date64Type, Time32SecondType, TimestampSecondType};
use arrow_array::{ArrayRef, Date32Array, Time32MillisecondArray, TimestampMillisecondArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::{Column, first, present};
use crate::fault::Fault;

const A_DAY: i64 = 86_400_000;

/// Seconds as milliseconds.
pub(super) fn milliseconds(column: &Column, array: &ArrayRef, live: Option<&NullBuffer>) -> Result<ArrayRef, Fault> {
    let beyond = |row, value: i64| {
        column.fault(row, format!("{value} seconds, which are too many milliseconds"), "cast it to int64 or text")
    };
    if let DataType::Timestamp(_, zone) = &column.given {
        let seconds = array.as_primitive::<TimestampSecondType>();
        if let Some(row) =
            first(seconds.values(), present(array, live).as_ref(), |value| value.checked_mul(1000).is_none())
        {
            return Err(beyond(row, seconds.value(row)));
        }
        let made = seconds.unary::<_, arrow_array::types::TimestampMillisecondType>(|value| value.wrapping_mul(1000));
        let made: TimestampMillisecondArray = made.with_timezone_opt(zone.clone());
        return Ok(Arc::new(made));
    }
    let seconds = array.as_primitive::<Time32SecondType>();
    if let Some(row) = first(seconds.values(), present(array, live).as_ref(), |value| value.checked_mul(1000).is_none())
    {
        return Err(beyond(row, seconds.value(row).into()));
    }
    let made: Time32MillisecondArray = seconds.unary(|value| value.wrapping_mul(1000));
    Ok(Arc::new(made))
}

/// Milliseconds as days.
pub(super) fn days(column: &Column, array: &ArrayRef, live: Option<&NullBuffer>) -> Result<ArrayRef, Fault> {
    let milliseconds = array.as_primitive::<Date64Type>();
    let is_no_day = |value: i64| value % A_DAY != 0 || i32::try_from(value / A_DAY).is_err();
    if let Some(row) = first(milliseconds.values(), present(array, live).as_ref(), is_no_day) {
        let holds = format!("{} milliseconds, which are no day of Parquet's DATE,", milliseconds.value(row));
        return Err(column.fault(row, holds, "cast it to timestamp[ms]"));
    }
    // What is no day lies under a NULL.
    let made: Date32Array = milliseconds.unary(|value| i32::try_from(value / A_DAY).unwrap_or_default());
    Ok(Arc::new(made))
}
