//! Decimals from integers, text and reals, exact or not at all.

use std::fmt::LowerExp;
use std::io::Write;

use arrow_array::ArrowNativeTypeOp;
use arrow_buffer::i256;

/// The largest power of ten that a double holds exactly is 10^22; below 10^15, doubles tell all decimals apart.
const MOST_SCALE: u8 = 22;
const FIFTEEN_DIGITS: f64 = 1e15;

/// `value` times 10^`scale`, if that has at most `precision` digits.
pub fn from_integer(value: i64, precision: u8, scale: i8) -> Option<i128> {
    scaled(i128::from(value), 0, precision, scale)
}

/// A number in text, such as `-1.50` or `2.5e-3`.
pub fn from_text(text: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let (digits, exponent) = split(text, i128::from)?;
    scaled(digits, exponent, precision, scale)
}

/// A number in text, for a decimal256.
pub fn wide_from_text(text: &[u8], precision: u8, scale: i8) -> Option<i256> {
    let (digits, exponent) = split(text, |digit| i256::from_i128(i128::from(digit)))?;
    let digits = times_ten(digits, exponent.checked_add(i32::from(scale))?, i256::from_i128(10))?;
    let most = i256::from_i128(10).checked_pow(u32::from(precision))?;
    (digits.wrapping_abs() < most).then_some(digits)
}

/// The digits of a number in text, with its sign, and the power of ten that they count.
fn split<N: ArrowNativeTypeOp>(text: &[u8], from: impl Fn(u8) -> N) -> Option<(N, i32)> {
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
    let (ten, mut value) = (from(10), N::ZERO);
    for byte in whole.iter().chain(fraction) {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.mul_checked(ten).and_then(|tens| tens.add_checked(from(byte - b'0'))).ok()?;
    }
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    Some((if negative { value.neg_wrapping() } else { value }, exponent))
}

/// `value` times 10^`exponent`, if that is whole and the type can hold it; `ten` is 10.
pub(crate) fn times_ten<N: ArrowNativeTypeOp>(value: N, exponent: i32, ten: N) -> Option<N> {
    if value.is_zero() {
        return Some(value);
    }
    let power = ten.pow_checked(exponent.unsigned_abs()).ok()?;
    if exponent >= 0 {
        value.mul_checked(power).ok()
    } else if value.mod_checked(power).ok()?.is_zero() {
        value.div_checked(power).ok()
    } else {
        None
    }
}

/// The shortest decimal that stands for `value`.
pub fn from_real(value: f64, precision: u8, scale: i8) -> Option<i128> {
    if let Some(fast) = few_digits(value, scale) {
        return in_precision(fast, precision);
    }
    shortest(value, |text| from_text(text, precision, scale))
}

/// The shortest decimal that stands for a value of 32 bits: 0.1 of what is not quite 0.1.
pub fn from_single(value: f32, precision: u8, scale: i8) -> Option<i128> {
    shortest(value, |text| from_text(text, precision, scale))
}

/// What `read` makes of the shortest decimal that stands for a float.
pub(crate) fn shortest<T>(value: impl LowerExp, read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    // Room for a sign, 17 digits, a point and an exponent.
    let mut buffer = [0; 32];
    let mut rest: &mut [u8] = &mut buffer;
    write!(rest, "{value:e}").ok()?;
    let unused = rest.len();
    read(buffer.get(..32 - unused)?)
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
    in_precision(times_ten(value, exponent.checked_add(i32::from(scale))?, 10)?, precision)
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
