//! Blocks of rows into Arrow arrays: one growing array a column, no allocation a row.

use std::sync::Arc;

use arrow_array::builder::{BooleanBufferBuilder, NullBufferBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, NullArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result as BowshotResult};

use crate::block::{Cell, Slot};
use crate::moments::{self, Rules};
use crate::numbers;
use crate::structures;
use crate::text::Texts;
use crate::types::{Form, Rule};

/// Why a value does not fit its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It does: as NULL, since the user said so.
    Null,
    /// It is not even one of its kind.
    Not(&'static str),
    Range,
    /// More digits than the type has.
    Digits,
    Infinite,
    ZeroDate,
    /// It is longer than the driver said that it can be.
    Cut,
    Encoding,
}

/// Where a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// In the block.
    pub(crate) row: usize,
    pub(crate) misfit: Misfit,
    /// The value, as far as it is text.
    pub(crate) value: String,
}

/// A column of a batch that grows block by block.
pub(crate) trait Decoder: Send {
    /// Appends the first `rows` values of a slot.
    fn append(&mut self, slot: &Slot, rows: usize) -> Result<(), Place>;
    /// Bytes so far.
    fn bytes(&self) -> usize;
    /// The array; the decoder is empty again.
    fn finish(&mut self) -> BowshotResult<ArrayRef>;
}

/// The decoder of a column.
pub(crate) fn decoder(rule: &Rule, rules: Rules) -> BowshotResult<Box<dyn Decoder>> {
    let data_type = &rule.data_type;
    match rule.form {
        Form::Native => native(data_type, rule.access.size()),
        Form::Structure => structure(data_type, rules),
        Form::Days => {
            let make = move |bytes: &[u8]| moments::counted(bytes, rules);
            Ok(Values::<Date32Type, _>::shown(data_type, make, moments::show_counted))
        }
        Form::Wide | Form::Bytes if Texts::serves(data_type) => Ok(Texts::boxed(data_type, rule.form)),
        Form::Bytes if *data_type == DataType::Boolean => Ok(Box::new(Booleans::new(|byte: &[u8]| match byte {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Misfit::Not("a bit")),
        }))),
        Form::Text if Texts::serves(data_type) => Ok(Texts::boxed(data_type, rule.form)),
        Form::Text => text(data_type, rules),
        Form::Wide | Form::Bytes => Err(unknown(data_type)),
    }
}

fn unknown(data_type: &DataType) -> Error {
    Error::new(ErrorKind::Internal, format!("no decoder makes {data_type} of what the driver gives"))
}

/// Values as C has them.
fn native(data_type: &DataType, size: usize) -> BowshotResult<Box<dyn Decoder>> {
    macro_rules! as_it_is {
        ($arrow:ty, $native:ty) => {
            Values::<$arrow, _>::boxed(data_type, |bytes| {
                bytes.try_into().map(<$native>::from_ne_bytes).map_err(|_| Misfit::Range)
            })
        };
    }
    Ok(match data_type {
        DataType::Int8 => as_it_is!(Int8Type, i8),
        DataType::Int16 => as_it_is!(Int16Type, i16),
        DataType::Int32 => as_it_is!(Int32Type, i32),
        DataType::Int64 => as_it_is!(Int64Type, i64),
        DataType::UInt8 => as_it_is!(UInt8Type, u8),
        DataType::UInt16 => as_it_is!(UInt16Type, u16),
        DataType::UInt32 => as_it_is!(UInt32Type, u32),
        DataType::UInt64 => as_it_is!(UInt64Type, u64),
        DataType::Float64 => as_it_is!(Float64Type, f64),
        DataType::Float32 if size == 4 => as_it_is!(Float32Type, f32),
        DataType::Float32 => Values::<Float32Type, _>::boxed(data_type, |bytes| {
            let wide = bytes.try_into().map(f64::from_ne_bytes).map_err(|_| Misfit::Range)?;
            #[expect(clippy::cast_possible_truncation, reason = "the test below finds what is lost")]
            let value = wide as f32;
            if f64::from(value) == wide || wide.is_nan() { Ok(value) } else { Err(Misfit::Digits) }
        }),
        DataType::Boolean => Box::new(Booleans::new(|bytes: &[u8]| match bytes {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Misfit::Not("a bit")),
        })),
        _ => return Err(unknown(data_type)),
    })
}

