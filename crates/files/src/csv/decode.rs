//! Fields to arrays, a column at a time.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, BinaryType, ByteArrayType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type, Utf8Type,
};
use arrow_array::{ArrayRef, BooleanArray, GenericByteArray, PrimitiveArray};
use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::parse::{decimal, number, temporal};

use super::evidence::{is_decimal, whole};
use super::records::Field;
use crate::digits::is_exact;

/// Whether the text of a type is parsed here.
pub(super) fn is_native(data_type: &DataType) -> bool {
    match data_type {
        DataType::Timestamp(TimeUnit::Microsecond, zone) => zone.as_deref().is_none_or(|zone| zone == "UTC"),
        DataType::Time64(unit) => *unit == TimeUnit::Microsecond,
        DataType::Boolean
        | DataType::Float32
        | DataType::Float64
        | DataType::Utf8
        | DataType::Binary
        | DataType::Date32 => true,
        DataType::Decimal128(..) => true,
        other => other.is_integer(),
    }
}

/// A block of records.
pub(super) struct Block<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) fields: &'a [Field],
    pub(super) width: usize,
    pub(super) rows: usize,
    pub(super) nulls: &'a [Vec<u8>],
    pub(super) quote: u8,
    pub(super) escape: Option<u8>,
}

/// The row whose value does not fit.
#[derive(Debug)]
pub(super) struct Misfit(pub(super) usize);

