//! What the values of a column look like, and so which type it has.

use arrow_schema::{DataType, TimeUnit};

use super::decode::{date, float, time, timestamp, truth};
use crate::digits::is_exact;

/// The shapes that values have shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    truth: bool,
    /// Whole numbers of 64 bits.
    whole: bool,
    negative: bool,
    /// Whole numbers beyond 53 bits, which doubles do not tell apart.
    large: bool,
    /// … of 64 bits without a sign, and longer ones.
    unsigned: bool,
    longer: bool,
    float: bool,
    /// NaN and infinity.
    special: bool,
    date: bool,
    time: bool,
    /// Without an offset, and with one.
    timestamp: bool,
    instant: bool,
    text: bool,
}

/// Doubles tell whole numbers apart up to here.
const LARGE: u64 = 1 << 53;

impl Evidence {
    /// What values of a type that was inferred may have shown, at most.
    pub(super) fn of(data_type: &DataType) -> Self {
        let mut evidence = Evidence::default();
        match data_type {
            DataType::Boolean => evidence.truth = true,
            DataType::Int64 => (evidence.whole, evidence.negative) = (true, true),
            DataType::UInt64 => evidence.unsigned = true,
            DataType::Decimal128(..) => evidence.longer = true,
            DataType::Float64 => evidence.float = true,
            DataType::Date32 => evidence.date = true,
            DataType::Time64(_) => evidence.time = true,
            DataType::Timestamp(_, None) => evidence.timestamp = true,
            DataType::Timestamp(_, Some(_)) => evidence.instant = true,
            _ => evidence.text = true,
        }
        evidence
    }

    /// Looks at a value that is not NULL.
    pub(super) fn see(&mut self, text: &[u8]) {
        if self.text {
            return;
        }
        match text.first() {
            Some(b'0'..=b'9' | b'-' | b'.') => self.see_number(text),
            _ if truth(text).is_some() => self.truth = true,
            _ if matches!(text, b"NaN" | b"nan" | b"inf" | b"Infinity") => self.special = true,
            _ => self.text = true,
        }
    }

    fn see_number(&mut self, text: &[u8]) {
        if let Some(digits) = whole(text) {
            let negative = text.first() == Some(&b'-');
            self.negative |= negative;
            match (digits.parse::<u64>(), std::str::from_utf8(text).map(str::parse::<i64>)) {
                (Ok(value), Ok(Ok(_))) => {
                    self.whole = true;
                    self.large |= value > LARGE;
                }
                (Ok(_), _) if !negative => self.unsigned = true,
                _ if digits.len() <= 38 => self.longer = true,
                _ => self.text = true,
            }
        } else if is_decimal(text) && float(text).is_some_and(|value| is_exact(text, value)) {
            self.float = true;
        } else if date(text).is_some() {
            self.date = true;
        } else if time(text).is_some() {
            self.time = true;
        } else if timestamp(text, false).is_some() {
            self.timestamp = true;
        } else if timestamp(text, true).is_some() {
            self.instant = true;
        } else if matches!(text, b"-inf" | b"-Infinity") {
            self.special = true;
        } else {
            self.text = true;
        }
    }

    /// Adds what another piece of the column has shown.
    pub(super) fn merge(&mut self, other: &Evidence) {
        self.truth |= other.truth;
        self.whole |= other.whole;
        self.negative |= other.negative;
        self.large |= other.large;
        self.unsigned |= other.unsigned;
        self.longer |= other.longer;
        self.float |= other.float;
        self.special |= other.special;
        self.date |= other.date;
        self.time |= other.time;
        self.timestamp |= other.timestamp;
        self.instant |= other.instant;
        self.text |= other.text;
    }

    /// The one type that holds all values as they are; text where there is none.
    pub(super) fn data_type(&self) -> DataType {
        let whole = self.whole || self.unsigned || self.longer;
        let number = whole || self.float;
        let shapes = [self.truth, number, self.date, self.time, self.timestamp, self.instant];
        if self.text || shapes.iter().filter(|shape| **shape).count() != 1 || (self.special && !number) {
            return DataType::Utf8;
        }
        let fits_double = !(self.large || self.unsigned || self.longer);
        match () {
            () if self.truth => DataType::Boolean,
            () if (self.float || self.special) && fits_double => DataType::Float64,
            () if self.float || self.special => DataType::Utf8,
            () if self.longer || (self.unsigned && self.negative) => DataType::Decimal128(38, 0),
            () if self.unsigned => DataType::UInt64,
            () if whole => DataType::Int64,
            () if self.date => DataType::Date32,
            () if self.time => DataType::Time64(TimeUnit::Microsecond),
            () if self.timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            () => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        }
    }
}

/// The digits of a whole number that would be written the same again: no sign of plus, no zero in front.
pub(super) fn whole(text: &[u8]) -> Option<&str> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let canonical = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'0', ..] | [] => false,
        _ => digits.iter().all(u8::is_ascii_digit),
    };
    if canonical { std::str::from_utf8(digits).ok() } else { None }
}

/// A number with a point or an exponent, and without zeros in front that would be lost.
pub(super) fn is_decimal(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = digits.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    plain && !matches!(digits, [b'0', b'0'..=b'9', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_settle_types() {
        for (values, wanted) in [
            (&["1", "-2", "0"] as &[&str], DataType::Int64),
            (&["9223372036854775807", "-9223372036854775808"], DataType::Int64),
            (&["18446744073709551615", "1"], DataType::UInt64),
            (&["18446744073709551615", "-1"], DataType::Decimal128(38, 0)),
            (&["18446744073709551616"], DataType::Decimal128(38, 0)),
            (&["123456789012345678901234567890123456789"], DataType::Utf8),
            (&["007", "1"], DataType::Utf8),
            (&["-0", "1.5"], DataType::Float64),
            (&["+1"], DataType::Utf8),
            (&["1.5", "2", "1e-3", "NaN", "-inf"], DataType::Float64),
            (&["0.1", "0.30000000000000004"], DataType::Float64),
            (&["1.5", "9007199254740993"], DataType::Utf8),
            (&["12345678901234567.89"], DataType::Utf8),
            (&["00.5"], DataType::Utf8),
            (&["1e999"], DataType::Utf8),
            (&["NaN"], DataType::Utf8),
            (&["true", "False"], DataType::Boolean),
            (&["true", "1"], DataType::Utf8),
            (&["2024-02-29"], DataType::Date32),
            (&["2024-02-30"], DataType::Utf8),
            (&["2024-01-01 10:00:00.123456", "2024-01-01T10:00:00"], DataType::Timestamp(TimeUnit::Microsecond, None)),
            (&["2024-01-01 10:00:00.1234567"], DataType::Utf8),
            (&["2024-01-01T10:00:00Z"], DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
            (&["10:30:00"], DataType::Time64(TimeUnit::Microsecond)),
            (&["1.2.3"], DataType::Utf8),
            (&["1-2"], DataType::Utf8),
            (&[], DataType::Utf8),
        ] {
            let mut evidence = Evidence::default();
            for value in values {
                evidence.see(value.as_bytes());
            }
            assert_eq!(evidence.data_type(), wanted, "{values:?}");
        }
    }
}
