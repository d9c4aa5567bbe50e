//! Text as what it says, by the strict rules of [`parse`](crate::parse).

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeStringArray, PrimitiveArray};
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, TimeUnit};

use super::family::{Family, is_utc};
use super::floats::finite;
use super::temporal::places;
use super::turn::{Turned, Unfit, Writing, by_arrow};
use crate::parse::{decimal, number, temporal};

const DAY_MILLISECONDS: i64 = 86_400_000;

pub(super) fn turn(column: &ArrayRef, wanted: &DataType, to: Family<'_>, writing: Writing) -> Turned {
    if matches!(to, Family::Text | Family::Bytes) {
        return super::bytes::turn(column, wanted);
    }
    let texts = by_arrow(column, &DataType::LargeUtf8)?;
    let texts = Texts { texts: texts.as_string::<i64>(), wanted };
    match wanted {
        DataType::Boolean => texts.truths(),
        DataType::Int8 => texts.every::<Int8Type>(number::whole),
        DataType::Int16 => texts.every::<Int16Type>(number::whole),
        DataType::Int32 => texts.every::<Int32Type>(number::whole),
        DataType::Int64 => texts.every::<Int64Type>(number::whole),
        DataType::UInt8 => texts.every::<UInt8Type>(number::whole),
        DataType::UInt16 => texts.every::<UInt16Type>(number::whole),
        DataType::UInt32 => texts.every::<UInt32Type>(number::whole),
        DataType::UInt64 => texts.every::<UInt64Type>(number::whole),
        DataType::Float64 => texts.every::<Float64Type>(float(writing)),
        DataType::Float32 => texts.every::<Float32Type>(float(writing)),
        DataType::Float16 => {
            let doubles = Texts { wanted: &DataType::Float64, ..texts }.every::<Float64Type>(float(writing))?;
            finite(&doubles, by_arrow(&doubles, wanted)?)
        }
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => {
            let target = DataType::Decimal128(*p, *s);
            by_arrow(&Texts { wanted: &target, ..texts }.decimals(*p, *s)?, wanted)
        }
        DataType::Decimal128(p, s) => texts.decimals(*p, *s),
        DataType::Decimal256(p, s) => texts.every::<Decimal256Type>(|text| decimal::wide_from_text(text, *p, *s)),
        DataType::Date32 => texts.every::<Date32Type>(|text| temporal::day(text)?.try_into().ok()),
        DataType::Date64 => texts.every::<Date64Type>(|text| temporal::day(text)?.checked_mul(DAY_MILLISECONDS)),
        DataType::Time32(TimeUnit::Second) => {
            texts.every::<Time32SecondType>(|text| temporal::fine_time(text, 0)?.try_into().ok())
        }
        DataType::Time32(_) => {
            texts.every::<Time32MillisecondType>(|text| temporal::fine_time(text, 3)?.try_into().ok())
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            texts.every::<Time64NanosecondType>(|text| temporal::fine_time(text, 9))
        }
        DataType::Time64(_) => texts.every::<Time64MicrosecondType>(temporal::time),
        DataType::Timestamp(unit, zone) => texts.moments(*unit, zone.as_deref()),
        other => Err(Unfit::Whole(format!("text cannot become {other}"))),
    }
}

/// A whole number is exactly its float, and any other number has a nearest one; so has what a decimal says.
fn float<T: number::Float>(writing: Writing) -> fn(&[u8]) -> Option<T> {
    match writing {
        Writing::Text => number::float,
        Writing::Decimal => number::nearest,
    }
}

#[derive(Clone, Copy)]
struct Texts<'a> {
    texts: &'a LargeStringArray,
    wanted: &'a DataType,
}

impl Texts<'_> {
    fn every<T: ArrowPrimitiveType>(&self, parse: impl Fn(&[u8]) -> Option<T::Native>) -> Turned {
        let one = |(row, text): (usize, Option<&str>)| match text {
            None => Ok(T::Native::default()),
            Some(text) => parse(text.as_bytes()).ok_or(Unfit::Row(row)),
        };
        let values = self.texts.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
        let turned = PrimitiveArray::<T>::try_new(values.into(), self.texts.nulls().cloned())?;
        Ok(Arc::new(turned.with_data_type(self.wanted.clone())))
    }

    fn truths(&self) -> Turned {
        let mut values = BooleanBufferBuilder::new(self.texts.len());
        for (row, text) in self.texts.iter().enumerate() {
            let truth = text.map_or(Some(false), |text| number::truth(text.as_bytes()));
            values.append(truth.ok_or(Unfit::Row(row))?);
        }
        Ok(Arc::new(BooleanArray::new(values.finish(), self.texts.nulls().cloned())))
    }

    fn decimals(&self, precision: u8, scale: i8) -> Turned {
        self.every::<Decimal128Type>(|text| decimal::from_text(text, precision, scale))
    }

    /// Text without an offset is of no zone, or of UTC.
    fn moments(&self, unit: TimeUnit, zone: Option<&str>) -> Turned {
        let elsewhere = zone.is_some_and(|zone| !is_utc(zone));
        let parse = |text: &[u8]| {
            let known = !elsewhere || temporal::has_offset(text);
            known.then(|| temporal::fine_timestamp(text, zone.is_some(), places(unit))).flatten()
        };
        match unit {
            TimeUnit::Second => self.every::<TimestampSecondType>(parse),
            TimeUnit::Millisecond => self.every::<TimestampMillisecondType>(parse),
            TimeUnit::Microsecond => self.every::<TimestampMicrosecondType>(parse),
            TimeUnit::Nanosecond => self.every::<TimestampNanosecondType>(parse),
        }
    }
}
