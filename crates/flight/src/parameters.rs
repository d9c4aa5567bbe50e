//! The values of placeholders as Flight SQL wants them: a batch of one row.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch, StringArray, new_null_array,
};
use arrow_flight::{FlightData, FlightDescriptor, utils::batches_to_flight_data};
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{Casts, Result, Value};

/// The messages that bring `values` to the statement that `descriptor` names. `expected` holds the types that the server
/// wants, where it says so.
pub(crate) fn messages(
    values: &[Value],
    expected: Option<&Schema>,
    descriptor: FlightDescriptor,
) -> Result<Vec<FlightData>> {
    let batch = batch(values, expected.filter(|schema| schema.fields().len() == values.len()))?;
    let mut messages = batches_to_flight_data(batch.schema_ref(), vec![batch.clone()])?;
    if let Some(first) = messages.first_mut() {
        first.flight_descriptor = Some(descriptor);
    }
    Ok(messages)
}

fn batch(values: &[Value], expected: Option<&Schema>) -> Result<RecordBatch> {
    let mut fields = Vec::with_capacity(values.len());
    let mut columns = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let wanted = expected.and_then(|schema| schema.fields().get(place));
        let name = format!("parameter {}", place + 1);
        let column = column(value, wanted.map(|field| field.data_type()), &name)?;
        let name = wanted.map_or(name, |field| field.name().clone());
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// One value in the type that the server wants, as far as that is exact; else in its own, for the server to judge.
fn column(value: &Value, wanted: Option<&DataType>, name: &str) -> Result<ArrayRef> {
    let own: ArrayRef = match value {
        Value::Null => match wanted {
            // A union has no NULL of its own; a column of nothing says the same.
            Some(wanted) if !matches!(wanted, DataType::Union(..)) => return Ok(new_null_array(wanted, 1)),
            _ => Arc::new(NullArray::new(1)),
        },
        Value::Bool(value) => Arc::new(BooleanArray::from(vec![*value])),
        Value::Int(value) => Arc::new(Int64Array::from(vec![*value])),
        Value::Float(value) => Arc::new(Float64Array::from(vec![*value])),
        Value::Text(value) => Arc::new(StringArray::from(vec![value.as_str()])),
        Value::Bytes(value) => Arc::new(BinaryArray::from(vec![value.as_slice()])),
    };
    let Some(wanted) = wanted.filter(|wanted| *wanted != own.data_type()) else { return Ok(own) };
    let schema = Arc::new(Schema::new(vec![Field::new(name, own.data_type().clone(), true)]));
    let Ok(casts) = Casts::new(&schema, &[(name.to_owned(), wanted.clone())].into()) else { return Ok(own) };
    let turned = casts.apply(RecordBatch::try_new(schema, vec![own])?)?;
    Ok(Arc::clone(turned.column(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_types_that_the_server_wants() {
        let values =
            [Value::Int(7), Value::Text("2024-02-29".into()), Value::Null, Value::Float(0.5), Value::Bytes(vec![1])];
        let own = batch(&values, None).unwrap();
        let types =
            |batch: &RecordBatch| batch.columns().iter().map(|column| column.data_type().clone()).collect::<Vec<_>>();
        assert_eq!(types(&own), [DataType::Int64, DataType::Utf8, DataType::Null, DataType::Float64, DataType::Binary]);
        let wanted = [DataType::Int16, DataType::Date32, DataType::Utf8, DataType::Float32, DataType::Binary];
        let schema = Schema::new(wanted.iter().map(|of| Field::new("p", of.clone(), true)).collect::<Vec<_>>());
        let sent = batch(&values, Some(&schema)).unwrap();
        assert_eq!(types(&sent), wanted);
        assert_eq!(sent.column(2).null_count(), 1);
    }

    #[test]
    fn a_value_that_would_change_is_refused() {
        let schema = Schema::new(vec![Field::new("p", DataType::Int8, true)]);
        for value in [Value::Int(300), Value::Float(1.5)] {
            let error = batch(&[value], Some(&schema)).unwrap_err();
            assert!(error.message().contains("parameter 1"), "{error}");
        }
    }
}
