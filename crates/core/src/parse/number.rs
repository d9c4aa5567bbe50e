//! Truth, whole numbers and floats from their text.

use std::fmt::Display;
use std::str::FromStr;

use super::decimal;

/// `true` or `false`, `t` or `f`, in letters of any case; the numbers 1 and 0.
pub fn truth(text: &[u8]) -> Option<bool> {
    match text {
        b"1" | b"t" | b"T" => Some(true),
        b"0" | b"f" | b"F" => Some(false),
        _ if text.eq_ignore_ascii_case(b"true") => Some(true),
        _ if text.eq_ignore_ascii_case(b"false") => Some(false),
        _ => match whole::<u8>(text) {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
    }
}

/// A whole number, also one written as `1.00` or `1e3`.
pub fn whole<T: FromStr + TryFrom<i128>>(text: &[u8]) -> Option<T> {
    let plain = std::str::from_utf8(text).ok()?.parse().ok();
    plain.or_else(|| T::try_from(decimal::from_text(text, 38, 0)?).ok())
}

/// The float that is nearest to a decimal in text; `None` for one that no float is near to, because it is too large or
/// too small. `NaN` and `Infinity` are those.
pub fn nearest<T: Float>(text: &[u8]) -> Option<T> {
    let value: T = std::str::from_utf8(text).ok()?.parse().ok()?;
    let wide = value.into();
    let gone = wide.is_infinite() && text.iter().any(u8::is_ascii_digit) || wide == 0.0 && has_digits(text);
    (!gone).then_some(value)
}

/// The float of a number in text: a whole number, which has neither point nor exponent, exactly; the [`nearest`] one to
/// any other.
pub fn float<T: Float>(text: &[u8]) -> Option<T> {
    let value: T = nearest(text)?;
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if digits.len() <= T::DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return Some(value);
    }
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = digits.get(zeros..).filter(|digits| !digits.is_empty()).unwrap_or(b"0");
    // All digits of a float that is whole, whatever its size.
    let written = format!("{value:.0}");
    (written.trim_start_matches('-').as_bytes() == digits).then_some(value)
}

/// A digit that is not zero before the exponent.
fn has_digits(text: &[u8]) -> bool {
    text.iter().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| matches!(byte, b'1'..=b'9'))
}

/// Floats that are read from text.
pub trait Float: FromStr + Display + Copy + Into<f64> {
    /// Whole numbers of so many digits are all exact.
    const DIGITS: usize;
}

impl Float for f32 {
    const DIGITS: usize = 7;
}

impl Float for f64 {
    const DIGITS: usize = 15;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_a_word_or_a_digit() {
        for (text, value) in
            [("t", Some(true)), ("FALSE", Some(false)), ("1.0", Some(true)), ("2", None), ("yes", None), ("", None)]
        {
            assert_eq!(truth(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (text, value) in [("7", Some(7)), ("-1.00", Some(-1)), ("1e2", Some(100)), ("128", None), ("1.5", None)] {
            assert_eq!(whole::<i8>(text.as_bytes()), value, "{text}");
        }
        assert_eq!(whole::<u64>(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!((whole::<i64>(b" 7"), whole::<i64>(b""), whole::<u8>(b"-1")), (None, None, None));
    }

    #[test]
    fn floats_are_near_and_whole_ones_exact() {
        for (text, value) in [
            ("0.1", Some(0.1)),
            ("9007199254740992", Some(9_007_199_254_740_992.0)),
            ("-0009007199254740994", Some(-9_007_199_254_740_994.0)),
            ("9007199254740993", None),
            ("9007199254740993.0", Some(9_007_199_254_740_992.0)),
            ("000000000000000000000", Some(0.0)),
            ("1e400", None),
            ("1e-400", None),
            ("0e-400", Some(0.0)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("1_000", None),
            ("0x10", None),
        ] {
            assert_eq!(float::<f64>(text.as_bytes()), value, "{text}");
        }
        assert!(float::<f64>(b"NaN").is_some_and(f64::is_nan));
        assert_eq!((float::<f32>(b"16777216"), float::<f32>(b"16777217")), (Some(16_777_216.0), None));
        assert_eq!(nearest::<f64>(b"9007199254740993"), Some(9_007_199_254_740_992.0));
        assert_eq!(nearest::<f32>(b"1e300"), None);
    }
}
