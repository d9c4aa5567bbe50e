//! One column of one batch, in the type that the frame takes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float32Type};
use arrow_array::{Array, ArrayRef, Float64Array, PrimitiveArray};
use arrow_schema::DataType;
use bowshot_core::Result;

use super::decimal::{narrow_to_float, wide_to_float};

/// The column in the type `target`; unchanged where it has that already.
pub(crate) fn convert(column: ArrayRef, target: &DataType) -> Result<ArrayRef> {
    if column.data_type() == target {
        return Ok(column);
    }
    Ok(match column.data_type() {
        DataType::Float32 => floats(column.as_primitive::<Float32Type>(), widen),
        DataType::Decimal32(_, scale) => {
            floats(column.as_primitive::<Decimal32Type>(), |value| narrow_to_float(value.into(), *scale))
        }
        DataType::Decimal64(_, scale) => {
            floats(column.as_primitive::<Decimal64Type>(), |value| narrow_to_float(value.into(), *scale))
        }
        DataType::Decimal128(_, scale) if target == &DataType::Float64 => {
            floats(column.as_primitive::<Decimal128Type>(), |value| narrow_to_float(value, *scale))
        }
        DataType::Decimal256(_, scale) if target == &DataType::Float64 => {
            floats(column.as_primitive::<Decimal256Type>(), |value| wide_to_float(value, *scale))
        }
        // Views to text in one piece, half floats to whole ones.
        _ => arrow_cast::cast(&column, target)?,
    })
}

/// Converts the values and keeps the NULLs. What stands in the place of a NULL is converted too, and never seen.
fn floats<T: arrow_array::ArrowPrimitiveType>(column: &PrimitiveArray<T>, to: impl Fn(T::Native) -> f64) -> ArrayRef {
    let values: Vec<f64> = column.values().iter().map(|value| to(*value)).collect();
    Arc::new(Float64Array::new(values.into(), column.nulls().cloned()))
}

/// The float64 that has the digits which the database shows: 1.1 stays 1.1. It is what drivers return, as they read
/// a float4 from its text.
fn widen(value: f32) -> f64 {
    let exact = f64::from(value);
    // Whole numbers of this size show all of their digits.
    if (exact.fract() == 0.0 && exact.abs() < 1e6) || !exact.is_finite() {
        return exact;
    }
    // The shortest digits may lie in the middle between two float4, or be one of two that are equally near. PostgreSQL
    // takes one more digit then, or the even one; so does rounding to a number of digits.
    let shortest = format!("{value:e}").bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    let rounded = |digits: usize| format!("{exact:.digits$e}").parse().unwrap_or(exact);
    // Nine digits tell any two float4 apart.
    (shortest.saturating_sub(1)..9).map(rounded).find(|shown| is_only(*shown, value)).unwrap_or(exact)
}

/// Whether no other float4 is as near.
fn is_only(shown: f64, value: f32) -> bool {
    // Float64 holds the middle of two float4 exactly.
    let middle = |other: f32| (f64::from(value) + f64::from(other)) / 2.0;
    shown > middle(value.next_down()) && shown < middle(value.next_up())
}
