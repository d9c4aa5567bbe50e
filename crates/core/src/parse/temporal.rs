//! Dates and times from their ISO 8601 text.

const SECONDS_PER_DAY: i64 = 86_400;

/// Days since 1970-01-01 of `YYYY-MM-DD`.
pub fn date(text: &[u8]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let year = two(*y1, *y2)? * 100 + two(*y3, *y4)?;
    let (month, day) = (two(*m1, *m2)?, two(*d1, *d2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    if day < 1 || day > length {
        return None;
    }
    // Years begin in March, so that the leap day comes last; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_before_month = (153 * month + 2) / 5;
    let days_before_year = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(days_before_year + days_before_month + day - 1 - 719_468)
}

/// Days since 1970-01-01 of a date, or of the midnight that begins it.
pub fn day(text: &[u8]) -> Option<i64> {
    let seconds = || fine_timestamp(text, false, 0).filter(|seconds| seconds % SECONDS_PER_DAY == 0);
    date(text).or_else(|| Some(seconds()? / SECONDS_PER_DAY))
}

/// Microseconds since midnight of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.ffffff`; further digits have to be zeros.
pub fn time(text: &[u8]) -> Option<i64> {
    fine_time(text, 6)
}

/// A time of a day as [`time`] reads it, in units of `places` decimal places of a second.
pub fn fine_time(text: &[u8], places: u32) -> Option<i64> {
    let [h1, h2, b':', m1, m2, rest @ ..] = text else { return None };
    let (hours, minutes) = (two(*h1, *h2)?, two(*m1, *m2)?);
    let (seconds, fraction) = match rest {
        [] => (0, 0),
        [b':', s1, s2] => (two(*s1, *s2)?, 0),
        [b':', s1, s2, b'.', digits @ ..] if !digits.is_empty() => (two(*s1, *s2)?, part(digits, places)?),
        _ => return None,
    };
    let fits = hours < 24 && minutes < 60 && seconds < 60;
    fits.then_some(((hours * 60 + minutes) * 60 + seconds) * 10_i64.pow(places.min(9)) + fraction)
}

/// Microseconds since 1970-01-01 00:00:00 of a date, perhaps followed by a space or `T` and a time.
///
/// In UTC (`utc`), an offset (`Z`, `+HH:MM`) may follow the time, and text without one is UTC.
pub fn timestamp(text: &[u8], utc: bool) -> Option<i64> {
    fine_timestamp(text, utc, 6)
}

/// A moment as [`timestamp`] reads it, in units of `places` decimal places of a second.
pub fn fine_timestamp(text: &[u8], utc: bool, places: u32) -> Option<i64> {
    let unit = 10_i64.pow(places.min(9));
    let (day, rest) = text.split_at_checked(10)?;
    let midnight = (date(day)? * SECONDS_PER_DAY).checked_mul(unit)?;
    let rest = match rest {
        [] => return Some(midnight),
        [b' ' | b'T', rest @ ..] => rest,
        _ => return None,
    };
    let (clock, offset) = if utc { split_offset(rest)? } else { (rest, 0) };
    midnight.checked_add(fine_time(clock, places)?)?.checked_sub(offset * 60 * unit)
}

/// Whether the text of a moment says its offset from UTC.
pub fn has_offset(text: &[u8]) -> bool {
    let clock = text.get(11..).unwrap_or_default();
    clock.iter().any(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-'))
}

/// The time before an offset, and the offset in minutes.
fn split_offset(text: &[u8]) -> Option<(&[u8], i64)> {
    if let [clock @ .., b'Z' | b'z'] = text {
        return Some((clock, 0));
    }
    let Some(at) = text.iter().position(|byte| matches!(byte, b'+' | b'-')) else { return Some((text, 0)) };
    let (clock, offset) = text.split_at(at);
    let (sign, hours, minutes) = match offset {
        [sign, h1, h2] => (sign, two(*h1, *h2)?, 0),
        [sign, h1, h2, m1, m2] | [sign, h1, h2, b':', m1, m2] => (sign, two(*h1, *h2)?, two(*m1, *m2)?),
        _ => return None,
    };
    let minutes = hours * 60 + minutes;
    (hours < 24).then_some((clock, if *sign == b'-' { -minutes } else { minutes }))
}

/// A fraction of a second in units of `places` decimal places; `None` where it is not exact.
fn part(digits: &[u8], places: u32) -> Option<i64> {
    let places = usize::try_from(places.min(9)).ok()?;
    let mut value = 0;
    for place in 0..digits.len().max(places) {
        let digit = digits.get(place).map_or(Some(0), |digit| one(*digit))?;
        if place < places {
            value = value * 10 + digit;
        } else if digit != 0 {
            return None;
        }
    }
    Some(value)
}

fn one(digit: u8) -> Option<i64> {
    digit.is_ascii_digit().then(|| i64::from(digit - b'0'))
}

fn two(tens: u8, ones: u8) -> Option<i64> {
    Some(one(tens)? * 10 + one(ones)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_days() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-03-01", 19_783),
            ("0000-03-01", -719_468),
            ("0000-01-01", -719_528),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(date(text.as_bytes()), Some(days), "{text}");
        }
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-1-1",
            "20240101",
            "",
            "2024-01-01 ",
        ] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn times_are_exact_or_refused() {
        for (text, micros) in [
            ("00:00", 0),
            ("00:00:01", 1_000_000),
            ("23:59:59.999999", 86_399_999_999),
            ("00:00:00.5", 500_000),
            ("00:00:00.123456000", 123_456),
        ] {
            assert_eq!(time(text.as_bytes()), Some(micros), "{text}");
        }
        for text in ["24:00:00", "00:60", "00:00:60", "00:00:00.", "00:00:00.1234567", "0:00", "00:00:00Z", "aa:bb"] {
            assert_eq!(time(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn timestamps_know_their_zone() {
        for (text, utc, micros) in [
            ("1970-01-01 00:00:01", false, 1_000_000),
            ("1970-01-01T00:00:01.5", false, 1_500_000),
            ("1970-01-02", false, 86_400_000_000),
            ("1970-01-01 00:00:01", true, 1_000_000),
            ("1970-01-01T00:00:01Z", true, 1_000_000),
            ("1970-01-01T02:00:00+02:00", true, 0),
            ("1969-12-31 19:00:00-0500", true, 0),
            ("1969-12-31 23:59:59.999999", false, -1),
        ] {
            assert_eq!(timestamp(text.as_bytes(), utc), Some(micros), "{text}");
        }
        for (text, utc) in [
            ("1970-01-01 00:00:01Z", false),
            ("1970-01-01 00:00:01+00:00", false),
            ("1970-01-01_00:00:01", true),
            ("1970-01-01 00:00:01+2", true),
            ("1970-01-01 00:00:01+24:00", true),
            ("1970", true),
        ] {
            assert_eq!(timestamp(text.as_bytes(), utc), None, "{text}");
        }
    }
}
