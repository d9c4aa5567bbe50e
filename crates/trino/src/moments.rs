//! Dates, times, moments and intervals from the text in which Trino writes them.

use std::str::FromStr;

use arrow_schema::TimeUnit;
use bowshot_core::parse::temporal;
use chrono::{DateTime, LocalResult, Offset, TimeZone};
use chrono_tz::Tz;

const SECONDS_PER_DAY: i64 = 86_400;
/// Picoseconds, the finest that Trino knows.
const PICOS: i64 = 1_000_000_000_000;
/// 400 years have the same number of days everywhere.
const DAYS_PER_CYCLE: i64 = 146_097;

/// Days since 1970-01-01 of `2024-02-29`, `+12024-02-03` or `-0044-03-15`.
pub(crate) fn date(text: &[u8]) -> Option<i64> {
    if let [b'0'..=b'9', ..] = text
        && text.len() == 10
    {
        return temporal::date(text);
    }
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (year, day) = digits.split_at_checked(digits.len().checked_sub(6)?)?;
    let year = i64::from(number(year)?);
    let year = if negative { -year } else { year };
    // The same day of a year that has four digits and the same calendar.
    let within = year.rem_euclid(400);
    let mut shifted = [b'0'; 10];
    let mut left = within;
    for place in (0..4).rev() {
        *shifted.get_mut(place)? = b'0' + u8::try_from(left % 10).ok()?;
        left /= 10;
    }
    shifted.get_mut(4..)?.copy_from_slice(day);
    Some(temporal::date(&shifted)? + year.div_euclid(400) * DAYS_PER_CYCLE)
}

/// Seconds and picoseconds since midnight of `01:02:03` or `01:02:03.123456789012`.
pub(crate) fn clock(text: &[u8]) -> Option<(i64, i64)> {
    let (whole, fraction) = match text.split_at_checked(8)? {
        (whole, []) => (whole, &[][..]),
        (whole, [b'.', digits @ ..]) if (1..=12).contains(&digits.len()) => (whole, digits),
        _ => return None,
    };
    let seconds = temporal::time(whole)? / 1_000_000;
    let mut picos = 0;
    for place in 0..12 {
        let digit = *fraction.get(place).unwrap_or(&b'0');
        picos = picos * 10 + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    Some((seconds, picos))
}

/// How often a unit fits into a second.
fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// A count of units; `None` where it is not exact, or has no room.
pub(crate) fn in_unit(seconds: i64, picos: i64, unit: TimeUnit) -> Option<i64> {
    let per_second = per_second(unit);
    let step = PICOS / per_second;
    if picos % step != 0 {
        return None;
    }
    // Below zero both parts may fit where the first one alone does not.
    let count = i128::from(seconds) * i128::from(per_second) + i128::from(picos / step);
    i64::try_from(count).ok()
}

/// The day and time of `2020-01-01 01:02:03.5`, as seconds since 1970 and picoseconds, and what follows after a space.
fn day_and_clock(text: &str) -> Option<(i64, i64, Option<&str>)> {
    let (day, rest) = text.split_once(' ')?;
    let (time, zone) = match rest.split_once(' ') {
        Some((time, zone)) => (time, Some(zone)),
        None => (rest, None),
    };
    let (seconds, picos) = clock(time.as_bytes())?;
    Some((date(day.as_bytes())? * SECONDS_PER_DAY + seconds, picos, zone))
}

/// A moment without a zone.
pub(crate) fn timestamp(text: &str) -> Option<(i64, i64)> {
    match day_and_clock(text)? {
        (seconds, picos, None) => Some((seconds, picos)),
        _ => None,
    }
}

/// Why a moment with a zone has no place in UTC.
#[derive(Debug, PartialEq)]
pub(crate) enum NoInstant {
    /// It is not written as Trino writes one.
    Malformed,
    /// Clocks showed it twice when they were put back, and the text does not tell which of the two it is.
    Twice,
    /// The zone is not known here, or its clocks never showed it.
    Unknown,
}

/// A moment with a zone, in UTC.
pub(crate) fn instant(text: &str) -> Result<(i64, i64), NoInstant> {
    let (seconds, picos, zone) = day_and_clock(text).ok_or(NoInstant::Malformed)?;
    let zone = zone.ok_or(NoInstant::Malformed)?;
    let offset = match zone.as_bytes() {
        b"UTC" | b"Z" | b"GMT" => 0,
        [b'+' | b'-', ..] => fixed(zone.as_bytes()).ok_or(NoInstant::Malformed)?,
        _ => named(zone, seconds)?,
    };
    Ok((seconds - offset, picos))
}

/// `+05:30`, in seconds.
fn fixed(text: &[u8]) -> Option<i64> {
    let [sign, h1, h2, b':', m1, m2] = text else { return None };
    let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
    let seconds = i64::from(hours * 3600 + minutes * 60);
    (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -seconds } else { seconds })
}

/// The offset of `Europe/Berlin` when its clocks showed `seconds`.
fn named(zone: &str, seconds: i64) -> Result<i64, NoInstant> {
    let zone = Tz::from_str(zone).map_err(|_| NoInstant::Unknown)?;
    let local = DateTime::from_timestamp(seconds, 0).ok_or(NoInstant::Unknown)?.naive_utc();
    match zone.offset_from_local_datetime(&local) {
        LocalResult::Single(offset) => Ok(i64::from(offset.fix().local_minus_utc())),
        LocalResult::Ambiguous(..) => Err(NoInstant::Twice),
        LocalResult::None => Err(NoInstant::Unknown),
    }
}

/// Months of `1-2` or `-0-3`.
pub(crate) fn months(text: &str) -> Option<i32> {
    let (sign, text) = sign(text);
    let (years, months) = text.split_once('-')?;
    let months = i64::from(number(years.as_bytes())?) * 12 + i64::from(number(months.as_bytes())?);
    // The smallest number has no positive counterpart.
    i32::try_from(i64::from(sign) * months).ok()
}

/// Days and nanoseconds of `-2 03:04:05.678`.
pub(crate) fn days(text: &str) -> Option<(i32, i64)> {
    let (sign, text) = sign(text);
    let (days, time) = text.split_once(' ')?;
    let (seconds, picos) = clock(time.as_bytes())?;
    let nanos = in_unit(seconds, picos, TimeUnit::Nanosecond)?;
    Some((sign * number(days.as_bytes())?, i64::from(sign) * nanos))
}

fn sign(text: &str) -> (i32, &str) {
    text.strip_prefix('-').map_or((1, text), |text| (-1, text))
}

fn number(digits: &[u8]) -> Option<i32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i32, |value, digit| {
        let digit = digit.is_ascii_digit().then(|| i32::from(*digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests;
