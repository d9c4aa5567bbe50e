//! Dates and times from the text and the structures that drivers give.

use bowshot_core::Impossible;
use bowshot_core::parse::temporal;

use crate::decode::Misfit;

const DAY: i64 = 86_400;
const NANOS: i64 = 1_000_000_000;

/// What becomes of dates that Arrow cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) infinity: Impossible,
    pub(crate) zero_dates: Impossible,
}

impl Rules {
    /// NULL or an error, for what is no date at all.
    fn verdict(self, text: &[u8]) -> Option<Misfit> {
        if matches!(text, b"infinity" | b"-infinity" | b"Infinity" | b"-Infinity") {
            return Some(self.infinite());
        }
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, ..] = text else { return None };
        let digits = [y1, y2, y3, y4, m1, m2, d1, d2].iter().all(|byte| byte.is_ascii_digit());
        let zero = digits && ((*m1, *m2) == (b'0', b'0') || (*d1, *d2) == (b'0', b'0'));
        zero.then_some(self.zero_date())
    }

    /// NULL or an error, for a date at either end of time.
    #[cold]
    fn infinite(self) -> Misfit {
        match self.infinity {
            Impossible::Null => Misfit::Null,
            Impossible::Error => Misfit::Infinite,
        }
    }

    /// NULL or an error, for a date without a month or a day.
    #[cold]
    pub(crate) fn zero_date(self) -> Misfit {
        match self.zero_dates {
            Impossible::Null => Misfit::Null,
            Impossible::Error => Misfit::ZeroDate,
        }
    }
}

/// Days since 1970-01-01 of `2024-01-31`, also of `20000-01-31` and `0044-03-15 BC`.
#[inline]
pub(crate) fn date(text: &[u8], rules: Rules) -> Result<i32, Misfit> {
    if let Some(days) = temporal::date(text) {
        return i32::try_from(days).map_err(|_| Misfit::Range);
    }
    if let Some(misfit) = rules.verdict(text) {
        return Err(misfit);
    }
    let (text, era) = split_era(text);
    far_date(text, era).and_then(|days| i32::try_from(days).ok()).ok_or(Misfit::Not("a date"))
}

/// Days since 1970-01-01 as [`crate::types::Form::Days`] has them.
#[inline]
pub(crate) fn counted(bytes: &[u8], rules: Rules) -> Result<i32, Misfit> {
    match bytes.try_into().map(i32::from_ne_bytes) {
        Ok(i32::MIN | i32::MAX) => Err(rules.infinite()),
        Ok(days) => Ok(days),
        Err(_) => Err(Misfit::Range),
    }
}

/// The infinite dates, the only ones that do not fit, as PostgreSQL writes them.
pub(crate) fn show_counted(bytes: &[u8]) -> String {
    if bytes == i32::MIN.to_ne_bytes() { "-infinity" } else { "infinity" }.to_owned()
}

/// Since midnight, in nanoseconds, of `23:59:59.999`.
#[inline]
pub(crate) fn time(text: &[u8]) -> Result<i64, Misfit> {
    clock(text).filter(|nanos| *nanos < DAY * NANOS).ok_or(Misfit::Not("a time of a day from 00:00 to before 24:00"))
}

/// Any number of hours, perhaps negative, in nanoseconds: `-838:59:59.5`.
pub(crate) fn duration(text: &[u8]) -> Result<i64, Misfit> {
    let (sign, text) = text.strip_prefix(b"-").map_or((1, text), |rest| (-1, rest));
    clock(text).map(|nanos| nanos * sign).ok_or(Misfit::Not("a length of time"))
}

