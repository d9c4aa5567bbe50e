//! Decimals from integers, text and reals, exact or not at all.

use std::io::Write;

/// The largest power of ten that a double holds exactly is 10^22; below 10^15, doubles tell all decimals apart.
const MOST_SCALE: u8 = 22;
const FIFTEEN_DIGITS: f64 = 1e15;

/// `value` times 10^`scale`, if that has at most `precision` digits.
pub fn from_integer(value: i64, precision: u8, scale: i8) -> Option<i128> {
    scaled(i128::from(value), 0, precision, scale)
}

/// A number in text, such as `-1.50` or `2.5e-3`.
pub fn from_text(text: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (text.get(..at)?, std::str::from_utf8(text.get(at + 1..)?).ok()?.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
    let (whole, fraction) = (mantissa.get(..point)?, mantissa.get(point + 1..).unwrap_or_default());
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // Zeros at the end say nothing, and there may be more of them than digits fit.
    let digits = fraction.iter().rposition(|byte| *byte != b'0').map_or(0, |last| last + 1);
    let fraction = fraction.get(..digits)?;
    let mut value: i128 = 0;
    for byte in whole.iter().chain(fraction) {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
    }
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    scaled(if negative { -value } else { value }, exponent, precision, scale)
}

/// The shortest decimal that stands for `value`.
pub fn from_real(value: f64, precision: u8, scale: i8) -> Option<i128> {
    if let Some(fast) = few_digits(value, scale) {
        return in_precision(fast, precision);
    }
    // Room for a sign, 17 digits, a point and an exponent.
    let mut buffer = [0; 32];
    let mut rest: &mut [u8] = &mut buffer;
    write!(rest, "{value:e}").ok()?;
    let unused = rest.len();
    from_text(buffer.get(..32 - unused)?, precision, scale)
}

/// A value of at most 15 digits, without the detour over text: the division tells whether the decimal is the value's own.
fn few_digits(value: f64, scale: i8) -> Option<i128> {
    let scale = u8::try_from(scale).ok().filter(|scale| *scale <= MOST_SCALE)?;
    let power = 10_f64.powi(i32::from(scale));
    let rounded = (value * power).round();
    // False for infinities too.
    if rounded.abs() < FIFTEEN_DIGITS && rounded / power == value {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 15 digits")]
        return Some(rounded as i128);
    }
    None
}

/// `value` times 10^(`exponent` + `scale`), if that is whole and has at most `precision` digits.
fn scaled(value: i128, exponent: i32, precision: u8, scale: i8) -> Option<i128> {
    if value == 0 {
        return Some(0);
    }
    let exponent = exponent.checked_add(i32::from(scale))?;
    let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
    let value = if exponent >= 0 {
        value.checked_mul(power)?
    } else if value % power == 0 {
        value / power
    } else {
        return None;
    };
    in_precision(value, precision)
}

fn in_precision(value: i128, precision: u8) -> Option<i128> {
    (value.unsigned_abs() < 10_u128.checked_pow(u32::from(precision))?).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_exact_or_refused() {
        for (text, precision, scale, value) in [
            ("1.5", 15, 2, Some(150)),
            ("-0.01", 15, 2, Some(-1)),
            (".5", 15, 2, Some(50)),
            ("5.", 15, 2, Some(500)),
            ("1.230000", 15, 2, Some(123)),
            ("2.5e-1", 15, 2, Some(25)),
            ("1e3", 15, 2, Some(100_000)),
            ("100", 3, 0, Some(100)),
            ("1000", 3, 0, None),
            ("1.234", 15, 2, None),
            ("99999999999999999999999999999999999999", 38, 0, Some(99_999_999_999_999_999_999_999_999_999_999_999_999)),
            ("100000000000000000000000000000000000000", 38, 0, None),
            ("1e99999999999", 38, 0, None),
            ("0e999", 38, 0, Some(0)),
            ("", 38, 0, None),
            (".", 38, 0, None),
            ("1,5", 38, 2, None),
            ("nan", 38, 2, None),
            ("--1", 38, 2, None),
        ] {
            assert_eq!(from_text(text.as_bytes(), precision, scale), value, "{text}");
        }
    }

    #[test]
    fn reals_mean_their_shortest_decimal() {
        for (real, precision, scale, value) in [
            (0.1, 15, 2, Some(10)),
            (104_949.55, 15, 2, Some(10_494_955)),
            (-0.07, 15, 2, Some(-7)),
            (0.1 + 0.2, 38, 17, Some(30_000_000_000_000_004)),
            (0.1 + 0.2, 15, 2, None),
            (1e22, 38, 0, Some(10_000_000_000_000_000_000_000)),
            (123_456_789_012_345.67, 38, 2, Some(12_345_678_901_234_567)),
            (f64::INFINITY, 38, 2, None),
            (f64::MIN_POSITIVE, 38, 2, None),
            (-0.0, 15, 2, Some(0)),
        ] {
            assert_eq!(from_real(real, precision, scale), value, "{real}");
        }
        // The fast way and the way over text agree.
        for cents in (-3_000_000_i64..3_000_000).step_by(37) {
            let real: f64 = format!("{}e-2", cents).parse().unwrap();
            assert_eq!(from_real(real, 15, 2), Some(i128::from(cents)));
        }
    }

    #[test]
    fn integers_are_scaled() {
        assert_eq!(from_integer(5, 15, 2), Some(500));
        assert_eq!(from_integer(i64::MIN, 38, 10), Some(i128::from(i64::MIN) * 10_000_000_000));
        assert_eq!(from_integer(i64::MAX, 19, 1), None);
    }
}
