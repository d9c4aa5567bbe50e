//! What collects the values of a column.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, FixedSizeBinaryBuilder, Float32Builder,
    Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder, IntervalMonthDayNanoBuilder, StringBuilder,
};
use arrow_array::types::{
    ArrowPrimitiveType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{ArrayRef, Int64Array, ListArray, MapArray, NullArray, PrimitiveArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, Fields, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result};

use super::Fault;
use super::value;
use crate::json::{Cursor, Token};
use crate::types::Kind;

/// What collects the values of a column; one row of the type table each.
pub(crate) enum Builder {
    Null(usize),
    Boolean(BooleanBuilder),
    TinyInt(Int8Builder),
    SmallInt(Int16Builder),
    Integer(Int32Builder),
    BigInt(Int64Builder),
    Real(Float32Builder),
    Double(Float64Builder),
    Decimal(Decimal128Builder, u8, i8),
    Text(StringBuilder),
    Any(StringBuilder),
    /// And bytes before they are copied.
    Binary(BinaryBuilder, Vec<u8>),
    Uuid(FixedSizeBinaryBuilder),
    Date(Date32Builder),
    /// Counts of the unit; the Arrow type.
    Time(Int64Builder, TimeUnit),
    Timestamp(Int64Builder, TimeUnit),
    Instant(Int64Builder, TimeUnit),
    YearToMonth(IntervalMonthDayNanoBuilder),
    DayToSecond(IntervalMonthDayNanoBuilder),
    List(Nested, FieldRef, Box<Builder>),
    Map(Nested, FieldRef, Box<(Builder, Builder)>),
    Row(NullBufferBuilder, Fields, Vec<Builder>),
}

/// Where the items of each value end.
pub(crate) struct Nested {
    offsets: Vec<i32>,
    items: usize,
    valid: NullBufferBuilder,
}

impl Nested {
    fn new() -> Self {
        Nested { offsets: vec![0], items: 0, valid: NullBufferBuilder::new(0) }
    }

    fn end(&mut self, valid: bool) -> Result<(), Fault> {
        self.offsets.push(i32::try_from(self.items).map_err(|_| "more items than a batch has room for")?);
        self.valid.append(valid);
        Ok(())
    }

    fn finish(&mut self) -> (OffsetBuffer<i32>, Option<arrow_buffer::NullBuffer>) {
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        self.items = 0;
        // They only grow: `end` pushes counts of items.
        (OffsetBuffer::new(ScalarBuffer::from(offsets)), self.valid.finish())
    }
}

const KINDS_DIFFER: &str = "a value of another kind than its column";

impl Builder {
    pub(crate) fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Null => Builder::Null(0),
            Kind::Boolean => Builder::Boolean(BooleanBuilder::new()),
            Kind::TinyInt => Builder::TinyInt(Int8Builder::new()),
            Kind::SmallInt => Builder::SmallInt(Int16Builder::new()),
            Kind::Integer => Builder::Integer(Int32Builder::new()),
            Kind::BigInt => Builder::BigInt(Int64Builder::new()),
            Kind::Real => Builder::Real(Float32Builder::new()),
            Kind::Double => Builder::Double(Float64Builder::new()),
            Kind::Decimal(precision, scale) => Builder::Decimal(Decimal128Builder::new(), *precision, *scale),
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Any => Builder::Any(StringBuilder::new()),
            Kind::Binary => Builder::Binary(BinaryBuilder::new(), Vec::new()),
            Kind::Uuid => Builder::Uuid(FixedSizeBinaryBuilder::new(16)),
            Kind::Date => Builder::Date(Date32Builder::new()),
            Kind::Time(unit) => Builder::Time(Int64Builder::new(), *unit),
            Kind::Timestamp(unit) => Builder::Timestamp(Int64Builder::new(), *unit),
            Kind::Instant(unit) => Builder::Instant(Int64Builder::new(), *unit),
            Kind::YearToMonth => Builder::YearToMonth(IntervalMonthDayNanoBuilder::new()),
            Kind::DayToSecond => Builder::DayToSecond(IntervalMonthDayNanoBuilder::new()),
            Kind::List(field, item) => Builder::List(Nested::new(), Arc::clone(field), Box::new(Builder::new(item))),
            Kind::Map(entries, parts) => {
                let parts = (Builder::new(&parts.0), Builder::new(&parts.1));
                Builder::Map(Nested::new(), Arc::clone(entries), Box::new(parts))
            }
            Kind::Row(fields, kinds) => {
                Builder::Row(NullBufferBuilder::new(0), fields.clone(), kinds.iter().map(Builder::new).collect())
            }
        }
    }

    /// Takes the next value of the text.
    pub(crate) fn cell(&mut self, cursor: &mut Cursor, text: &str) -> Result<(), Fault> {
        if let Builder::Any(builder) = self {
            let raw = cursor.raw(text)?;
            match Cursor::default().token(raw)? {
                Token::Null => builder.append_null(),
                Token::Text(text) => builder.append_value(text),
                _ => builder.append_value(raw),
            }
            return Ok(());
        }
        match cursor.token(text)? {
            Token::Null => self.null(),
            Token::Text(text) => self.text(text),
            Token::Number(number) => self.number(number),
            Token::Bool(truth) => match self {
                Builder::Boolean(builder) => {
                    builder.append_value(truth);
                    Ok(())
                }
                _ => Err(KINDS_DIFFER.into()),
            },
            Token::List => self.list(cursor, text),
            Token::Object => self.object(cursor, text),
        }
    }

    fn number(&mut self, number: &str) -> Result<(), Fault> {
        match self {
            Builder::TinyInt(builder) => builder.append_value(value::integer(number)?),
            Builder::SmallInt(builder) => builder.append_value(value::integer(number)?),
            Builder::Integer(builder) => builder.append_value(value::integer(number)?),
            Builder::BigInt(builder) => builder.append_value(value::integer(number)?),
            Builder::Real(builder) => builder.append_value(value::real(number)?),
            Builder::Double(builder) => builder.append_value(value::double(number)?),
            Builder::Decimal(builder, precision, scale) => {
                builder.append_value(value::decimal(number, *precision, *scale)?)
            }
            _ => return Err(KINDS_DIFFER.into()),
        }
        Ok(())
    }

    /// A string: every type's own form, also as the key of a map.
    fn text(&mut self, text: &str) -> Result<(), Fault> {
        match self {
            Builder::Text(builder) | Builder::Any(builder) => builder.append_value(text),
            Builder::Boolean(builder) => builder.append_value(match text {
                "true" => true,
                "false" => false,
                _ => return Err(KINDS_DIFFER.into()),
            }),
            Builder::Binary(builder, bytes) => builder.append_value(value::binary(text, bytes)?),
            Builder::Uuid(builder) => builder.append_value(value::uuid(text)?).map_err(|_| KINDS_DIFFER)?,
            Builder::Date(builder) => builder.append_value(value::date(text)?),
            Builder::Time(builder, unit) => builder.append_value(value::time(text, *unit)?),
            Builder::Timestamp(builder, unit) => builder.append_value(value::timestamp(text, *unit)?),
            Builder::Instant(builder, unit) => builder.append_value(value::instant(text, *unit)?),
            Builder::YearToMonth(builder) => builder.append_value(value::year_to_month(text)?),
            Builder::DayToSecond(builder) => builder.append_value(value::day_to_second(text)?),
            Builder::Null(_) | Builder::List(..) | Builder::Map(..) | Builder::Row(..) => {
                return Err(KINDS_DIFFER.into());
            }
            _ => return self.number(text),
        }
        Ok(())
    }

    fn list(&mut self, cursor: &mut Cursor, text: &str) -> Result<(), Fault> {
        let mut first = true;
        match self {
            Builder::List(nested, _, item) => {
                while cursor.item(text, &mut first)? {
                    item.cell(cursor, text)?;
                    nested.items += 1;
                }
                nested.end(true)
            }
            Builder::Row(valid, _, builders) => {
                for builder in builders {
                    if !cursor.item(text, &mut first)? {
                        return Err("a row with too few values".into());
                    }
                    builder.cell(cursor, text)?;
                }
                if cursor.item(text, &mut first)? {
                    return Err("a row with too many values".into());
                }
                valid.append(true);
                Ok(())
            }
            _ => Err(KINDS_DIFFER.into()),
        }
    }

    fn object(&mut self, cursor: &mut Cursor, text: &str) -> Result<(), Fault> {
        let Builder::Map(nested, _, parts) = self else { return Err(KINDS_DIFFER.into()) };
        let mut first = true;
        while let Some(key) = cursor.key(text, &mut first)? {
            parts.0.text(key)?;
            cursor.colon(text)?;
            parts.1.cell(cursor, text)?;
            nested.items += 1;
        }
        nested.end(true)
    }

    fn null(&mut self) -> Result<(), Fault> {
        match self {
            Builder::Null(count) => *count += 1,
            Builder::Boolean(builder) => builder.append_null(),
            Builder::TinyInt(builder) => builder.append_null(),
            Builder::SmallInt(builder) => builder.append_null(),
            Builder::Integer(builder) => builder.append_null(),
            Builder::BigInt(builder) | Builder::Time(builder, _) => builder.append_null(),
            Builder::Timestamp(builder, _) | Builder::Instant(builder, _) => builder.append_null(),
            Builder::Real(builder) => builder.append_null(),
            Builder::Double(builder) => builder.append_null(),
            Builder::Decimal(builder, ..) => builder.append_null(),
            Builder::Text(builder) | Builder::Any(builder) => builder.append_null(),
            Builder::Binary(builder, _) => builder.append_null(),
            Builder::Uuid(builder) => builder.append_null(),
            Builder::Date(builder) => builder.append_null(),
            Builder::YearToMonth(builder) | Builder::DayToSecond(builder) => builder.append_null(),
            Builder::List(nested, ..) | Builder::Map(nested, ..) => return nested.end(false),
            Builder::Row(valid, _, builders) => {
                for builder in builders {
                    builder.null()?;
                }
                valid.append(false);
            }
        }
        Ok(())
    }

    /// The array; the builder is empty then.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        Ok(match self {
            Builder::Null(count) => Arc::new(NullArray::new(std::mem::take(count))),
            Builder::Boolean(builder) => Arc::new(builder.finish()),
            Builder::TinyInt(builder) => Arc::new(builder.finish()),
            Builder::SmallInt(builder) => Arc::new(builder.finish()),
            Builder::Integer(builder) => Arc::new(builder.finish()),
            Builder::BigInt(builder) => Arc::new(builder.finish()),
            Builder::Real(builder) => Arc::new(builder.finish()),
            Builder::Double(builder) => Arc::new(builder.finish()),
            Builder::Decimal(builder, precision, scale) => {
                Arc::new(builder.finish().with_precision_and_scale(*precision, *scale)?)
            }
            Builder::Text(builder) | Builder::Any(builder) => Arc::new(builder.finish()),
            Builder::Binary(builder, _) => Arc::new(builder.finish()),
            Builder::Uuid(builder) => Arc::new(builder.finish()),
            Builder::Date(builder) => Arc::new(builder.finish()),
            Builder::Time(builder, unit) => time(builder.finish(), *unit)?,
            Builder::Timestamp(builder, unit) => timestamp(builder.finish(), *unit, None),
            Builder::Instant(builder, unit) => timestamp(builder.finish(), *unit, Some("UTC".into())),
            Builder::YearToMonth(builder) | Builder::DayToSecond(builder) => Arc::new(builder.finish()),
            Builder::List(nested, field, item) => {
                let (offsets, valid) = nested.finish();
                Arc::new(ListArray::try_new(Arc::clone(field), offsets, item.finish()?, valid)?)
            }
            Builder::Map(nested, entries, parts) => {
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(Error::new(ErrorKind::Internal, "a map without keys and values"));
                };
                let columns = vec![parts.0.finish()?, parts.1.finish()?];
                let pairs = StructArray::try_new(fields.clone(), columns, None)?;
                let (offsets, valid) = nested.finish();
                Arc::new(MapArray::try_new(Arc::clone(entries), offsets, pairs, valid, false)?)
            }
            Builder::Row(valid, fields, builders) => {
                let columns = builders.iter_mut().map(Builder::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new(fields.clone(), columns, valid.finish())?)
            }
        })
    }
}

