//! Parameters as drivers take them: one row of Arrow.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch, StringArray};
use bowshot_core::{Result, Value};

/// One column a parameter, in their order.
pub(crate) fn batch(values: &[Value]) -> Result<RecordBatch> {
    let column = |value: &Value| -> ArrayRef {
        match value {
            Value::Null => Arc::new(NullArray::new(1)),
            Value::Bool(value) => Arc::new(BooleanArray::from(vec![*value])),
            Value::Int(value) => Arc::new(Int64Array::from(vec![*value])),
            Value::Float(value) => Arc::new(Float64Array::from(vec![*value])),
            Value::Text(value) => Arc::new(StringArray::from(vec![value.as_str()])),
            Value::Bytes(value) => Arc::new(BinaryArray::from(vec![value.as_slice()])),
        }
    };
    let columns = (1..).zip(values).map(|(number, value): (u32, &Value)| (number.to_string(), column(value), true));
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}
