//! Columns in types that Polars has.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal256Type, IntervalMonthDayNanoType};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, DurationMicrosecondArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{DataType, Field, IntervalUnit, Schema, SchemaRef, TimeUnit};
use bowshot_core::Result;

mod narrow;

use narrow::Narrow;

/// Digits that decimal128 holds.
const DIGITS: u8 = 38;

/// What becomes of a column.
enum Change {
    Keep,
    /// Decimal256 whose values fit decimal128 at this scale.
    Decimal(i8),
    /// Intervals without months.
    Duration,
    /// Anything to its text.
    Text,
    /// 16 bytes to a UUID's text.
    Uuid,
}

/// The batches in types that Polars has; what it has already is shared, not copied.
pub(crate) fn for_polars(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let changes: Vec<Change> =
        schema.fields().iter().enumerate().map(|(index, field)| change(index, field, batches)).collect();
    let fields: Vec<Field> =
        schema.fields().iter().zip(&changes).map(|(field, change)| new_field(field, change)).collect();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let convert = |batch: &RecordBatch| -> Result<RecordBatch> {
        let columns = batch.columns().iter().zip(&changes).zip(schema.fields());
        let columns = columns.map(|((column, change), field)| apply(column, change, field.data_type()));
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns.collect::<Result<_>>()?, &options)?)
    };
    let batches = batches.iter().map(convert).collect::<Result<_>>()?;
    Ok((schema.clone(), batches))
}

fn change(index: usize, field: &Field, batches: &[RecordBatch]) -> Change {
    let columns = || batches.iter().map(move |batch| batch.column(index));
    match field.data_type() {
        DataType::Decimal256(_, scale) => {
            let mut narrow = Narrow::new(*scale);
            for column in columns() {
                column.as_primitive::<Decimal256Type>().iter().flatten().for_each(|value| narrow.add(value));
            }
            narrow.scale(DIGITS).map_or(Change::Text, Change::Decimal)
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let months = columns().any(|column| {
                column.as_primitive::<IntervalMonthDayNanoType>().iter().flatten().any(|value| micros(value).is_none())
            });
            if months { Change::Text } else { Change::Duration }
        }
        DataType::Interval(_) => Change::Text,
        DataType::FixedSizeBinary(16) if extension(field) == Some("arrow.uuid") => Change::Uuid,
        _ => Change::Keep,
    }
}

fn extension(field: &Field) -> Option<&str> {
    field.metadata().get("ARROW:extension:name").map(String::as_str)
}

fn new_field(field: &Field, change: &Change) -> Field {
    let data_type = match change {
        Change::Keep => field.data_type().clone(),
        Change::Decimal(scale) => DataType::Decimal128(DIGITS, *scale),
        Change::Duration => DataType::Duration(TimeUnit::Microsecond),
        Change::Text | Change::Uuid => DataType::Utf8,
    };
    // Polars keeps extension types that it does not know apart from their storage, and cannot calculate with them.
    let metadata: HashMap<String, String> = field
        .metadata()
        .iter()
        .filter(|(key, _)| !key.starts_with("ARROW:extension:"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Field::new(field.name(), data_type, field.is_nullable()).with_metadata(metadata)
}

fn apply(column: &ArrayRef, change: &Change, target: &DataType) -> Result<ArrayRef> {
    Ok(match change {
        Change::Keep => column.clone(),
        Change::Decimal(scale) => {
            let DataType::Decimal256(_, from) = column.data_type() else { return Ok(column.clone()) };
            let unit = narrow::power(*from - *scale);
            let values = column.as_primitive::<Decimal256Type>().iter();
            // `Narrow` has seen that no digit is lost and that each value fits.
            let values = values.map(|value| value.and_then(|value| value.wrapping_div(unit).to_i128()));
            let values: Decimal128Array = values.collect();
            Arc::new(values.with_precision_and_scale(DIGITS, *scale)?)
        }
        Change::Duration => {
            let values = column.as_primitive::<IntervalMonthDayNanoType>().iter();
            let values: DurationMicrosecondArray = values.map(|value| value.and_then(micros)).collect();
            Arc::new(values)
        }
        Change::Text => arrow_cast::cast(column, target)?,
        Change::Uuid => {
            let values = column.as_fixed_size_binary().iter();
            let values: StringArray = values.map(|value| value.map(uuid)).collect();
            Arc::new(values)
        }
    })
}

/// An interval as a number of microseconds; `None` where it has months, which have no fixed length.
fn micros(value: arrow_buffer::IntervalMonthDayNano) -> Option<i64> {
    let days = i64::from(value.days).checked_mul(86_400_000_000)?;
    (value.months == 0 && value.nanoseconds % 1000 == 0).then(|| days.checked_add(value.nanoseconds / 1000))?
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    text
}
