//! Columns without columns inside, in other types that hold every value of theirs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal256Type, IntervalDayTimeType, IntervalMonthDayNanoType};
use arrow_array::{Array, ArrayRef, Decimal128Array, DurationMicrosecondArray, StringArray};
use arrow_buffer::IntervalMonthDayNano;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, TimeUnit};

use super::narrow::{Narrow, power};
use super::rule::DIGITS;

/// What becomes of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// The same values in a type that holds them all.
    Cast(DataType),
    /// Timestamps, perhaps in another unit and under another name of their zone.
    Instant(DataType),
    /// 16 bytes to a UUID's text.
    Uuid,
    /// More digits than decimal128 has, as decimal128 where all values fit, else as text: to be settled.
    Decimal,
    /// The settled one: decimal128 of this scale.
    Narrow(i8),
    /// Intervals, as durations where none has months, else as text: to be settled.
    Interval,
    /// The settled one.
    Duration,
}

impl Leaf {
    /// Settles by all values what depends on them.
    pub(super) fn settle(self, scale: Option<i8>, arrays: &[ArrayRef]) -> Leaf {
        match self {
            Leaf::Decimal => {
                let mut narrow = Narrow::new(scale.unwrap_or_default());
                for values in arrays.iter().filter_map(|array| array.as_primitive_opt::<Decimal256Type>()) {
                    values.iter().flatten().for_each(|value| narrow.add(value));
                }
                narrow.scale(DIGITS).map_or(Leaf::Cast(DataType::Utf8), Leaf::Narrow)
            }
            Leaf::Interval => {
                let fixed = |array: &ArrayRef| intervals(array).all(|value| value.is_none_or(|v| micros(v).is_some()));
                if arrays.iter().all(fixed) { Leaf::Duration } else { Leaf::Cast(DataType::Utf8) }
            }
            settled => settled,
        }
    }

    /// The type afterwards.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Leaf::Cast(data_type) | Leaf::Instant(data_type) => data_type.clone(),
            Leaf::Narrow(scale) => DataType::Decimal128(DIGITS, *scale),
            Leaf::Duration => DataType::Duration(TimeUnit::Microsecond),
            Leaf::Uuid | Leaf::Decimal | Leaf::Interval => DataType::Utf8,
        }
    }

    /// The values in the new type.
    pub(super) fn apply(&self, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        // Without `safe`, what does not fit is an error instead of NULL.
        let cast = |array: &ArrayRef, to: &DataType| {
            cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() })
        };
        Ok(match self {
            Leaf::Cast(data_type) => cast(array, data_type)?,
            Leaf::Instant(data_type) => {
                let (DataType::Timestamp(unit, _), DataType::Timestamp(_, zone)) = (data_type, array.data_type())
                else {
                    return cast(array, data_type);
                };
                // The unit first, then the name: the instants stay.
                let array = cast(array, &DataType::Timestamp(*unit, zone.clone()))?;
                arrow_array::make_array(array.to_data().into_builder().data_type(data_type.clone()).build()?)
            }
            Leaf::Uuid => {
                let values: StringArray = array.as_fixed_size_binary().iter().map(|value| value.map(uuid)).collect();
                Arc::new(values)
            }
            Leaf::Narrow(scale) => {
                let DataType::Decimal256(_, from) = array.data_type() else { return Ok(Arc::clone(array)) };
                let unit = power(*from - *scale);
                let values = array.as_primitive::<Decimal256Type>().iter();
                // `Narrow` has seen that no digit is lost and that each value fits.
                let values = values.map(|value| value.and_then(|value| value.wrapping_div(unit).to_i128()));
                let values: Decimal128Array = values.collect();
                Arc::new(values.with_precision_and_scale(DIGITS, *scale)?)
            }
            Leaf::Duration => {
                let values: DurationMicrosecondArray = intervals(array).map(|value| value.and_then(micros)).collect();
                Arc::new(values)
            }
            Leaf::Decimal | Leaf::Interval => cast(array, &DataType::Utf8)?,
        })
    }
}

/// Intervals of days and milliseconds, or of the three.
fn intervals(array: &ArrayRef) -> Box<dyn Iterator<Item = Option<IntervalMonthDayNano>> + '_> {
    if let Some(values) = array.as_primitive_opt::<IntervalDayTimeType>() {
        let three = |value: arrow_buffer::IntervalDayTime| {
            IntervalMonthDayNano::new(0, value.days, i64::from(value.milliseconds) * 1_000_000)
        };
        return Box::new(values.iter().map(move |value| value.map(three)));
    }
    match array.as_primitive_opt::<IntervalMonthDayNanoType>() {
        Some(values) => Box::new(values.iter()),
        None => Box::new(std::iter::empty()),
    }
}

/// An interval as a number of microseconds; `None` where it has months, which have no fixed length, or does not fit.
fn micros(value: IntervalMonthDayNano) -> Option<i64> {
    let days = i64::from(value.days).checked_mul(86_400_000_000)?;
    (value.months == 0 && value.nanoseconds % 1000 == 0).then(|| days.checked_add(value.nanoseconds / 1000))?
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    text
}