impl Block<'_> {
    /// The field of a row, unless it is NULL; written into `scratch` without escapes and doubled quotes where it has some.
    pub(super) fn value<'b>(&'b self, row: usize, column: usize, scratch: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        let field = self.fields.get(row * self.width + column)?;
        let text = self.bytes.get(field.start as usize..field.end as usize)?;
        if !field.quoted {
            let missing = self.escape.is_some_and(|escape| text == [escape, b'N']);
            let null =
                text.is_empty() || missing || (!self.nulls.is_empty() && self.nulls.iter().any(|null| null == text));
            if null {
                return None;
            }
        }
        if !field.escaped {
            return Some(text);
        }
        scratch.clear();
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            let meant = if Some(*byte) == self.escape || (field.quoted && *byte == self.quote) {
                // What follows means itself: the second of two quotes, or what stands behind an escape.
                bytes.next().unwrap_or(byte)
            } else {
                byte
            };
            scratch.push(*meant);
        }
        Some(scratch)
    }

    /// A column. `strict`: its type was inferred, and a value that it would change does not fit.
    pub(super) fn column(&self, column: usize, data_type: &DataType, strict: bool) -> Result<ArrayRef, Misfit> {
        match data_type {
            DataType::Boolean => self.truths(column, strict),
            DataType::Int8 => self.integers::<Int8Type>(column, strict),
            DataType::Int16 => self.integers::<Int16Type>(column, strict),
            DataType::Int32 => self.integers::<Int32Type>(column, strict),
            DataType::Int64 => self.integers::<Int64Type>(column, strict),
            DataType::UInt8 => self.integers::<UInt8Type>(column, strict),
            DataType::UInt16 => self.integers::<UInt16Type>(column, strict),
            DataType::UInt32 => self.integers::<UInt32Type>(column, strict),
            DataType::UInt64 => self.integers::<UInt64Type>(column, strict),
            DataType::Float32 => self.primitive::<Float32Type>(column, data_type, number::float),
            DataType::Float64 if strict => self.primitive::<Float64Type>(column, data_type, |text| {
                let value = float(text)?;
                (!value.is_finite() || ((whole(text).is_some() || is_decimal(text)) && is_exact(text, value)))
                    .then_some(value)
            }),
            DataType::Float64 => self.primitive::<Float64Type>(column, data_type, number::float),
            DataType::Date32 if strict => self.primitive::<Date32Type>(column, data_type, date),
            DataType::Date32 => {
                self.primitive::<Date32Type>(column, data_type, |text| temporal::day(text)?.try_into().ok())
            }
            DataType::Time64(_) => self.primitive::<Time64MicrosecondType>(column, data_type, time),
            DataType::Timestamp(_, zone) => {
                let utc = zone.is_some();
                self.primitive::<TimestampMicrosecondType>(column, data_type, |text| timestamp(text, utc))
            }
            DataType::Decimal128(precision, scale) => {
                let (precision, scale) = (*precision, *scale);
                let parse = |text: &[u8]| {
                    let kept = !strict || whole(text).is_some() || is_decimal(text);
                    kept.then(|| decimal::from_text(text, precision, scale)).flatten()
                };
                self.primitive::<Decimal128Type>(column, data_type, parse)
            }
            DataType::Binary => self.texts::<BinaryType>(column, |_| true),
            // Each by itself: cut in the wrong place, two could be one that is right.
            _ => self.texts::<Utf8Type>(column, |text| utf8(text).is_some()),
        }
    }

    fn integers<T: ArrowPrimitiveType>(&self, column: usize, strict: bool) -> Result<ArrayRef, Misfit>
    where
        T::Native: std::str::FromStr + TryFrom<i128>,
    {
        let parse = |text: &[u8]| -> Option<T::Native> {
            match strict {
                true => whole(text).and_then(|_| utf8(text)?.parse().ok()),
                false => number::whole(text),
            }
        };
        self.primitive::<T>(column, &T::DATA_TYPE, parse)
    }

    fn primitive<T: ArrowPrimitiveType>(
        &self,
        column: usize,
        data_type: &DataType,
        parse: impl Fn(&[u8]) -> Option<T::Native>,
    ) -> Result<ArrayRef, Misfit> {
        let mut values: Vec<T::Native> = Vec::with_capacity(self.rows);
        let mut nulls = NullBufferBuilder::new(self.rows);
        let mut scratch = Vec::new();
        for row in 0..self.rows {
            match self.value(row, column, &mut scratch) {
                Some(text) => {
                    values.push(parse(text).ok_or(Misfit(row))?);
                    nulls.append_non_null();
                }
                None => {
                    values.push(T::Native::default());
                    nulls.append_null();
                }
            }
        }
        let array = PrimitiveArray::<T>::new(values.into(), nulls.finish());
        Ok(Arc::new(array.with_data_type(data_type.clone())))
    }

    fn truths(&self, column: usize, strict: bool) -> Result<ArrayRef, Misfit> {
        let truth = if strict { truth } else { number::truth };
        let mut values = BooleanBufferBuilder::new(self.rows);
        let mut nulls = NullBufferBuilder::new(self.rows);
        let mut scratch = Vec::new();
        for row in 0..self.rows {
            let text = self.value(row, column, &mut scratch);
            nulls.append(text.is_some());
            values.append(match text {
                Some(text) => truth(text).ok_or(Misfit(row))?,
                None => false,
            });
        }
        Ok(Arc::new(BooleanArray::new(values.finish(), nulls.finish())))
    }

    fn texts<T: ByteArrayType<Offset = i32>>(
        &self,
        column: usize,
        fits: impl Fn(&[u8]) -> bool,
    ) -> Result<ArrayRef, Misfit> {
        let mut bytes = Vec::new();
        let mut ends: Vec<i32> = Vec::with_capacity(self.rows + 1);
        ends.push(0);
        let mut nulls = NullBufferBuilder::new(self.rows);
        let mut scratch = Vec::new();
        for row in 0..self.rows {
            let text = self.value(row, column, &mut scratch);
            nulls.append(text.is_some());
            if let Some(text) = text {
                if !fits(text) {
                    return Err(Misfit(row));
                }
                bytes.extend_from_slice(text);
            }
            ends.push(i32::try_from(bytes.len()).map_err(|_| Misfit(row))?);
        }
        let array = GenericByteArray::<T>::try_new(OffsetBuffer::new(ends.into()), bytes.into(), nulls.finish());
        array.map(|array| Arc::new(array) as ArrayRef).map_err(|_| Misfit(0))
    }
}

fn utf8(text: &[u8]) -> Option<&str> {
    std::str::from_utf8(text).ok()
}

/// `true` and `false`, as computers write them.
pub(super) fn truth(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

/// The nearest double; a number too large for one is none.
pub(super) fn float(text: &[u8]) -> Option<f64> {
    let value: f64 = utf8(text)?.parse().ok()?;
    let overflowed = value.is_infinite() && text.iter().any(u8::is_ascii_digit);
    (!overflowed).then_some(value)
}

/// `YYYY-MM-DD`.
pub(super) fn date(text: &[u8]) -> Option<i32> {
    temporal::date(text).and_then(|days| i32::try_from(days).ok())
}

/// `HH:MM:SS` and up to six digits more.
pub(super) fn time(text: &[u8]) -> Option<i64> {
    temporal::time(text)
}

/// A date and a time; in UTC (`utc`) perhaps with an offset.
pub(super) fn timestamp(text: &[u8], utc: bool) -> Option<i64> {
    temporal::timestamp(text, utc)
}
