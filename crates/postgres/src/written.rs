//! Values as the server writes them in text: exact, or refused.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder};
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::Impossible;
use bowshot_core::parse::{decimal, number, temporal};
use bowshot_net::Cells;
use bowshot_postgres_values::{Decode, Reject, values_of};

/// Characters of a value that an error shows.
const SHOWN: usize = 80;

/// Text as values of this type.
pub(crate) struct Written {
    data_type: DataType,
    infinity: Impossible,
}

impl Written {
    /// `None` for types that are not read from text.
    pub(crate) fn new(data_type: &DataType, infinity: Impossible) -> Option<Self> {
        let known = match data_type {
            DataType::Boolean
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::Float32
            | DataType::Float64
            | DataType::Date32
            | DataType::Time64(TimeUnit::Microsecond)
            | DataType::Timestamp(TimeUnit::Microsecond, None) => true,
            DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) => zone.as_ref() == "UTC",
            DataType::Decimal128(_, scale) => *scale >= 0,
            _ => false,
        };
        known.then(|| Written { data_type: data_type.clone(), infinity })
    }

    fn every<T: ArrowPrimitiveType>(
        &self,
        cells: Cells<'_>,
        parse: impl Fn(&[u8]) -> Option<T::Native>,
    ) -> Result<ArrayRef, Reject> {
        let mut values = PrimitiveBuilder::<T>::with_capacity(cells.len()).with_data_type(self.data_type.clone());
        for text in values_of(cells) {
            match text.map(|text| (parse(text), text)) {
                None => values.append_null(),
                Some((Some(value), _)) => values.append_value(value),
                Some((None, text)) if self.is_nothing(text) => values.append_null(),
                Some((None, text)) => return Err(reject(text)),
            }
        }
        Ok(Arc::new(values.finish()))
    }

    /// An infinite date or timestamp that the user wants as NULL.
    fn is_nothing(&self, text: &[u8]) -> bool {
        let dated = matches!(self.data_type, DataType::Date32 | DataType::Timestamp(..));
        dated && self.infinity == Impossible::Null && matches!(text, b"infinity" | b"-infinity")
    }
}

impl Decode for Written {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        match &self.data_type {
            DataType::Boolean => booleans(cells),
            DataType::Int16 => self.every::<Int16Type>(cells, number::whole),
            DataType::Int32 => self.every::<Int32Type>(cells, number::whole),
            DataType::Int64 => self.every::<Int64Type>(cells, number::whole),
            DataType::Float32 => self.every::<Float32Type>(cells, number::nearest),
            DataType::Float64 => self.every::<Float64Type>(cells, number::nearest),
            DataType::Decimal128(precision, scale) => {
                self.every::<Decimal128Type>(cells, |text| decimal::from_text(text, *precision, *scale))
            }
            DataType::Date32 => self.every::<Date32Type>(cells, |text| temporal::day(text)?.try_into().ok()),
            DataType::Time64(_) => self.every::<Time64MicrosecondType>(cells, temporal::time),
            DataType::Timestamp(_, zone) => {
                self.every::<TimestampMicrosecondType>(cells, |text| temporal::timestamp(text, zone.is_some()))
            }
            other => Err(Reject::broken(format!("{other} is not read from text"))),
        }
    }
}

fn booleans(cells: Cells<'_>) -> Result<ArrayRef, Reject> {
    let mut values = BooleanBuilder::with_capacity(cells.len());
    for text in values_of(cells) {
        match text {
            None => values.append_null(),
            Some(text) => values.append_value(number::truth(text).ok_or_else(|| reject(text))?),
        }
    }
    Ok(Arc::new(values.finish()))
}