/// Units of `per_second` since 1970-01-01 00:00:00, of `2024-01-31 12:00:00.5`; with `utc`, an offset may follow.
#[inline]
pub(crate) fn timestamp(text: &[u8], per_second: i64, utc: bool, rules: Rules) -> Result<i64, Misfit> {
    const NOT: Misfit = Misfit::Not("a date and a time");
    if let Some(misfit) = rules.verdict(text) {
        return Err(misfit);
    }
    let (text, era) = split_era(text);
    let space = text.iter().position(|byte| matches!(byte, b' ' | b'T')).unwrap_or(text.len());
    let (day, rest) = text.split_at(space);
    let days = match temporal::date(day).filter(|_| era == Era::Common) {
        Some(days) => days,
        None => far_date(day, era).ok_or(NOT)?,
    };
    let clock_text = rest.get(1..).unwrap_or_default();
    let (clock_text, offset) = if utc { split_offset(clock_text).ok_or(NOT)? } else { (clock_text, 0) };
    let nanos = if clock_text.is_empty() { 0 } else { clock(clock_text).ok_or(NOT)? };
    moment(days, nanos, offset, per_second)
}

/// A moment in units of `per_second`, exact or not at all.
pub(crate) fn moment(days: i64, nanos: i64, offset: i64, per_second: i64) -> Result<i64, Misfit> {
    let unit = NANOS / per_second;
    if nanos % unit != 0 {
        return Err(Misfit::Digits);
    }
    let whole = (days * DAY - offset).checked_mul(per_second).ok_or(Misfit::Range)?;
    whole.checked_add(nanos / unit).ok_or(Misfit::Range)
}

/// Days since 1970-01-01 of a day of the proleptic Gregorian calendar that exists.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day comes last; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    Common,
    /// Before it: year 1 BC is year 0.
    Before,
}

fn split_era(text: &[u8]) -> (&[u8], Era) {
    text.strip_suffix(b" BC").map_or((text, Era::Common), |rest| (rest, Era::Before))
}

fn far_date(text: &[u8], era: Era) -> Option<i64> {
    let mut parts = text.split(|byte| *byte == b'-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !(4..=7).contains(&year.len()) || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    match era {
        Era::Common => days(year, month, day),
        Era::Before => days(1 - year, month, day),
    }
}

/// Nanoseconds of `HH:MM[:SS[.fffffffff]]`, with two or more digits of hours.
#[inline]
fn clock(text: &[u8]) -> Option<i64> {
    let colon = text.iter().position(|byte| *byte == b':')?;
    let hours = text.get(..colon).filter(|hours| (2..=4).contains(&hours.len()))?;
    let [m1, m2, rest @ ..] = text.get(colon + 1..)? else { return None };
    let (seconds, fraction) = match rest {
        [] => (0, 0),
        [b':', s1, s2] => (number(&[*s1, *s2])?, 0),
        [b':', s1, s2, b'.' | b',', digits @ ..] => (number(&[*s1, *s2])?, nanos(digits)?),
        _ => return None,
    };
    let (hours, minutes) = (number(hours)?, number(&[*m1, *m2])?);
    (minutes < 60 && seconds < 60).then_some(((hours * 60 + minutes) * 60 + seconds) * NANOS + fraction)
}

/// A fraction of a second; digits beyond the ninth have to be zeros.
fn nanos(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() {
        return None;
    }
    let (kept, beyond) = digits.split_at(digits.len().min(9));
    if beyond.iter().any(|byte| *byte != b'0') {
        return None;
    }
    let power = 10_i64.pow(u32::try_from(9 - kept.len()).ok()?);
    Some(number(kept)? * power)
}

/// The time before an offset such as ` +05:30`, `+02` or `Z`, and the offset in seconds.
fn split_offset(text: &[u8]) -> Option<(&[u8], i64)> {
    if let [clock @ .., b'Z' | b'z'] = text {
        return Some((clock, 0));
    }
    let Some(at) = text.iter().position(|byte| matches!(byte, b'+' | b'-')) else { return Some((text, 0)) };
    let (clock, offset) = text.split_at(at);
    let sign = if offset.first() == Some(&b'-') { -1 } else { 1 };
    let mut seconds = 0;
    let mut weight = 3600;
    for part in offset.get(1..)?.split(|byte| *byte == b':') {
        if part.len() != 2 || weight == 0 {
            return None;
        }
        seconds += number(part)? * weight;
        weight /= 60;
    }
    Some((clock.trim_ascii_end(), sign * seconds))
}

