//! The type table: which Arrow field and which decoder a PostgreSQL type has.
//!
//! [`scalar`] is the table; arrays, enums, domains, composites and ranges are built from it. A type without a row is
//! read as its text, written by the server's own output function.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt32Type};
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};
use bowshot_core::{Casts, Error, ErrorKind, Impossible, Result, format_type};
use postgres_types::Type;

use crate::catalog::{Attribute, Catalog, Kind};
use crate::column::{Cast, Column, Described};
use crate::decode::{
    Binary, Boolean, Composite, Date, Decimal, Decode, Enumeration, Fixed, Formatted, Hstore, Interval, List, Money,
    Multirange, Range, Text, Time, Timestamp, Uuid, address, bit_string, hardware_address, time_with_zone,
};

/// An Arrow type with its decoder.
pub struct Native {
    /// The Arrow type.
    pub data_type: DataType,
    /// What makes arrays of it.
    pub decoder: Box<dyn Decode>,
    /// The name of the canonical Arrow extension type, if it is one.
    pub extension: Option<&'static str>,
}

impl Native {
    /// An Arrow type that is no extension type, with its decoder.
    pub fn new(data_type: DataType, decoder: impl Decode + 'static) -> Self {
        Native { data_type, decoder: Box::new(decoder), extension: None }
    }
}

/// What turns described columns into columns.
pub struct Types<'a> {
    /// What is known of types that are not built in.
    pub catalog: &'a Catalog,
    /// What becomes of infinite dates and timestamps.
    pub infinity: Impossible,
}

/// Whether a type needs nothing of the catalogue.
pub fn is_builtin(oid: u32, modifier: i32) -> bool {
    Type::from_oid(oid).is_some_and(|builtin| scalar(&builtin, modifier, Impossible::Error, Some(2)).is_some())
}

/// The table. `None`: no scalar type with a decoder of its own.
///
/// `money_scale` is the number of digits after the point of `money`, where that is known.
pub fn scalar(builtin: &Type, modifier: i32, infinity: Impossible, money_scale: Option<i8>) -> Option<Native> {
    let microseconds = |zone: Option<Arc<str>>| DataType::Timestamp(TimeUnit::Microsecond, zone);
    let native = match *builtin {
        Type::BOOL => Native::new(DataType::Boolean, Boolean),
        Type::INT2 => {
            Native::new(DataType::Int16, Fixed::<Int16Type, _, 2>::new(DataType::Int16, |b| Ok(i16::from_be_bytes(b))))
        }
        Type::INT4 => {
            Native::new(DataType::Int32, Fixed::<Int32Type, _, 4>::new(DataType::Int32, |b| Ok(i32::from_be_bytes(b))))
        }
        Type::INT8 => {
            Native::new(DataType::Int64, Fixed::<Int64Type, _, 8>::new(DataType::Int64, |b| Ok(i64::from_be_bytes(b))))
        }
        Type::OID => Native::new(
            DataType::UInt32,
            Fixed::<UInt32Type, _, 4>::new(DataType::UInt32, |b| Ok(u32::from_be_bytes(b))),
        ),
        Type::FLOAT4 => Native::new(
            DataType::Float32,
            Fixed::<Float32Type, _, 4>::new(DataType::Float32, |b| Ok(f32::from_be_bytes(b))),
        ),
        Type::FLOAT8 => Native::new(
            DataType::Float64,
            Fixed::<Float64Type, _, 8>::new(DataType::Float64, |b| Ok(f64::from_be_bytes(b))),
        ),
        Type::NUMERIC => {
            let data_type = numeric(modifier)?;
            let decoder = Decimal::new(&data_type)?;
            Native::new(data_type, decoder)
        }
        Type::MONEY => {
            let scale = money_scale?;
            Native::new(DataType::Decimal128(19, scale), Money { scale })
        }
        Type::TEXT
        | Type::VARCHAR
        | Type::BPCHAR
        | Type::NAME
        | Type::XML
        | Type::UNKNOWN
        | Type::CSTRING
        | Type::VOID => Native::new(DataType::Utf8, Text { skip: 0 }),
        Type::JSON => Native { extension: Some("arrow.json"), ..Native::new(DataType::Utf8, Text { skip: 0 }) },
        Type::JSONB => Native { extension: Some("arrow.json"), ..Native::new(DataType::Utf8, Text { skip: 1 }) },
        Type::BYTEA => Native::new(DataType::Binary, Binary),
        Type::UUID => Native { extension: Some("arrow.uuid"), ..Native::new(DataType::FixedSizeBinary(16), Uuid) },
        Type::DATE => Native::new(DataType::Date32, Date(infinity)),
        Type::TIME => Native::new(DataType::Time64(TimeUnit::Microsecond), Time),
        Type::TIMESTAMP => Native::new(microseconds(None), Timestamp(microseconds(None), infinity)),
        Type::TIMESTAMPTZ => {
            let utc = microseconds(Some("UTC".into()));
            Native::new(utc.clone(), Timestamp(utc, infinity))
        }
        Type::INTERVAL => Native::new(DataType::Interval(IntervalUnit::MonthDayNano), Interval),
        Type::TIMETZ => Native::new(DataType::Utf8, Formatted(time_with_zone)),
        Type::BIT | Type::VARBIT => Native::new(DataType::Utf8, Formatted(bit_string)),
        Type::INET | Type::CIDR => Native::new(DataType::Utf8, Formatted(address)),
        Type::MACADDR | Type::MACADDR8 => Native::new(DataType::Utf8, Formatted(hardware_address)),
        _ => return None,
    };
    Some(native)
}

