//! The type table: which Arrow type a Trino type has, and how its values are written.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE};

use crate::page::Described;
use crate::signature::Signature;

/// How values are written, and what becomes of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Nothing but NULL.
    Null,
    Boolean,
    TinyInt,
    SmallInt,
    Integer,
    BigInt,
    Real,
    Double,
    /// Precision and scale.
    Decimal(u8, i8),
    Text,
    /// Base64.
    Binary,
    Uuid,
    Date,
    Time(TimeUnit),
    /// Without a zone.
    Timestamp(TimeUnit),
    /// With a zone, which is lost.
    Instant(TimeUnit),
    YearToMonth,
    DayToSecond,
    List(FieldRef, Box<Kind>),
    /// The field of its entries, keys, values.
    Map(FieldRef, Box<(Kind, Kind)>),
    Row(Fields, Vec<Kind>),
    /// The text of a string, or the JSON of anything else.
    Any,
}

/// A column of the result.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) field: FieldRef,
    pub(crate) kind: Kind,
    /// The type as people write it.
    pub(crate) type_name: String,
    /// What the user makes of it.
    pub(crate) wanted: Option<DataType>,
}

/// The columns of a result, each with its row of the type table or with what the user wants of it.
pub(crate) fn columns(described: Vec<Described>, types: &BTreeMap<String, DataType>) -> Result<Vec<Column>> {
    described.into_iter().map(|column| one(column, types)).collect()
}

fn one(described: Described, types: &BTreeMap<String, DataType>) -> Result<Column> {
    let Described { name, type_name, signature } = described;
    let kind = kind(&signature).map_err(|error| error.with_column(&name))?;
    let wanted = types.get(&name).cloned();
    let kind = match &wanted {
        Some(wanted) => as_wanted(kind, &signature, wanted),
        None => kind,
    };
    let mut metadata = HashMap::from([(SOURCE_TYPE.to_owned(), type_name.clone())]);
    if kind == Kind::Uuid {
        metadata.insert(EXTENSION_TYPE_NAME_KEY.to_owned(), "arrow.uuid".to_owned());
    }
    // Trino does not say whether a column can be NULL.
    let field = Field::new(name, kind.data_type(), true).with_metadata(metadata);
    Ok(Column { field: Arc::new(field), kind, type_name, wanted })
}

/// The table.
fn kind(signature: &Signature) -> Result<Kind> {
    let Signature { name, numbers, parts } = signature;
    let kind = match (name.as_str(), parts.as_slice()) {
        ("unknown", []) => Kind::Null,
        ("boolean", []) => Kind::Boolean,
        ("tinyint", []) => Kind::TinyInt,
        ("smallint", []) => Kind::SmallInt,
        ("integer", []) => Kind::Integer,
        ("bigint", []) => Kind::BigInt,
        ("real", []) => Kind::Real,
        ("double", []) => Kind::Double,
        ("decimal", []) => decimal(numbers)?,
        ("varchar" | "char" | "json" | "ipaddress", []) => Kind::Text,
        ("varbinary", []) => Kind::Binary,
        ("uuid", []) => Kind::Uuid,
        ("date", []) => Kind::Date,
        ("time", []) => unit(numbers).map_or(Kind::Text, Kind::Time),
        ("timestamp", []) => unit(numbers).map_or(Kind::Text, Kind::Timestamp),
        ("timestamp with time zone", []) => unit(numbers).map_or(Kind::Text, Kind::Instant),
        ("interval year to month", []) => Kind::YearToMonth,
        ("interval day to second", []) => Kind::DayToSecond,
        ("array", [(_, item)]) => {
            let item = kind(item)?;
            Kind::List(Arc::new(Field::new("item", item.data_type(), true)), Box::new(item))
        }
        ("map", [(_, key), (_, value)]) => map(kind(key)?, kind(value)?),
        ("row", [_, ..]) => row(parts)?,
        _ => Kind::Any,
    };
    Ok(kind)
}

