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
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, Schema, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result, Value};
use bowshot_gateway_wire::Client;
use futures::{Stream, StreamExt, TryStreamExt};
use prost::Message;
use tonic::Status;

use crate::caller::Caller;
use crate::gateway::Inner;
use crate::service::{command, unknown};
use crate::status::{malformed, of_error};

/// How many rows of parameters are taken at most: one, for a query that is run once.
const ROWS: usize = 1;

/// The columns of `count` parameters of which the source says these types. Where it says none, and where a client could not
/// bind every value of the type, texts, which the database casts to what it compares them with.
pub(crate) fn parameter_schema(count: usize, types: &[Option<DataType>], client: Client) -> Schema {
    let field = |place: usize| {
        let said = types.get(place).and_then(Option::as_ref);
        let bound = said.map_or(DataType::Utf8, |said| bound_as(said, client));
        Arc::new(Field::new(format!("parameter_{}", place + 1), bound, true))
    };
    Schema::new((0..count).map(field).collect::<Vec<_>>())
}

/// What a client binds a parameter of this type as. The widest of its kind: drivers cut a number off that does not fit, and the
/// database refuses it.
fn bound_as(kind: &DataType, client: Client) -> DataType {
    let milliseconds = client.binds_milliseconds();
    match kind {
        DataType::UInt64 => DataType::Utf8,
        kind if kind.is_integer() => DataType::Int64,
        kind if kind.is_floating() => DataType::Float64,
        DataType::Boolean | DataType::Date32 => kind.clone(),
        DataType::Date64 => DataType::Date32,
        DataType::Decimal128(_, scale) => DataType::Decimal128(DECIMAL128_MAX_PRECISION, *scale),
        DataType::Time32(_) | DataType::Time64(_) if milliseconds => DataType::Time32(TimeUnit::Millisecond),
        DataType::Time32(_) | DataType::Time64(_) => DataType::Time64(TimeUnit::Microsecond),
        DataType::Timestamp(_, None) if milliseconds => DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Timestamp(_, None) => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            DataType::Binary
        }
        // With a zone, JDBC's driver would send the reading of a clock for an instant.
        _ => DataType::Utf8,
    }
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
    fn parameters_are_announced_as_what_clients_can_bind() {
        use DataType::*;
        let (jdbc, other) = (Client::of(Some("grpc-java-netty/1.71.0")), Client::default());
        let zone = || Some("UTC".into());
        for (said, expected, by_jdbc) in [
            (Int16, Int64, None),
            (UInt32, Int64, None),
            (UInt64, Utf8, None),
            (Float32, Float64, None),
            (Boolean, Boolean, None),
            (Utf8, Utf8, None),
            (LargeUtf8, Utf8, None),
            (LargeBinary, Binary, None),
            (Date32, Date32, None),
            (Decimal128(15, 2), Decimal128(38, 2), None),
            (Decimal256(50, 2), Utf8, None),
            (Time64(TimeUnit::Microsecond), Time64(TimeUnit::Microsecond), Some(Time32(TimeUnit::Millisecond))),
            (
                Timestamp(TimeUnit::Nanosecond, None),
                Timestamp(TimeUnit::Microsecond, None),
                Some(Timestamp(TimeUnit::Millisecond, None)),
            ),
            (Timestamp(TimeUnit::Microsecond, zone()), Utf8, None),
            (Interval(arrow_schema::IntervalUnit::MonthDayNano), Utf8, None),
        ] {
            let announced = |client| parameter_schema(1, &[Some(said.clone())], client).field(0).data_type().clone();
            assert_eq!(announced(other), expected, "{said}");
            assert_eq!(announced(jdbc), by_jdbc.unwrap_or(expected), "{said}");
        }
        let some = parameter_schema(3, &[None, Some(Int32)], other);
        let types: Vec<_> = some.fields().iter().map(|field| field.data_type().clone()).collect();
        assert_eq!(types, [Utf8, Int64, Utf8]);
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