/// The decimal of a `numeric` with this modifier; `None` where only text can hold it.
///
/// Without a modifier a numeric may have any precision and scale: see docs/decisions/0002-unconstrained-numeric.md.
fn numeric(modifier: i32) -> Option<DataType> {
    let Some((precision, scale)) = precision_and_scale(modifier) else { return Some(unconstrained()) };
    let (precision, scale) = if scale < 0 { (precision - scale, 0) } else { (precision.max(scale), scale) };
    let (precision, scale) = (u8::try_from(precision).ok()?, i8::try_from(scale).ok()?);
    match precision {
        1..=38 => Some(DataType::Decimal128(precision, scale)),
        39..=76 => Some(DataType::Decimal256(precision, scale)),
        _ => None,
    }
}

/// The decimal of a `numeric` of which nothing is known.
pub fn unconstrained() -> DataType {
    DataType::Decimal256(76, 38)
}

/// The modifier of `numeric(38, scale)`, the widest one that is a decimal128.
pub fn modifier_of_scale(scale: u8) -> i32 {
    // Precision in the upper half, scale in the lower one, and both stand four further on.
    (38 << 16 | i32::from(scale)) + 4
}

/// The precision and the scale in the modifier of a `numeric`; `None` where it has none.
pub fn precision_and_scale(modifier: i32) -> Option<(i32, i32)> {
    let packed = modifier.checked_sub(4).filter(|packed| *packed >= 0)?;
    // Precision in the upper half; the scale is a signed number of 11 bits (since PostgreSQL 15, never larger before).
    Some((packed >> 16 & 0xFFFF, (packed & 0x7FF ^ 0x400) - 0x400))
}

