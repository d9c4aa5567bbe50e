//! The lowest and the highest key of a query.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use bowshot_core::{Cancel, Error, ErrorKind, Result, Value, format_type};
use parking_lot::Mutex;

use crate::execute::execute;
use crate::lines::Lines;
use crate::open::Open;
use crate::release::Executions;
use crate::session::Session;
use crate::uri::Target;

/// The two values of a query of one row, rounded outwards to whole numbers; `None` where they are NULL.
pub(crate) fn ask(
    target: &Arc<Target>,
    session: &Arc<Session>,
    before: &Arc<[String]>,
    sql: &str,
    values: &[Value],
    cancel: &Cancel,
) -> Result<Option<(i128, i128)>> {
    let mut lines = Lines::new(Arc::clone(target), Arc::clone(session), Arc::clone(before), None);
    let execution = execute(lines.base(cancel)?, target, sql, values, cancel)?;
    let endpoints = execution.info.endpoint.clone();
    let executions = Executions::new(Arc::clone(target), Arc::clone(session));
    let number = executions.add(execution);
    let mut row = None;
    for endpoint in endpoints {
        let mut open = Open::at_a_place(target, &Mutex::default(), &mut lines, endpoint, cancel)?;
        while let Some(batch) = open.next(target, &lines, cancel)? {
            if batch.num_rows() > 0 && row.is_none() {
                row = Some(batch);
            }
        }
        executions.finish(number);
    }
    if target.session.is_empty() {
        // The plan still needs the session.
        executions.release(lines.base(cancel)?);
    }
    let none =
        || Error::new(ErrorKind::Protocol, "the server does not say which key is the lowest and which the highest");
    let row = row.filter(|row| row.num_columns() == 2).ok_or_else(none)?;
    ends(&row)
}

fn ends(row: &RecordBatch) -> Result<Option<(i128, i128)>> {
    Ok(whole(row.column(0), false)?.zip(whole(row.column(1), true)?))
}

/// The first value as a whole number, rounded up or down; `None` for NULL.
fn whole(column: &ArrayRef, up: bool) -> Result<Option<i128>> {
    let of = column.data_type();
    let refused = || {
        Error::new(
            ErrorKind::Config,
            format!("a column of type {} cannot be split into ranges of numbers", format_type(of)),
        )
        .with_hint("partition on a column of numbers")
    };
    if column.is_null(0) || matches!(of, DataType::Null) {
        return Ok(None);
    }
    let text = if matches!(of, DataType::Float16 | DataType::Float32 | DataType::Float64) {
        let value = cast(column, &DataType::Float64)?.as_primitive::<Float64Type>().value(0);
        format!("{:.0}", if up { value.ceil() } else { value.floor() })
    } else if of.is_numeric() {
        cast(column, &DataType::Utf8)?.as_string::<i32>().value(0).to_owned()
    } else {
        return Err(refused());
    };
    let (number, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let toward_zero: i128 = number.parse().map_err(|_| refused())?;
    let exact = fraction.bytes().all(|digit| digit == b'0');
    let away = match (exact, up, text.starts_with('-')) {
        (false, true, false) => 1,
        (false, false, true) => -1,
        _ => 0,
    };
    Ok(Some(toward_zero + away))
}

#[cfg(test)]
mod tests {
    use arrow_array::{Decimal128Array, Float64Array, Int64Array, StringArray};

    use super::*;

    #[test]
    fn keys_are_rounded_outwards() {
        let decimal =
            |value| Arc::new(Decimal128Array::from(vec![value]).with_precision_and_scale(10, 2).unwrap()) as ArrayRef;
        for (column, down, up) in [
            (Arc::new(Int64Array::from(vec![-7])) as ArrayRef, -7, -7),
            (Arc::new(Float64Array::from(vec![-7.5])), -8, -7),
            (Arc::new(Float64Array::from(vec![1e20])), 100_000_000_000_000_000_000, 100_000_000_000_000_000_000),
            (decimal(-750), -8, -7),
            (decimal(750), 7, 8),
            (decimal(700), 7, 7),
            (decimal(-50), -1, 0),
        ] {
            assert_eq!(whole(&column, false).unwrap(), Some(down), "{column:?}");
            assert_eq!(whole(&column, true).unwrap(), Some(up), "{column:?}");
        }
        assert_eq!(whole(&(Arc::new(Int64Array::from(vec![None])) as ArrayRef), true).unwrap(), None);
        assert!(whole(&(Arc::new(StringArray::from(vec!["x"])) as ArrayRef), true).is_err());
        assert!(whole(&(Arc::new(Float64Array::from(vec![f64::INFINITY])) as ArrayRef), true).is_err());
    }
}
