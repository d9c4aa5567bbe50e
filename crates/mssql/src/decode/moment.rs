//! Dates and times as the wire has them ([MS-TDS] 2.2.5.5.1.8), as numbers that nothing is lost in.

use std::fmt;

use crate::types::Kind;
use crate::wire_type::time_length;

/// A unit of all of SQL Server's times: 100 ns.
const SECOND: i64 = 10_000_000;
const DAY: i64 = 86_400 * SECOND;
/// Days from 0001-01-01 and from 1900-01-01 to 1970-01-01.
const DAYS_OF_ERA: i64 = 719_162;
const DAYS_OF_1900: i64 = 25_567;
/// Days from 0001-01-01 to 9999-12-31.
const LAST_DAY: i64 = 3_652_058;
/// The offsets from UTC that there are, in minutes.
const MOST_OFFSET: i16 = 14 * 60;

/// A date, time or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// In 100 ns since 1970-01-01; of a time alone, since midnight.
    pub(crate) ticks: i64,
    /// Minutes from UTC to the time of the place; `ticks` are UTC.
    offset: i16,
    kind: Kind,
}

/// Days since 1970-01-01; `None` for bytes that are no date.
#[inline]
pub(crate) fn date(bytes: &[u8]) -> Option<i64> {
    let [a, b, c] = *bytes.first_chunk::<3>()?;
    let days = i64::from(u32::from_le_bytes([a, b, c, 0]));
    (bytes.len() == 3 && days <= LAST_DAY).then_some(days - DAYS_OF_ERA)
}

/// 100 ns since midnight.
#[inline]
pub(crate) fn time(bytes: &[u8], scale: u8) -> Option<i64> {
    if bytes.len() != time_length(scale) {
        return None;
    }
    let number = bytes.iter().rev().fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
    let ticks = number.checked_mul(10_i64.pow(u32::from(7_u8.checked_sub(scale)?)))?;
    (ticks < DAY).then_some(ticks)
}

/// A date with a time, as 100 ns since 1970-01-01.
#[inline]
pub(crate) fn date_time(bytes: &[u8], scale: u8) -> Option<i64> {
    let (clock, day) = bytes.split_at_checked(time_length(scale))?;
    Some(date(day)? * DAY + time(clock, scale)?)
}

/// The instant of a date with a time and an offset, and the offset in minutes.
#[inline]
pub(crate) fn instant(bytes: &[u8], scale: u8) -> Option<(i64, i16)> {
    let (utc, offset) = bytes.split_last_chunk::<2>()?;
    let offset = i16::from_le_bytes(*offset);
    let ticks = date_time(utc, scale)?;
    (-MOST_OFFSET..=MOST_OFFSET).contains(&offset).then_some((ticks, offset))
}

/// datetime counts 300ths of a second; what SQL Server shows of them, and what it computes with, are milliseconds.
#[inline]
pub(crate) fn datetime(bytes: &[u8]) -> Option<i64> {
    let bytes: [u8; 8] = bytes.try_into().ok()?;
    let [a, b, c, d, e, f, g, h] = bytes;
    let days = i64::from(i32::from_le_bytes([a, b, c, d]));
    let clock = i64::from(u32::from_le_bytes([e, f, g, h]));
    // From 1753 to 9999.
    if !(-53_690..=2_958_463).contains(&days) || clock >= 300 * 86_400 {
        return None;
    }
    let milliseconds = (clock * 10 + 1) / 3;
    Some((days - DAYS_OF_1900) * DAY + milliseconds * (SECOND / 1000))
}

/// smalldatetime: days and minutes.
#[inline]
pub(crate) fn small_datetime(bytes: &[u8]) -> Option<i64> {
    let bytes: [u8; 4] = bytes.try_into().ok()?;
    let [a, b, c, d] = bytes;
    let (days, minutes) = (i64::from(u16::from_le_bytes([a, b])), i64::from(u16::from_le_bytes([c, d])));
    (minutes < 24 * 60).then_some((days - DAYS_OF_1900) * DAY + minutes * 60 * SECOND)
}