/// Whether a column of this built-in type has to come as text, for the user's type to be made of it.
///
/// A numeric may be more than its decimal holds: NaN, infinite, of other digits than declared.
pub fn comes_as_text(oid: u32, wanted: &DataType) -> bool {
    let is_decimal = matches!(wanted, DataType::Decimal128(..) | DataType::Decimal256(..));
    is_text(wanted) || oid == Type::NUMERIC.oid() && !is_decimal
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

impl Types<'_> {
    /// How a column is read: as the user wants it, else as its type says, else as text.
    pub fn column(
        &self,
        described: &Described,
        wanted: Option<&DataType>,
        dimensions: usize,
        nullable: bool,
    ) -> Result<Column> {
        let own = self.native(described.oid, described.modifier, dimensions);
        let Some(wanted) = wanted else {
            let (native, cast) = own.map_or_else(|| self.text(described.oid, false), |own| (own, None));
            let column = Column::new(&described.name, native, self.catalog.name(described.oid), nullable);
            return Ok(Column { cast, ..column });
        };
        let is_numeric = described.oid == Type::NUMERIC.oid();
        let natural = own.as_ref().map_or(&DataType::Utf8, |own| &own.data_type);
        // The text of bits looks like a number, and is another one.
        let is_bits = [Type::BIT.oid(), Type::VARBIT.oid()].contains(&described.oid);
        let possible = if is_bits { is_text(wanted) || is_bytes(wanted) } else { Casts::are_possible(natural, wanted) };
        if !possible && !is_text(wanted) {
            return Err(self.impossible(described, natural, wanted));
        }
        let mut decoded_here = false;
        let (native, cast) = match own {
            Some(own) if own.data_type == *wanted => (own, None),
            Some(_) if comes_as_text(described.oid, wanted) => self.text(described.oid, true),
            // Text of a server without encoding may be any bytes.
            Some(own) if own.data_type == DataType::Utf8 && is_bytes(wanted) => {
                decoded_here = true;
                (Native::new(DataType::Binary, Binary), None)
            }
            Some(own) => match Decimal::new(wanted).filter(|_| is_numeric) {
                // The user's decimal may hold what the declared one does not.
                Some(decimal) => {
                    decoded_here = true;
                    (Native::new(wanted.clone(), decimal), None)
                }
                None => (own, None),
            },
            None => self.text(described.oid, true),
        };
        let column = Column::new(&described.name, native, self.catalog.name(described.oid), nullable);
        Ok(Column { cast, wanted: Some(wanted.clone()), decoded_here, is_number: is_numeric, ..column })
    }

    /// As the text that the server writes; an array of a type without a decoder as a list of texts, unless the user
    /// asked for text.
    fn text(&self, oid: u32, asked: bool) -> (Native, Option<Cast>) {
        let found = self.catalog.get(oid);
        if let (Some(Kind::Array(_)), false) = (found.map(|found| &found.kind), asked) {
            let item = Arc::new(Field::new("item", DataType::Utf8, true));
            let decoder = List { fields: vec![Arc::clone(&item)], element: Box::new(Text { skip: 0 }) };
            return (Native::new(DataType::List(item), decoder), Some(Cast::Texts));
        }
        // The catalogue was asked for every type that is read as text.
        let output = found.map_or_else(String::new, |found| found.output.clone());
        (Native::new(DataType::Utf8, Text { skip: 0 }), Some(Cast::Output(output)))
    }

    fn impossible(&self, described: &Described, natural: &DataType, wanted: &DataType) -> Error {
        let name = &described.name;
        let type_name = self.catalog.name(described.oid);
        let zone = Casts::why_impossible(name, natural, wanted);
        let hint = zone.unwrap_or_else(|| "every column can be read as utf8, or be cast in the query".to_owned());
        let message = format!("column \"{name}\" ({type_name}) cannot be read as {}", format_type(wanted));
        Error::new(ErrorKind::Config, message).with_column(name).with_hint(hint)
    }

    /// The Arrow type and decoder of a type; `None` when a part of it has none.
    fn native(&self, oid: u32, modifier: i32, dimensions: usize) -> Option<Native> {
        if let Some(native) =
            Type::from_oid(oid).and_then(|builtin| scalar(&builtin, modifier, self.infinity, self.catalog.money_scale))
        {
            return Some(native);
        }
        let found = self.catalog.get(oid)?;
        match &found.kind {
            Kind::Scalar => match found.name.as_str() {
                "citext" => Some(Native::new(DataType::Utf8, Text { skip: 0 })),
                "hstore" => Some(hstore()),
                _ => None,
            },
            Kind::Array(element) => self.list(*element, modifier, dimensions.max(1)),
            Kind::Enumeration(labels) => {
                let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                Some(Native::new(data_type, Enumeration::new(labels)))
            }
            Kind::Domain(base, modifier) => self.native(*base, *modifier, 1),
            Kind::Composite(attributes) => self.composite(attributes),
            Kind::Range(bound) => {
                self.range(*bound).map(|range| Native::new(DataType::Struct(range.fields.clone()), range))
            }
            Kind::Multirange(range) => {
                let Kind::Range(bound) = self.catalog.get(*range)?.kind else { return None };
                let range = self.range(bound)?;
                let field = Arc::new(Field::new("item", DataType::Struct(range.fields.clone()), true));
                Some(Native::new(DataType::List(Arc::clone(&field)), Multirange { field, range }))
            }
        }
    }

    /// Arrays of this element, as lists in as many lists as there are dimensions; `None` when it has no decoder.
    pub fn list(&self, element: u32, modifier: i32, dimensions: usize) -> Option<Native> {
        let element = self.native(element, modifier, 1)?;
        let mut fields = vec![child("item", element.data_type, element.extension)];
        for _ in 1..dimensions {
            let inner = fields.first().map(Arc::clone)?;
            fields.insert(0, Arc::new(Field::new("item", DataType::List(inner), true)));
        }
        let outermost = fields.first().map(Arc::clone)?;
        Some(Native::new(DataType::List(outermost), List { fields, element: element.decoder }))
    }

    fn composite(&self, attributes: &[Attribute]) -> Option<Native> {
        let mut fields = Vec::with_capacity(attributes.len());
        let mut decoders = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            let native = self.native(attribute.oid, attribute.modifier, attribute.dimensions)?;
            fields.push(child(&attribute.name, native.data_type, native.extension));
            decoders.push(native.decoder);
        }
        let fields = Fields::from(fields);
        Some(Native::new(DataType::Struct(fields.clone()), Composite { fields, attributes: decoders }))
    }

    fn range(&self, bound: u32) -> Option<Range> {
        let bound = self.native(bound, -1, 1)?;
        let flag = |name| Arc::new(Field::new(name, DataType::Boolean, false));
        let fields = Fields::from(vec![
            child("lower", bound.data_type.clone(), bound.extension),
            child("upper", bound.data_type, bound.extension),
            flag("lower_inclusive"),
            flag("upper_inclusive"),
            flag("empty"),
        ]);
        Some(Range { fields, bound: bound.decoder })
    }
}

/// A nullable field inside another one.
fn child(name: &str, data_type: DataType, extension: Option<&'static str>) -> FieldRef {
    let mut metadata = HashMap::new();
    extend(&mut metadata, extension);
    Arc::new(Field::new(name, data_type, true).with_metadata(metadata))
}

/// Marks a canonical extension type, as Arrow's columnar format says ("Canonical Extension Types").
pub(crate) fn extend(metadata: &mut HashMap<String, String>, extension: Option<&'static str>) {
    if let Some(name) = extension {
        metadata.insert("ARROW:extension:name".into(), name.into());
        metadata.insert("ARROW:extension:metadata".into(), String::new());
    }
}

fn hstore() -> Native {
    let fields = vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)];
    let entries = Arc::new(Field::new("entries", DataType::Struct(Fields::from(fields)), false));
    Native::new(DataType::Map(Arc::clone(&entries), false), Hstore { entries })
}

#[cfg(test)]
mod tests;
