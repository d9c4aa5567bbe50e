//! Decimals: their digits are counted, since Arrow's arrays may hold more than their type says and Parquet's library would cut them; scales
//! that Parquet lacks become such that it has.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, Decimal64Array, Decimal128Array, Decimal256Array, PrimitiveArray};
use arrow_buffer::{NullBuffer, i256};
use arrow_schema::DataType;

use super::{Column, first, present};
use crate::fault::Fault;

/// The digits of Parquet's longest decimals, and of Arrow's.
const MOST: u8 = 76;

/// How decimals of one column are stored.
#[derive(Clone, Debug)]
pub(super) struct Decimals {
    /// Digits of the caller's type.
    precision: u8,
    /// Zeros that go behind each number.
    zeros: u8,
    /// The type in the file, where it is another one.
    becomes: Option<DataType>,
}

impl Decimals {
    /// How decimals of this type are stored, and as which type; `None` where there is none.
    pub(super) fn new(given: &DataType, precision: u8, scale: i8) -> Option<(Self, DataType)> {
        if precision == 0 || precision > MOST {
            return None;
        }
        let (digits, stored_scale, zeros) = match u8::try_from(scale) {
            // Parquet has no more places than digits.
            Ok(places) => (precision.max(places), scale, 0),
            Err(_) => (precision.checked_add(scale.unsigned_abs())?, 0, scale.unsigned_abs()),
        };
        let stored = match given {
            // Parquet's library has no way to write one digit of 32 bits.
            DataType::Decimal32(..) if digits > 1 && digits <= 9 => DataType::Decimal32(digits, stored_scale),
            DataType::Decimal32(..) | DataType::Decimal64(..) if digits <= 18 => {
                DataType::Decimal64(digits, stored_scale)
            }
            DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) if digits <= 38 => {
                DataType::Decimal128(digits, stored_scale)
            }
            _ if digits <= MOST => DataType::Decimal256(digits, stored_scale),
            _ => return None,
        };
        let becomes = (stored != *given).then(|| stored.clone());
        Some((Decimals { precision, zeros, becomes }, stored))
    }

    /// The array as it is stored, once each number has no more digits than its type says.
    pub(super) fn store(
        &self,
        column: &Column,
        array: &ArrayRef,
        live: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Fault> {
        match array.data_type() {
            DataType::Decimal32(..) => {
                let array = array.as_primitive::<Decimal32Type>();
                let most = 10_i32.checked_pow(self.precision.into()).unwrap_or(i32::MAX);
                self.check(column, array, live, |value| value >= most || value <= -most)?;
                self.converted(column, array, |value| i256::from_i128(value.into()))
            }
            DataType::Decimal64(..) => {
                let array = array.as_primitive::<Decimal64Type>();
                let most = 10_i64.checked_pow(self.precision.into()).unwrap_or(i64::MAX);
                self.check(column, array, live, |value| value >= most || value <= -most)?;
                self.converted(column, array, |value| i256::from_i128(value.into()))
            }
            DataType::Decimal128(..) => {
                let array = array.as_primitive::<Decimal128Type>();
                let most = 10_i128.checked_pow(self.precision.into()).unwrap_or(i128::MAX);
                self.check(column, array, live, |value| value >= most || value <= -most)?;
                self.converted(column, array, i256::from_i128)
            }
            _ => {
                let array = array.as_primitive::<Decimal256Type>();
                let most = i256::from_i128(10).checked_pow(self.precision.into()).unwrap_or(i256::MAX);
                let least = most.wrapping_neg();
                self.check(column, array, live, |value| value >= most || value <= least)?;
                self.converted(column, array, |value| value)
            }
        }
    }

    fn check<T: DecimalType>(
        &self,
        column: &Column,
        array: &PrimitiveArray<T>,
        live: Option<&NullBuffer>,
        is_longer: impl Fn(T::Native) -> bool,
    ) -> Result<(), Fault> {
        let Some(row) = first(array.values(), present(array, live).as_ref(), is_longer) else { return Ok(()) };
        let holds = format!("{:?}, which has more than {} digits,", array.value(row), self.precision);
        Err(column.fault(row, holds, "give the column a decimal type with more digits"))
    }

    fn converted<T: DecimalType>(
        &self,
        column: &Column,
        array: &PrimitiveArray<T>,
        wide: impl Fn(T::Native) -> i256,
    ) -> Result<ArrayRef, Fault> {
        let Some(becomes) = &self.becomes else { return Ok(Arc::new(array.clone())) };
        let factor = i256::from_i128(10).wrapping_pow(self.zeros.into());
        // Numbers of too many digits lie under NULLs only, and may become anything.
        let values = array.values().iter().map(|value| wide(*value).wrapping_mul(factor));
        let nulls = array.nulls().cloned();
        let narrow = |value: i256| value.to_i128().unwrap_or_default();
        let made: ArrayRef = match becomes {
            DataType::Decimal32(..) => {
                let values = values.map(|value| i32::try_from(narrow(value)).unwrap_or_default()).collect();
                Arc::new(PrimitiveArray::<Decimal32Type>::new(values, nulls).with_data_type(becomes.clone()))
            }
            DataType::Decimal64(..) => {
                let values = values.map(|value| i64::try_from(narrow(value)).unwrap_or_default()).collect();
                Arc::new(Decimal64Array::new(values, nulls).with_data_type(becomes.clone()))
            }
            DataType::Decimal128(..) => {
                Arc::new(Decimal128Array::new(values.map(narrow).collect(), nulls).with_data_type(becomes.clone()))
            }
            DataType::Decimal256(..) => {
                Arc::new(Decimal256Array::new(values.collect(), nulls).with_data_type(becomes.clone()))
            }
            other => return Err(column.fault(0, format!("decimals that would become {other}"), "report this mistake")),
        };
        Ok(made)
    }
}