fn counted<T: ArrowPrimitiveType<Native = i64>>(counts: Int64Array) -> PrimitiveArray<T> {
    counts.reinterpret_cast()
}

fn time(counts: Int64Array, unit: TimeUnit) -> Result<ArrayRef> {
    match unit {
        TimeUnit::Microsecond => Ok(Arc::new(counted::<Time64MicrosecondType>(counts))),
        TimeUnit::Nanosecond => Ok(Arc::new(counted::<Time64NanosecondType>(counts))),
        // What nobody can ask for: Arrow has no such type.
        _ => Err(Error::new(ErrorKind::Unsupported, "time64 counts microseconds or nanoseconds")),
    }
}

fn timestamp(counts: Int64Array, unit: TimeUnit, zone: Option<Arc<str>>) -> ArrayRef {
    match unit {
        TimeUnit::Second => Arc::new(counted::<TimestampSecondType>(counts).with_timezone_opt(zone)),
        TimeUnit::Millisecond => Arc::new(counted::<TimestampMillisecondType>(counts).with_timezone_opt(zone)),
        TimeUnit::Microsecond => Arc::new(counted::<TimestampMicrosecondType>(counts).with_timezone_opt(zone)),
        TimeUnit::Nanosecond => Arc::new(counted::<TimestampNanosecondType>(counts).with_timezone_opt(zone)),
    }
}
