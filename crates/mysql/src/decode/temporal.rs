//! Dates, times and timestamps, in binary form and as text.
//!
//! In binary form a value is its length (0 for all zeros), then year, month and day, then perhaps the time of day, then
//! perhaps microseconds; a `time` is its length, a sign, days, and then the same. As text it is what people write.

use arrow_array::ArrayRef;
use arrow_array::types::{Date32Type, DurationMicrosecondType, TimestampMicrosecondType};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::Impossible;

use super::calendar::days;
use super::number::{are_digits, characters, combine};
use super::{Decode, Reject, primitive};
use crate::cells::{Cells, load, place, value};

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Binary,
}

const DAY: i64 = 86_400_000_000;

/// `date` as date32.
pub(crate) struct Date(pub(crate) Form, pub(crate) Impossible);

/// `datetime` and `timestamp` as timestamp\[us\], with the data type's zone.
pub(crate) struct Timestamp(pub(crate) Form, pub(crate) Impossible, pub(crate) DataType);

/// `time` as duration\[us\]: it may be negative, and longer than a day.
pub(crate) struct Duration(pub(crate) Form);

impl Decode for Date {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let data_type = &DataType::Date32;
        match self.0 {
            Form::Text => primitive::decode_dates::<Date32Type>(cells, data_type, self.1, date_of_text, misfit_text),
            Form::Binary => {
                primitive::decode_dates::<Date32Type>(cells, data_type, self.1, date_of_binary, misfit_binary)
            }
        }
    }
}

impl Decode for Timestamp {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        type T = TimestampMicrosecondType;
        match self.0 {
            Form::Text => primitive::decode_dates::<T>(cells, &self.2, self.1, timestamp_of_text, misfit_text),
            Form::Binary => primitive::decode_dates::<T>(cells, &self.2, self.1, timestamp_of_binary, misfit_moment),
        }
    }
}

impl Decode for Duration {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        type T = DurationMicrosecondType;
        let data_type = &DataType::Duration(TimeUnit::Microsecond);
        let broken = |_: &[u8], _| Reject::broken("a time is none");
        match self.0 {
            Form::Text => primitive::decode::<T>(cells, data_type, duration_of_text, |bytes, offset| {
                Reject::unreadable(value(bytes, offset))
            }),
            Form::Binary => primitive::decode::<T>(cells, data_type, duration_of_binary, broken),
        }
    }
}

/// `YYYY-MM-DD` at `at`.
#[inline(always)]
fn date_at(bytes: &[u8], at: usize) -> Option<i32> {
    // The hyphens behind year and month, among characters that are not digits' any more.
    const HYPHENS: u64 = 0x1D << 32 | 0x1D << 56;
    const NO_HYPHENS: u64 = !(0xFF << 32 | 0xFF << 56);
    let word = characters(bytes, at, 8);
    let day = u16::from_le_bytes(load(bytes, at + 8)) ^ 0x3030;
    let digits = word & NO_HYPHENS;
    let (tens, ones) = (u64::from(day & 0xFF), u64::from(day >> 8));
    // The day's digits take the hyphens' places for the check.
    if word & !NO_HYPHENS != HYPHENS || !are_digits(digits | tens << 32 | ones << 56) {
        return None;
    }
    // Two digits each: in the lowest byte the century, then the year, and the month in the sixth.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let pair = |shift: u32| (pairs >> shift & 0xFF) as u8;
    let year = u32::from(pair(0)) * 100 + u32::from(pair(16));
    let day = u32::from(day & 0xFF) * 10 + u32::from(day >> 8);
    days(year, u32::from(pair(40)), day)
}

#[inline(always)]
fn date_of_text(bytes: &[u8], offset: u32) -> Option<i32> {
    let (start, length) = place(bytes, offset);
    date_at(bytes, start).filter(|_| length == 10)
}

/// Microseconds of `HH:MM:SS` at `at`, below a hundred hours.
#[inline(always)]
fn clock_at(bytes: &[u8], at: usize) -> Option<i64> {
    const COLONS: u64 = 0x0A << 16 | 0x0A << 40;
    const NO_COLONS: u64 = !(0xFF << 16 | 0xFF << 40);
    let word = characters(bytes, at, 8);
    let digits = word & NO_COLONS;
    if word & !NO_COLONS != COLONS || !are_digits(digits) {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let pair = |shift: u32| i64::from((pairs >> shift & 0xFF) as u8);
    let (hours, minutes, seconds) = (pair(0), pair(24), pair(48));
    (minutes < 60 && seconds < 60).then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000)
}

/// Microseconds of `.ffffff` at `at`, of which any number of digits up to six may be there.
#[inline(always)]
fn fraction_at(bytes: &[u8], at: usize, length: usize) -> Option<i64> {
    const SCALES: [i64; 7] = [0, 100_000, 10_000, 1_000, 100, 10, 1];
    if load::<1>(bytes, at) != *b"." || !(2..=7).contains(&length) {
        return None;
    }
    let digits = characters(bytes, at + 1, length - 1);
    if !are_digits(digits) {
        return None;
    }
    i64::try_from(combine(digits)).ok()?.checked_mul(*SCALES.get(length - 1)?)
}

