//! Intervals, as Parquet's [months, days and milliseconds](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#interval)
//! without a sign in twelve bytes, or as structs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, Int32Array, Int64Array, StructArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, Field, Fields, IntervalUnit};

use super::{Column, present};
use crate::fault::Fault;

const WIDTH: i32 = 12;
/// What intervals are for Parquet's library.
pub(super) const BYTES: DataType = DataType::FixedSizeBinary(WIDTH);
const A_MILLISECOND: i64 = 1_000_000;

/// What intervals become where a struct is asked for.
pub(super) fn struct_type() -> DataType {
    DataType::Struct(fields())
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("months", DataType::Int32, false),
        Field::new("days", DataType::Int32, false),
        Field::new("nanoseconds", DataType::Int64, false),
    ])
}

/// Intervals of any unit as twelve bytes.
pub(super) fn bytes(column: &Column, array: &ArrayRef, live: Option<&NullBuffer>) -> Result<ArrayRef, Fault> {
    let present = present(array, live);
    let mut bytes = Vec::with_capacity(array.len().saturating_mul(12));
    for (row, parts) in parts(array).enumerate() {
        let part =
            if present.as_ref().is_some_and(|nulls| nulls.is_null(row)) { [0; 3] } else { stored(column, row, parts)? };
        part.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    }
    let nulls = array.nulls().cloned();
    let made = FixedSizeBinaryArray::try_new_with_len(WIDTH, Buffer::from_vec(bytes), nulls, array.len());
    Ok(Arc::new(made.map_err(|error| column.broken(&error))?))
}

/// Intervals of any unit as structs.
pub(super) fn structs(column: &Column, array: &ArrayRef) -> Result<ArrayRef, Fault> {
    let columns: [ArrayRef; 3] = [
        Arc::new(Int32Array::from_iter_values(parts(array).map(|parts| parts.0))),
        Arc::new(Int32Array::from_iter_values(parts(array).map(|parts| parts.1))),
        Arc::new(Int64Array::from_iter_values(parts(array).map(|parts| parts.2))),
    ];
    let made = StructArray::try_new(fields(), columns.to_vec(), array.nulls().cloned());
    Ok(Arc::new(made.map_err(|error| column.broken(&error))?))
}

/// Months, days and nanoseconds of each row.
fn parts(array: &ArrayRef) -> Box<dyn Iterator<Item = (i32, i32, i64)> + '_> {
    match array.data_type() {
        DataType::Interval(IntervalUnit::YearMonth) => {
            Box::new(array.as_primitive::<IntervalYearMonthType>().values().iter().map(|months| (*months, 0, 0)))
        }
        DataType::Interval(IntervalUnit::DayTime) => Box::new(
            array
                .as_primitive::<IntervalDayTimeType>()
                .values()
                .iter()
                .map(|value| (0, value.days, i64::from(value.milliseconds) * A_MILLISECOND)),
        ),
        _ => Box::new(
            array
                .as_primitive::<IntervalMonthDayNanoType>()
                .values()
                .iter()
                .map(|value| (value.months, value.days, value.nanoseconds)),
        ),
    }
}

/// Parquet's three numbers.
fn stored(column: &Column, row: usize, (months, days, nanoseconds): (i32, i32, i64)) -> Result<[u32; 3], Fault> {
    let hint = "write intervals as structs: intervals=struct";
    let refused = |what: String| column.fault(row, format!("{what}, which Parquet's INTERVAL cannot,"), hint);
    if nanoseconds % A_MILLISECOND != 0 {
        return Err(refused(format!("{nanoseconds} nanoseconds")));
    }
    Ok([
        u32::try_from(months).map_err(|_| refused(format!("{months} months")))?,
        u32::try_from(days).map_err(|_| refused(format!("{days} days")))?,
        u32::try_from(nanoseconds / A_MILLISECOND)
            .map_err(|_| refused(format!("{} milliseconds", nanoseconds / A_MILLISECOND)))?,
    ])
}
