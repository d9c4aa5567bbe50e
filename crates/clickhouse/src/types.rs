//! The one table from ClickHouse's types to Arrow's, and what reads each.

mod spelling;

use std::sync::Arc;

use arrow_array::StringArray;
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result};

use spelling::{Label, Spelling};

/// How deep types may lie in each other.
const DEPTH: usize = 64;

/// A type of ClickHouse.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
}

/// A type without its NULLs: how its values come, and the Arrow type that they become.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// As many bytes as Arrow's own, in Arrow's order.
    Plain(DataType, usize),
    /// Numbers of another width.
    Number(Number, DataType),
    Bool,
    /// Bytes, which Arrow takes for text: whether they are is checked.
    Text,
    /// The same as bytes.
    Bytes,
    FixedBytes(i32),
    /// The same as text, without the zeros at its end.
    FixedText(usize),
    Enumeration(Arc<Enumeration>),
    Uuid,
    Ipv4,
    Ipv6,
    /// So many bytes a row, which mean nothing.
    Nothing(usize),
    List(Box<Type>),
    Struct(Vec<(String, Type)>),
    Map(Box<Type>, Box<Type>),
    /// Values that are sent once, and their numbers.
    LowCardinality(Box<Type>),
}

/// Numbers that come in another width than Arrow keeps them in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Days since 1970 as `UInt16`.
    Day,
    /// Seconds since 1970 as `UInt32`.
    Moment,
    /// `Int32` as 64 bits.
    Seconds,
    /// `Int64`, times so many.
    Scaled(i64),
    /// `Int32` as 128 bits.
    Small,
    /// `Int64` as 128 bits.
    Middle,
    /// `Int128` as 256 bits.
    Signed,
    /// `UInt128` as 256 bits.
    Unsigned,
    /// The upper half of a `Float32`.
    Half,
}

/// The labels of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Enumeration {
    /// The bytes of a value: 1 or 2.
    pub(crate) width: usize,
    /// The values in ascending order, each with its label's place.
    pub(crate) values: Vec<(i16, i32)>,
    pub(crate) labels: Arc<StringArray>,
}

/// A type as the database describes it, and how it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) kind: Type,
    /// The type that the server casts it to, where it cannot be read as it is.
    pub(crate) cast: Option<String>,
}

/// What a column of this type is read as.
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported) for states of aggregate functions.
pub(crate) fn column(name: &str, text: &str, zone: &str) -> Result<Column> {
    let unreadable = |what: &str| {
        Error::new(ErrorKind::Unsupported, format!("column \"{name}\" ({text}) cannot be read: {what}"))
            .with_column(name)
    };
    let mut reader = Table { zone, cast: false, unreadable: None };
    let read = reader.read(text, 0);
    let (kind, asked) = read.ok_or_else(|| unreadable("its type is not one that is known"))?;
    match reader.unreadable {
        Some(function) => Err(unreadable("it holds states of an aggregate function")
            .with_hint(format!("finish them in the query: finalizeAggregation({name}), or {function}Merge({name})"))),
        None => Ok(Column { kind, cast: reader.cast.then_some(asked) }),
    }
}

struct Table<'a> {
    /// What columns of moments without a time zone are shown in.
    zone: &'a str,
    /// Whether something in the type has to be cast.
    cast: bool,
    /// The function whose states the type holds.
    unreadable: Option<String>,
}

