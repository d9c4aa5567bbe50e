//! Between which numbers the values of a column lie that the user splits by.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};

use crate::connect::Session;
use crate::{describe, literal};

/// The ends of the keys, rounded outwards, by SQL that asks for the lowest and the highest; `None` where there are none
/// but NULL.
pub(crate) fn ends(
    session: &Session,
    sql: &str,
    values: &[Value],
    name: &str,
    cancel: &Cancel,
) -> Result<Option<(i128, i128)>> {
    let mut input = session.query(&literal::bound(sql, values)?, &[], None, cancel)?;
    let batches = describe::blocks(&mut input, &session.facts.zone)?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() > 0) else { return Ok(None) };
    let [low, high] = batch.columns() else {
        return Err(Error::new(ErrorKind::Protocol, "ClickHouse tells other than the lowest and the highest key"));
    };
    if low.data_type() == &DataType::Null || low.is_null(0) || high.is_null(0) {
        return Ok(None);
    }
    match (whole(low, f64::floor, 0), whole(high, f64::ceil, 1)) {
        (Some(low), Some(high)) => Ok(Some((low, high))),
        _ => Err(Error::new(ErrorKind::Unsupported, format!("column \"{name}\" does not hold numbers of a range"))
            .with_column(name)
            .with_hint("partition on a column of whole numbers")),
    }
}

/// The first value as a whole number; a decimal's is rounded down, and then `up` is added.
fn whole(array: &ArrayRef, rounded: fn(f64) -> f64, up: i128) -> Option<i128> {
    macro_rules! integer {
        ($arrow:ty) => {
            array.as_primitive::<$arrow>().value(0).into()
        };
    }
    let float = |value: f64| {
        // Ranges have ends of 64 bits.
        let value = rounded(value);
        let limit = 2_f64.powi(63);
        #[expect(clippy::cast_possible_truncation, reason = "a whole number within the range")]
        (-limit..limit).contains(&value).then_some(value as i128)
    };
    Some(match array.data_type() {
        DataType::Int8 => integer!(Int8Type),
        DataType::Int16 => integer!(Int16Type),
        DataType::Int32 => integer!(Int32Type),
        DataType::Int64 => integer!(Int64Type),
        DataType::UInt8 => integer!(UInt8Type),
        DataType::UInt16 => integer!(UInt16Type),
        DataType::UInt32 => integer!(UInt32Type),
        DataType::UInt64 => integer!(UInt64Type),
        DataType::Float32 => float(array.as_primitive::<Float32Type>().value(0).into())?,
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(0))?,
        DataType::Decimal128(_, scale) => {
            let unit = 10_i128.checked_pow(u32::try_from(*scale).ok()?)?;
            array.as_primitive::<Decimal128Type>().value(0).div_euclid(unit) + up
        }
        _ => return None,
    })
}
