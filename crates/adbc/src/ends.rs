//! The lowest and the highest value of a partition column, in whatever type the driver returns them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, Result};

/// The two values of the first row, rounded outwards to whole numbers; `None` where they are NULL.
pub(crate) fn read(batch: &RecordBatch) -> Result<Option<(i128, i128)>> {
    let [low, high] = batch.columns() else {
        return Err(Error::new(ErrorKind::Protocol, "the driver returned other columns than min and max"));
    };
    if batch.num_rows() == 0 || low.is_null(0) || high.is_null(0) {
        return Ok(None);
    }
    Ok(Some((whole(low, f64::floor)?, whole(high, f64::ceil)?)))
}

fn whole(column: &ArrayRef, round: fn(f64) -> f64) -> Result<i128> {
    let refused = || {
        let message = format!("the partition column is {}, not a number", column.data_type());
        Error::new(ErrorKind::Config, message).with_hint("partition on a column of numbers")
    };
    if column.data_type().is_integer() {
        let exact = cast(column, &DataType::Decimal128(38, 0)).map_err(|_| refused())?;
        return Ok(exact.as_primitive::<Decimal128Type>().value(0));
    }
    if column.data_type().is_numeric() {
        // Its neighbours in whole numbers are all that matters: what lies outside is read all the same.
        let near = cast(column, &DataType::Float64).map_err(|_| refused())?;
        let number = round(near.as_primitive::<Float64Type>().value(0));
        return format!("{number:.0}").parse().map_err(|_| refused());
    }
    Err(refused())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float64Array, Int64Array, StringArray, UInt64Array};

    use super::*;

    fn ends(low: ArrayRef, high: ArrayRef) -> Result<Option<(i128, i128)>> {
        read(&RecordBatch::try_from_iter_with_nullable([("min", low, true), ("max", high, true)]).unwrap())
    }

    #[test]
    fn numbers_are_rounded_outwards() {
        let float = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value])) };
        assert_eq!(ends(float(-1.5), float(2.1)).unwrap(), Some((-2, 3)));
        let low: ArrayRef = Arc::new(Int64Array::from(vec![i64::MIN]));
        let high: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
        assert_eq!(ends(low, high).unwrap(), Some((i128::from(i64::MIN), i128::from(u64::MAX))));
        let nothing: ArrayRef = Arc::new(Int64Array::from(vec![None]));
        assert_eq!(ends(Arc::clone(&nothing), nothing).unwrap(), None);
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        assert_eq!(ends(Arc::clone(&text), text).unwrap_err().kind(), ErrorKind::Config);
        assert_eq!(ends(float(0.0), float(f64::INFINITY)).unwrap_err().kind(), ErrorKind::Config);
    }
}
