//! Which type may become which: the families of Arrow's types, and what leads from one to another.

use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, validate_decimal_precision_and_scale,
};
use arrow_schema::{DataType, Field, Fields, IntervalUnit};

/// Types whose values are of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Family<'a> {
    Null,
    Boolean,
    Integer,
    Float,
    Decimal,
    Date,
    Time,
    /// With its zone.
    Timestamp(Option<&'a str>),
    Duration,
    Interval,
    Text,
    Bytes,
    /// With its items, and their number where that is fixed.
    List(&'a Field, Option<i32>),
    Struct(&'a Fields),
    /// With its entries.
    Map(&'a Field),
    /// Values that are kept apart, once each.
    Packed(&'a DataType),
    Union,
}

impl<'a> Family<'a> {
    pub(super) fn of(data_type: &'a DataType) -> Self {
        match data_type {
            DataType::Null => Family::Null,
            DataType::Boolean => Family::Boolean,
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::UInt64 => Family::Integer,
            DataType::Float16 | DataType::Float32 | DataType::Float64 => Family::Float,
            DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => {
                Family::Decimal
            }
            DataType::Date32 | DataType::Date64 => Family::Date,
            DataType::Time32(_) | DataType::Time64(_) => Family::Time,
            DataType::Timestamp(_, zone) => Family::Timestamp(zone.as_deref()),
            DataType::Duration(_) => Family::Duration,
            DataType::Interval(_) => Family::Interval,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Family::Text,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                Family::Bytes
            }
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item) => Family::List(item, None),
            DataType::FixedSizeList(item, count) => Family::List(item, Some(*count)),
            DataType::Struct(fields) => Family::Struct(fields),
            DataType::Map(entries, _) => Family::Map(entries),
            DataType::Dictionary(_, values) => Family::Packed(values),
            DataType::RunEndEncoded(_, values) => Family::Packed(values.data_type()),
            DataType::Union(..) => Family::Union,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Family::Boolean | Family::Integer | Family::Float | Family::Decimal)
    }

    fn is_moment(self) -> bool {
        matches!(self, Family::Date | Family::Time | Family::Timestamp(_))
    }
}

/// Whether values of one type may become those of another, as far as the types say.
pub(super) fn may_become(from: &DataType, to: &DataType) -> bool {
    use Family::{Bytes, Date, Duration, Interval, List, Map, Null, Packed, Struct, Text, Time, Timestamp};
    if from == to {
        return true;
    }
    if !exists(to) {
        return false;
    }
    let below = |from: &Field, to: &Field| may_become(from.data_type(), to.data_type());
    match (Family::of(from), Family::of(to)) {
        (Null, _) => true,
        (Packed(values), _) => may_become(values, to),
        (_, Packed(values)) => matches!(to, DataType::Dictionary(..)) && may_become(from, values),
        (from, to) if from.is_number() => to.is_number() || to == Text,
        (Text, to) => to.is_number() || to.is_moment() || matches!(to, Text | Bytes),
        (Bytes, Bytes | Text) | (Date, Date) | (Time, Time | Duration) | (Duration, Duration | Time) => true,
        (from, Text) if from.is_moment() => true,
        (Duration | Interval, Text) => true,
        (List(item, _), Text) => may_become(item.data_type(), to),
        (Struct(fields), Text) => fields.iter().all(|field| may_become(field.data_type(), to)),
        (Map(entries), Text) => may_become(entries.data_type(), to),
        // A date is the midnight that begins it.
        (Date | Timestamp(None), Timestamp(to)) => to.is_none_or(is_utc),
        (Timestamp(None), Date) => true,
        // The same moments, shown elsewhere.
        (Timestamp(Some(_)), Timestamp(to)) => to.is_some(),
        (Duration | Interval, Interval) => *to == DataType::Interval(IntervalUnit::MonthDayNano),
        (Interval, Duration) => *from == DataType::Interval(IntervalUnit::MonthDayNano),
        (List(item, count), List(wanted, other)) => {
            count.is_none_or(|count| other.is_none_or(|other| other == count)) && below(item, wanted)
        }
        (Struct(fields), Struct(wanted)) => {
            let same = |(from, to): (&std::sync::Arc<Field>, &std::sync::Arc<Field>)| {
                from.name() == to.name() && below(from, to)
            };
            fields.len() == wanted.len() && fields.iter().zip(wanted).all(same)
        }
        (Map(entries), Map(wanted)) => below(entries, wanted),
        _ => false,
    }
}

/// Whether a zone is UTC, however it is written.
pub(super) fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "Z" | "+00:00" | "-00:00" | "+00" | "+0000" | "utc")
}

/// Whether there is such a type; decimals may be written that no array can be of.
fn exists(data_type: &DataType) -> bool {
    match data_type {
        DataType::Decimal32(p, s) => validate_decimal_precision_and_scale::<Decimal32Type>(*p, *s).is_ok(),
        DataType::Decimal64(p, s) => validate_decimal_precision_and_scale::<Decimal64Type>(*p, *s).is_ok(),
        DataType::Decimal128(p, s) => validate_decimal_precision_and_scale::<Decimal128Type>(*p, *s).is_ok(),
        DataType::Decimal256(p, s) => validate_decimal_precision_and_scale::<Decimal256Type>(*p, *s).is_ok(),
        _ => true,
    }
}
