//! The values of a column in PostgreSQL's binary form.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal256Type, DurationMicrosecondType, Float64Type, Int64Type, IntervalMonthDayNanoType,
    Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal256Array, Float64Array, Int32Array, Int64Array,
    IntervalMonthDayNanoArray, StringViewArray,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result};
use bytes::{BufMut, BytesMut};

use super::{Form, numeric, refused, values_of};

/// Days from 1970, where Arrow counts from, to 2000, where PostgreSQL does.
const DAYS: i32 = 10_957;

/// The same in microseconds.
const MICROSECONDS: i64 = 946_684_800_000_000;

/// A column of a batch that is being sent.
pub(crate) struct Cells {
    name: String,
    form: Form,
    values: Values,
}

enum Values {
    Null,
    Bool(BooleanArray),
    Int(Int64Array),
    Float(Float64Array),
    Decimal(Decimal256Array, i8),
    Text(StringViewArray),
    Bytes(BinaryViewArray),
    Days(Int32Array),
    /// Of the day, or since 1970.
    Microseconds(Int64Array),
    Interval(IntervalMonthDayNanoArray),
}

impl Cells {
    /// The column `array`, whose values all have a place in `form`.
    pub(crate) fn new(field: &Field, array: &ArrayRef, form: Form) -> Result<Self> {
        let values = values(field, array, form).map_err(|error| error.with_column(field.name()))?;
        Ok(Cells { name: field.name().clone(), form, values })
    }

    /// Appends a value with its length.
    pub(crate) fn write(&self, row: usize, out: &mut BytesMut) -> Result<()> {
        let start = out.len();
        out.put_i32(-1);
        if !self.values.is_valid(row) {
            return Ok(());
        }
        self.put(row, out).ok_or_else(|| {
            let message = format!(
                "column \"{}\": a value of row {row} of its batch is out of the range of PostgreSQL's type",
                self.name
            );
            Error::new(ErrorKind::Value, message)
                .with_column(&self.name)
                .with_hint("leave the row out, or ingest the column as text")
        })?;
        let length = i32::try_from(out.len() - start - 4)
            .map_err(|_| Error::new(ErrorKind::Value, "a value has more than 2 GiB").with_column(&self.name))?;
        if let Some(place) = out.get_mut(start..start + 4) {
            place.copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }

    /// `None` where the form has no place for the value.
    fn put(&self, row: usize, out: &mut BytesMut) -> Option<()> {
        match (&self.values, self.form) {
            (Values::Bool(values), _) => out.put_u8(u8::from(values.value(row))),
            (Values::Int(values), Form::Int2) => out.put_i16(i16::try_from(values.value(row)).ok()?),
            (Values::Int(values), Form::Int4) => out.put_i32(i32::try_from(values.value(row)).ok()?),
            (Values::Int(values), _) => out.put_i64(values.value(row)),
            // It was made of a float32, or of less.
            #[expect(
                clippy::as_conversions,
                clippy::cast_possible_truncation,
                reason = "a float32 made wider and back is itself"
            )]
            (Values::Float(values), Form::Float4) => out.put_f32(values.value(row) as f32),
            (Values::Float(values), _) => out.put_f64(values.value(row)),
            (Values::Decimal(values, scale), _) => numeric::put(&values.value(row).to_string(), *scale, out)?,
            (Values::Text(values), form) => {
                if form == Form::Jsonb {
                    out.put_u8(1);
                }
                out.extend_from_slice(values.value(row).as_bytes());
            }
            (Values::Bytes(values), _) => out.extend_from_slice(values.value(row)),
            (Values::Days(values), _) => {
                let days = values.value(row).checked_sub(DAYS)?;
                // The two ends stand for infinity.
                out.put_i32(Some(days).filter(|days| !matches!(*days, i32::MIN | i32::MAX))?);
            }
            (Values::Microseconds(values), Form::Time) => {
                out.put_i64(Some(values.value(row)).filter(|time| (0..=86_400_000_000).contains(time))?);
            }
            (Values::Microseconds(values), _) => {
                let time = values.value(row).checked_sub(MICROSECONDS)?;
                out.put_i64(Some(time).filter(|time| !matches!(*time, i64::MIN | i64::MAX))?);
            }
            (Values::Interval(values), _) => {
                let value = values.value(row);
                out.put_i64(Some(value.nanoseconds).filter(|nanoseconds| nanoseconds % 1000 == 0)? / 1000);
                out.put_i32(value.days);
                out.put_i32(value.months);
            }
            (Values::Null, _) => {}
        }
        Some(())
    }
}

impl Values {
    fn is_valid(&self, row: usize) -> bool {
        match self {
            Values::Null => false,
            Values::Bool(array) => array.is_valid(row),
            Values::Int(array) | Values::Microseconds(array) => array.is_valid(row),
            Values::Float(array) => array.is_valid(row),
            Values::Decimal(array, _) => array.is_valid(row),
            Values::Text(array) => array.is_valid(row),
            Values::Bytes(array) => array.is_valid(row),
            Values::Days(array) => array.is_valid(row),
            Values::Interval(array) => array.is_valid(row),
        }
    }
}

