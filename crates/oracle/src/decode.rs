//! Pass 2: the values of a block of rows, a column at a time, into what becomes an array.

mod moment;

use std::sync::Arc;

use arrow_array::types::{
    Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int64Type, IntervalMonthDayNanoType,
    TimestampMicrosecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use arrow_buffer::{
    BooleanBufferBuilder, Buffer, IntervalMonthDayNano, NullBufferBuilder, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, Result, format_type};

use crate::number::{self, Number};

/// How much of a value a message shows.
const SHOWN: usize = 60;

/// How the bytes of a value are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoder {
    NumberInt64,
    Number128(u8, i8),
    Number256(u8, i8),
    NumberDouble,
    NumberText,
    Float,
    Double,
    Boolean,
    Text,
    /// Text of the national character set, big-endian.
    Utf16,
    Binary,
    Seconds,
    Micros,
    Nanos,
    YearMonth,
    DaySecond,
}

/// Why a value cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// The type cannot hold it.
    Outside,
    /// It is infinite.
    Infinite,
    /// It is before the year 1, or on a day that the Gregorian calendar does not have.
    Calendar,
    /// It is not UTF-8, or not UTF-16.
    Encoding,
    /// More text than an array can address.
    Long,
    /// The bytes are no value of the type.
    Malformed,
}

impl From<number::Misfit> for Misfit {
    fn from(misfit: number::Misfit) -> Self {
        match misfit {
            number::Misfit::Infinite => Misfit::Infinite,
            number::Misfit::Malformed => Misfit::Malformed,
            number::Misfit::Digits => Misfit::Outside,
        }
    }
}

