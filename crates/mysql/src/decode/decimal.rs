//! `decimal` as decimal128 and decimal256: both protocols send it as text, and every digit is kept.

use std::sync::Arc;

use arrow_array::types::{Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{ArrayRef, ArrowNativeTypeOp, PrimitiveArray};
use arrow_buffer::i256;
use arrow_schema::DataType;

use super::number::{ZEROS, are_digits, characters, combine};
use super::{Decode, Reject, primitive};
use crate::cells::{Cells, NULL, load, place, value};

/// A point among characters that are not digits' any more.
const POINT: u64 = (b'.' ^ b'0') as u64;

/// The most decimal places of the quick way, which has the point among the last eight characters.
const MOST_PLACES: u32 = 6;

/// The most digits whose value fits 64 bits at the quick way.
const MOST_DIGITS: u8 = 18;

/// `decimal` of this precision and scale (at least 0).
pub(crate) struct Decimal {
    data_type: DataType,
    precision: u8,
    scale: i8,
}

impl Decimal {
    /// For columns of `data_type`, a decimal128 or decimal256 whose scale is not negative.
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        match *data_type {
            DataType::Decimal128(precision, scale @ 0..) | DataType::Decimal256(precision, scale @ 0..) => {
                Some(Decimal { data_type: data_type.clone(), precision, scale })
            }
            _ => None,
        }
    }

    /// Any decimal, one at a time.
    fn slow<T: DecimalType>(&self, text: &[u8], from: impl Fn(u8) -> T::Native) -> Result<T::Native, Reject> {
        let misfit =
            || Reject::Value { holds: String::from_utf8_lossy(text).chars().take(80).collect(), way_out: "utf8" };
        let (negative, digits) = text.strip_prefix(b"-").map_or((false, text), |digits| (true, digits));
        let point = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
        let whole = digits.get(..point).unwrap_or_default();
        let fraction = digits.get(point + 1..).unwrap_or_default();
        let all = whole.iter().chain(fraction);
        if whole.len() + fraction.len() == 0 || !all.clone().all(u8::is_ascii_digit) {
            return Err(Reject::unreadable(text));
        }
        let places = usize::try_from(self.scale).unwrap_or(0);
        let (kept, rest) = fraction.split_at(fraction.len().min(places));
        if rest.iter().any(|digit| *digit != b'0') {
            return Err(misfit());
        }
        let zeros = std::iter::repeat_n(&b'0', places - kept.len());
        let ten = from(10);
        let mut unscaled = T::Native::default();
        for digit in whole.iter().chain(kept).chain(zeros) {
            unscaled = unscaled
                .mul_checked(ten)
                .and_then(|number| number.add_checked(from(digit - b'0')))
                .map_err(|_| misfit())?;
        }
        T::validate_decimal_precision(unscaled, self.precision, self.scale).map_err(|_| misfit())?;
        Ok(if negative { unscaled.neg_wrapping() } else { unscaled })
    }

    fn every<T: DecimalType>(&self, cells: Cells<'_>, from: impl Fn(u8) -> T::Native) -> Result<ArrayRef, Reject> {
        let mut values = vec![T::Native::default(); cells.len()];
        for (slot, &offset) in values.iter_mut().zip(cells.offsets) {
            if offset != NULL {
                *slot = self.slow::<T>(value(cells.bytes, offset), &from)?;
            }
        }
        let array = PrimitiveArray::<T>::try_new(values.into(), cells.validity())?;
        Ok(Arc::new(array.with_data_type(self.data_type.clone())))
    }

    /// Values of up to 16 characters in 64-bit arithmetic; others one at a time. `PLACES` is the scale.
    fn narrow<const PLACES: u32>(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let limit = 10_u64.pow(u32::from(self.precision));
        let signed = |bytes: &[u8], offset: u32| {
            let (start, length) = place(bytes, offset);
            let negative = load::<1>(bytes, start) == *b"-";
            let sign = usize::from(negative);
            match quick::<PLACES>(bytes, start + sign, length.wrapping_sub(sign)).filter(|unscaled| *unscaled < limit) {
                Some(unscaled) if negative => Some(-i128::from(unscaled)),
                Some(unscaled) => Some(i128::from(unscaled)),
                None => self.slow::<Decimal128Type>(value(bytes, offset), i128::from).ok(),
            }
        };
        let convert = |bytes: &[u8], offset: u32| match short::<PLACES>(bytes, offset) {
            Some(unscaled) if unscaled < limit => Some(i128::from(unscaled)),
            _ => signed(bytes, offset),
        };
        let explain = |bytes: &[u8], offset| match self.slow::<Decimal128Type>(value(bytes, offset), i128::from) {
            Err(reject) => reject,
            Ok(_) => Reject::broken("a decimal"),
        };
        primitive::decode::<Decimal128Type>(cells, &self.data_type, convert, explain)
    }
}