impl Table<'_> {
    /// The type and how it is asked for; `None` if the text is not a type.
    fn read(&mut self, text: &str, depth: usize) -> Option<(Type, String)> {
        if depth > DEPTH {
            return None;
        }
        let spelling = Spelling::parse(text)?;
        let arguments = spelling.arguments.as_slice();
        let inner = |table: &mut Self, text: &str| table.read(text, depth + 1);
        let kind = match (spelling.name, arguments) {
            ("Nullable", [argument]) => {
                let (kind, asked) = inner(self, argument)?;
                // The byte that says NULL stands beside the one that says nothing.
                let kind = if kind.kind == Kind::Nothing(1) { Kind::Nothing(2).into() } else { kind };
                return Some((Type { nullable: true, ..kind }, wrapped("Nullable", &asked)));
            }
            ("LowCardinality", [argument]) => {
                let (kind, asked) = inner(self, argument)?;
                let nullable = kind.nullable;
                return Some((
                    Type { kind: Kind::LowCardinality(Box::new(kind)), nullable },
                    format!("LowCardinality({asked})"),
                ));
            }
            ("SimpleAggregateFunction", [_, argument]) => return inner(self, argument),
            ("Array", [argument]) => {
                let (item, asked) = inner(self, argument)?;
                return Some((Kind::List(Box::new(item)).into(), format!("Array({asked})")));
            }
            ("Map", [key, value]) => {
                let ((key, asked_key), (value, asked_value)) = (inner(self, key)?, inner(self, value)?);
                let asked = format!("Map({asked_key}, {asked_value})");
                return Some((Kind::Map(Box::new(key), Box::new(value)).into(), asked));
            }
            ("Tuple" | "Nested", [_, ..]) => return self.tuple(spelling.name == "Nested", arguments, depth),
            ("Point", []) => {
                return self.read("Tuple(Float64, Float64)", depth + 1).map(|(kind, _)| (kind, text.into()));
            }
            ("Ring" | "LineString", []) => return self.nested("Point", text, depth),
            ("Polygon" | "MultiLineString", []) => return self.nested("Ring", text, depth),
            ("MultiPolygon", []) => return self.nested("Polygon", text, depth),
            ("AggregateFunction", [function, ..]) => {
                self.unreadable = Some((*function).to_owned());
                Kind::Nothing(1)
            }
            // These hold NULL without saying so.
            ("Variant" | "Dynamic", _) => {
                self.cast = true;
                return Some((Type { kind: Kind::Text, nullable: true }, "Nullable(String)".into()));
            }
            (name, arguments) => match scalar(name, arguments, self.zone) {
                Some(kind) => kind,
                None => {
                    self.cast = true;
                    return Some((Kind::Text.into(), "String".into()));
                }
            },
        };
        Some((kind.into(), text.to_owned()))
    }

    fn tuple(&mut self, nested: bool, arguments: &[&str], depth: usize) -> Option<(Type, String)> {
        let (mut members, mut asked) = (Vec::new(), Vec::new());
        for (number, argument) in (1..).zip(arguments) {
            let Label { name, label, kind } = Label::parse(argument)?;
            let (kind, text) = self.read(kind, depth + 1)?;
            members.push((name.unwrap_or_else(|| number.to_string()), kind));
            asked.push(format!("{label}{text}"));
        }
        let asked = format!("Tuple({})", asked.join(", "));
        let kind: Type = Kind::Struct(members).into();
        Some(if nested { (Kind::List(Box::new(kind)).into(), format!("Array({asked})")) } else { (kind, asked) })
    }

    fn nested(&mut self, item: &str, text: &str, depth: usize) -> Option<(Type, String)> {
        let (item, _) = self.read(item, depth + 1)?;
        Some((Kind::List(Box::new(item)).into(), text.to_owned()))
    }
}

/// `name(inner)`; what may be NULL already is not said to be so twice.
fn wrapped(name: &str, inner: &str) -> String {
    if inner.starts_with("Nullable(") { inner.to_owned() } else { format!("{name}({inner})") }
}