#[inline(always)]
fn timestamp_of_text(bytes: &[u8], offset: u32) -> Option<i64> {
    let (start, length) = place(bytes, offset);
    let midnight = i64::from(date_at(bytes, start)?) * DAY;
    if length == 10 {
        return Some(midnight);
    }
    let clock = clock_at(bytes, start + 11).filter(|clock| *clock < DAY)?;
    let separated = load::<1>(bytes, start + 10) == *b" ";
    let fraction = if length == 19 { 0 } else { fraction_at(bytes, start + 19, length.checked_sub(19)?)? };
    separated.then_some(midnight + clock + fraction)
}

/// `[-]HH:MM:SS[.ffffff]`, with up to three digits of hours.
#[inline(always)]
fn duration_of_text(bytes: &[u8], offset: u32) -> Option<i64> {
    let (mut start, mut length) = place(bytes, offset);
    let negative = load::<1>(bytes, start) == *b"-";
    start += usize::from(negative);
    length = length.checked_sub(usize::from(negative))?;
    let mut hundreds = 0;
    if load::<1>(bytes, start + 3) == *b":" {
        let [digit] = load(bytes, start);
        hundreds = i64::from(digit.wrapping_sub(b'0')).min(10);
        (start, length) = (start + 1, length.checked_sub(1)?);
    }
    let clock = clock_at(bytes, start)?;
    let fraction = if length == 8 { 0 } else { fraction_at(bytes, start + 8, length.checked_sub(8)?)? };
    let microseconds = hundreds * 360_000_000_000 + clock + fraction;
    (hundreds < 10).then_some(if negative { -microseconds } else { microseconds })
}

/// Year, month and day of a value in binary form that is not all zeros.
#[inline(always)]
fn date_fields(bytes: &[u8], start: usize) -> (u32, u32, u32) {
    let [low, high, month, day]: [u8; 4] = load(bytes, start);
    (u32::from(u16::from_le_bytes([low, high])), u32::from(month), u32::from(day))
}

#[inline(always)]
fn date_of_binary(bytes: &[u8], offset: u32) -> Option<i32> {
    let (start, length) = place(bytes, offset);
    let (year, month, day) = date_fields(bytes, start);
    let found = days(year, month, day);
    match length {
        4 => found,
        // With a time of day, which has to be midnight.
        7 | 11 => found.filter(|_| clock_fields(bytes, start + 4, length - 4) == Some(0)),
        _ => None,
    }
}

/// The time of day in binary form: three bytes, perhaps followed by microseconds.
#[inline(always)]
fn clock_fields(bytes: &[u8], start: usize, length: usize) -> Option<i64> {
    let [hours, minutes, seconds]: [u8; 3] = load(bytes, start);
    let fraction = if length == 7 { i64::from(u32::from_le_bytes(load(bytes, start + 3))) } else { 0 };
    let (hours, minutes, seconds) = (i64::from(hours), i64::from(minutes), i64::from(seconds));
    (hours < 24 && minutes < 60 && seconds < 60 && fraction < 1_000_000)
        .then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction)
}

#[inline(always)]
fn timestamp_of_binary(bytes: &[u8], offset: u32) -> Option<i64> {
    let (start, length) = place(bytes, offset);
    let (year, month, day) = date_fields(bytes, start);
    let midnight = i64::from(days(year, month, day)?) * DAY;
    match length {
        4 => Some(midnight),
        7 | 11 => Some(midnight + clock_fields(bytes, start + 4, length - 4)?),
        _ => None,
    }
}

#[inline(always)]
fn duration_of_binary(bytes: &[u8], offset: u32) -> Option<i64> {
    let (start, length) = place(bytes, offset);
    match length {
        0 => Some(0),
        8 | 12 => {
            let [negative, days @ ..]: [u8; 5] = load(bytes, start);
            // A time ends at 838:59:59.
            let days = Some(i64::from(u32::from_le_bytes(days))).filter(|days| *days < 100)?;
            let microseconds = days * DAY + clock_fields(bytes, start + 5, length - 5)?;
            match negative {
                0 => Some(microseconds),
                1 => Some(-microseconds),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Why a date in text is none.
fn misfit_text(bytes: &[u8], offset: u32) -> Reject {
    let text = value(bytes, offset);
    let written = match text.get(..10) {
        Some([a, b, c, d, b'-', e, f, b'-', g, h]) => [a, b, c, d, e, f, g, h].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    if written { Reject::ZeroDate(String::from_utf8_lossy(text).into_owned()) } else { Reject::unreadable(text) }
}

/// Why a moment in binary form is none. One at midnight has no time of day.
fn misfit_moment(bytes: &[u8], offset: u32) -> Reject {
    match misfit_binary(bytes, offset) {
        Reject::ZeroDate(date) if date.len() == 10 => Reject::ZeroDate(format!("{date} 00:00:00")),
        reject => reject,
    }
}

/// Why a date in binary form is none.
fn misfit_binary(bytes: &[u8], offset: u32) -> Reject {
    match super::written::moment(value(bytes, offset)) {
        Some(text) => Reject::ZeroDate(text),
        None => Reject::broken("a date is none"),
    }
}
