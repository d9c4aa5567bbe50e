//! Numbers as floats: integers and wider floats exactly, decimals as the nearest one.

use std::fmt::Display;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type,
    Int64Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;

use super::decimals::write;
use super::family::Family;
use super::turn::{Turned, Unfit, by_arrow, every};
use crate::parse::number;

/// Below it, whole numbers have a double of their own; powers of ten have one up to 10^22.
const WHOLE: f64 = 9_007_199_254_740_992.0;
const MOST_SCALE: i8 = 22;

pub(super) fn turn(column: &ArrayRef, wanted: &DataType, from: Family<'_>) -> Turned {
    match from {
        Family::Decimal => near(column, wanted),
        Family::Float => narrow(&by_arrow(column, &DataType::Float64)?, wanted),
        _ => narrow(&whole(column)?, wanted),
    }
}

/// Integers as doubles that are the same number.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "what it changes is refused")]
fn whole(column: &ArrayRef) -> Turned {
    match column.data_type() {
        DataType::Int64 => every::<Int64Type, Float64Type>(column, &DataType::Float64, |value| {
            (value as f64 as i128 == i128::from(value)).then_some(value as f64)
        }),
        DataType::UInt64 => every::<UInt64Type, Float64Type>(column, &DataType::Float64, |value| {
            (value as f64 as i128 == i128::from(value)).then_some(value as f64)
        }),
        // Of 32 bits at most, or truth.
        _ => by_arrow(column, &DataType::Float64),
    }
}

/// Doubles as floats of fewer bits that are the same number.
fn narrow(doubles: &ArrayRef, wanted: &DataType) -> Turned {
    if wanted == doubles.data_type() {
        return Ok(ArrayRef::clone(doubles));
    }
    let narrow = by_arrow(doubles, wanted)?;
    let back = by_arrow(&narrow, &DataType::Float64)?;
    let (before, after) = (doubles.as_primitive::<Float64Type>(), back.as_primitive::<Float64Type>());
    let differs = |row: &usize| {
        let (before, after) = (before.value(*row), after.value(*row));
        before != after && !(before.is_nan() && after.is_nan()) && doubles.is_valid(*row)
    };
    match (0..doubles.len()).find(differs) {
        Some(row) => Err(Unfit::Row(row)),
        None => Ok(narrow),
    }
}

/// The floats that are nearest to decimals.
fn near(column: &ArrayRef, wanted: &DataType) -> Turned {
    match column.data_type() {
        DataType::Decimal32(_, scale) => near_of::<Decimal32Type>(column, *scale, wanted),
        DataType::Decimal64(_, scale) => near_of::<Decimal64Type>(column, *scale, wanted),
        DataType::Decimal128(_, scale) => near_of::<Decimal128Type>(column, *scale, wanted),
        DataType::Decimal256(_, scale) => near_of::<Decimal256Type>(column, *scale, wanted),
        other => Err(Unfit::Whole(format!("{other} is no decimal"))),
    }
}

fn near_of<T: DecimalType<Native: Display>>(column: &ArrayRef, scale: i8, wanted: &DataType) -> Turned {
    match wanted {
        DataType::Float64 => every::<T, Float64Type>(column, wanted, |value| double::<T>(value, scale)),
        DataType::Float32 => every::<T, Float32Type>(column, wanted, |value| read::<T, f32>(value, scale)),
        _ => {
            let doubles = every::<T, Float64Type>(column, &DataType::Float64, |value| double::<T>(value, scale))?;
            finite(&doubles, by_arrow(&doubles, wanted)?)
        }
    }
}

/// A division of two doubles that are exact is the nearest double; others go over their digits.
fn double<T: DecimalType<Native: Display>>(value: T::Native, scale: i8) -> Option<f64> {
    use arrow_array::ArrowNativeTypeOp as _;
    use arrow_buffer::ArrowNativeType as _;
    #[expect(clippy::cast_precision_loss, reason = "only what is exact is used")]
    let small = value.to_i64().map(|value| value as f64).filter(|value| value.abs() < WHOLE);
    match small {
        Some(value) if (0..=MOST_SCALE).contains(&scale) => Some(value / 10_f64.powi(i32::from(scale))),
        _ if value.is_zero() => Some(0.0),
        _ => read::<T, f64>(value, scale),
    }
}

fn read<T: DecimalType<Native: Display>, F: number::Float>(value: T::Native, scale: i8) -> Option<F> {
    let mut digits = String::new();
    write(&mut digits, value, scale).ok()?;
    number::nearest(digits.as_bytes())
}

/// The halves, of which none is infinite that was not.
pub(super) fn finite(doubles: &ArrayRef, halves: ArrayRef) -> Turned {
    let (before, after) = (doubles.as_primitive::<Float64Type>(), halves.as_primitive::<Float16Type>());
    let gone = |row: &usize| {
        let (before, after) = (before.value(*row), after.value(*row));
        doubles.is_valid(*row)
            && (after.is_infinite() && before.is_finite() || before != 0.0 && f64::from(after) == 0.0)
    };
    match (0..halves.len()).find(gone) {
        Some(row) => Err(Unfit::Row(row)),
        None => Ok(halves),
    }
}

/// Floats of any width as `wanted`, a primitive type, by what is made of each.
pub(super) fn doubles_as<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    wanted: &DataType,
    single: impl Fn(f32) -> Option<T::Native>,
    double: impl Fn(f64) -> Option<T::Native>,
) -> Turned {
    match column.data_type() {
        DataType::Float64 => every::<Float64Type, T>(column, wanted, double),
        // A half is shown with the digits of a single.
        _ => every::<Float32Type, T>(&by_arrow(column, &DataType::Float32)?, wanted, single),
    }
}
