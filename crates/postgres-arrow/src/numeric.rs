//! `numeric` as it lies on disk, as decimals.
//!
//! A header of two or four bytes (sign, weight, display scale), then digits to the base 10,000, the first of which
//! counts 10,000^weight, all as the processor has them (`NumericData` in PostgreSQL's numeric.c).

use arrow_buffer::i256;
use arrow_schema::DataType;
use bowshot_postgres_values::{Decimal, Reject};

/// Bits of the header's first word: set in the short form, whose remaining bits hold everything; both top bits mark
/// what is not finite.
const SHORT: u16 = 0x8000;
const NEGATIVE: u16 = 0x4000;
const SPECIAL: u16 = 0xC000;
/// What is not finite differs in these bits, which the wire's sign has as well.
const SPECIAL_SIGN: u16 = 0xF000;

/// The most digits to the base 10,000 whose number fits 128 bits without a check.
const MOST_DIGITS: usize = 9;

/// Powers of ten that fit 128 bits.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut at = 1;
    while at < 39 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// What turns a column's numerics into decimals of one precision and scale.
pub(crate) struct Digits {
    decimal: Decimal,
    precision: usize,
    scale: i32,
    /// The least power of ten, up to 10^38, that has too many digits for the precision.
    limit: i128,
}

impl Digits {
    /// For columns of `data_type`, a decimal128 or decimal256 whose scale is not negative.
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        let decimal = Decimal::new(data_type)?;
        let (&DataType::Decimal128(precision, scale) | &DataType::Decimal256(precision, scale)) = data_type else {
            return None;
        };
        let precision = usize::from(precision);
        let limit = POWERS.get(precision).copied().unwrap_or(i128::MAX);
        Some(Digits { decimal, precision, scale: i32::from(scale), limit })
    }

    /// The scale, and the least power of ten that 64 bits hold and that has too many digits for the precision.
    pub(crate) fn small(&self) -> (i32, i64) {
        const MOST: i64 = 1_000_000_000_000_000_000;
        (self.scale, i64::try_from(self.limit).unwrap_or(MOST).min(MOST))
    }

    /// The unscaled value for a decimal128.
    pub(crate) fn narrow(&self, disk: &[u8]) -> Result<i128, Reject> {
        match self.quick(disk) {
            Some(unscaled) if -self.limit < unscaled && unscaled < self.limit => Ok(unscaled),
            _ => self.decimal.narrow_value(&wire(disk)),
        }
    }

    /// The unscaled value for a decimal256.
    pub(crate) fn wide(&self, disk: &[u8]) -> Result<i256, Reject> {
        let quick = || {
            let parsed = Parsed::of(disk)?;
            let power = usize::try_from(parsed.power(self.scale)).ok()?;
            // Every digit of the base has four decimal ones.
            let fits = 4 * parsed.count() + power <= self.precision;
            let power = POWERS.get(power).filter(|_| fits)?;
            Some(i256::from_i128(parsed.number()?).wrapping_mul(i256::from_i128(*power)))
        };
        quick().map_or_else(|| self.decimal.wide_value(&wire(disk)), Ok)
    }

    /// The unscaled value of an ordinary numeric; `None` for one that needs a closer look.
    #[inline(always)]
    fn quick(&self, disk: &[u8]) -> Option<i128> {
        let parsed = Parsed::of(disk)?;
        let number = parsed.number()?;
        let power = parsed.power(self.scale);
        match power {
            0 => Some(number),
            1..=38 => {
                let power = POWERS.get(usize::try_from(power).ok()?)?;
                // Almost always both are small, and the product needs no check.
                match (i64::try_from(number), i64::try_from(*power)) {
                    (Ok(number), Ok(power)) => Some(i128::from(number) * i128::from(power)),
                    _ => number.checked_mul(*power),
                }
            }
            // The last digit holds places beyond the scale, which have to be zeros.
            -3..=-1 => {
                let surplus = [10i64, 100, 1000].get(usize::try_from(-power - 1).ok()?).copied()?;
                let number = i64::try_from(number).ok()?;
                let quotient = match surplus {
                    10 => number / 10,
                    100 => number / 100,
                    _ => number / 1000,
                };
                (quotient * surplus == number).then_some(i128::from(quotient))
            }
            _ => None,
        }
    }
}

/// A finite numeric as it lies on disk.
struct Parsed<'a> {
    negative: bool,
    /// What the first digit counts, as a power of 10,000.
    weight: i16,
    display_scale: u16,
    /// Two bytes a digit.
    digits: &'a [u8],
}

impl<'a> Parsed<'a> {
    #[inline(always)]
    fn of(disk: &'a [u8]) -> Option<Self> {
        let (first, rest) = disk.split_first_chunk::<2>()?;
        let word = u16::from_ne_bytes(*first);
        if word & SPECIAL == SPECIAL {
            return None;
        }
        if word & SHORT != 0 {
            // Seven bits with a sign.
            let weight = (word & 0x7F ^ 0x40).cast_signed() - 0x40;
            let display_scale = word >> 7 & 0x3F;
            return Some(Parsed { negative: word & 0x2000 != 0, weight, display_scale, digits: rest });
        }
        let (weight, digits) = rest.split_first_chunk::<2>()?;
        let negative = word & SPECIAL == NEGATIVE;
        Some(Parsed { negative, weight: i16::from_ne_bytes(*weight), display_scale: word & 0x3FFF, digits })
    }

    fn count(&self) -> usize {
        self.digits.len() / 2
    }

    /// All digits as one number; `None` when they are too many.
    #[inline(always)]
    fn number(&self) -> Option<i128> {
        let digits = self.digits.chunks_exact(2).map(|digit| match digit {
            [a, b] => u16::from_ne_bytes([*a, *b]),
            _ => 0,
        });
        let number = match self.count() {
            0..=4 => i128::from(digits.fold(0, |number, digit| number * 10_000 + u64::from(digit))),
            5..=MOST_DIGITS => digits.fold(0, |number, digit| number * 10_000 + i128::from(digit)),
            _ => return None,
        };
        Some(if self.negative { -number } else { number })
    }

    /// The power of ten that the number is to be multiplied with.
    #[inline(always)]
    fn power(&self, scale: i32) -> i32 {
        let count = i32::try_from(self.count()).unwrap_or(i32::MAX);
        if count == 0 { 0 } else { scale.saturating_add(4 * (i32::from(self.weight) + 1)).saturating_sub(4 * count) }
    }
}

/// The numeric in its binary form, as `numeric_send` writes it.
fn wire(disk: &[u8]) -> Vec<u8> {
    let words = match Parsed::of(disk) {
        Some(parsed) => {
            let count = u16::try_from(parsed.count()).unwrap_or(u16::MAX);
            let sign = if parsed.negative { NEGATIVE } else { 0 };
            let digits = parsed.digits.chunks_exact(2).map(|digit| u16::from_ne_bytes([digit[0], digit[1]]));
            [count, parsed.weight.cast_unsigned(), sign, parsed.display_scale].into_iter().chain(digits).collect()
        }
        None => {
            let sign = disk.first_chunk::<2>().map_or(SPECIAL, |word| u16::from_ne_bytes(*word) & SPECIAL_SIGN);
            vec![0, 0, sign, 0]
        }
    };
    words.into_iter().flat_map(u16::to_be_bytes).collect()
}

#[cfg(test)]
mod tests;
