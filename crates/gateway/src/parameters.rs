//! The parameters of prepared statements.

use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::sql::{Command, DoPutPreparedStatementResult};
use arrow_flight::{FlightData, PutResult};
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{Error, ErrorKind, Result, Value};
use futures::{Stream, StreamExt, TryStreamExt};
use prost::Message;
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Inner;
use crate::service::{command, unknown};
use crate::status::{malformed, of_error};

/// How many rows of parameters are taken at most: one, for a query that is run once.
const ROWS: usize = 1;

/// The columns of `count` parameters: texts, which the database casts to what it compares them with.
pub(crate) fn parameter_schema(count: usize) -> Schema {
    let field = |number: usize| Arc::new(Field::new(format!("parameter_{number}"), DataType::Utf8, true));
    Schema::new((1..=count).map(field).collect::<Vec<_>>())
}

impl Inner {
    /// Takes what a client puts: the parameters of a prepared statement.
    pub(crate) async fn put(
        &self,
        mut messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
        caller: &Caller,
    ) -> Result<PutResult, Status> {
        let first = messages.try_next().await?.ok_or_else(|| Status::invalid_argument("DoPut without a message"))?;
        let descriptor = first.flight_descriptor.clone().unwrap_or_default();
        let handle = match command(&descriptor)? {
            Command::CommandPreparedStatementQuery(command) => command.prepared_statement_handle,
            other => return Err(unknown(&other)),
        };
        let statement = self.statement(&handle, caller)?;
        let messages = futures::stream::iter([Ok(first)]).chain(messages);
        let values = read(messages).await?;
        if !self.statements.bind(statement, caller.user(), values, Instant::now()) {
            return Err(Status::not_found("there is no such prepared statement any more: prepare it again"));
        }
        let result = DoPutPreparedStatementResult { prepared_statement_handle: Some(handle) };
        Ok(PutResult { app_metadata: result.encode_to_vec().into() })
    }
}

/// The parameters that some messages hold.
async fn read(messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static) -> Result<Vec<Value>, Status> {
    let messages = messages.map_err(|status| FlightError::Tonic(Box::new(status)));
    let mut batches = FlightRecordBatchStream::new_from_flight_data(messages);
    let mut values = None;
    while let Some(batch) = batches.try_next().await.map_err(|error| malformed("the parameters", error))? {
        if batch.num_rows() == 0 {
            continue;
        }
        if values.is_some() || batch.num_rows() > ROWS {
            return Err(Status::unimplemented("a query takes one row of parameters: run it once for each row"));
        }
        values = Some(row(&batch).map_err(|error| of_error(&error))?);
    }
    Ok(values.unwrap_or_default())
}

/// The first row.
fn row(batch: &RecordBatch) -> Result<Vec<Value>> {
    let schema = batch.schema();
    let columns = batch.columns().iter().zip(schema.fields());
    columns.map(|(column, field)| value(column).map_err(|error| error.with_column(field.name()))).collect()
}

/// The first value of a column.
fn value(column: &dyn Array) -> Result<Value> {
    if column.is_null(0) || column.data_type() == &DataType::Null {
        return Ok(Value::Null);
    }
    let unreadable = |error: arrow_schema::ArrowError| {
        Error::new(ErrorKind::Value, format!("a parameter of type {} cannot be read: {error}", column.data_type()))
    };
    Ok(match column.data_type() {
        DataType::Boolean => Value::Bool(column.as_boolean().value(0)),
        kind if kind.is_integer() && kind != &DataType::UInt64 => {
            let wide = cast(column, &DataType::Int64).map_err(unreadable)?;
            Value::Int(wide.as_primitive::<arrow_array::types::Int64Type>().value(0))
        }
        kind if kind.is_floating() => {
            let wide = cast(column, &DataType::Float64).map_err(unreadable)?;
            Value::Float(wide.as_primitive::<arrow_array::types::Float64Type>().value(0))
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            let bytes = cast(column, &DataType::LargeBinary).map_err(unreadable)?;
            Value::Bytes(bytes.as_binary::<i64>().value(0).to_vec())
        }
        kind if kind.is_nested() => {
            return Err(Error::new(ErrorKind::Unsupported, format!("a parameter cannot be a {kind}"))
                .with_hint("send text, numbers, bytes, dates or times, and cast in the query"));
        }
        // The zone only says how the instant is shown, and its name may be one that nobody here knows.
        DataType::Timestamp(unit, Some(_)) => {
            let kind = DataType::Timestamp(*unit, Some("+00:00".into()));
            Value::Text(text(&cast(column, &kind).map_err(unreadable)?).map_err(unreadable)?)
        }
        // Text, dates, times and decimals, in the form that databases read.
        _ => Value::Text(text(column).map_err(unreadable)?),
    })
}

