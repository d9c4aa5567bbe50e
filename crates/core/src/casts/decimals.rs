//! Numbers as decimals: every digit kept, none made up.

use std::fmt::{self, Display, Write};

use arrow_array::ArrayRef;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::family::Family;
use super::floats::doubles_as;
use super::turn::{Turned, Unfit, by_arrow, every};
use crate::parse::decimal::{from_real, from_single, shortest, times_ten, wide_from_text};

/// The decimals that hold all integers.
const INTEGERS: DataType = DataType::Decimal128(38, 0);

pub(super) fn turn(column: &ArrayRef, wanted: &DataType, from: Family<'_>) -> Turned {
    match from {
        Family::Boolean => turn(&by_arrow(column, &DataType::UInt8)?, wanted, Family::Integer),
        Family::Integer => rescale(&by_arrow(column, &INTEGERS)?, wanted),
        Family::Float => shortest_decimals(column, wanted),
        _ => rescale(column, wanted),
    }
}

/// Decimals without a fraction. Arrow's own way to integers would drop it, and bits of 256.
pub(super) fn whole(column: &ArrayRef) -> Turned {
    rescale(column, &INTEGERS)
}

/// The shortest decimal that stands for each float of its own width.
fn shortest_decimals(column: &ArrayRef, wanted: &DataType) -> Turned {
    let narrow = |precision: u8, scale: i8| {
        let target = DataType::Decimal128(38.min(precision), scale);
        doubles_as::<Decimal128Type>(
            column,
            &target,
            |value| from_single(value, precision, scale),
            |value| from_real(value, precision, scale),
        )
    };
    match wanted {
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            by_arrow(&narrow(*precision, *scale)?, wanted)
        }
        DataType::Decimal128(precision, scale) => narrow(*precision, *scale),
        DataType::Decimal256(precision, scale) => {
            let read = |text: &[u8]| wide_from_text(text, *precision, *scale);
            doubles_as::<Decimal256Type>(column, wanted, |value| shortest(value, read), |value| shortest(value, read))
        }
        other => Err(Unfit::Whole(format!("{other} is no decimal"))),
    }
}

/// Decimals with another scale, precision or width.
fn rescale(column: &ArrayRef, wanted: &DataType) -> Turned {
    let (from, to) = (width(column.data_type())?, width(wanted)?);
    let bits = from.bits.max(to.bits);
    // Into the wider of the two types first, which changes nothing.
    let wide = by_arrow(column, &decimal(bits, most(bits), from.scale))?;
    let target = decimal(bits, to.precision, to.scale);
    let turned = match bits {
        32 => rescale_in::<Decimal32Type>(&wide, &target, from.scale, to)?,
        64 => rescale_in::<Decimal64Type>(&wide, &target, from.scale, to)?,
        128 => rescale_in::<Decimal128Type>(&wide, &target, from.scale, to)?,
        _ => rescale_in::<Decimal256Type>(&wide, &target, from.scale, to)?,
    };
    by_arrow(&turned, wanted)
}

fn rescale_in<T: DecimalType>(column: &ArrayRef, target: &DataType, scale: i8, to: Width) -> Turned {
    let exponent = i32::from(to.scale) - i32::from(scale);
    let ten = T::Native::usize_as(10);
    every::<T, T>(column, target, |value| {
        let value = if exponent == 0 { value } else { times_ten(value, exponent, ten)? };
        T::is_valid_decimal_precision(value, to.precision).then_some(value)
    })
}

#[derive(Clone, Copy)]
struct Width {
    bits: u16,
    precision: u8,
    scale: i8,
}

fn width(data_type: &DataType) -> Result<Width, Unfit> {
    let (bits, precision, scale) = match *data_type {
        DataType::Decimal32(precision, scale) => (32, precision, scale),
        DataType::Decimal64(precision, scale) => (64, precision, scale),
        DataType::Decimal128(precision, scale) => (128, precision, scale),
        DataType::Decimal256(precision, scale) => (256, precision, scale),
        _ => return Err(Unfit::Whole(format!("{data_type} is no decimal"))),
    };
    Ok(Width { bits, precision, scale })
}

fn most(bits: u16) -> u8 {
    match bits {
        32 => Decimal32Type::MAX_PRECISION,
        64 => Decimal64Type::MAX_PRECISION,
        128 => Decimal128Type::MAX_PRECISION,
        _ => Decimal256Type::MAX_PRECISION,
    }
}

fn decimal(bits: u16, precision: u8, scale: i8) -> DataType {
    match bits {
        32 => DataType::Decimal32(precision, scale),
        64 => DataType::Decimal64(precision, scale),
        128 => DataType::Decimal128(precision, scale),
        _ => DataType::Decimal256(precision, scale),
    }
}

/// Writes a decimal with all digits that it has, however many its type allows.
pub(super) fn write(text: &mut impl Write, value: impl Display, scale: i8) -> fmt::Result {
    let digits = value.to_string();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        let zeros = if digits == "0" { 0 } else { places };
        return write!(text, "{sign}{digits}{:0<zeros$}", "");
    }
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(places));
    let whole = if whole.is_empty() { "0" } else { whole };
    write!(text, "{sign}{whole}.{fraction:0>places$}")
}