#[inline]
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |value: i64, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + i64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Rules = Rules { infinity: Impossible::Error, zero_dates: Impossible::Error };
    const LAX: Rules = Rules { infinity: Impossible::Null, zero_dates: Impossible::Null };

    #[test]
    fn dates_of_every_era() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("20000-11-21", 6_585_647),
            ("4713-01-01 BC", -2_440_550),
            ("0001-12-31 BC", -719_163),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(date(text.as_bytes(), STRICT), Ok(days), "{text}");
        }
        assert_eq!(date(b"infinity", STRICT), Err(Misfit::Infinite));
        assert_eq!(date(b"-infinity", LAX), Err(Misfit::Null));
        for text in ["0000-00-00", "2024-00-00", "2024-01-00"] {
            assert_eq!(date(text.as_bytes(), STRICT), Err(Misfit::ZeroDate), "{text}");
            assert_eq!(date(text.as_bytes(), LAX), Err(Misfit::Null), "{text}");
        }
        for text in ["", "today", "2023-02-29", "2024-1-1", "2024-01-01 AD", "99999999-01-01"] {
            assert!(matches!(date(text.as_bytes(), LAX), Err(Misfit::Not(_))), "{text}");
        }
    }

    #[test]
    fn times_are_exact_or_refused() {
        assert_eq!(time(b"23:59:59.999999999"), Ok(86_399_999_999_999));
        assert_eq!(time(b"12:00"), Ok(43_200_000_000_000));
        for text in ["24:00:00", "-01:00:00", "838:59:59", "1:00:00", "12:60:00", "12:00:00.", "12:00:00.0000000001"] {
            assert!(matches!(time(text.as_bytes()), Err(Misfit::Not(_))), "{text}");
        }
        assert_eq!(duration(b"-01:00:00.5"), Ok(-3_600_500_000_000));
        assert_eq!(duration(b"838:59:59"), Ok(3_020_399_000_000_000));
    }

    #[test]
    fn timestamps_know_their_offset_and_their_unit() {
        const MICROS: i64 = 1_000_000;
        for (text, utc, micros) in [
            ("1970-01-01 00:00:01", false, 1_000_000),
            ("1970-01-02", false, 86_400_000_000),
            ("1969-12-31 23:59:59.5", false, -500_000),
            ("1970-01-01 02:00:00+02", true, 0),
            ("1970-01-01 05:30:00.0000000 +05:30", true, 0),
            ("1970-01-01 00:53:28+00:53:28", true, 0),
            ("1969-12-31 19:00:00-05:00", true, 0),
            ("1970-01-01 00:00:00", true, 0),
            ("0001-01-01 00:00:00 BC", false, -62_167_219_200_000_000),
        ] {
            assert_eq!(timestamp(text.as_bytes(), MICROS, utc, STRICT), Ok(micros), "{text}");
        }
        assert_eq!(timestamp(b"2024-01-01 00:00:00.0000001", MICROS, false, STRICT), Err(Misfit::Digits));
        assert_eq!(timestamp(b"9999-12-31 23:59:59", NANOS, false, STRICT), Err(Misfit::Range));
        assert_eq!(timestamp(b"infinity", MICROS, false, STRICT), Err(Misfit::Infinite));
        assert_eq!(timestamp(b"2024-00-00 00:00:00", MICROS, false, STRICT), Err(Misfit::ZeroDate));
        for text in ["1970-01-01 00:00:00+00", "1970-01-01 00:00:00Z", "now", "1970-01-01 24:00:61"] {
            assert!(matches!(timestamp(text.as_bytes(), MICROS, false, STRICT), Err(Misfit::Not(_))), "{text}");
        }
    }
}
