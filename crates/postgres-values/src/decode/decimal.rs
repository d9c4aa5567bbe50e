//! `numeric` as decimal128 and decimal256: every digit kept, nothing rounded.

use std::sync::Arc;

use arrow_array::types::{Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{ArrayRef, ArrowNativeTypeOp, PrimitiveArray};
use arrow_buffer::i256;
use arrow_schema::DataType;
use bowshot_cells::collect;

use super::numeric::Numeric;
use super::{Decode, Reject};
use crate::cells::{Cells, NULL, length, load, value};

/// `numeric` as a decimal of this precision and scale (at least 0).
pub struct Decimal {
    precision: u8,
    scale: i8,
    /// Digits to the base 10,000 after the point.
    fraction_digits: usize,
    /// Decimal places of the last of those that lie beyond the scale, 0 to 3.
    surplus: u32,
    /// A decimal256, not a decimal128.
    wide: bool,
}

impl Decimal {
    /// For columns of `data_type`, a decimal128 or decimal256 whose scale is not negative.
    pub fn new(data_type: &DataType) -> Option<Self> {
        let (&DataType::Decimal128(precision, scale) | &DataType::Decimal256(precision, scale)) = data_type else {
            return None;
        };
        let places = usize::try_from(scale).ok()?;
        let fraction_digits = places.div_ceil(4);
        let surplus = u32::try_from(4 * fraction_digits - places).ok()?;
        let wide = matches!(data_type, DataType::Decimal256(..));
        Some(Decimal { precision, scale, fraction_digits, surplus, wide })
    }

    /// The unscaled value of one numeric in its binary form, for a decimal128.
    pub fn narrow_value(&self, bytes: &[u8]) -> Result<i128, Reject> {
        self.slow::<Decimal128Type>(bytes, i128::from)
    }

    /// The unscaled value of one numeric in its binary form, for a decimal256.
    pub fn wide_value(&self, bytes: &[u8]) -> Result<i256, Reject> {
        self.slow::<Decimal256Type>(bytes, |digit| i256::from_i128(i128::from(digit)))
    }

    /// The unscaled value of any numeric, in the width of the array.
    fn unscaled<N: ArrowNativeTypeOp>(&self, bytes: &[u8], from: impl Fn(u16) -> N) -> Result<N, Reject> {
        let numeric = Numeric::parse(bytes)?;
        let negative = numeric.is_negative()?;
        let too_fine = || self.misfit(&numeric, "decimal places");
        let too_large = || self.misfit(&numeric, "digits");
        let base = from(10_000);
        // The place of the last digit that counts, from the first one.
        let last = i64::from(numeric.weight) + i64::try_from(self.fraction_digits).unwrap_or(i64::MAX);
        let mut digits = numeric.digits();
        let mut unscaled = N::default();
        for place in 0..=last {
            let digit = digits.next().unwrap_or(0);
            let (base, digit) = if place == last && self.surplus > 0 {
                let surplus = 10u16.pow(self.surplus);
                if !digit.is_multiple_of(surplus) {
                    return Err(too_fine());
                }
                (from(10_000 / surplus), digit / surplus)
            } else {
                (base, digit)
            };
            // Trailing zeros of a huge weight must not overflow a value of zero.
            if unscaled.is_zero() && digit == 0 {
                continue;
            }
            unscaled = unscaled
                .mul_checked(base)
                .and_then(|product| product.add_checked(from(digit)))
                .map_err(|_| too_large())?;
        }
        if digits.any(|digit| digit != 0) {
            return Err(too_fine());
        }
        Ok(if negative { unscaled.neg_wrapping() } else { unscaled })
    }

    fn misfit(&self, numeric: &Numeric<'_>, what: &str) -> Reject {
        let text: String = numeric.text().chars().take(80).collect();
        Reject::value(format!("{text}, which has too many {what}"))
    }

    /// Any numeric, one at a time.
    fn slow<T: DecimalType>(&self, bytes: &[u8], from: impl Fn(u16) -> T::Native) -> Result<T::Native, Reject> {
        let unscaled = self.unscaled(bytes, from)?;
        match T::validate_decimal_precision(unscaled, self.precision, self.scale) {
            Ok(()) => Ok(unscaled),
            Err(_) => Err(self.misfit(&Numeric::parse(bytes)?, "digits")),
        }
    }

    fn every<T: DecimalType>(&self, cells: Cells<'_>, from: impl Fn(u16) -> T::Native) -> Result<ArrayRef, Reject> {
        let mut values = vec![T::Native::default(); cells.len()];
        for (slot, &offset) in values.iter_mut().zip(cells.offsets) {
            if offset != NULL {
                *slot = self.slow::<T>(value(cells.bytes, offset), &from)?;
            }
        }
        self.array::<T>(values, cells)
    }

    /// Values of up to four digits in 64-bit arithmetic, four multiplications and no branch on the value; others one
    /// at a time. `SURPLUS` is 10 to the power of `surplus`, known to the compiler.
    fn narrow<const SURPLUS: u64>(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let bytes = cells.bytes;
        let limit = 10u64.pow(u32::from(self.precision));
        let fraction_digits = self.fraction_digits;
        let mut rejected = None;
        let mut slow = |offset: u32| {
            self.narrow_value(value(bytes, offset)).unwrap_or_else(|reject| {
                rejected.get_or_insert(reject);
                0
            })
        };
        let decode = |&offset: &u32| match offset {
            NULL => 0,
            _ => quick::<SURPLUS>(bytes, offset, fraction_digits, limit).unwrap_or_else(|| slow(offset)),
        };
        let values = collect(cells.offsets.iter().map(decode));
        if let Some(reject) = rejected {
            return Err(reject);
        }
        self.array::<Decimal128Type>(values, cells)
    }

    fn array<T: DecimalType>(&self, values: Vec<T::Native>, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let array = PrimitiveArray::<T>::try_new(values.into(), cells.validity())?;
        Ok(Arc::new(array.with_precision_and_scale(self.precision, self.scale)?))
    }
}

impl Decode for Decimal {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        match (self.wide, u32::from(self.precision) + self.surplus, self.surplus) {
            (true, ..) => self.every::<Decimal256Type>(cells, |digit| i256::from_i128(i128::from(digit))),
            (false, ..=19, 0) => self.narrow::<1>(cells),
            (false, ..=19, 1) => self.narrow::<10>(cells),
            (false, ..=19, 2) => self.narrow::<100>(cells),
            (false, ..=19, 3) => self.narrow::<1000>(cells),
            _ => self.every::<Decimal128Type>(cells, i128::from),
        }
    }
}

