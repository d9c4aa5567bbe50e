//! Dates, times and spans of time in other units: the same moment, or the same time of day.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, make_array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};

use super::family::Family;
use super::turn::{Turned, Unfit, by_arrow};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

pub(super) fn turn(column: &ArrayRef, wanted: &DataType, from: Family<'_>, to: Family<'_>) -> Turned {
    if matches!((from, to), (Family::Interval, _) | (_, Family::Interval)) {
        return interval(column, wanted);
    }
    let (Some(unit), Some(other)) = (nanoseconds(column.data_type()), nanoseconds(wanted)) else {
        return Err(Unfit::Whole(format!("{} cannot become {wanted}", column.data_type())));
    };
    let (counts, nulls) = counts(column)?;
    let exact = |count: i64| match unit >= other {
        true => count.checked_mul(unit / other),
        false => (count % (other / unit) == 0).then(|| count / (other / unit)),
    };
    let day = DAY / other;
    let narrow = matches!(wanted, DataType::Date32 | DataType::Time32(_));
    let fits = |count: &i64| match to {
        _ if narrow && i32::try_from(*count).is_err() => false,
        Family::Time => (0..day).contains(count),
        Family::Date => count % day == 0,
        _ => true,
    };
    let turned = |count: i64| exact(count).filter(fits);
    let values: Vec<i64> = counts.iter().map(|count| turned(*count).unwrap_or(MISFIT)).collect();
    // A count that is the mark itself is looked at again, and found to fit.
    if values.contains(&MISFIT) {
        let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let unfit = |(row, count): (usize, &i64)| (!is_null(row) && turned(*count).is_none()).then_some(row);
        if let Some(row) = counts.iter().enumerate().find_map(unfit) {
            return Err(Unfit::Row(row));
        }
    }
    of_counts(values, nulls, wanted)
}

/// Stands for a value that does not fit.
const MISFIT: i64 = i64::MIN;

/// An interval has months, days and nanoseconds; a duration no more than the last.
fn interval(column: &ArrayRef, wanted: &DataType) -> Turned {
    let turned = by_arrow(column, wanted)?;
    if !matches!((column.data_type(), wanted), (DataType::Duration(_), _) | (_, DataType::Duration(_))) {
        return Ok(turned);
    }
    let back = by_arrow(&turned, column.data_type())?;
    match (0..column.len()).find(|row| column.slice(*row, 1) != back.slice(*row, 1)) {
        Some(row) => Err(Unfit::Row(row)),
        None => Ok(turned),
    }
}

/// Decimal places of a second that a unit counts.
pub(super) fn places(unit: TimeUnit) -> u32 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

/// Nanoseconds in the unit that a type counts.
fn nanoseconds(data_type: &DataType) -> Option<i64> {
    match data_type {
        DataType::Date32 => Some(DAY),
        DataType::Date64 => Some(SECOND / 1_000),
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Timestamp(unit, _) | DataType::Duration(unit) => {
            Some(SECOND / 10_i64.pow(places(*unit)))
        }
        _ => None,
    }
}

/// What a column counts, in 64 bits.
fn counts(column: &ArrayRef) -> Result<(ScalarBuffer<i64>, Option<NullBuffer>), Unfit> {
    let bits = |wanted: DataType| -> Turned {
        let data = column.to_data().into_builder().data_type(wanted).build()?;
        Ok(make_array(data))
    };
    match column.data_type() {
        DataType::Date32 | DataType::Time32(_) => {
            let days = bits(DataType::Int32)?;
            let days = days.as_primitive::<Int32Type>();
            Ok((days.values().iter().map(|day| i64::from(*day)).collect(), days.nulls().cloned()))
        }
        _ => {
            let counts = bits(DataType::Int64)?;
            let counts = counts.as_primitive::<Int64Type>();
            Ok((counts.values().clone(), counts.nulls().cloned()))
        }
    }
}

/// A column that counts these.
fn of_counts(values: Vec<i64>, nulls: Option<NullBuffer>, wanted: &DataType) -> Turned {
    macro_rules! of {
        ($kind:ty) => {
            Arc::new(PrimitiveArray::<$kind>::try_new(values.into(), nulls)?.with_data_type(wanted.clone()))
        };
    }
    // What does not fit 32 bits is NULL.
    let short = |values: &[i64]| values.iter().map(|value| i32::try_from(*value).unwrap_or(0)).collect();
    Ok(match wanted {
        DataType::Date32 => Arc::new(PrimitiveArray::<Date32Type>::try_new(short(&values), nulls)?),
        DataType::Time32(TimeUnit::Second) => {
            Arc::new(PrimitiveArray::<Time32SecondType>::try_new(short(&values), nulls)?)
        }
        DataType::Time32(_) => Arc::new(PrimitiveArray::<Time32MillisecondType>::try_new(short(&values), nulls)?),
        DataType::Date64 => of!(Date64Type),
        DataType::Time64(TimeUnit::Nanosecond) => of!(Time64NanosecondType),
        DataType::Time64(_) => of!(Time64MicrosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => of!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => of!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => of!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of!(TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => of!(DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => of!(DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => of!(DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => of!(DurationNanosecondType),
        other => return Err(Unfit::Whole(format!("{other} counts no time"))),
    })
}