/// What has grown of a column.
enum Values {
    Int64(Vec<i64>),
    Int128(Vec<i128>),
    Int256(Vec<i256>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Interval(Vec<IntervalMonthDayNano>),
    Boolean(BooleanBufferBuilder),
    Bytes { bytes: Vec<u8>, offsets: Vec<i32> },
}

/// A column that grows.
pub(crate) struct Column {
    name: String,
    source_type: String,
    data_type: DataType,
    decoder: Decoder,
    values: Values,
    nulls: NullBufferBuilder,
}

impl Column {
    pub(crate) fn new(name: &str, source_type: &str, data_type: &DataType, decoder: Decoder) -> Self {
        let values = match decoder {
            Decoder::NumberInt64 | Decoder::Seconds | Decoder::Micros | Decoder::Nanos => Values::Int64(Vec::new()),
            Decoder::Number128(..) => Values::Int128(Vec::new()),
            Decoder::Number256(..) => Values::Int256(Vec::new()),
            Decoder::Float => Values::Float32(Vec::new()),
            Decoder::NumberDouble | Decoder::Double => Values::Float64(Vec::new()),
            Decoder::YearMonth | Decoder::DaySecond => Values::Interval(Vec::new()),
            Decoder::Boolean => Values::Boolean(BooleanBufferBuilder::new(0)),
            Decoder::NumberText | Decoder::Text | Decoder::Utf16 | Decoder::Binary => {
                Values::Bytes { bytes: Vec::new(), offsets: vec![0] }
            }
        };
        Column {
            name: name.to_owned(),
            source_type: source_type.to_owned(),
            data_type: data_type.clone(),
            decoder,
            values,
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Adds the values of a block.
    pub(crate) fn extend<'a>(&mut self, found: impl Iterator<Item = Option<&'a [u8]>>) -> Result<()> {
        let nulls = &mut self.nulls;
        let result = match (&mut self.values, self.decoder) {
            (Values::Int64(values), Decoder::NumberInt64) => {
                each(values, nulls, found, |bytes| Ok(Number::read(bytes)?.int64()?))
            }
            (Values::Int64(values), Decoder::Seconds) => each(values, nulls, found, moment::seconds),
            (Values::Int64(values), Decoder::Micros) => each(values, nulls, found, moment::micros),
            (Values::Int64(values), _) => each(values, nulls, found, moment::nanos),
            (Values::Int128(values), Decoder::Number128(precision, scale)) => {
                each(values, nulls, found, |bytes| Ok(Number::read(bytes)?.decimal128(precision, scale)?))
            }
            (Values::Int256(values), Decoder::Number256(precision, scale)) => {
                each(values, nulls, found, |bytes| Ok(Number::read(bytes)?.decimal256(precision, scale)?))
            }
            (Values::Float32(values), _) => each(values, nulls, found, float),
            (Values::Float64(values), Decoder::Double) => each(values, nulls, found, double),
            (Values::Float64(values), _) => each(values, nulls, found, |bytes| Ok(Number::read(bytes)?.double())),
            (Values::Interval(values), Decoder::YearMonth) => each(values, nulls, found, moment::year_month),
            (Values::Interval(values), _) => each(values, nulls, found, moment::day_second),
            (Values::Boolean(values), _) => booleans(values, nulls, found),
            (Values::Bytes { bytes, offsets }, decoder) => {
                let write = |value: &[u8], bytes: &mut Vec<u8>| match decoder {
                    Decoder::NumberText => {
                        Number::read(value)?.write(bytes);
                        Ok(())
                    }
                    Decoder::Utf16 => utf16(value, bytes),
                    _ => {
                        bytes.extend_from_slice(value);
                        Ok(())
                    }
                };
                texts(bytes, offsets, nulls, found, write)
            }
            // The decoder chose the values.
            (Values::Int128(_) | Values::Int256(_), _) => Err((Misfit::Malformed, Vec::new())),
        };
        result.map_err(|(misfit, bytes)| self.misfit(misfit, &bytes))
    }

    /// About how many bytes have grown.
    pub(crate) fn bytes(&self) -> usize {
        match &self.values {
            Values::Int64(values) => 8 * values.len(),
            Values::Int128(values) => 16 * values.len(),
            Values::Int256(values) => 32 * values.len(),
            Values::Float32(values) => 4 * values.len(),
            Values::Float64(values) => 8 * values.len(),
            Values::Interval(values) => 16 * values.len(),
            Values::Boolean(values) => values.len() / 8,
            Values::Bytes { bytes, offsets } => bytes.len() + 4 * offsets.len(),
        }
    }

    /// The array of what has grown; the next batch begins empty.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.nulls.finish();
        let data_type = &self.data_type;
        Ok(match &mut self.values {
            Values::Int64(values) => {
                let values = taken(values);
                match self.decoder {
                    Decoder::Seconds => primitive::<TimestampSecondType>(values, nulls, data_type),
                    Decoder::Micros => primitive::<TimestampMicrosecondType>(values, nulls, data_type),
                    Decoder::Nanos => primitive::<TimestampNanosecondType>(values, nulls, data_type),
                    _ => primitive::<Int64Type>(values, nulls, data_type),
                }
            }
            Values::Int128(values) => primitive::<Decimal128Type>(taken(values), nulls, data_type),
            Values::Int256(values) => primitive::<Decimal256Type>(taken(values), nulls, data_type),
            Values::Float32(values) => primitive::<Float32Type>(taken(values), nulls, data_type),
            Values::Float64(values) => primitive::<Float64Type>(taken(values), nulls, data_type),
            Values::Interval(values) => primitive::<IntervalMonthDayNanoType>(taken(values), nulls, data_type),
            Values::Boolean(values) => Arc::new(BooleanArray::new(values.finish(), nulls)),
            Values::Bytes { bytes, offsets } => {
                let bytes = Buffer::from_vec(taken(bytes));
                let offsets = std::mem::replace(offsets, vec![0]);
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                if self.decoder == Decoder::Binary {
                    Arc::new(BinaryArray::new(offsets, bytes, nulls))
                } else {
                    match StringArray::try_new(offsets.clone(), bytes.clone(), nulls) {
                        Ok(array) => Arc::new(array),
                        Err(_) => return Err(self.misfit(Misfit::Encoding, not_utf8(&offsets, &bytes))),
                    }
                }
            }
        })
    }

    /// The error of a value that the column's type cannot hold.
    fn misfit(&self, misfit: Misfit, bytes: &[u8]) -> Error {
        let (name, source) = (&self.name, &self.source_type);
        let shown = self.shown(bytes);
        let wanted = format_type(&self.data_type);
        if misfit == Misfit::Malformed {
            return Error::new(
                ErrorKind::Protocol,
                format!("column \"{name}\" ({source}): the server sent {shown}, which is no such value"),
            )
            .with_column(name);
        }
        let (what, hint) = match misfit {
            Misfit::Infinite => {
                ("an infinite number".to_owned(), format!("leave it out in the query: WHERE {name} BETWEEN …"))
            }
            Misfit::Calendar => (
                format!(
                    "{shown}, which the Gregorian calendar from the year 1 on does not have and {wanted} cannot hold"
                ),
                format!("read it as text: TO_CHAR({name}, 'SYYYY-MM-DD HH24:MI:SS') in the query"),
            ),
            Misfit::Encoding => (
                format!("{shown}, which is no valid text"),
                format!("read its bytes: UTL_RAW.CAST_TO_RAW({name}) in the query"),
            ),
            Misfit::Long => (
                "values of more than 2 GiB in one batch".to_owned(),
                "read a part of it: DBMS_LOB.SUBSTR in the query".to_owned(),
            ),
            _ => {
                let misfit = bowshot_core::Misfit::new(name, source, &self.data_type, shown);
                return match source.starts_with("NUMBER") {
                    true => misfit.or_as("utf8").into(),
                    false => misfit.or(format!("read it as text: TO_CHAR({name}) in the query")).into(),
                };
            }
        };
        Error::new(ErrorKind::Value, format!("column \"{name}\" ({source}) holds {what}"))
            .with_column(name)
            .with_hint(hint)
    }