/// ODBC's structures of dates and timestamps.
fn structure(data_type: &DataType, rules: Rules) -> BowshotResult<Box<dyn Decoder>> {
    macro_rules! timestamp {
        ($arrow:ty, $per_second:expr) => {{
            let make = move |bytes: &[u8]| structures::timestamp(bytes, $per_second, rules);
            Values::<$arrow, _>::shown(data_type, make, structures::show)
        }};
    }
    Ok(match data_type {
        DataType::Date32 => {
            let make = move |bytes: &[u8]| structures::date(bytes, rules);
            Values::<Date32Type, _>::shown(data_type, make, structures::show)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => timestamp!(TimestampNanosecondType, NANOS),
        DataType::Timestamp(TimeUnit::Microsecond, _) => timestamp!(TimestampMicrosecondType, MICROS),
        _ => return Err(unknown(data_type)),
    })
}

const NANOS: i64 = 1_000_000_000;
const MICROS: i64 = 1_000_000;
const MILLIS: i64 = 1_000;

/// Values from their text.
fn text(data_type: &DataType, rules: Rules) -> BowshotResult<Box<dyn Decoder>> {
    macro_rules! whole {
        ($arrow:ty) => {
            Values::<$arrow, _>::boxed(data_type, numbers::whole)
        };
    }
    macro_rules! timestamp {
        ($arrow:ty, $per_second:expr, $utc:expr) => {{
            let utc = $utc;
            Values::<$arrow, _>::boxed(data_type, move |text| moments::timestamp(text, $per_second, utc, rules))
        }};
    }
    macro_rules! duration {
        ($arrow:ty, $per_second:expr) => {
            Values::<$arrow, _>::boxed(data_type, |text| exact(moments::duration(text)?, NANOS / $per_second))
        };
    }
    Ok(match data_type {
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float32 => Values::<Float32Type, _>::boxed(data_type, numbers::real),
        DataType::Float64 => Values::<Float64Type, _>::boxed(data_type, numbers::real),
        DataType::Decimal128(precision, scale) => {
            let (precision, scale) = (*precision, *scale);
            Values::<Decimal128Type, _>::boxed(data_type, move |text| numbers::decimal128(text, precision, scale))
        }
        DataType::Decimal256(precision, scale) => {
            let (precision, scale) = (*precision, *scale);
            Values::<Decimal256Type, _>::boxed(data_type, move |text| numbers::decimal256(text, precision, scale))
        }
        DataType::Date32 => Values::<Date32Type, _>::boxed(data_type, move |text| moments::date(text, rules)),
        DataType::Time64(TimeUnit::Nanosecond) => Values::<Time64NanosecondType, _>::boxed(data_type, moments::time),
        DataType::Time64(_) => {
            Values::<Time64MicrosecondType, _>::boxed(data_type, |text| exact(moments::time(text)?, NANOS / MICROS))
        }
        DataType::Timestamp(TimeUnit::Second, zone) => timestamp!(TimestampSecondType, 1, zone.is_some()),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => {
            timestamp!(TimestampMillisecondType, MILLIS, zone.is_some())
        }
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            timestamp!(TimestampMicrosecondType, MICROS, zone.is_some())
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => timestamp!(TimestampNanosecondType, NANOS, zone.is_some()),
        DataType::Duration(TimeUnit::Second) => duration!(DurationSecondType, 1),
        DataType::Duration(TimeUnit::Millisecond) => duration!(DurationMillisecondType, MILLIS),
        DataType::Duration(TimeUnit::Microsecond) => duration!(DurationMicrosecondType, MICROS),
        DataType::Duration(TimeUnit::Nanosecond) => duration!(DurationNanosecondType, NANOS),
        DataType::Boolean => Box::new(Booleans::new(|text: &[u8]| match text {
            b"0" | b"f" | b"F" | b"false" | b"FALSE" => Ok(false),
            b"1" | b"-1" | b"t" | b"T" | b"true" | b"TRUE" => Ok(true),
            _ => Err(Misfit::Not("true or false")),
        })),
        DataType::FixedSizeBinary(16) => Box::new(Uuids::default()),
        DataType::Null => Box::new(Nothing::default()),
        _ => return Err(unknown(data_type)),
    })
}

/// A value in a coarser unit, if that is exact.
fn exact(value: i64, unit: i64) -> Result<i64, Misfit> {
    if value % unit == 0 { Ok(value / unit) } else { Err(Misfit::Digits) }
}

/// The place of a cell that does not fit.
#[cold]
pub(crate) fn place(row: usize, misfit: Misfit, value: &[u8]) -> Place {
    Place { row, misfit, value: as_text(value) }
}

/// The beginning of a value that is text.
fn as_text(value: &[u8]) -> String {
    // A character has at most four bytes.
    let start = value.get(..240).unwrap_or(value);
    String::from_utf8_lossy(start).chars().take(60).collect()
}

/// Values of a fixed width, each made of its bytes.
struct Values<T: ArrowPrimitiveType, F> {
    data_type: DataType,
    values: Vec<T::Native>,
    nulls: NullBufferBuilder,
    make: F,
    /// A value that does not fit, for the message.
    show: fn(&[u8]) -> String,
}

impl<T, F> Values<T, F>
where
    T: ArrowPrimitiveType,
    F: Fn(&[u8]) -> Result<T::Native, Misfit> + Send + 'static,
{
    fn boxed(data_type: &DataType, make: F) -> Box<dyn Decoder> {
        Self::shown(data_type, make, as_text)
    }

    fn shown(data_type: &DataType, make: F, show: fn(&[u8]) -> String) -> Box<dyn Decoder> {
        let nulls = NullBufferBuilder::new(0);
        Box::new(Values::<T, F> { data_type: data_type.clone(), values: Vec::new(), nulls, make, show })
    }
}

impl<T, F> Decoder for Values<T, F>
where
    T: ArrowPrimitiveType,
    F: Fn(&[u8]) -> Result<T::Native, Misfit> + Send + 'static,
{
    fn append(&mut self, slot: &Slot, rows: usize) -> Result<(), Place> {
        self.values.reserve(rows);
        slot.each(rows, |row, cell| {
            match cell {
                Cell::Value(bytes) => match (self.make)(bytes) {
                    Ok(value) => {
                        self.values.push(value);
                        self.nulls.append_non_null();
                        return Ok(());
                    }
                    Err(Misfit::Null) => {}
                    Err(misfit) => return Err(Place { row, misfit, value: (self.show)(bytes) }),
                },
                Cell::Null => {}
                Cell::Cut => return Err(place(row, Misfit::Cut, b"")),
            }
            self.values.push(T::Native::default());
            self.nulls.append_null();
            Ok(())
        })
    }

    fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice())
    }

    fn finish(&mut self) -> BowshotResult<ArrayRef> {
        let values = ScalarBuffer::from(std::mem::take(&mut self.values));
        let array = PrimitiveArray::<T>::try_new(values, self.nulls.finish())?;
        Ok(Arc::new(array.with_data_type(self.data_type.clone())))
    }
}

