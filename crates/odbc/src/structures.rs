//! ODBC's structures of dates and timestamps: two bytes a field, four for the fraction.

use crate::decode::Misfit;
use crate::moments::{days, moment};

/// SQL_DATE_STRUCT: year, month, day.
pub(crate) fn date(bytes: &[u8]) -> Result<i32, Misfit> {
    let days = day(bytes)?;
    i32::try_from(days).map_err(|_| Misfit::Range)
}

/// SQL_TIMESTAMP_STRUCT: a date, hour, minute, second, and nanoseconds.
pub(crate) fn timestamp(bytes: &[u8], per_second: i64) -> Result<i64, Misfit> {
    let days = day(bytes)?;
    let [hour, minute, second] = [6, 8, 10].map(|at| field(bytes, at));
    let nanos = bytes.get(12..16).and_then(|bytes| bytes.try_into().ok()).map_or(u32::MAX, u32::from_ne_bytes);
    if hour > 23 || minute > 59 || second > 59 || nanos > 999_999_999 {
        return Err(Misfit::Not("a date and a time"));
    }
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    moment(days, seconds * 1_000_000_000 + i64::from(nanos), 0, per_second)
}

fn day(bytes: &[u8]) -> Result<i64, Misfit> {
    let year = i16::from_ne_bytes(field(bytes, 0).to_ne_bytes());
    days(i64::from(year), field(bytes, 2).into(), field(bytes, 4).into()).ok_or(Misfit::Not("a date"))
}

fn field(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(u16::MAX, u16::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(fields: [u16; 6], nanos: u32) -> Vec<u8> {
        fields.iter().flat_map(|field| field.to_ne_bytes()).chain(nanos.to_ne_bytes()).collect()
    }

    #[test]
    fn structures_are_checked() {
        assert_eq!(date(&structure([2024, 2, 29, 0, 0, 0], 0)), Ok(19_782));
        assert_eq!(timestamp(&structure([1970, 1, 1, 0, 0, 1], 500_000_000), 1_000_000), Ok(1_500_000));
        assert_eq!(timestamp(&structure([1970, 1, 1, 0, 0, 1], 100), 1_000_000_000), Ok(1_000_000_100));
        assert_eq!(timestamp(&structure([1970, 1, 1, 0, 0, 1], 100), 1_000_000), Err(Misfit::Digits));
        assert_eq!(timestamp(&structure([9999, 12, 31, 0, 0, 0], 0), 1_000_000_000), Err(Misfit::Range));
        for fields in [[2024, 0, 0, 0, 0, 0], [2023, 2, 29, 0, 0, 0], [2024, 1, 1, 24, 0, 0], [2024, 1, 1, 0, 0, 60]] {
            assert!(matches!(timestamp(&structure(fields, 0), 1_000_000), Err(Misfit::Not(_))), "{fields:?}");
        }
    }
}