/// The table of the types that hold no others.
fn scalar(name: &str, arguments: &[&str], zone: &str) -> Option<Kind> {
    let number = |place: usize| arguments.get(place)?.trim().parse::<u8>().ok();
    let zone_of = |place: usize| match arguments.get(place) {
        Some(quoted) => spelling::unquoted(quoted),
        None => Some(zone.to_owned()),
    };
    Some(match name {
        "Int8" => Kind::Plain(DataType::Int8, 1),
        "Int16" => Kind::Plain(DataType::Int16, 2),
        "Int32" => Kind::Plain(DataType::Int32, 4),
        "Int64" => Kind::Plain(DataType::Int64, 8),
        "UInt8" => Kind::Plain(DataType::UInt8, 1),
        "UInt16" => Kind::Plain(DataType::UInt16, 2),
        "UInt32" => Kind::Plain(DataType::UInt32, 4),
        "UInt64" => Kind::Plain(DataType::UInt64, 8),
        // 2^127 has 39 digits.
        "Int128" => Kind::Number(Number::Signed, DataType::Decimal256(39, 0)),
        "UInt128" => Kind::Number(Number::Unsigned, DataType::Decimal256(39, 0)),
        "Float32" => Kind::Plain(DataType::Float32, 4),
        "Float64" => Kind::Plain(DataType::Float64, 8),
        "BFloat16" => Kind::Number(Number::Half, DataType::Float32),
        "Decimal" => decimal(number(0)?, number(1)?)?,
        "Bool" => Kind::Bool,
        "String" => Kind::Text,
        "FixedString" => Kind::FixedBytes(arguments.first()?.trim().parse().ok().filter(|width| *width > 0)?),
        "Date" => Kind::Number(Number::Day, DataType::Date32),
        "Date32" => Kind::Plain(DataType::Date32, 4),
        "DateTime" => Kind::Number(Number::Moment, DataType::Timestamp(TimeUnit::Second, Some(zone_of(0)?.into()))),
        "DateTime64" => {
            let zone = zone_of(1)?;
            ticks(number(0)?, |unit| DataType::Timestamp(unit, Some(zone.as_str().into())))?
        }
        "Time" => Kind::Number(Number::Seconds, DataType::Duration(TimeUnit::Second)),
        "Time64" => ticks(number(0)?, DataType::Duration)?,
        "Enum8" => enumeration(1, arguments)?,
        "Enum16" => enumeration(2, arguments)?,
        "UUID" => Kind::Uuid,
        "IPv4" => Kind::Ipv4,
        "IPv6" => Kind::Ipv6,
        "Nothing" => Kind::Nothing(1),
        // A count of what the name says.
        _ if name.starts_with("Interval") => Kind::Plain(DataType::Int64, 8),
        _ => return None,
    })
}

fn decimal(precision: u8, scale: u8) -> Option<Kind> {
    let small = i8::try_from(scale).ok().filter(|_| scale <= precision)?;
    let arrow = DataType::Decimal128(precision, small);
    Some(match precision {
        1..=9 => Kind::Number(Number::Small, arrow),
        10..=18 => Kind::Number(Number::Middle, arrow),
        19..=38 => Kind::Plain(arrow, 16),
        39..=76 => Kind::Plain(DataType::Decimal256(precision, small), 32),
        _ => return None,
    })
}

/// Ticks of so many digits after the point in the nearest finer unit that Arrow has.
fn ticks(digits: u8, arrow: impl FnOnce(TimeUnit) -> DataType) -> Option<Kind> {
    let (unit, finer) = match digits {
        0 => (TimeUnit::Second, 0),
        1..=3 => (TimeUnit::Millisecond, 3 - digits),
        4..=6 => (TimeUnit::Microsecond, 6 - digits),
        7..=9 => (TimeUnit::Nanosecond, 9 - digits),
        _ => return None,
    };
    Some(match finer {
        0 => Kind::Plain(arrow(unit), 8),
        _ => Kind::Number(Number::Scaled(10_i64.pow(finer.into())), arrow(unit)),
    })
}

fn enumeration(width: usize, arguments: &[&str]) -> Option<Kind> {
    let mut pairs = arguments.iter().map(|pair| spelling::labelled(pair)).collect::<Option<Vec<(String, i16)>>>()?;
    pairs.sort_by_key(|(_, value)| *value);
    let labels = StringArray::from_iter_values(pairs.iter().map(|(label, _)| label));
    let values = (0..).zip(&pairs).map(|(place, (_, value))| (*value, place)).collect();
    Some(Kind::Enumeration(Arc::new(Enumeration { width, values, labels: Arc::new(labels) })))
}