impl Moment {
    /// The value of a type of dates or times; `None` for bytes that are none.
    pub(crate) fn read(bytes: &[u8], kind: Kind) -> Option<Moment> {
        let moment = |ticks| Moment { ticks, offset: 0, kind };
        match kind {
            Kind::Date => date(bytes).map(|days| moment(days * DAY)),
            Kind::Time(scale) => time(bytes, scale).map(moment),
            Kind::SmallDateTime => small_datetime(bytes).map(moment),
            Kind::DateTime => datetime(bytes).map(moment),
            Kind::DateTime2(scale) => date_time(bytes, scale).map(moment),
            Kind::DateTimeOffset(scale) => instant(bytes, scale).map(|(ticks, offset)| Moment { ticks, offset, kind }),
            _ => None,
        }
    }
}

/// As SQL Server itself writes it, with all the digits of the type.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.ticks + i64::from(self.offset) * 60 * SECOND;
        let (days, ticks) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        if !matches!(self.kind, Kind::Time(_)) {
            let (year, month, day) = civil(days);
            write!(f, "{year:04}-{month:02}-{day:02}")?;
        }
        let digits = match self.kind {
            Kind::Date => return Ok(()),
            Kind::Time(scale) | Kind::DateTime2(scale) | Kind::DateTimeOffset(scale) => scale,
            Kind::DateTime => 3,
            _ => 0,
        };
        if !matches!(self.kind, Kind::Time(_)) {
            f.write_str(" ")?;
        }
        let seconds = ticks / SECOND;
        write!(f, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        if digits > 0 {
            let fraction = ticks % SECOND / 10_i64.pow(7_u32.saturating_sub(u32::from(digits)));
            write!(f, ".{fraction:0width$}", width = usize::from(digits))?;
        }
        if matches!(self.kind, Kind::DateTimeOffset(_)) {
            let sign = if self.offset < 0 { '-' } else { '+' };
            let minutes = self.offset.unsigned_abs();
            write!(f, " {sign}{:02}:{:02}", minutes / 60, minutes % 60)?;
        }
        Ok(())
    }
}

/// Year, month and day of the Gregorian calendar, by days since 1970-01-01: years begin in March here, so that the leap
/// day is their last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datetime_is_what_the_server_shows() {
        for (clock, shown) in [
            (0_u32, "1900-01-01 00:00:00.000"),
            (1, "1900-01-01 00:00:00.003"),
            (2, "1900-01-01 00:00:00.007"),
            (3, "1900-01-01 00:00:00.010"),
            (25_919_999, "1900-01-01 23:59:59.997"),
        ] {
            let bytes = [[0; 4], clock.to_le_bytes()].concat();
            assert_eq!(Moment::read(&bytes, Kind::DateTime).unwrap().to_string(), shown);
        }
        let first = [(-53_690_i32).to_le_bytes(), [0; 4]].concat();
        assert_eq!(Moment::read(&first, Kind::DateTime).unwrap().to_string(), "1753-01-01 00:00:00.000");
        let too_late = [[0; 4], 25_920_000_u32.to_le_bytes()].concat();
        assert_eq!(datetime(&too_late), None);
    }

    #[test]
    fn every_day_is_shown_as_itself() {
        let text = |days: u32| {
            let [a, b, c, _] = days.to_le_bytes();
            Moment::read(&[a, b, c], Kind::Date).map(|moment| moment.to_string())
        };
        assert_eq!(text(0).as_deref(), Some("0001-01-01"));
        assert_eq!(text(738_944).as_deref(), Some("2024-02-29"));
        assert_eq!(text(738_945).as_deref(), Some("2024-03-01"));
        assert_eq!(text(3_652_058).as_deref(), Some("9999-12-31"));
        assert_eq!(text(3_652_059), None);
    }

    #[test]
    fn offsets_are_those_of_the_place() {
        // 2024-02-29 23:30:00.1234567 UTC, two and a half hours behind it and ahead of it.
        let ticks: u64 = (23 * 3600 + 30 * 60) * 10_000_000 + 1_234_567;
        let mut bytes = ticks.to_le_bytes()[..5].to_vec();
        bytes.extend(&738_944_u32.to_le_bytes()[..3]);
        let with = |minutes: i16| [bytes.clone(), minutes.to_le_bytes().to_vec()].concat();
        let show = |minutes| Moment::read(&with(minutes), Kind::DateTimeOffset(7)).map(|moment| moment.to_string());
        assert_eq!(show(0).as_deref(), Some("2024-02-29 23:30:00.1234567 +00:00"));
        assert_eq!(show(-150).as_deref(), Some("2024-02-29 21:00:00.1234567 -02:30"));
        assert_eq!(show(150).as_deref(), Some("2024-03-01 02:00:00.1234567 +02:30"));
        assert_eq!(show(841), None);
    }
}