/// Truth values.
struct Booleans<F> {
    values: BooleanBufferBuilder,
    nulls: NullBufferBuilder,
    make: F,
}

impl<F> Booleans<F> {
    fn new(make: F) -> Self {
        Booleans { values: BooleanBufferBuilder::new(0), nulls: NullBufferBuilder::new(0), make }
    }
}

impl<F: Fn(&[u8]) -> Result<bool, Misfit> + Send> Decoder for Booleans<F> {
    fn append(&mut self, slot: &Slot, rows: usize) -> Result<(), Place> {
        slot.each(rows, |row, cell| {
            let value = match cell {
                Cell::Value(bytes) => Some((self.make)(bytes).map_err(|misfit| place(row, misfit, bytes))?),
                Cell::Null => None,
                Cell::Cut => return Err(place(row, Misfit::Cut, b"")),
            };
            self.values.append(value.unwrap_or(false));
            self.nulls.append(value.is_some());
            Ok(())
        })
    }

    fn bytes(&self) -> usize {
        self.values.len() / 8
    }

    fn finish(&mut self) -> BowshotResult<ArrayRef> {
        let values: BooleanBuffer = self.values.finish();
        Ok(Arc::new(BooleanArray::new(values, self.nulls.finish())))
    }
}

/// UUIDs from their hexadecimal digits, large or small.
#[derive(Default)]
struct Uuids {
    bytes: Vec<u8>,
    nulls: Vec<bool>,
}

impl Decoder for Uuids {
    fn append(&mut self, slot: &Slot, rows: usize) -> Result<(), Place> {
        slot.each(rows, |row, cell| {
            let value = match cell {
                Cell::Value(text) => Some(uuid(text).ok_or_else(|| place(row, Misfit::Not("a UUID"), text))?),
                Cell::Null => None,
                Cell::Cut => return Err(place(row, Misfit::Cut, b"")),
            };
            self.nulls.push(value.is_some());
            self.bytes.extend_from_slice(&value.unwrap_or_default());
            Ok(())
        })
    }

    fn bytes(&self) -> usize {
        self.bytes.len()
    }

    fn finish(&mut self) -> BowshotResult<ArrayRef> {
        let nulls = std::mem::take(&mut self.nulls);
        let bytes = Buffer::from_vec(std::mem::take(&mut self.bytes));
        Ok(Arc::new(FixedSizeBinaryArray::try_new(16, bytes, Some(nulls.into()))?))
    }
}

fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let mut value = [0; 16];
    let text = text.strip_prefix(b"{").and_then(|text| text.strip_suffix(b"}")).unwrap_or(text);
    let mut digits = text.iter().filter(|byte| **byte != b'-').map(|byte| char::from(*byte).to_digit(16));
    for byte in &mut value {
        *byte = u8::try_from(digits.next()?? * 16 + digits.next()??).ok()?;
    }
    digits.next().is_none().then_some(value)
}

/// `SELECT NULL`.
#[derive(Default)]
struct Nothing(usize);

impl Decoder for Nothing {
    fn append(&mut self, slot: &Slot, rows: usize) -> Result<(), Place> {
        self.0 += rows;
        slot.each(rows, |row, cell| match cell {
            Cell::Null => Ok(()),
            Cell::Value(value) => Err(place(row, Misfit::Not("NULL"), value)),
            Cell::Cut => Err(place(row, Misfit::Cut, b"")),
        })
    }

    fn bytes(&self) -> usize {
        0
    }

    fn finish(&mut self) -> BowshotResult<ArrayRef> {
        Ok(Arc::new(NullArray::new(std::mem::take(&mut self.0))))
    }
}

#[cfg(test)]
mod tests;