impl Decode for Decimal {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        match (&self.data_type, self.precision, self.scale) {
            (DataType::Decimal256(..), ..) => {
                self.every::<Decimal256Type>(cells, |digit| i256::from_i128(i128::from(digit)))
            }
            (_, ..=MOST_DIGITS, 0) => self.narrow::<0>(cells),
            (_, ..=MOST_DIGITS, 1) => self.narrow::<1>(cells),
            (_, ..=MOST_DIGITS, 2) => self.narrow::<2>(cells),
            (_, ..=MOST_DIGITS, 3) => self.narrow::<3>(cells),
            (_, ..=MOST_DIGITS, 4) => self.narrow::<4>(cells),
            (_, ..=MOST_DIGITS, 5) => self.narrow::<5>(cells),
            (_, ..=MOST_DIGITS, 6) => self.narrow::<6>(cells),
            _ => self.every::<Decimal128Type>(cells, i128::from),
        }
    }
}

/// The digits of a value of up to eight characters without a sign, of which `PLACES` stand behind the point: most values are
/// such, and their length and their characters come with one load. `None` for all others.
#[inline(always)]
fn short<const PLACES: u32>(bytes: &[u8], offset: u32) -> Option<u64> {
    let [length, characters @ ..]: [u8; 9] = load(bytes, offset as usize);
    if !(1..=8).contains(&length) {
        return None;
    }
    let characters = (u64::from_le_bytes(characters) ^ ZEROS) << (64 - 8 * u32::from(length));
    let digits = without_point::<PLACES>(characters)?;
    are_digits(digits).then(|| combine(digits))
}

/// The digits of text with exactly `PLACES` of them behind the point; `None` for what needs a closer look.
#[inline(always)]
fn quick<const PLACES: u32>(bytes: &[u8], start: usize, length: usize) -> Option<u64> {
    const { assert!(PLACES <= MOST_PLACES) }
    match length {
        1..=8 => {
            let digits = without_point::<PLACES>(characters(bytes, start, length))?;
            are_digits(digits).then(|| combine(digits))
        }
        9..=16 => {
            let high = characters(bytes, start, length - 8);
            let low = without_point::<PLACES>(characters(bytes, start + length - 8, 8))?;
            // The point takes the place of a digit.
            let factor = if PLACES == 0 { 100_000_000 } else { 10_000_000 };
            (are_digits(high) & are_digits(low)).then(|| combine(high) * factor + combine(low))
        }
        _ => None,
    }
}

/// Up to eight characters with the point taken out, which stands before the last `PLACES`.
#[inline(always)]
fn without_point<const PLACES: u32>(characters: u64) -> Option<u64> {
    if PLACES == 0 {
        return Some(characters);
    }
    let (behind, before) = (const { u64::MAX.unbounded_shl(64 - 8 * PLACES) }, const { (1 << (56 - 8 * PLACES)) - 1 });
    let point = characters >> (56 - 8 * PLACES) & 0xFF;
    (point == POINT).then_some(characters & behind | (characters & before) << 8)
}
