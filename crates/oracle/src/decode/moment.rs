//! Dates, moments and intervals.

use arrow_buffer::IntervalMonthDayNano;

use super::Misfit;

const DAY: i64 = 86_400;
const NANOS: i64 = 1_000_000_000;
/// What is added to the numbers of intervals, so that bytes sort as they do.
const BIASED: i64 = 0x8000_0000;

/// The parts of a DATE or a TIMESTAMP; for one with a time zone they are in UTC.
struct Parts {
    year: i64,
    month: i64,
    day: i64,
    /// Of the day.
    second: i64,
    nanos: i64,
}

impl Parts {
    /// Seven bytes, and four more for fractions of a second; two more name the time zone.
    #[inline]
    fn read(bytes: &[u8]) -> Result<Self, Misfit> {
        let (&[century, year, month, day, hour, minute, second], rest) =
            bytes.split_first_chunk::<7>().ok_or(Misfit::Malformed)?;
        let nanos = match rest {
            [] => 0,
            [a, b, c, d] | [a, b, c, d, _, _] => i64::from(u32::from_be_bytes([*a, *b, *c, *d])),
            _ => return Err(Misfit::Malformed),
        };
        let parts = Parts {
            year: (i64::from(century) - 100) * 100 + i64::from(year) - 100,
            month: month.into(),
            day: day.into(),
            second: (i64::from(hour) - 1) * 3600 + (i64::from(minute) - 1) * 60 + i64::from(second) - 1,
            nanos,
        };
        let sane = (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (1..=24).contains(&hour)
            && (1..=60).contains(&minute)
            && (1..=60).contains(&second)
            && (-4713..=9999).contains(&parts.year)
            && nanos < NANOS;
        if sane { Ok(parts) } else { Err(Misfit::Malformed) }
    }

    /// Seconds since 1970, and nanoseconds of the second.
    #[inline]
    fn since_1970(&self) -> Result<(i64, i64), Misfit> {
        if self.year < 1 || self.day > days_of(self.year, self.month) {
            // Before the year 1, or a 29 February that only the Julian calendar had.
            return Err(Misfit::Calendar);
        }
        Ok((days(self.year, self.month, self.day) * DAY + self.second, self.nanos))
    }
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to a day of the Gregorian calendar: years begin in March, so that leap days are at their end.
#[inline]
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A DATE.
#[inline]
pub(super) fn seconds(bytes: &[u8]) -> Result<i64, Misfit> {
    match Parts::read(bytes)?.since_1970()? {
        (seconds, 0) => Ok(seconds),
        _ => Err(Misfit::Outside),
    }
}

/// A TIMESTAMP of up to six decimal places.
#[inline]
pub(super) fn micros(bytes: &[u8]) -> Result<i64, Misfit> {
    let (seconds, nanos) = Parts::read(bytes)?.since_1970()?;
    if nanos % 1000 != 0 {
        return Err(Misfit::Outside);
    }
    // Ten thousand years are 3e17 microseconds.
    Ok(seconds * 1_000_000 + nanos / 1000)
}

/// A TIMESTAMP of up to nine.
#[inline]
pub(super) fn nanos(bytes: &[u8]) -> Result<i64, Misfit> {
    let (seconds, nanos) = Parts::read(bytes)?.since_1970()?;
    seconds
        .checked_mul(NANOS)
        .and_then(|whole| whole.checked_add(nanos))
        // The least number of nanoseconds is in the second before the one whose product fits.
        .or_else(|| (seconds + 1).checked_mul(NANOS)?.checked_sub(NANOS - nanos))
        .ok_or(Misfit::Outside)
}

/// An INTERVAL YEAR TO MONTH: years in four bytes, months in one.
pub(super) fn year_month(bytes: &[u8]) -> Result<IntervalMonthDayNano, Misfit> {
    let &[a, b, c, d, month] = bytes else { return Err(Misfit::Malformed) };
    let years = i64::from(u32::from_be_bytes([a, b, c, d])) - BIASED;
    let months = i64::from(month) - 60;
    if !(-11..=11).contains(&months) {
        return Err(Misfit::Malformed);
    }
    let months = i32::try_from(years * 12 + months).map_err(|_| Misfit::Outside)?;
    Ok(IntervalMonthDayNano { months, days: 0, nanoseconds: 0 })
}

/// An INTERVAL DAY TO SECOND: days in four bytes, hours, minutes and seconds in one each, nanoseconds in four.
pub(super) fn day_second(bytes: &[u8]) -> Result<IntervalMonthDayNano, Misfit> {
    let &[a, b, c, d, hour, minute, second, e, f, g, h] = bytes else { return Err(Misfit::Malformed) };
    let days = i64::from(u32::from_be_bytes([a, b, c, d])) - BIASED;
    let nanos = i64::from(u32::from_be_bytes([e, f, g, h])) - BIASED;
    let [hours, minutes, seconds] = [hour, minute, second].map(|part| i64::from(part) - 60);
    let sane = hours.abs() < 24 && minutes.abs() < 60 && seconds.abs() < 60 && nanos.abs() < NANOS;
    if !sane {
        return Err(Misfit::Malformed);
    }
    let nanoseconds = (hours * 3600 + minutes * 60 + seconds) * NANOS + nanos;
    Ok(IntervalMonthDayNano { months: 0, days: i32::try_from(days).map_err(|_| Misfit::Outside)?, nanoseconds })
}

/// A moment for people.
pub(super) fn shown(bytes: &[u8]) -> Option<String> {
    let Parts { year, month, day, second, nanos } = Parts::read(bytes).ok()?;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = if nanos == 0 { String::new() } else { format!(".{nanos:09}") };
    Some(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction}"))
}