fn reject(text: &[u8]) -> Reject {
    Reject::value(String::from_utf8_lossy(text).chars().take(SHOWN).collect::<String>())
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_cast::display::array_value_to_string;

    use super::*;
    use bowshot_net::NULL;

    /// What is read of the values, `None` for NULL.
    fn read(data_type: &DataType, infinity: Impossible, values: &[Option<&str>]) -> Result<Vec<String>, Reject> {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        for value in values {
            let Some(value) = value else {
                offsets.push(NULL);
                continue;
            };
            bytes.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
            offsets.push(u32::try_from(bytes.len()).unwrap());
            bytes.extend(value.as_bytes());
        }
        let cells = Cells { bytes: &bytes, offsets: &offsets, has_nulls: true };
        let array = Written::new(data_type, infinity).unwrap().decode(cells)?;
        assert_eq!(array.data_type(), data_type);
        // To show instants takes a table of zones.
        let array = array
            .as_primitive_opt::<TimestampMicrosecondType>()
            .map_or(Arc::clone(&array), |instants| Arc::new(instants.clone().with_timezone_opt(None::<String>)));
        Ok((0..array.len()).map(|row| array_value_to_string(&array, row).unwrap()).collect())
    }

    fn microseconds(zone: Option<&str>) -> DataType {
        DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into))
    }

    #[test]
    fn text_becomes_values() {
        for (data_type, text, value) in [
            (DataType::Boolean, "t", "true"),
            (DataType::Boolean, "FALSE", "false"),
            (DataType::Int16, "-32768", "-32768"),
            (DataType::Int32, "1.0", "1"),
            (DataType::Int64, "9223372036854775807", "9223372036854775807"),
            (DataType::Float32, "1.1", "1.1"),
            (DataType::Float64, "5.0E-324", "5e-324"),
            (DataType::Float64, "-Infinity", "-inf"),
            (DataType::Float64, "NaN", "NaN"),
            (DataType::Decimal128(10, 2), "-1.5E-1", "-0.15"),
            (DataType::Date32, "2024-02-29", "2024-02-29"),
            (DataType::Date32, "2024-02-29 00:00:00.000", "2024-02-29"),
            (DataType::Date32, "1969-12-31 00:00:00", "1969-12-31"),
            (DataType::Time64(TimeUnit::Microsecond), "12:34:56.123456", "12:34:56.123456"),
            (microseconds(None), "2024-01-02 03:04:05.123456000", "2024-01-02T03:04:05.123456"),
            (microseconds(Some("UTC")), "2024-01-02 03:04:05.1-05:30", "2024-01-02T08:34:05.100"),
        ] {
            assert_eq!(read(&data_type, Impossible::Error, &[Some(text), None]).unwrap(), [value, ""], "{text}");
        }
    }

    #[test]
    fn what_is_not_exact_is_refused() {
        for (data_type, text) in [
            (DataType::Boolean, "2"),
            (DataType::Int16, "32768"),
            (DataType::Int32, "1.5"),
            (DataType::Int64, ""),
            (DataType::Float64, "one"),
            (DataType::Decimal128(10, 2), "0.001"),
            (DataType::Decimal128(4, 2), "100"),
            (DataType::Date32, "2024-02-29 00:00:01"),
            (DataType::Date32, "-0044-03-15"),
            (DataType::Date32, "infinity"),
            (DataType::Time64(TimeUnit::Microsecond), "12:34:56.123456789"),
            (microseconds(None), "2024-01-02 03:04:05.123456789"),
            (microseconds(None), "2024-01-02 03:04:05+02"),
            (microseconds(None), "infinity"),
        ] {
            let expected = Reject::value(text);
            assert_eq!(read(&data_type, Impossible::Error, &[None, Some(text)]).unwrap_err(), expected);
        }
        for data_type in [DataType::Date32, microseconds(None)] {
            assert_eq!(read(&data_type, Impossible::Null, &[Some("infinity"), Some("-infinity")]).unwrap(), ["", ""]);
        }
        assert!(Written::new(&DataType::Decimal256(76, 38), Impossible::Error).is_none());
        assert!(Written::new(&microseconds(Some("Europe/Berlin")), Impossible::Error).is_none());
    }
}