/// The first value of a column, as text.
fn text(column: &dyn Array) -> Result<String, arrow_schema::ArrowError> {
    ArrayFormatter::try_new(column, &FormatOptions::new())?.value(0).try_to_string()
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Decimal128Type;
    use arrow_array::{
        ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Int16Array, NullArray, PrimitiveArray,
        StringArray, TimestampMicrosecondArray, UInt64Array,
    };
    use futures::executor::block_on;

    use super::*;

    fn arrays() -> Vec<ArrayRef> {
        let price =
            PrimitiveArray::<Decimal128Type>::from_iter_values([12_345]).with_precision_and_scale(9, 2).unwrap();
        vec![
            Arc::new(Int16Array::from(vec![-7])),
            Arc::new(UInt64Array::from(vec![u64::MAX])),
            Arc::new(Float32Array::from(vec![1.5])),
            Arc::new(BooleanArray::from(vec![true])),
            Arc::new(StringArray::from(vec!["it's"])),
            Arc::new(StringArray::from(vec![None::<&str>])),
            Arc::new(NullArray::new(1)),
            Arc::new(BinaryArray::from(vec![b"\0\xff".as_slice()])),
            Arc::new(Date32Array::from(vec![19_000])),
            Arc::new(TimestampMicrosecondArray::from(vec![1_600_000_000_000_001])),
            Arc::new(TimestampMicrosecondArray::from(vec![1_600_000_000_000_001]).with_timezone("Europe/Berlin")),
            Arc::new(price),
        ]
    }

    fn batch(rows: usize) -> RecordBatch {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let batch =
            RecordBatch::try_from_iter_with_nullable(names.into_iter().zip(arrays()).map(|(n, a)| (n, a, true)));
        batch.unwrap().slice(0, rows)
    }

    fn sent(batches: Vec<RecordBatch>) -> Result<Vec<Value>, Status> {
        let mut encoder =
            bowshot_gateway_wire::Encoder::new(batch(1).schema(), bowshot_gateway_wire::Codec::None).unwrap();
        let mut messages = vec![Ok(encoder.schema_message().unwrap())];
        for batch in batches {
            messages.extend(encoder.encode(&batch).unwrap().into_iter().map(Ok));
        }
        block_on(read(futures::stream::iter(messages)))
    }

    #[test]
    fn every_kind_of_parameter_keeps_its_value() {
        let expected = vec![
            Value::Int(-7),
            Value::Text(u64::MAX.to_string()),
            Value::Float(1.5),
            Value::Bool(true),
            Value::Text("it's".into()),
            Value::Null,
            Value::Null,
            Value::Bytes(vec![0, 255]),
            Value::Text("2022-01-08".into()),
            Value::Text("2020-09-13T12:26:40.000001".into()),
            Value::Text("2020-09-13T12:26:40.000001Z".into()),
            Value::Text("123.45".into()),
        ];
        assert_eq!(sent(vec![batch(0), batch(1)]).unwrap(), expected);
        assert_eq!(sent(vec![]).unwrap(), []);
    }

    #[test]
    fn more_than_one_row_is_refused() {
        let status = sent(vec![batch(1), batch(1)]).unwrap_err();
        assert!(status.message().contains("one row of parameters"), "{status}");
    }

    #[test]
    fn bytes_that_are_no_messages_are_refused() {
        let broken = FlightData { data_header: b"nonsense".as_slice().into(), ..FlightData::default() };
        let status = block_on(read(futures::stream::iter([Ok(broken)]))).unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
    }
}
