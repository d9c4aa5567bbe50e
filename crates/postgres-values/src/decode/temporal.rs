//! Dates, times, timestamps and intervals. PostgreSQL counts from 2000-01-01, Arrow from 1970-01-01.
//!
//! The functions turn one number of PostgreSQL's into Arrow's, or say why that cannot be.

use arrow_array::types::{Date32Type, IntervalMonthDayNanoType, Time64MicrosecondType, TimestampMicrosecondType};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use bowshot_core::Impossible;

use super::{Decode, Fixed, Reject};
use crate::cells::{Cells, NULL, load};

/// Days from 1970-01-01 to 2000-01-01.
const EPOCH_DAYS: i32 = 10_957;
/// Microseconds from 1970-01-01 to 2000-01-01.
const EPOCH_MICROSECONDS: i64 = EPOCH_DAYS as i64 * DAY_MICROSECONDS;
const DAY_MICROSECONDS: i64 = 86_400_000_000;

/// The days since 1970-01-01 of a `date`, which is days since 2000-01-01; the ends of its range stand for infinities.
pub fn date(days: i32) -> Result<i32, Reject> {
    match days {
        i32::MAX => Err(Reject::value("infinity")),
        i32::MIN => Err(Reject::value("-infinity")),
        days => days.checked_add(EPOCH_DAYS).ok_or_else(|| Reject::value(format!("day {days} from 2000-01-01"))),
    }
}

/// What [`date`] makes of all days at once; false, and nothing is changed, where it refuses one.
pub fn dates(days: &mut [i32]) -> bool {
    let latest = i32::MAX - EPOCH_DAYS;
    // Without a way out in between, so that many are compared at once.
    let fit = days.iter().fold(true, |fit, &day| fit & (day != i32::MIN) & (day <= latest));
    if fit {
        days.iter_mut().for_each(|day| *day += EPOCH_DAYS);
    }
    fit
}

/// The microseconds since 1970-01-01 of a `timestamp` or `timestamptz`, which is microseconds since 2000-01-01; the ends
/// of its range stand for infinities.
pub fn timestamp(microseconds: i64) -> Result<i64, Reject> {
    match microseconds {
        i64::MAX => Err(Reject::value("infinity")),
        i64::MIN => Err(Reject::value("-infinity")),
        _ => {
            microseconds.checked_add(EPOCH_MICROSECONDS).ok_or_else(|| Reject::value("a moment after the year 294246"))
        }
    }
}

/// What [`timestamp`] makes of all moments at once; false, and nothing is changed, where it refuses one.
pub fn timestamps(moments: &mut [i64]) -> bool {
    let latest = i64::MAX - EPOCH_MICROSECONDS;
    let fit = moments.iter().fold(true, |fit, &moment| fit & (moment != i64::MIN) & (moment <= latest));
    if fit {
        moments.iter_mut().for_each(|moment| *moment += EPOCH_MICROSECONDS);
    }
    fit
}

/// The microseconds since midnight of a `time`: the same, but for the end of the day.
pub fn time(microseconds: i64) -> Result<i64, Reject> {
    match microseconds {
        DAY_MICROSECONDS => Err(Reject::value("24:00:00")),
        _ if (0..DAY_MICROSECONDS).contains(&microseconds) => Ok(microseconds),
        _ => Err(Reject::broken("a time is not within a day")),
    }
}

/// The months, days and nanoseconds of an `interval`; the ends of all three ranges stand for infinities.
pub fn interval(months: i32, days: i32, microseconds: i64) -> Result<IntervalMonthDayNano, Reject> {
    match (months, days, microseconds) {
        (i32::MAX, i32::MAX, i64::MAX) => Err(Reject::value("infinity")),
        (i32::MIN, i32::MIN, i64::MIN) => Err(Reject::value("-infinity")),
        _ => microseconds
            .checked_mul(1000)
            .map(|nanoseconds| IntervalMonthDayNano::new(months, days, nanoseconds))
            .ok_or_else(|| Reject::value("an interval of more than 292 years of hours")),
    }
}

/// `date` as date32.
pub(crate) struct Date(pub(crate) Impossible);