/// What digit `i` of a numeric counts, by the number of digits behind the first one.
const POWERS: [[u64; 4]; 4] =
    [[1, 0, 0, 0], [10_000, 1, 0, 0], [100_000_000, 10_000, 1, 0], [1_000_000_000_000, 100_000_000, 10_000, 1]];

/// The bits of the digits that exist, by their count; digits are loaded four at a time.
const EXISTING: [u64; 5] = [0, !0 << 48, !0 << 32, !0 << 16, !0];

/// The unscaled value of an ordinary numeric; `None` for one that needs a closer look.
#[inline(always)]
fn quick<const SURPLUS: u64>(bytes: &[u8], offset: u32, fraction_digits: usize, limit: u64) -> Option<i128> {
    let at = offset as usize;
    let [c0, c1, w0, w1, s0, s1, ..]: [u8; 8] = load(bytes, at);
    let count = usize::from(u16::from_be_bytes([c0, c1]));
    let negative = [s0, s1] == [0x40, 0];
    let ordinary = (negative | ([s0, s1] == [0, 0])) & (length(bytes, offset) == 8 + 2 * count);
    // Digits behind the first one that count; a negative weight becomes a huge number.
    let behind = usize::from(u16::from_be_bytes([w0, w1])).wrapping_add(fraction_digits) & 0xFFFF;
    let powers = POWERS.get(behind)?;
    if !ordinary || count > behind + 1 {
        return None;
    }
    let digits = u64::from_be_bytes(load(bytes, at + 8)) & EXISTING.get(count)?;
    let digit = |shift: u32| digits >> shift & 0xFFFF;
    let sum = digit(48) * powers[0] + digit(32) * powers[1] + digit(16) * powers[2] + digit(0) * powers[3];
    let unscaled = sum / SURPLUS;
    if unscaled * SURPLUS != sum || unscaled >= limit {
        return None;
    }
    let unscaled = i128::from(unscaled);
    Some(if negative { -unscaled } else { unscaled })
}
