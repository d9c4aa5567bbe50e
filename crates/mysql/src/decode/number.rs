//! Integers and floating point, in binary form and as text.

use std::marker::PhantomData;

use arrow_array::{ArrayRef, ArrowPrimitiveType};

use super::{Decode, Reject, primitive};
use crate::cells::{Cells, load, place, value};

/// A number that the binary protocol sends as it is, little-endian.
pub(crate) trait Plain: ArrowPrimitiveType {
    fn read(bytes: &[u8], at: usize) -> Self::Native;
}

/// A number as text.
pub(crate) trait Written: ArrowPrimitiveType {
    fn parse(bytes: &[u8], start: usize, length: usize) -> Option<Self::Native>;
}

/// Numbers of the binary protocol.
pub(crate) struct Binary<T>(PhantomData<fn() -> T>);

/// Numbers of the text protocol.
pub(crate) struct Text<T>(PhantomData<fn() -> T>);

impl<T> Binary<T> {
    pub(crate) fn new() -> Self {
        Binary(PhantomData)
    }
}

impl<T> Text<T> {
    pub(crate) fn new() -> Self {
        Text(PhantomData)
    }
}

impl<T: Plain> Decode for Binary<T> {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let convert = |bytes: &[u8], offset: u32| Some(T::read(bytes, offset as usize));
        primitive::decode::<T>(cells, &T::DATA_TYPE, convert, |_, _| Reject::broken("a number"))
    }
}

impl<T: Written> Decode for Text<T> {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let convert = |bytes: &[u8], offset: u32| {
            let (start, length) = place(bytes, offset);
            T::parse(bytes, start, length)
        };
        let explain = |bytes: &[u8], offset| Reject::unreadable(value(bytes, offset));
        primitive::decode::<T>(cells, &T::DATA_TYPE, convert, explain)
    }
}

/// What of a macro: the same two lines for each width.
macro_rules! integers {
    ($($arrow:ident $native:ident $parse:ident),*) => {$(
        impl Plain for arrow_array::types::$arrow {
            #[inline(always)]
            fn read(bytes: &[u8], at: usize) -> $native {
                $native::from_le_bytes(load(bytes, at))
            }
        }

        impl Written for arrow_array::types::$arrow {
            #[inline(always)]
            fn parse(bytes: &[u8], start: usize, length: usize) -> Option<$native> {
                $native::try_from($parse(bytes, start, length)?).ok()
            }
        }
    )*};
}

integers!(
    Int8Type i8 signed, Int16Type i16 signed, Int32Type i32 signed, Int64Type i64 signed,
    UInt8Type u8 unsigned, UInt16Type u16 unsigned, UInt32Type u32 unsigned, UInt64Type u64 unsigned
);

macro_rules! floats {
    ($($arrow:ident $native:ident),*) => {$(
        impl Plain for arrow_array::types::$arrow {
            #[inline(always)]
            fn read(bytes: &[u8], at: usize) -> $native {
                $native::from_le_bytes(load(bytes, at))
            }
        }

        impl Written for arrow_array::types::$arrow {
            #[inline(always)]
            fn parse(bytes: &[u8], start: usize, length: usize) -> Option<$native> {
                str::from_utf8(bytes.get(start..start + length)?).ok()?.parse().ok()
            }
        }
    )*};
}

floats!(Float32Type f32, Float64Type f64);

/// The characters of eight digits, taken out of them.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The value of up to eight digits, 0 to 9 a byte, the most significant one in the lowest byte, zeros below the first.
/// Nonsense where a byte is no digit.
#[inline(always)]
pub(super) fn combine(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xFFFF_FFFF
}

/// Whether every byte is 0 to 9.
#[inline(always)]
pub(super) fn are_digits(digits: u64) -> bool {
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 == 0
}

/// `length` (1 to 8) characters at `at`, without what makes digits characters; zeros in front of them.
#[inline(always)]
pub(super) fn characters(bytes: &[u8], at: usize, length: usize) -> u64 {
    (u64::from_le_bytes(load(bytes, at)) ^ ZEROS) << (64 - 8 * length)
}

/// A whole number without a sign.
#[inline(always)]
pub(super) fn unsigned(bytes: &[u8], start: usize, length: usize) -> Option<u64> {
    match length {
        1..=8 => {
            let digits = characters(bytes, start, length);
            are_digits(digits).then(|| combine(digits))
        }
        9..=16 => {
            let high = characters(bytes, start, length - 8);
            let low = characters(bytes, start + length - 8, 8);
            (are_digits(high) & are_digits(low)).then(|| combine(high) * 100_000_000 + combine(low))
        }
        _ => long(bytes, start, length),
    }
}

/// A number of more digits: up to 20, or more with zeros in front (ZEROFILL).
#[cold]
fn long(bytes: &[u8], start: usize, length: usize) -> Option<u64> {
    let text = bytes.get(start..start.checked_add(length)?).filter(|text| !text.is_empty())?;
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A whole number, perhaps with a sign.
#[inline(always)]
fn signed(bytes: &[u8], start: usize, length: usize) -> Option<i64> {
    if load::<1>(bytes, start) == *b"-" && length > 0 {
        0_i64.checked_sub_unsigned(unsigned(bytes, start + 1, length - 1)?)
    } else {
        i64::try_from(unsigned(bytes, start, length)?).ok()
    }
}