impl From<Kind> for Type {
    fn from(kind: Kind) -> Self {
        // NULL is all that a column of nothing can hold.
        Type { nullable: matches!(kind, Kind::Nothing(_)), kind }
    }
}

impl Type {
    /// The Arrow type.
    pub(crate) fn arrow(&self) -> DataType {
        match &self.kind {
            Kind::Plain(arrow, _) | Kind::Number(_, arrow) => arrow.clone(),
            Kind::Bool => DataType::Boolean,
            Kind::Text | Kind::FixedText(_) | Kind::Ipv4 | Kind::Ipv6 => DataType::Utf8,
            Kind::Bytes => DataType::Binary,
            Kind::FixedBytes(width) => DataType::FixedSizeBinary(*width),
            Kind::Enumeration(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Kind::Uuid => DataType::FixedSizeBinary(16),
            Kind::Nothing(_) => DataType::Null,
            Kind::List(item) => DataType::List(Arc::new(item.field("item"))),
            Kind::Struct(members) => DataType::Struct(Type::fields(members)),
            Kind::Map(key, value) => {
                let entries = DataType::Struct(Fields::from(vec![key.field("keys"), value.field("values")]));
                DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
            }
            Kind::LowCardinality(inner) => inner.arrow(),
        }
    }

    /// A field of this type.
    pub(crate) fn field(&self, name: &str) -> Field {
        let field = Field::new(name, self.arrow(), self.nullable);
        match &self.kind {
            Kind::Uuid => field.with_metadata([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())].into()),
            Kind::LowCardinality(inner) => inner.field(name),
            _ => field,
        }
    }

    /// The fields of a tuple's members.
    pub(crate) fn fields(members: &[(String, Type)]) -> Fields {
        members.iter().map(|(name, kind)| kind.field(name)).collect()
    }

    /// About how many bytes a value takes.
    pub(crate) fn width(&self) -> usize {
        match &self.kind {
            Kind::Plain(_, width) => *width,
            Kind::Number(Number::Day | Number::Half, _) => 4,
            Kind::Number(Number::Moment | Number::Seconds | Number::Scaled(_), _) => 8,
            Kind::Number(Number::Small | Number::Middle, _) => 16,
            Kind::Number(Number::Signed | Number::Unsigned, _) => 32,
            Kind::Bool | Kind::Nothing(_) => 1,
            Kind::Enumeration(_) => 4,
            Kind::Uuid => 16,
            Kind::FixedBytes(width) => usize::try_from(*width).unwrap_or(0),
            Kind::Text | Kind::Bytes | Kind::FixedText(_) | Kind::Ipv4 | Kind::Ipv6 => 32,
            Kind::List(item) => 8 + 4 * item.width(),
            Kind::Struct(members) => members.iter().map(|(_, member)| member.width()).sum(),
            Kind::Map(key, value) => 8 + 4 * (key.width() + value.width()),
            Kind::LowCardinality(inner) => 4 + inner.width(),
        }
    }

    /// This type as near as possible to what the user wants; the rest is a cast of Arrow's.
    pub(crate) fn towards(self, wanted: &DataType) -> Type {
        let nullable = self.nullable;
        let kind = match (self.kind, wanted) {
            (Kind::Text, DataType::Binary | DataType::LargeBinary | DataType::BinaryView) => Kind::Bytes,
            (Kind::FixedBytes(width), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => {
                Kind::FixedText(usize::try_from(width).unwrap_or(0))
            }
            (Kind::List(item), DataType::List(field)) => Kind::List(Box::new(item.towards(field.data_type()))),
            (Kind::LowCardinality(inner), wanted) => Kind::LowCardinality(Box::new(inner.towards(wanted))),
            (kind, _) => kind,
        };
        Type { kind, nullable }
    }
}

#[cfg(test)]
mod tests;
