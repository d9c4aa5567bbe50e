//! ODBC's structures of dates and timestamps: two bytes a field, four for the fraction.

use crate::decode::Misfit;
use crate::moments::{Rules, days, moment};

/// SQL_DATE_STRUCT: year, month, day.
#[inline]
pub(crate) fn date(bytes: &[u8], rules: Rules) -> Result<i32, Misfit> {
    let days = day(bytes, rules)?;
    i32::try_from(days).map_err(|_| Misfit::Range)
}

/// SQL_TIMESTAMP_STRUCT: a date, hour, minute, second, and nanoseconds.
#[inline]
pub(crate) fn timestamp(bytes: &[u8], per_second: i64, rules: Rules) -> Result<i64, Misfit> {
    let days = day(bytes, rules)?;
    let [hour, minute, second] = [6, 8, 10].map(|at| field(bytes, at));
    let nanos = fraction(bytes);
    if hour > 23 || minute > 59 || second > 59 || nanos > 999_999_999 {
        return Err(Misfit::Not("a date and a time"));
    }
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    moment(days, seconds * 1_000_000_000 + i64::from(nanos), 0, per_second)
}

/// A structure as text, for messages: `2024-00-00`, `0000-00-00 00:00:00`, with a fraction where there is one.
pub(crate) fn show(bytes: &[u8]) -> String {
    let [month, day, hour, minute, second] = [2, 4, 6, 8, 10].map(|at| field(bytes, at));
    let mut text = format!("{:04}-{month:02}-{day:02}", year(bytes));
    if bytes.len() >= 16 {
        text += &format!(" {hour:02}:{minute:02}:{second:02}");
        let nanos = fraction(bytes);
        if nanos > 0 {
            text += format!(".{nanos:09}").trim_end_matches('0');
        }
    }
    text
}

fn day(bytes: &[u8], rules: Rules) -> Result<i64, Misfit> {
    let (month, day) = (field(bytes, 2), field(bytes, 4));
    if month == 0 || day == 0 {
        return Err(rules.zero_date());
    }
    days(year(bytes).into(), month.into(), day.into()).ok_or(Misfit::Not("a date"))
}

fn year(bytes: &[u8]) -> i16 {
    i16::from_ne_bytes(field(bytes, 0).to_ne_bytes())
}

fn fraction(bytes: &[u8]) -> u32 {
    bytes.get(12..16).and_then(|bytes| bytes.try_into().ok()).map_or(u32::MAX, u32::from_ne_bytes)
}

fn field(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(u16::MAX, u16::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use bowshot_core::Impossible;

    use super::*;

    const STRICT: Rules = Rules { infinity: Impossible::Error, zero_dates: Impossible::Error };
    const LAX: Rules = Rules { infinity: Impossible::Null, zero_dates: Impossible::Null };

    fn structure(fields: [u16; 6], nanos: u32) -> Vec<u8> {
        fields.iter().flat_map(|field| field.to_ne_bytes()).chain(nanos.to_ne_bytes()).collect()
    }

    #[test]
    fn structures_are_checked() {
        let timestamp = |bytes: &[u8], per_second| timestamp(bytes, per_second, STRICT);
        assert_eq!(date(&structure([2024, 2, 29, 0, 0, 0], 0), STRICT), Ok(19_782));
        assert_eq!(timestamp(&structure([1970, 1, 1, 0, 0, 1], 500_000_000), 1_000_000), Ok(1_500_000));
        assert_eq!(timestamp(&structure([1970, 1, 1, 0, 0, 1], 100), 1_000_000_000), Ok(1_000_000_100));
        assert_eq!(timestamp(&structure([1970, 1, 1, 0, 0, 1], 100), 1_000_000), Err(Misfit::Digits));
        assert_eq!(timestamp(&structure([9999, 12, 31, 0, 0, 0], 0), 1_000_000_000), Err(Misfit::Range));
        for fields in [[2024, 13, 1, 0, 0, 0], [2023, 2, 29, 0, 0, 0], [2024, 1, 1, 24, 0, 0], [2024, 1, 1, 0, 0, 60]] {
            assert!(matches!(timestamp(&structure(fields, 0), 1_000_000), Err(Misfit::Not(_))), "{fields:?}");
        }
    }

    #[test]
    fn dates_without_a_month_or_a_day_follow_the_rule() {
        for fields in [[0, 0, 0, 0, 0, 0], [2024, 0, 0, 0, 0, 0], [2024, 1, 0, 0, 0, 0], [0, 0, 0, 1, 2, 3]] {
            let bytes = structure(fields, 0);
            assert_eq!(timestamp(&bytes, 1_000_000, STRICT), Err(Misfit::ZeroDate), "{fields:?}");
            assert_eq!(timestamp(&bytes, 1_000_000, LAX), Err(Misfit::Null), "{fields:?}");
            assert_eq!(date(&bytes[..6], STRICT), Err(Misfit::ZeroDate), "{fields:?}");
        }
    }

    #[test]
    fn structures_are_shown_as_text() {
        assert_eq!(show(&structure([0, 0, 0, 0, 0, 0], 0)), "0000-00-00 00:00:00");
        assert_eq!(show(&structure([2024, 2, 31, 1, 2, 3], 40_000_000)), "2024-02-31 01:02:03.04");
        assert_eq!(show(&structure([2024, 0, 0, 0, 0, 0], 0)[..6]), "2024-00-00");
    }
}
