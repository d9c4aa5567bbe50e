//! The rows of a batch as parameters.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeBinaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};

use crate::{Error, ErrorKind, Result, Value};

/// The columns of a batch, ready to be read row by row.
///
/// Dates, times, decimals and numbers beyond 64 bits become text in the form that databases read; an instant with a zone is
/// text in UTC.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Date32Array, Int32Array, RecordBatch};
/// use bowshot_core::{RowValues, Value};
///
/// let columns = [("id", Arc::new(Int32Array::from(vec![7])) as _), ("day", Arc::new(Date32Array::from(vec![19_000])) as _)];
/// let batch = RecordBatch::try_from_iter(columns)?;
/// assert_eq!(RowValues::new(&batch)?.row(0)?, [Value::Int(7), Value::Text("2022-01-08".into())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RowValues {
    columns: Vec<(String, Column)>,
}

enum Column {
    Null,
    Bool(BooleanArray),
    Int(Int64Array),
    Float(Float64Array),
    Bytes(LargeBinaryArray),
    /// Whatever is written as text.
    Text(ArrayRef),
}

impl RowValues {
    /// The rows of a batch.
    ///
    /// # Errors
    /// Of kind [`Unsupported`](ErrorKind::Unsupported), with the column: a list, a struct, a map.
    pub fn new(batch: &RecordBatch) -> Result<Self> {
        let schema = batch.schema();
        let columns = batch.columns().iter().zip(schema.fields());
        let columns = columns.map(|(array, field)| {
            let column = Column::new(array).map_err(|error| error.with_column(field.name()))?;
            Ok((field.name().clone(), column))
        });
        Ok(RowValues { columns: columns.collect::<Result<_>>()? })
    }

    /// The values of a row, in the order of the columns.
    ///
    /// # Errors
    /// Of kind [`Value`](ErrorKind::Value), with the column: a date or time that has no text, and a row that is not there.
    pub fn row(&self, row: usize) -> Result<Vec<Value>> {
        let value = |(name, column): &(String, Column)| column.value(row).map_err(|error| error.with_column(name));
        self.columns.iter().map(value).collect()
    }
}

impl Column {
    fn new(array: &ArrayRef) -> Result<Self> {
        let kind = array.data_type();
        let as_kind = |kind: &DataType| cast(array, kind).map_err(|error| unreadable(array.data_type(), &error));
        Ok(match kind {
            DataType::Null => Column::Null,
            DataType::Boolean => Column::Bool(array.as_boolean().clone()),
            kind if kind.is_integer() && kind != &DataType::UInt64 => {
                Column::Int(as_kind(&DataType::Int64)?.as_primitive::<Int64Type>().clone())
            }
            kind if kind.is_floating() => {
                Column::Float(as_kind(&DataType::Float64)?.as_primitive::<Float64Type>().clone())
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                Column::Bytes(as_kind(&DataType::LargeBinary)?.as_binary::<i64>().clone())
            }
            DataType::Dictionary(_, values) => Column::new(&as_kind(values)?)?,
            kind if kind.is_nested() => {
                return Err(Error::new(ErrorKind::Unsupported, format!("a parameter cannot be a {kind}"))
                    .with_hint("send text, numbers, bytes, dates or times, and cast in the query"));
            }
            // The zone only says how the instant is shown, and its name may be one that nobody here knows.
            DataType::Timestamp(unit, Some(_)) => {
                Column::Text(as_kind(&DataType::Timestamp(*unit, Some("+00:00".into())))?)
            }
            _ => Column::Text(array.clone()),
        })
    }

    fn value(&self, row: usize) -> Result<Value> {
        let there = |array: &dyn Array| match row < array.len() {
            true => Ok(array.is_valid(row)),
            false => Err(Error::new(ErrorKind::Value, format!("there is no row {row} in a batch of {}", array.len()))),
        };
        Ok(match self {
            Column::Null => Value::Null,
            Column::Bool(array) if there(array)? => Value::Bool(array.value(row)),
            Column::Int(array) if there(array)? => Value::Int(array.value(row)),
            Column::Float(array) if there(array)? => Value::Float(array.value(row)),
            Column::Bytes(array) if there(array)? => Value::Bytes(array.value(row).to_vec()),
            Column::Text(array) if there(array)? => {
                Value::Text(text(array, row).map_err(|error| unreadable(array.data_type(), &error))?)
            }
            _ => Value::Null,
        })
    }
}

fn text(array: &ArrayRef, row: usize) -> Result<String, ArrowError> {
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Ok(array.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8View => Ok(array.as_string_view().value(row).to_owned()),
        _ => ArrayFormatter::try_new(array, &FormatOptions::new())?.value(row).try_to_string(),
    }
}

fn unreadable(kind: &DataType, error: &ArrowError) -> Error {
    Error::new(ErrorKind::Value, format!("a parameter of type {kind} cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, StringViewArray, UInt64Array};

    use super::*;

    #[test]
    fn every_row_has_its_own_values() {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]))),
            ("big", Arc::new(UInt64Array::from(vec![0, 1, u64::MAX]))),
            ("word", Arc::new(DictionaryArray::<Int32Type>::from_iter([Some("a"), None, Some("it's")]))),
            ("view", Arc::new(StringViewArray::from(vec![Some(""), Some("x"), None]))),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
        let rows = RowValues::new(&batch).unwrap();
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(rows.row(1).unwrap(), [Value::Null, text("1"), Value::Null, text("x")]);
        assert_eq!(rows.row(2).unwrap(), [Value::Int(3), text("18446744073709551615"), text("it's"), Value::Null]);
        assert_eq!(rows.row(3).unwrap_err().kind(), ErrorKind::Value);
    }

    #[test]
    fn a_list_is_refused_with_its_column() {
        let list = arrow_array::ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
        let batch = RecordBatch::try_from_iter([("tags", Arc::new(list) as ArrayRef)]).unwrap();
        let error = RowValues::new(&batch).err().unwrap();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("tags")));
    }
}
