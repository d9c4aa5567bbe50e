//! The table: what each destination makes of each Arrow type.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};
use bowshot_core::Result;

use super::Destination;
use super::leaf::Leaf;
use super::refusal::Column;
use super::zone;

/// Where a field says of which extension type it is.
const EXTENSION: &str = "ARROW:extension:name";

/// Digits that decimal128 holds.
pub(super) const DIGITS: u8 = 38;

/// What becomes of a type.
pub(super) enum Rule {
    /// It stays, with what is in it.
    Keep,
    /// Its values become others.
    Become(Leaf),
    /// Its values, written out one a row: they have a rule of their own.
    Plain(DataType),
    /// It is built again of children that have rules of their own, as another type perhaps.
    Nested(Shape),
}

/// What a nested column is built as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    List,
    LargeList,
    FixedSizeList(i32),
    Struct,
    Map(bool),
    Union,
}

/// What becomes of a field of this type; `inside` of another one or not.
pub(super) fn rule(field: &Field, inside: bool, column: &Column) -> Result<Rule> {
    use DataType as D;
    let destination = column.destination;
    let polars = destination == Destination::Polars;
    let arrow = destination == Destination::PandasArrow;
    if destination == Destination::Arrow {
        return Ok(unchanged(field.data_type()));
    }
    Ok(match field.data_type() {
        // No union is NULL, as keys may be.
        D::Dictionary(_, value) if matches!(**value, D::Union(..)) => {
            return Err(column.refuse("it has no dictionaries of unions"));
        }
        D::Dictionary(_, value) if destination == Destination::Numpy || !is_text(value) => Rule::Plain(*value.clone()),
        D::RunEndEncoded(_, values) => Rule::Plain(values.data_type().clone()),
        D::List(_) | D::ListView(_) => Rule::Nested(Shape::List),
        D::LargeList(_) | D::LargeListView(_) => Rule::Nested(Shape::LargeList),
        // Polars cannot import those of no length.
        D::FixedSizeList(_, 0) if polars => Rule::Nested(Shape::List),
        D::FixedSizeList(_, length) => Rule::Nested(Shape::FixedSizeList(*length)),
        // Polars' maps lose keys that repeat.
        D::Map(..) if polars => Rule::Nested(Shape::List),
        D::Map(_, ordered) => Rule::Nested(Shape::Map(*ordered)),
        D::Struct(fields) => {
            column.distinct(fields)?;
            Rule::Nested(Shape::Struct)
        }
        D::Union(..) if polars => return Err(column.refuse("it has no unions")),
        D::Union(..) => Rule::Nested(Shape::Union),
        D::FixedSizeBinary(16) if extension(field) == Some("arrow.uuid") && destination != Destination::Numpy => {
            Rule::Become(Leaf::Uuid)
        }
        D::Int8 if extension(field) == Some("arrow.bool8") => Rule::Become(Leaf::Cast(D::Boolean)),
        D::FixedSizeBinary(0) if polars => Rule::Become(Leaf::Cast(D::Binary)),
        // pandas can neither show nor compare views.
        D::Utf8View if arrow => Rule::Become(Leaf::Cast(D::LargeUtf8)),
        D::BinaryView if arrow => Rule::Become(Leaf::Cast(D::LargeBinary)),
        // Nor can it show lists of these.
        D::FixedSizeBinary(_) if arrow && inside => Rule::Become(Leaf::Cast(D::Binary)),
        D::Decimal32(precision, scale) | D::Decimal64(precision, scale) if arrow && inside => {
            Rule::Become(Leaf::Cast(D::Decimal128(*precision, *scale)))
        }
        D::Timestamp(unit, Some(zone)) => {
            let Some(name) = zone::name(zone, destination) else {
                return Err(column.refuse(&format!("there is no time zone \"{zone}\"")));
            };
            let unit = if polars { milliseconds(*unit) } else { *unit };
            Rule::Become(Leaf::Instant(D::Timestamp(unit, Some(name))))
        }
        D::Timestamp(TimeUnit::Second, None) if polars => {
            Rule::Become(Leaf::Instant(D::Timestamp(TimeUnit::Millisecond, None)))
        }
        D::Duration(TimeUnit::Second) if polars => Rule::Become(Leaf::Cast(D::Duration(TimeUnit::Millisecond))),
        D::Date64 if !arrow => Rule::Become(Leaf::Cast(D::Date32)),
        D::Interval(IntervalUnit::YearMonth) if polars => Rule::Become(Leaf::Cast(D::Utf8)),
        D::Interval(_) if polars => Rule::Become(Leaf::Interval),
        // pyarrow knows this one of the three.
        D::Interval(IntervalUnit::YearMonth | IntervalUnit::DayTime) => {
            Rule::Become(Leaf::Cast(D::Interval(IntervalUnit::MonthDayNano)))
        }
        D::Decimal32(precision, scale) | D::Decimal64(precision, scale) if polars => decimal(*precision, *scale),
        D::Decimal128(precision, scale) if polars && *scale < 0 => decimal(*precision, *scale),
        D::Decimal256(precision, scale) if polars => decimal(*precision, *scale),
        _ => Rule::Keep,
    })
}