impl Decode for Date {
    fn decode(&self, cells: Cells<'_>) -> Result<arrow_array::ArrayRef, Reject> {
        let is_infinite = |offset: u32| {
            let days = i32::from_be_bytes(load(cells.bytes, offset as usize));
            days == i32::MAX || days == i32::MIN
        };
        let fixed = Fixed::<Date32Type, _, 4>::new(DataType::Date32, |bytes| date(i32::from_be_bytes(bytes)));
        decode_finite(cells, self.0, is_infinite, &fixed)
    }
}

/// `timestamp` and `timestamptz` as timestamp\[us\], with the data type's zone.
pub(crate) struct Timestamp(pub(crate) DataType, pub(crate) Impossible);

impl Decode for Timestamp {
    fn decode(&self, cells: Cells<'_>) -> Result<arrow_array::ArrayRef, Reject> {
        let is_infinite = |offset: u32| {
            let microseconds = i64::from_be_bytes(load(cells.bytes, offset as usize));
            microseconds == i64::MAX || microseconds == i64::MIN
        };
        let moment = |bytes| timestamp(i64::from_be_bytes(bytes));
        let fixed = Fixed::<TimestampMicrosecondType, _, 8>::new(self.0.clone(), moment);
        decode_finite(cells, self.1, is_infinite, &fixed)
    }
}

/// Decodes after infinite values were made NULL, where that is asked for.
fn decode_finite(
    cells: Cells<'_>,
    infinity: Impossible,
    is_infinite: impl Fn(u32) -> bool,
    decoder: &dyn Decode,
) -> Result<arrow_array::ArrayRef, Reject> {
    let infinite = |&offset: &u32| offset != NULL && is_infinite(offset);
    if infinity == Impossible::Error || !cells.offsets.iter().any(infinite) {
        return decoder.decode(cells);
    }
    let finite: Vec<u32> = cells.offsets.iter().map(|offset| if infinite(offset) { NULL } else { *offset }).collect();
    decoder.decode(Cells { offsets: &finite, has_nulls: true, ..cells })
}

/// `time` as time64\[us\].
pub(crate) struct Time;

impl Decode for Time {
    fn decode(&self, cells: Cells<'_>) -> Result<arrow_array::ArrayRef, Reject> {
        let data_type = DataType::Time64(TimeUnit::Microsecond);
        Fixed::<Time64MicrosecondType, _, 8>::new(data_type, |bytes| time(i64::from_be_bytes(bytes))).decode(cells)
    }
}

/// `interval` as months, days and nanoseconds.
pub(crate) struct Interval;

impl Decode for Interval {
    fn decode(&self, cells: Cells<'_>) -> Result<arrow_array::ArrayRef, Reject> {
        let data_type = DataType::Interval(IntervalUnit::MonthDayNano);
        Fixed::<IntervalMonthDayNanoType, _, 16>::new(data_type, |bytes| {
            let microseconds = i64::from_be_bytes(load(&bytes, 0));
            let days = i32::from_be_bytes(load(&bytes, 8));
            let months = i32::from_be_bytes(load(&bytes, 12));
            interval(months, days, microseconds)
        })
        .decode(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_at_once_are_what_each_is_by_itself() {
        for days in [vec![], vec![0, -1, 1, i32::MIN + 1, i32::MAX - EPOCH_DAYS]] {
            let each: Vec<i32> = days.iter().map(|&day| date(day).unwrap()).collect();
            let mut all = days;
            assert!(dates(&mut all));
            assert_eq!(all, each);
        }
        for refused in [i32::MIN, i32::MAX, i32::MAX - EPOCH_DAYS + 1] {
            assert!(date(refused).is_err());
            let mut all = [1, refused, 3];
            assert!(!dates(&mut all));
            assert_eq!(all, [1, refused, 3]);
        }
        let moments = vec![0, -1, i64::MIN + 1, i64::MAX - EPOCH_MICROSECONDS];
        let each: Vec<i64> = moments.iter().map(|&moment| timestamp(moment).unwrap()).collect();
        let mut all = moments;
        assert!(timestamps(&mut all));
        assert_eq!(all, each);
        for refused in [i64::MIN, i64::MAX, i64::MAX - EPOCH_MICROSECONDS + 1] {
            assert!(timestamp(refused).is_err());
            let mut all = [1, refused];
            assert!(!timestamps(&mut all));
            assert_eq!(all, [1, refused]);
        }
    }
}