    /// A value for people.
    fn shown(&self, bytes: &[u8]) -> String {
        let text = match self.decoder {
            Decoder::NumberInt64
            | Decoder::Number128(..)
            | Decoder::Number256(..)
            | Decoder::NumberDouble
            | Decoder::NumberText => Number::read(bytes).ok().map(|number| {
                let mut text = Vec::new();
                number.write(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            }),
            Decoder::Seconds | Decoder::Micros | Decoder::Nanos => moment::shown(bytes),
            Decoder::Text => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        };
        let text = text.unwrap_or_else(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        if text.chars().count() > SHOWN { format!("{}…", text.chars().take(SHOWN).collect::<String>()) } else { text }
    }
}

/// A misfit and the bytes that it is about.
type Failed = (Misfit, Vec<u8>);

#[inline(always)]
fn each<'a, T: Default>(
    values: &mut Vec<T>,
    nulls: &mut NullBufferBuilder,
    found: impl Iterator<Item = Option<&'a [u8]>>,
    decode: impl Fn(&[u8]) -> Result<T, Misfit>,
) -> Result<(), Failed> {
    for value in found {
        match value {
            Some(bytes) => {
                values.push(decode(bytes).map_err(|misfit| (misfit, bytes.to_vec()))?);
                nulls.append_non_null();
            }
            None => {
                values.push(T::default());
                nulls.append_null();
            }
        }
    }
    Ok(())
}

fn booleans<'a>(
    values: &mut BooleanBufferBuilder,
    nulls: &mut NullBufferBuilder,
    found: impl Iterator<Item = Option<&'a [u8]>>,
) -> Result<(), Failed> {
    for value in found {
        match value {
            // The last byte is the value.
            Some(bytes) => {
                let truth = match bytes.last() {
                    Some(0) => false,
                    Some(1) => true,
                    _ => return Err((Misfit::Malformed, bytes.to_vec())),
                };
                values.append(truth);
                nulls.append_non_null();
            }
            None => {
                values.append(false);
                nulls.append_null();
            }
        }
    }
    Ok(())
}

#[inline(always)]
fn texts<'a>(
    bytes: &mut Vec<u8>,
    offsets: &mut Vec<i32>,
    nulls: &mut NullBufferBuilder,
    found: impl Iterator<Item = Option<&'a [u8]>>,
    write: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), Misfit>,
) -> Result<(), Failed> {
    for value in found {
        match value {
            Some(value) => {
                write(value, bytes).map_err(|misfit| (misfit, value.to_vec()))?;
                nulls.append_non_null();
            }
            None => nulls.append_null(),
        }
        offsets.push(i32::try_from(bytes.len()).map_err(|_| (Misfit::Long, Vec::new()))?);
    }
    Ok(())
}

fn utf16(value: &[u8], text: &mut Vec<u8>) -> Result<(), Misfit> {
    if value.len() % 2 == 1 {
        return Err(Misfit::Encoding);
    }
    let units = value.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    for letter in char::decode_utf16(units) {
        let letter = letter.map_err(|_| Misfit::Encoding)?;
        text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

/// A BINARY_FLOAT: its bits are turned so that bytes sort as the numbers do.
fn float(bytes: &[u8]) -> Result<f32, Misfit> {
    let bits = u32::from_be_bytes(bytes.try_into().map_err(|_| Misfit::Malformed)?);
    Ok(f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits }))
}

/// A BINARY_DOUBLE, in the same way.
fn double(bytes: &[u8]) -> Result<f64, Misfit> {
    let bits = u64::from_be_bytes(bytes.try_into().map_err(|_| Misfit::Malformed)?);
    Ok(f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits }))
}

fn primitive<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    nulls: Option<arrow_buffer::NullBuffer>,
    data_type: &DataType,
) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls).with_data_type(data_type.clone()))
}

/// Takes what has grown; the next batch gets as much room at once.
fn taken<T>(values: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(values.len());
    let mut values = std::mem::replace(values, next);
    values.shrink_to_fit();
    values
}

/// The first value that is not UTF-8.
fn not_utf8<'a>(offsets: &OffsetBuffer<i32>, bytes: &'a [u8]) -> &'a [u8] {
    let value = |pair: &[i32]| match (usize::try_from(pair[0]), usize::try_from(pair[1])) {
        (Ok(start), Ok(end)) => bytes.get(start..end).unwrap_or_default(),
        _ => Default::default(),
    };
    offsets.windows(2).map(value).find(|value| std::str::from_utf8(value).is_err()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