/// What there is stays; nested types are walked for the names of extension types that nobody could read.
fn unchanged(data_type: &DataType) -> Rule {
    match data_type {
        DataType::List(_) => Rule::Nested(Shape::List),
        DataType::LargeList(_) => Rule::Nested(Shape::LargeList),
        DataType::FixedSizeList(_, length) => Rule::Nested(Shape::FixedSizeList(*length)),
        DataType::Map(_, ordered) => Rule::Nested(Shape::Map(*ordered)),
        DataType::Struct(_) => Rule::Nested(Shape::Struct),
        _ => Rule::Keep,
    }
}

/// Polars' decimals have up to 38 digits, and as many of them behind the point as they have in all at most.
fn decimal(precision: u8, scale: i8) -> Rule {
    let zeros = if scale < 0 { scale.unsigned_abs() } else { 0 };
    match precision.checked_add(zeros) {
        Some(digits) if digits <= DIGITS => Rule::Become(Leaf::Cast(DataType::Decimal128(digits, scale.max(0)))),
        _ if scale < 0 => Rule::Become(Leaf::Cast(DataType::Utf8)),
        _ => Rule::Become(Leaf::Decimal),
    }
}

/// Whether a type is one that becomes another by its values, or has such in it.
pub(super) fn by_values(data_type: &DataType, destination: Destination) -> bool {
    use DataType as D;
    let inside = |field: &FieldRef| by_values(field.data_type(), destination);
    destination == Destination::Polars
        && match data_type {
            D::Decimal256(precision, scale) => *precision > DIGITS && *scale >= 0,
            D::Interval(_) => true,
            D::Dictionary(_, value) => by_values(value, destination),
            D::RunEndEncoded(_, field)
            | D::List(field)
            | D::ListView(field)
            | D::LargeList(field)
            | D::LargeListView(field)
            | D::FixedSizeList(field, _)
            | D::Map(field, _) => inside(field),
            D::Struct(fields) => fields.iter().any(inside),
            _ => false,
        }
}

/// The fields inside of a nested type, as they are.
pub(super) fn children(data_type: &DataType) -> Fields {
    use DataType as D;
    match data_type {
        D::List(field)
        | D::ListView(field)
        | D::LargeList(field)
        | D::LargeListView(field)
        | D::FixedSizeList(field, _)
        | D::Map(field, _) => Fields::from(vec![Arc::clone(field)]),
        D::Struct(fields) => fields.clone(),
        D::Union(fields, _) => fields.iter().map(|(_, field)| Arc::clone(field)).collect(),
        _ => Fields::empty(),
    }
}

/// The name of the extension type that a field says it is of, unless Arrow's definition of it says otherwise: libraries
/// refuse those.
fn extension(field: &Field) -> Option<&str> {
    let name = field.metadata().get(EXTENSION).map(String::as_str)?;
    let fits = match name {
        "arrow.uuid" => field.data_type() == &DataType::FixedSizeBinary(16),
        "arrow.json" => is_text(field.data_type()),
        "arrow.bool8" => field.data_type() == &DataType::Int8,
        _ => true,
    };
    fits.then_some(name)
}

/// What is left of a field's metadata: destinations keep extension types that they do not know apart from their storage,
/// and cannot calculate with them. pyarrow makes objects of two.
pub(super) fn metadata(field: &Field, destination: Destination) -> HashMap<String, String> {
    let known = match (destination, extension(field)) {
        (Destination::Arrow, name) => name.is_some(),
        (Destination::Numpy, name) => matches!(name, Some("arrow.uuid" | "arrow.json")),
        (Destination::Polars | Destination::PandasArrow, _) => false,
    };
    let metadata = field.metadata().iter().filter(|(key, _)| known || !key.starts_with("ARROW:extension:"));
    metadata.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn milliseconds(unit: TimeUnit) -> TimeUnit {
    if unit == TimeUnit::Second { TimeUnit::Millisecond } else { unit }
}