fn decimal(numbers: &[i64]) -> Result<Kind> {
    let read = match numbers {
        [precision, scale] => u8::try_from(*precision).ok().zip(i8::try_from(*scale).ok()),
        _ => None,
    };
    let sensible = read.filter(|(precision, scale)| {
        (1..=38).contains(precision) && *scale >= 0 && i16::from(*scale) <= i16::from(*precision)
    });
    sensible.map(|(precision, scale)| Kind::Decimal(precision, scale)).ok_or_else(|| {
        Error::new(
            ErrorKind::Protocol,
            "the server describes a decimal with a precision and a scale that none can have",
        )
    })
}

/// The coarsest unit that holds every value, not coarser than microseconds; `None` where there is none fine enough.
fn unit(numbers: &[i64]) -> Option<TimeUnit> {
    match numbers.first() {
        // What the server means when it does not say.
        None | Some(0..=6) => Some(TimeUnit::Microsecond),
        Some(7..=9) => Some(TimeUnit::Nanosecond),
        Some(_) => None,
    }
}

fn map(key: Kind, value: Kind) -> Kind {
    // Keys come as the names of an object's members; of what is no single value, the name is only a description.
    if matches!(key, Kind::Null | Kind::List(..) | Kind::Map(..) | Kind::Row(..) | Kind::Any) {
        return Kind::Any;
    }
    let fields = vec![Field::new("key", key.data_type(), false), Field::new("value", value.data_type(), true)];
    let entries = Field::new("entries", DataType::Struct(fields.into()), false);
    Kind::Map(Arc::new(entries), Box::new((key, value)))
}

fn row(parts: &[(Option<String>, Signature)]) -> Result<Kind> {
    let kinds = parts.iter().map(|(_, part)| kind(part)).collect::<Result<Vec<_>>>()?;
    let field = |(place, ((name, _), kind)): (usize, (&(Option<String>, Signature), &Kind))| {
        let name = name.clone().unwrap_or_else(|| format!("field{place}"));
        Field::new(name, kind.data_type(), true)
    };
    let fields = parts.iter().zip(&kinds).enumerate().map(field).collect();
    Ok(Kind::Row(fields, kinds))
}

/// What can be decoded directly in place of the table's type; the rest is turned from that type to the wanted one later.
fn as_wanted(kind: Kind, signature: &Signature, wanted: &DataType) -> Kind {
    let text = matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match (&kind, wanted) {
        // As the server writes it.
        (Kind::List(..) | Kind::Map(..) | Kind::Row(..), _) if text => Kind::Any,
        (
            Kind::Decimal(..)
            | Kind::Uuid
            | Kind::Date
            | Kind::Time(_)
            | Kind::Timestamp(_)
            | Kind::Instant(_)
            | Kind::YearToMonth
            | Kind::DayToSecond,
            _,
        ) if text => Kind::Text,
        _ => match (signature.name.as_str(), wanted) {
            ("time", DataType::Time64(unit)) => Kind::Time(*unit),
            ("timestamp", DataType::Timestamp(unit, None)) => Kind::Timestamp(*unit),
            ("timestamp with time zone", DataType::Timestamp(unit, Some(_))) => Kind::Instant(*unit),
            _ => kind,
        },
    }
}

impl Kind {
    /// Its Arrow type.
    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Kind::Null => DataType::Null,
            Kind::Boolean => DataType::Boolean,
            Kind::TinyInt => DataType::Int8,
            Kind::SmallInt => DataType::Int16,
            Kind::Integer => DataType::Int32,
            Kind::BigInt => DataType::Int64,
            Kind::Real => DataType::Float32,
            Kind::Double => DataType::Float64,
            Kind::Decimal(precision, scale) => DataType::Decimal128(*precision, *scale),
            Kind::Text | Kind::Any => DataType::Utf8,
            Kind::Binary => DataType::Binary,
            Kind::Uuid => DataType::FixedSizeBinary(16),
            Kind::Date => DataType::Date32,
            Kind::Time(unit) => DataType::Time64(*unit),
            Kind::Timestamp(unit) => DataType::Timestamp(*unit, None),
            Kind::Instant(unit) => DataType::Timestamp(*unit, Some("UTC".into())),
            Kind::YearToMonth | Kind::DayToSecond => DataType::Interval(IntervalUnit::MonthDayNano),
            Kind::List(item, _) => DataType::List(Arc::clone(item)),
            Kind::Map(entries, _) => DataType::Map(Arc::clone(entries), false),
            Kind::Row(fields, _) => DataType::Struct(fields.clone()),
        }
    }
}
