//! Numbers as truth and as integers: whole ones within the range.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::DataType;

use super::decimals;
use super::family::Family;
use super::turn::{Turned, Unfit, by_arrow, every};

/// The ends of the integers of 64 bits, as doubles: the upper ones are the first that are too large.
const LOWEST: f64 = -9_223_372_036_854_775_808.0;
const BEHIND_INT64: f64 = 9_223_372_036_854_775_808.0;
const BEHIND_UINT64: f64 = 18_446_744_073_709_551_616.0;

/// 0 as false and 1 as true.
pub(super) fn to_boolean(column: &ArrayRef, from: Family<'_>) -> Turned {
    let numbers = turn(column, &DataType::UInt8, from)?;
    let numbers = numbers.as_primitive::<UInt8Type>();
    match (0..numbers.len()).find(|row| numbers.is_valid(*row) && numbers.value(*row) > 1) {
        Some(row) => Err(Unfit::Row(row)),
        None => Ok(Arc::new(BooleanArray::from_unary(numbers, |number| number == 1))),
    }
}

pub(super) fn turn(column: &ArrayRef, wanted: &DataType, from: Family<'_>) -> Turned {
    match from {
        Family::Float => {
            let doubles = by_arrow(column, &DataType::Float64)?;
            if *wanted == DataType::UInt64 {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole and within the range"
                )]
                let whole = |value: f64| is_whole(value, 0.0, BEHIND_UINT64).then_some(value as u64);
                return every::<Float64Type, UInt64Type>(&doubles, wanted, whole);
            }
            #[expect(clippy::cast_possible_truncation, reason = "whole and within the range")]
            let whole = |value: f64| is_whole(value, LOWEST, BEHIND_INT64).then_some(value as i64);
            by_arrow(&every::<Float64Type, Int64Type>(&doubles, &DataType::Int64, whole)?, wanted)
        }
        Family::Decimal => by_arrow(&decimals::whole(column)?, wanted),
        // Truth is 0 or 1.
        _ => by_arrow(column, wanted),
    }
}

fn is_whole(value: f64, first: f64, behind: f64) -> bool {
    value >= first && value < behind && value.fract() == 0.0
}