fn values(field: &Field, array: &ArrayRef, form: Form) -> Result<Values> {
    if array.data_type() == &DataType::Null {
        return Ok(Values::Null);
    }
    let array = &as_type(field, array, values_of(array.data_type()))?;
    let cast = |kind: &DataType| as_type(field, array, kind);
    Ok(match form {
        Form::Bool => Values::Bool(array.as_boolean().clone()),
        Form::Int2 | Form::Int4 | Form::Int8 => {
            Values::Int(cast(&DataType::Int64)?.as_primitive::<Int64Type>().clone())
        }
        Form::Float4 | Form::Float8 => Values::Float(cast(&DataType::Float64)?.as_primitive::<Float64Type>().clone()),
        Form::Numeric => {
            let scale = super::decimal(array.data_type()).map_or(0, |(_, scale)| scale);
            let scale = i8::try_from(scale).unwrap_or(0);
            let wide = cast(&DataType::Decimal256(76, scale))?;
            Values::Decimal(wide.as_primitive::<Decimal256Type>().clone(), scale)
        }
        Form::Text | Form::Jsonb => Values::Text(cast(&DataType::Utf8View)?.as_string_view().clone()),
        Form::Bytea | Form::Uuid => Values::Bytes(cast(&DataType::BinaryView)?.as_binary_view().clone()),
        Form::Date => {
            whole(field, array, 86_400_000, &DataType::Date64)?;
            Values::Days(reinterpreted(cast(&DataType::Date32)?.as_primitive::<Date32Type>()))
        }
        Form::Time => {
            whole(field, array, 1000, &DataType::Time64(TimeUnit::Nanosecond))?;
            let times = cast(&DataType::Time64(TimeUnit::Microsecond))?;
            Values::Microseconds(times.as_primitive::<Time64MicrosecondType>().reinterpret_cast())
        }
        Form::Timestamp => {
            let zone = match array.data_type() {
                DataType::Timestamp(_, zone) => zone.clone(),
                _ => None,
            };
            whole(field, array, 1000, &DataType::Timestamp(TimeUnit::Nanosecond, zone.clone()))?;
            let times = cast(&DataType::Timestamp(TimeUnit::Microsecond, zone))?;
            Values::Microseconds(times.as_primitive::<TimestampMicrosecondType>().reinterpret_cast())
        }
        Form::Interval => interval(field, array)?,
    })
}

fn reinterpreted(days: &arrow_array::Date32Array) -> Int32Array {
    days.reinterpret_cast()
}

/// Intervals, and durations as such without months and days.
fn interval(field: &Field, array: &ArrayRef) -> Result<Values> {
    if let DataType::Duration(_) = array.data_type() {
        whole(field, array, 1000, &DataType::Duration(TimeUnit::Nanosecond))?;
        let spans = as_type(field, array, &DataType::Duration(TimeUnit::Microsecond))?;
        let spans = spans.as_primitive::<DurationMicrosecondType>();
        let wide = spans.iter().map(|span| {
            let nanoseconds = span.map(|span| span.checked_mul(1000).ok_or_else(|| too_long(field))).transpose()?;
            Ok(nanoseconds.map(|nanoseconds| IntervalMonthDayNanoType::make_value(0, 0, nanoseconds)))
        });
        return Ok(Values::Interval(wide.collect::<Result<IntervalMonthDayNanoArray>>()?));
    }
    let wide = as_type(field, array, &DataType::Interval(IntervalUnit::MonthDayNano))?;
    Ok(Values::Interval(wide.as_primitive::<IntervalMonthDayNanoType>().clone()))
}

fn too_long(field: &Field) -> Error {
    Error::new(ErrorKind::Value, format!("column \"{}\": a duration is longer than 292 years", field.name()))
        .with_column(field.name())
        .with_hint("ingest it as a number")
}

/// Refuses values of the type `fine` that are no multiples of `unit`: PostgreSQL would cut them off.
fn whole(field: &Field, array: &ArrayRef, unit: i64, fine: &DataType) -> Result<()> {
    if array.data_type() != fine {
        return Ok(());
    }
    let numbers = as_type(field, array, &DataType::Int64)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    if numbers.iter().flatten().all(|number| number % unit == 0) {
        return Ok(());
    }
    let message = format!("column \"{}\" has times that are finer than PostgreSQL keeps", field.name());
    Err(Error::new(ErrorKind::Value, message)
        .with_column(field.name())
        .with_hint("round the column to microseconds (dates: to days) before it is ingested"))
}

/// The array as another type; an error where a value does not fit.
fn as_type(field: &Field, array: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    if array.data_type() == kind {
        return Ok(Arc::clone(array));
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, kind, &options).map_err(|error| {
        refused(field, error.to_string())
            .with_hint("cast the column to a type that the table has before it is ingested")
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::{Date32Array, Int64Array, TimestampNanosecondArray};

    use super::*;

    fn written(array: ArrayRef, form: Form) -> Result<Vec<u8>> {
        let field = Field::new("c", array.data_type().clone(), true);
        let cells = Cells::new(&field, &array, form)?;
        let mut out = BytesMut::new();
        (0..array.len()).try_for_each(|row| cells.write(row, &mut out))?;
        Ok(out.to_vec())
    }

    #[test]
    fn values_have_their_length_in_front_and_null_has_minus_one() {
        let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(-2)]));
        let expected = [0, 0, 0, 2, 0, 1, 255, 255, 255, 255, 0, 0, 0, 2, 255, 254];
        assert_eq!(written(array, Form::Int2).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_its_column() {
        let wide: ArrayRef = Arc::new(Int64Array::from(vec![40_000]));
        let fine: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![1_001]));
        let end: ArrayRef = Arc::new(Date32Array::from(vec![i32::MIN]));
        for (array, form) in [(wide, Form::Int2), (fine, Form::Timestamp), (end, Form::Date)] {
            let error = written(array, form).unwrap_err();
            assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")), "{error}");
        }
    }

    #[test]
    fn days_are_counted_from_2000() {
        let array: ArrayRef = Arc::new(Date32Array::from(vec![DAYS, 0]));
        let expected = [[0, 0, 0, 4, 0, 0, 0, 0], [0, 0, 0, 4, 255, 255, 213, 51]].concat();
        assert_eq!(written(array, Form::Date).unwrap(), expected);
    }
}
