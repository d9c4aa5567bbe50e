//! Dates and timestamps that are none: what a driver makes of infinity.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, make_array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{Error, Impossible, Misfit, Result};

/// Days between 1970 and 2000, from which PostgreSQL counts: its driver adds them to an infinite date, which wraps.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROSECONDS: i64 = 946_684_800_000_000;

/// The column without infinite dates and timestamps: values so near to the end of what the type can hold that databases mean infinity
/// by them.
///
/// # Errors
/// Of kind [`Value`](bowshot_core::ErrorKind::Value), which names the column.
pub(crate) fn settle(column: ArrayRef, name: &str, infinity: Impossible) -> Result<ArrayRef> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let edge = |value: i64, far: i64| value >= i64::MAX - far || value <= i64::MIN + 1 + far;
    let known = Column { column: &column, name, infinity };
    match column.data_type() {
        DataType::Date32 => {
            known.replace::<Date32Type>(|day| day >= i32::MAX - EPOCH_DAYS || day <= i32::MIN + 1 + EPOCH_DAYS)
        }
        DataType::Timestamp(Second, _) => known.replace::<TimestampSecondType>(|value| edge(value, 0)),
        DataType::Timestamp(Millisecond, _) => known.replace::<TimestampMillisecondType>(|value| edge(value, 0)),
        DataType::Timestamp(Microsecond, _) => {
            known.replace::<TimestampMicrosecondType>(|value| edge(value, EPOCH_MICROSECONDS))
        }
        DataType::Timestamp(Nanosecond, _) => known.replace::<TimestampNanosecondType>(|value| edge(value, 0)),
        other if other.is_nested() || matches!(other, DataType::Dictionary(..)) => {
            // What stands inside of a value cannot be left out of it.
            for child in column.to_data().child_data() {
                settle(make_array(child.clone()), name, Impossible::Error)?;
            }
            Ok(column)
        }
        _ => Ok(column),
    }
}

struct Column<'a> {
    column: &'a ArrayRef,
    name: &'a str,
    infinity: Impossible,
}

impl Column<'_> {
    fn replace<T: ArrowPrimitiveType>(&self, bad: impl Fn(T::Native) -> bool) -> Result<ArrayRef> {
        let array = self.column.as_primitive::<T>();
        let Some(row) = first(array, &bad) else { return Ok(Arc::clone(self.column)) };
        if self.infinity == Impossible::Error {
            return Err(self.error(row));
        }
        let values = array.values();
        let finite = values.iter().map(|value| !bad(*value)).collect::<BooleanBuffer>();
        let nulls = NullBuffer::union(array.nulls(), Some(&NullBuffer::new(finite)));
        let array = PrimitiveArray::<T>::new(values.clone(), nulls);
        Ok(Arc::new(array.with_data_type(self.column.data_type().clone())))
    }

    #[cold]
    fn error(&self, row: usize) -> Error {
        let misfit = Misfit::new(self.name, "", self.column.data_type(), "infinity");
        let misfit = misfit.at(format!("in row {} of a batch", row + 1));
        misfit.or("read it as NULL with infinity=\"null\"").or("cast it to text in the query").into()
    }
}

/// The first row with such a value that is not NULL.
fn first<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, bad: impl Fn(T::Native) -> bool) -> Option<usize> {
    let values = array.values();
    // One pass without a look at NULLs, which may hide anything: nearly always all that there is to do.
    if !values.iter().fold(false, |found, value| found | bad(*value)) {
        return None;
    }
    (0..values.len()).find(|row| array.is_valid(*row) && bad(array.value(*row)))
}

#[cfg(test)]
mod tests {
    use arrow_array::{Date32Array, TimestampMicrosecondArray};

    use bowshot_core::ErrorKind;

    use super::*;

    #[test]
    fn infinity_is_refused_or_null() {
        let wrapped = i32::MIN + EPOCH_DAYS - 1;
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(0), None, Some(wrapped), Some(i32::MAX)]));
        let error = settle(Arc::clone(&days), "day", Impossible::Error).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("day")));
        assert!(error.message().contains("infinity in row 3"), "{error}");
        let settled = settle(days, "day", Impossible::Null).unwrap();
        assert_eq!(settled.as_primitive::<Date32Type>(), &Date32Array::from(vec![Some(0), None, None, None]));
    }

    #[test]
    fn the_zone_stays_and_ordinary_values_are_not_touched() {
        let zoned = |values: Vec<i64>| -> ArrayRef {
            Arc::new(TimestampMicrosecondArray::from(values).with_timezone("Europe/Berlin"))
        };
        let settled = settle(zoned(vec![i64::MAX, 5]), "at", Impossible::Null).unwrap();
        assert_eq!(settled.data_type(), zoned(vec![]).data_type());
        assert_eq!(settled.null_count(), 1);
        // 4713 BC, year 294246.
        let far = zoned(vec![-210_866_803_200_000_000, 9_223_339_708_800_000_000 - EPOCH_MICROSECONDS]);
        assert!(settle(far, "at", Impossible::Error).is_ok());
    }

    #[test]
    fn lists_are_looked_into() {
        let days: ArrayRef = Arc::new(Date32Array::from(vec![0, i32::MAX]));
        let item = Arc::new(arrow_schema::Field::new("item", DataType::Date32, true));
        let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 2].into());
        let list: ArrayRef = Arc::new(arrow_array::ListArray::new(item, offsets, days, None));
        assert!(settle(list, "at", Impossible::Null).is_err());
    }
}
