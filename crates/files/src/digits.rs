//! Whether a float says all that the digits of a number said.

/// Whether the digits of a number come back from the double, written in the fewest that stand for it: always up to 15 of them.
pub(crate) fn is_exact(text: &[u8], value: f64) -> bool {
    let mantissa = mantissa(text);
    let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit()).count();
    // Near zero, doubles have fewer digits.
    if digits <= 15 && (value.abs() >= 1e-290 || mantissa.iter().all(|byte| !matches!(byte, b'1'..=b'9'))) {
        return true;
    }
    let written = format!("{value:e}");
    scientific(text) == scientific(written.as_bytes())
}

/// Whether the digits of a number come back from the double, written in as many as the number has: programs write 0.1 as
/// 0.10000000000000001, too.
pub(crate) fn comes_back(text: &[u8], value: f64) -> bool {
    // The digits of a double end before these.
    const MOST: usize = 800;
    if is_exact(text, value) {
        return true;
    }
    let digits = scientific(text).map_or(0, |number| number.digits().count());
    if digits == 0 || digits > MOST {
        return false;
    }
    let written = format!("{value:.*e}", digits - 1);
    scientific(text) == scientific(written.as_bytes())
}

fn mantissa(text: &[u8]) -> &[u8] {
    text.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or(text)
}

/// A number as its significant digits and the power of ten of the first one.
struct Scientific<'a> {
    negative: bool,
    /// From the first digit that is not zero to the last one, perhaps with a point among them; nothing of zero.
    digits: &'a [u8],
    power: i64,
}

impl Scientific<'_> {
    fn digits(&self) -> impl Iterator<Item = &u8> {
        self.digits.iter().filter(|byte| byte.is_ascii_digit())
    }
}

impl PartialEq for Scientific<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.negative, self.power) == (other.negative, other.power) && self.digits().eq(other.digits())
    }
}

fn scientific(text: &[u8]) -> Option<Scientific<'_>> {
    let (negative, text) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
    let mantissa = mantissa(text);
    let exponent = text.get(mantissa.len() + 1..);
    let exponent: i64 = exponent.map_or(Some(0), |exponent| std::str::from_utf8(exponent).ok()?.parse().ok())?;
    let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
    let significant = |byte: &u8| matches!(byte, b'1'..=b'9');
    let Some(first) = mantissa.iter().position(significant) else {
        return Some(Scientific { negative, digits: &[], power: 0 });
    };
    let last = mantissa.iter().rposition(significant).unwrap_or(first);
    // The point itself takes a place among the digits behind it.
    let (point, first_place) = (i64::try_from(point).ok()?, i64::try_from(first).ok()?);
    let power = if first_place < point { point - first_place - 1 } else { point - first_place };
    Some(Scientific { negative, digits: mantissa.get(first..=last)?, power: exponent.checked_add(power)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_come_back_or_not() {
        for (text, exact) in [
            ("0.1", true),
            ("1.10", true),
            ("0.30000000000000004", true),
            ("0.300000000000000040", true),
            ("0.30000000000000003", false),
            ("123456789012345.67", true),
            ("12345678901234567.89", false),
            ("9007199254740993", false),
            ("9007199254740992", true),
            ("1.7976931348623157e308", true),
            ("5e-324", true),
            ("4e-324", false),
            ("1e-400", false),
            ("0.000", true),
            ("0e-400", true),
        ] {
            let value: f64 = text.parse().unwrap();
            assert_eq!(is_exact(text.as_bytes(), value), exact, "{text}");
        }
    }

    #[test]
    fn more_digits_than_needed_are_those_of_the_double_or_others() {
        for (text, back) in [
            ("0.10000000000000001", true),
            ("-1.0000000000000000e-1", true),
            ("0.1000000000000000055511151231257827", true),
            ("0.10000000000000004", false),
            ("0.1000000000000000055511151231257829", false),
            ("1152921504606846976", true),
            ("1152921504606846977", false),
            ("1e-400", false),
            ("4e-324", false),
        ] {
            let value: f64 = text.parse().unwrap();
            assert_eq!(comes_back(text.as_bytes(), value), back, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_a_double_is_written_as_comes_back(value in any::<f64>(), digits in 16_usize..40) {
            for written in [format!("{value}"), format!("{value:?}"), format!("{value:e}")] {
                prop_assert!(!value.is_finite() || is_exact(written.as_bytes(), value), "{}", written);
            }
            let written = format!("{value:.digits$e}");
            prop_assert!(!value.is_finite() || comes_back(written.as_bytes(), value), "{}", written);
        }
    }
}
