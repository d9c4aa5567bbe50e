//! The parameters of prepared statements.

use std::sync::Arc;

use arrow_flight::FlightData;
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, Schema, TimeUnit};
use bowshot_core::{RowValues, Value};
use bowshot_gateway_wire::Client;
use futures::Stream;
use tonic::Status;

use crate::received::Received;
use crate::status::of_error;

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

/// The one row of parameters that some messages of at most `largest` bytes hold, for a query.
pub(crate) async fn read(
    messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
    largest: usize,
) -> Result<Vec<Value>, Status> {
    let mut batches = Received::new(messages, largest);
    let mut values = None;
    while let Some(batch) = batches.next().await.map_err(|why| why.status("the parameters"))? {
        if batch.num_rows() == 0 {
            continue;
        }
        if values.is_some() || batch.num_rows() > ROWS {
            return Err(Status::unimplemented("a query takes one row of parameters: run it once for each row"));
        }
        let row = RowValues::new(&batch).and_then(|rows| rows.row(0));
        values = Some(row.map_err(|error| of_error(&error))?);
    }
    Ok(values.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Decimal128Type;
    use arrow_array::{
        ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Int16Array, NullArray, PrimitiveArray,
        RecordBatch, StringArray, TimestampMicrosecondArray, UInt64Array,
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
            messages.extend(encoder.encode(&batch).unwrap().into_iter().map(|message| Ok(message.into())));
        }
        block_on(read(futures::stream::iter(messages), 1 << 20))
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
        let status = block_on(read(futures::stream::iter([Ok(broken)]), 1 << 20)).unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
    }
}
