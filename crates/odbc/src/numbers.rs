//! Numbers from the text that drivers give, exact or not at all.

use arrow_buffer::i256;
use bowshot_core::parse::decimal;

use crate::decode::Misfit;

/// Digits of the widest Arrow decimal.
const MOST_DIGITS: usize = 76;

/// A whole number that its type may not hold.
#[inline]
pub(crate) fn whole<T: TryFrom<i128>>(text: &[u8]) -> Result<T, Misfit> {
    T::try_from(i128::from_whole(text)?).map_err(|_| Misfit::Range)
}

trait FromWhole: Sized {
    fn from_whole(text: &[u8]) -> Result<Self, Misfit>;
}

impl FromWhole for i128 {
    #[inline]
    fn from_whole(text: &[u8]) -> Result<Self, Misfit> {
        let (negative, digits) = signed(text);
        let value = i128::from(small(digits).ok_or(Misfit::Not("a whole number"))?);
        Ok(if negative { -value } else { value })
    }
}

/// A floating-point number, the nearest one; `NaN` and the infinities too.
#[inline]
pub(crate) fn real<T: std::str::FromStr>(text: &[u8]) -> Result<T, Misfit> {
    const NOT: Misfit = Misfit::Not("a number");
    let text = std::str::from_utf8(text).map_err(|_| NOT)?;
    match text.parse() {
        Ok(value) => Ok(value),
        // The decimal comma of the process's locale, which some drivers put in.
        Err(_) if text.contains(',') => text.replacen(',', ".", 1).parse().map_err(|_| NOT),
        Err(_) => Err(NOT),
    }
}

/// A decimal of at most 38 digits.
#[inline]
pub(crate) fn decimal128(text: &[u8], precision: u8, scale: i8) -> Result<i128, Misfit> {
    if let Some(value) = plain(text, precision, scale) {
        return Ok(value);
    }
    let dotted = with_point(text);
    decimal::from_text(&dotted, precision, scale).ok_or_else(|| why_not(&dotted))
}

/// The usual form: at most 18 digits, as many behind the point as the type has.
#[inline]
fn plain(text: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let (negative, digits) = signed(text);
    let scale = usize::try_from(scale).ok()?;
    let count = digits.len() - usize::from(scale > 0 && !digits.is_empty());
    if count > 18 || count > usize::from(precision) {
        return None;
    }
    let value = if scale == 0 {
        small(digits)?
    } else {
        let point = digits.len().checked_sub(scale + 1)?;
        let (whole, rest) = digits.split_at(point);
        let (mark, fraction) = rest.split_first()?;
        if *mark != b'.' {
            return None;
        }
        // `.5` is no usual form.
        small(whole)? * 10_u64.pow(u32::try_from(scale).ok()?) + small(fraction)?
    };
    let value = i128::from(value);
    Some(if negative { -value } else { value })
}

/// A decimal of at most 76 digits.
pub(crate) fn decimal256(text: &[u8], precision: u8, scale: i8) -> Result<i256, Misfit> {
    if let Ok(value) = decimal128(text, precision.min(38), scale) {
        return Ok(i256::from_i128(value));
    }
    let dotted = with_point(text);
    let text = dotted.as_slice();
    let misfit = || why_not(text);
    let (negative, text) = signed(text);
    let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
    let (whole, fraction) = text.split_at(point);
    let fraction = fraction.get(1..).unwrap_or_default();
    if whole.is_empty() && fraction.is_empty() {
        return Err(misfit());
    }
    // Zeros at either end say nothing.
    let fraction = fraction.get(..fraction.iter().rposition(|byte| *byte != b'0').map_or(0, |last| last + 1));
    let fraction = fraction.unwrap_or_default();
    let whole = whole.get(whole.iter().position(|byte| *byte != b'0').unwrap_or(whole.len())..).unwrap_or_default();
    let scale = usize::try_from(scale).map_err(|_| misfit())?;
    if fraction.len() > scale || whole.len() + scale > usize::from(precision).min(MOST_DIGITS) {
        return Err(misfit());
    }
    let ten = i256::from_i128(10);
    let zeros = std::iter::repeat_n(&b'0', scale - fraction.len());
    let mut value = i256::ZERO;
    for byte in whole.iter().chain(fraction).chain(zeros) {
        if !byte.is_ascii_digit() {
            return Err(misfit());
        }
        value = value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(byte - b'0')));
    }
    Ok(if negative { value.wrapping_neg() } else { value })
}

/// Whether it is a number at all, which the digits of the type cannot hold.
fn why_not(text: &[u8]) -> Misfit {
    let number = text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    if number && !text.is_empty() { Misfit::Digits } else { Misfit::Not("a number that decimals can hold") }
}

/// With a point for the decimal comma that some drivers take from the process's locale.
fn with_point(text: &[u8]) -> Vec<u8> {
    text.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect()
}

#[inline]
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Up to 20 digits.
#[inline]
fn small(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    let fold = |value: u64, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    };
    digits.iter().try_fold(0, fold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_keep_to_their_type() {
        assert_eq!(whole::<i64>(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(whole::<u64>(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(whole::<u32>(b"4294967295"), Ok(u32::MAX));
        assert_eq!(whole::<u32>(b"-1"), Err(Misfit::Range));
        assert_eq!(whole::<i16>(b"32768"), Err(Misfit::Range));
        for text in ["", "-", "1.0", "1e3", "x", "99999999999999999999999999"] {
            assert!(whole::<i64>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        for (text, precision, scale, value) in [
            ("1.50", 15, 2, Ok(150)),
            ("-0.01", 15, 2, Ok(-1)),
            ("1.5", 15, 2, Ok(150)),
            (".5", 15, 2, Ok(50)),
            ("1,5", 15, 2, Ok(150)),
            ("1.5000", 15, 2, Ok(150)),
            ("9999999999999.99", 15, 2, Ok(999_999_999_999_999)),
            ("10000000000000.00", 15, 2, Err(Misfit::Digits)),
            ("1.005", 15, 2, Err(Misfit::Digits)),
            ("12345678901234567890123456789012345678", 38, 0, Ok(12_345_678_901_234_567_890_123_456_789_012_345_678)),
        ] {
            assert_eq!(decimal128(text.as_bytes(), precision, scale), value, "{text}");
        }
        for text in ["NaN", "Infinity", "", "--1", "1.2.3"] {
            assert!(decimal128(text.as_bytes(), 15, 2).is_err(), "{text}");
            assert!(decimal256(text.as_bytes(), 76, 38).is_err(), "{text}");
        }
        assert_eq!(
            decimal256(b"-12345678901234567890123456789012345.123456789012345678901234567890", 65, 30),
            Ok(i256::from_string("-12345678901234567890123456789012345123456789012345678901234567890").unwrap()),
        );
        assert_eq!(decimal256(b"1.50", 76, 38), Ok(i256::from_string(&format!("15{}", "0".repeat(37))).unwrap()));
        assert_eq!(decimal256(format!("1{}", "0".repeat(38)).as_bytes(), 76, 38), Err(Misfit::Digits));
    }

    #[test]
    fn reals_are_the_nearest() {
        assert_eq!(real::<f32>(b"7.038531e-26").unwrap().to_bits(), 0x15ae_43fd);
        assert_eq!(real::<f64>(b"-Infinity"), Ok(f64::NEG_INFINITY));
        assert!(real::<f64>(b"NaN").unwrap().is_nan());
        assert_eq!(real::<f64>(b"1,5"), Ok(1.5));
        assert!(real::<f64>(b"1.5x").is_err());
    }
}
