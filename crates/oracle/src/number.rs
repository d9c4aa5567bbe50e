//! Oracle's NUMBER: digits to the base 100 behind an exponent, up to 40 decimal digits in all.

use std::io::Write;
use std::sync::LazyLock;

use arrow_buffer::i256;

/// Why bytes are no number that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It is infinite.
    Infinite,
    /// The bytes are no NUMBER.
    Malformed,
    /// The type has too few digits before or after the point.
    Digits,
}

/// The most digits to the base 100.
const MOST: usize = 20;

/// A number: sign, digits, and the power of ten that the last digit counts.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    negative: bool,
    /// To the base 100, the most significant first; without zeros at either end.
    digits: [u8; MOST],
    count: u8,
    /// The power of 100 of the last digit.
    exponent: i16,
}

/// 10 to the power of 0 to 76.
static POWERS: LazyLock<[i256; 77]> = LazyLock::new(|| {
    let mut power = i256::ONE;
    std::array::from_fn(|index| {
        if index > 0 {
            power = power.wrapping_mul(i256::from_i128(10));
        }
        power
    })
});

impl Number {
    /// Reads the bytes of a NUMBER.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Misfit> {
        let (&first, mut rest) = bytes.split_first().ok_or(Misfit::Malformed)?;
        let negative = first & 0x80 == 0;
        let mut number = Number { negative, digits: [0; MOST], count: 0, exponent: 0 };
        match (first, rest) {
            (0x80, []) => return Ok(Number { negative: false, ..number }),
            (0x00, []) | (0xff, [101]) => return Err(Misfit::Infinite),
            _ => {}
        }
        let leading = if negative { 62 - i16::from(first) } else { i16::from(first) - 193 };
        if negative {
            // Ends shorter negative numbers, so that they sort before longer ones.
            rest = rest.strip_suffix(&[102]).unwrap_or(rest);
        }
        if rest.is_empty() || rest.len() > MOST {
            return Err(Misfit::Malformed);
        }
        for (digit, byte) in number.digits.iter_mut().zip(rest) {
            let value = if negative { 101_u8.checked_sub(*byte) } else { byte.checked_sub(1) };
            *digit = value.filter(|value| *value < 100).ok_or(Misfit::Malformed)?;
        }
        let count = rest.len()
            - number.digits.get(..rest.len()).unwrap_or_default().iter().rev().take_while(|digit| **digit == 0).count();
        // At most 20.
        number.count = u8::try_from(count).map_err(|_| Misfit::Malformed)?;
        number.exponent = leading + 1 - i16::from(number.count);
        Ok(number)
    }

    fn digits(&self) -> &[u8] {
        self.digits.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// All digits as one whole number, if they fit.
    fn whole(&self) -> Option<i128> {
        let (head, tail) = self.digits().split_at(self.digits().len().min(9));
        let head = head.iter().fold(0_u64, |sum, digit| sum * 100 + u64::from(*digit));
        let mut sum = i128::from(head);
        for digit in tail {
            sum = sum.checked_mul(100)?.checked_add(i128::from(*digit))?;
        }
        Some(if self.negative { -sum } else { sum })
    }

    /// The power of ten to multiply all digits with, for a value that is `scale` decimal places large.
    fn shift(&self, scale: i8) -> i32 {
        2 * i32::from(self.exponent) + i32::from(scale)
    }

    /// The value times 10^`scale`, if that is whole and has at most `precision` digits.
    #[inline]
    pub(crate) fn decimal128(&self, precision: u8, scale: i8) -> Result<i128, Misfit> {
        if self.count == 0 {
            return Ok(0);
        }
        let shift = self.shift(scale);
        let near = self.whole().and_then(|whole| match u32::try_from(shift) {
            Ok(up) => whole.checked_mul(10_i128.checked_pow(up)?),
            Err(_) => {
                let power = 10_i128.checked_pow(shift.unsigned_abs())?;
                (whole % power == 0).then_some(whole / power)
            }
        });
        let value = match near {
            Some(value) => value,
            // More than 38 digits on the way, perhaps not at the end.
            None => self.decimal256(76, scale)?.to_i128().ok_or(Misfit::Digits)?,
        };
        let limit = 10_u128.checked_pow(u32::from(precision)).unwrap_or(u128::MAX);
        if value.unsigned_abs() < limit { Ok(value) } else { Err(Misfit::Digits) }
    }

    /// The same for up to 76 digits.
    pub(crate) fn decimal256(&self, precision: u8, scale: i8) -> Result<i256, Misfit> {
        let mut whole = i256::ZERO;
        for digit in self.digits() {
            // At most 40 digits.
            whole = whole.wrapping_mul(i256::from_i128(100)).wrapping_add(i256::from_i128(i128::from(*digit)));
        }
        if self.count == 0 {
            return Ok(whole);
        }
        let shift = self.shift(scale);
        let power = |places: u32| usize::try_from(places).ok().and_then(|places| POWERS.get(places)).copied();
        let far = power(shift.unsigned_abs()).ok_or(Misfit::Digits)?;
        let value = if shift >= 0 {
            whole.checked_mul(far).ok_or(Misfit::Digits)?
        } else if whole.wrapping_rem(far) == i256::ZERO {
            whole.wrapping_div(far)
        } else {
            return Err(Misfit::Digits);
        };
        match power(precision.into()) {
            Some(limit) if value < limit => Ok(if self.negative { value.wrapping_neg() } else { value }),
            _ => Err(Misfit::Digits),
        }
    }

    /// The value as a whole number of 64 bits.
    #[inline]
    pub(crate) fn int64(&self) -> Result<i64, Misfit> {
        i64::try_from(self.decimal128(19, 0)?).map_err(|_| Misfit::Digits)
    }

    /// The nearest double.
    pub(crate) fn double(&self) -> f64 {
        // Room for a sign, 40 digits and an exponent.
        let mut buffer = [0; 64];
        let mut rest: &mut [u8] = &mut buffer;
        let sign = if self.negative { "-" } else { "" };
        let written = write!(rest, "{sign}0").and_then(|()| {
            for digit in self.digits() {
                write!(rest, "{digit:02}")?;
            }
            write!(rest, "e{}", 2 * i32::from(self.exponent))
        });
        let unused = rest.len();
        let text = buffer.get(..64 - unused).and_then(|text| std::str::from_utf8(text).ok());
        match (written, text.and_then(|text| text.parse().ok())) {
            (Ok(()), Some(value)) => value,
            // The text above is a number.
            _ => f64::NAN,
        }
    }

    /// Writes the number out, without an exponent: every digit is there, and no more.
    pub(crate) fn write(&self, text: &mut Vec<u8>) {
        if self.count == 0 {
            text.push(b'0');
            return;
        }
        if self.negative {
            text.push(b'-');
        }
        let start = text.len();
        let mut places = 0;
        if self.exponent < 0 {
            // The digits behind the point: as many as the last one's place, and zeros before them.
            places = usize::from((2 * self.exponent).unsigned_abs());
        }
        for digit in self.digits() {
            text.extend([b'0' + digit / 10, b'0' + digit % 10]);
        }
        for _ in 0..self.exponent.max(0) {
            text.extend(b"00");
        }
        if places > 0 {
            let digits = text.len() - start;
            if digits <= places {
                text.splice(start..start, std::iter::repeat_n(b'0', places - digits + 1));
            }
            text.insert(text.len() - places, b'.');
            while text.last() == Some(&b'0') {
                text.pop();
            }
        }
        // One zero before the point stays.
        let zeros = text.get(start..).unwrap_or_default();
        let leading = zeros
            .iter()
            .zip(zeros.iter().skip(1))
            .take_while(|(digit, next)| **digit == b'0' && **next != b'.')
            .count();
        text.drain(start..start + leading);
    }
}

#[cfg(test)]
pub(crate) mod tests;
