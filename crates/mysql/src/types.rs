//! The table of types: from a column's definition to an Arrow field, its layout on the wire and a decoder.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use bowshot_core::{Error, ErrorKind, Impossible, Result, SOURCE_TYPE};

use crate::decode::{
    Binary, Bit, Bits, Bytes, Date, Decimal, Decode, Duration, Form, Geometry, Nothing, Text, TextNumber, Timestamp,
    Vector, Written, WrittenKind,
};
use crate::result::{Definition, flag};
use crate::rows::Layout;
use crate::uri::Protocol;

/// The numbers of types (MySQL's field_types.h, MariaDB's the same).
pub(crate) mod kind {
    pub(crate) const DECIMAL: u8 = 0;
    pub(crate) const TINY: u8 = 1;
    pub(crate) const SHORT: u8 = 2;
    pub(crate) const LONG: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const DOUBLE: u8 = 5;
    pub(crate) const NULL: u8 = 6;
    pub(crate) const TIMESTAMP: u8 = 7;
    pub(crate) const LONGLONG: u8 = 8;
    pub(crate) const INT24: u8 = 9;
    pub(crate) const DATE: u8 = 10;
    pub(crate) const TIME: u8 = 11;
    pub(crate) const DATETIME: u8 = 12;
    pub(crate) const YEAR: u8 = 13;
    pub(crate) const VARCHAR: u8 = 15;
    pub(crate) const BIT: u8 = 16;
    pub(crate) const VECTOR: u8 = 242;
    pub(crate) const JSON: u8 = 245;
    pub(crate) const NEWDECIMAL: u8 = 246;
    pub(crate) const ENUM: u8 = 247;
    pub(crate) const SET: u8 = 248;
    pub(crate) const TINY_BLOB: u8 = 249;
    pub(crate) const MEDIUM_BLOB: u8 = 250;
    pub(crate) const LONG_BLOB: u8 = 251;
    pub(crate) const BLOB: u8 = 252;
    pub(crate) const VAR_STRING: u8 = 253;
    pub(crate) const STRING: u8 = 254;
    pub(crate) const GEOMETRY: u8 = 255;
}

/// The collation of bytes that are no text.
const NO_TEXT: u16 = 63;

/// A column of the result, and how it is read.
pub(crate) struct Column {
    pub(crate) field: FieldRef,
    pub(crate) decoder: Box<dyn Decode>,
    pub(crate) layout: Layout,
    pub(crate) type_name: String,
}

/// What the options say on types.
pub(crate) struct Types<'a> {
    pub(crate) protocol: Protocol,
    pub(crate) zero_dates: Impossible,
    pub(crate) wanted: &'a BTreeMap<String, DataType>,
}

/// An Arrow type, and what makes it.
struct Native {
    data_type: DataType,
    decoder: Box<dyn Decode>,
    layout: Layout,
    /// Arrow's canonical extension type.
    extension: Option<&'static str>,
}

fn native(data_type: DataType, decoder: impl Decode + 'static) -> Native {
    Native { data_type, decoder: Box::new(decoder), layout: Layout::Variable, extension: None }
}

/// Whether the text protocol rounds the column's values.
pub(crate) fn is_rounded_as_text(definition: &Definition) -> bool {
    definition.kind == kind::FLOAT
}

impl Types<'_> {
    /// How a column is read: as the user wants it where that takes another decoder, else as its type says.
    pub(crate) fn column(&self, definition: &Definition, nullable: bool) -> Result<Column> {
        let type_name = type_name(definition);
        if self.protocol == Protocol::Text && is_rounded_as_text(definition) {
            let message =
                format!("column \"{}\" ({type_name}) is rounded to six digits by the text protocol", definition.name);
            return Err(Error::new(ErrorKind::Unsupported, message)
                .with_column(&definition.name)
                .with_hint("read with protocol=\"binary\", or cast it to double in the query"));
        }
        let own = self.native(definition);
        let native = match self.wanted.get(&definition.name) {
            Some(wanted) => self.wanted(definition, own, wanted),
            None => own,
        };
        let mut metadata = HashMap::from([(SOURCE_TYPE.to_owned(), type_name.clone())]);
        if let Some(extension) = native.extension {
            metadata.insert("ARROW:extension:name".into(), extension.into());
            metadata.insert("ARROW:extension:metadata".into(), String::new());
        }
        let nullable = nullable || native.data_type == DataType::Null;
        let field = Field::new(&definition.name, native.data_type, nullable).with_metadata(metadata);
        Ok(Column { field: Arc::new(field), decoder: native.decoder, layout: native.layout, type_name })
    }

    /// The table.
    fn native(&self, definition: &Definition) -> Native {
        let unsigned = definition.flags & flag::UNSIGNED != 0;
        let form = self.form();
        match definition.kind {
            kind::TINY if unsigned => self.number::<UInt8Type>(DataType::UInt8, 1),
            kind::TINY => self.number::<Int8Type>(DataType::Int8, 1),
            kind::SHORT if unsigned => self.number::<UInt16Type>(DataType::UInt16, 2),
            kind::SHORT => self.number::<Int16Type>(DataType::Int16, 2),
            kind::YEAR => self.number::<UInt16Type>(DataType::UInt16, 2),
            kind::LONG | kind::INT24 if unsigned => self.number::<UInt32Type>(DataType::UInt32, 4),
            kind::LONG | kind::INT24 => self.number::<Int32Type>(DataType::Int32, 4),
            kind::LONGLONG if unsigned => self.number::<UInt64Type>(DataType::UInt64, 8),
            kind::LONGLONG => self.number::<Int64Type>(DataType::Int64, 8),
            kind::FLOAT => self.number::<Float32Type>(DataType::Float32, 4),
            kind::DOUBLE => self.number::<Float64Type>(DataType::Float64, 8),
            kind::DECIMAL | kind::NEWDECIMAL => {
                let data_type = decimal(definition);
                match Decimal::new(&data_type) {
                    Some(decoder) => native(data_type, decoder),
                    None => native(DataType::Utf8, Text),
                }
            }
            kind::NULL => {
                let layout = match self.protocol {
                    Protocol::Text => Layout::Variable,
                    Protocol::Binary => Layout::Fixed(0),
                };
                Native { layout, ..native(DataType::Null, Nothing) }
            }
            kind::BIT if definition.length == 1 => native(DataType::Boolean, Bit),
            kind::BIT => native(DataType::UInt64, Bits),
            kind::DATE => {
                let usual = if self.protocol == Protocol::Text { 10 } else { 4 };
                let layout = Layout::Usual(usual);
                Native { layout, ..native(DataType::Date32, Date(form, self.zero_dates)) }
            }
            kind::DATETIME => self.timestamp(None),
            kind::TIMESTAMP => self.timestamp(Some("UTC".into())),
            kind::TIME => native(DataType::Duration(TimeUnit::Microsecond), Duration(form)),
            kind::GEOMETRY => native(DataType::Binary, Geometry),
            kind::VECTOR => native(Vector::data_type(), Vector),
            kind::JSON => Native { extension: Some("arrow.json"), ..native(DataType::Utf8, Text) },
            // Strings, and what is sent as one.
            _ => match definition.extended.as_deref() {
                Some("json") => Native { extension: Some("arrow.json"), ..native(DataType::Utf8, Text) },
                Some("uuid" | "inet4" | "inet6" | "xmltype") => native(DataType::Utf8, Text),
                Some("vector") => native(Vector::data_type(), Vector),
                _ if definition.charset == NO_TEXT && !is_choice(definition) => native(DataType::Binary, Bytes),
                _ => native(DataType::Utf8, Text),
            },
        }
    }

    fn form(&self) -> Form {
        match self.protocol {
            Protocol::Text => Form::Text,
            Protocol::Binary => Form::Binary,
        }
    }

    fn number<T>(&self, data_type: DataType, bytes: u8) -> Native
    where
        Binary<T>: Decode + 'static,
        TextNumber<T>: Decode + 'static,
    {
        match self.protocol {
            Protocol::Text => native(data_type, TextNumber::<T>::new()),
            Protocol::Binary => Native { layout: Layout::Fixed(bytes), ..native(data_type, Binary::<T>::new()) },
        }
    }

    fn timestamp(&self, zone: Option<Arc<str>>) -> Native {
        let data_type = DataType::Timestamp(TimeUnit::Microsecond, zone);
        native(data_type.clone(), Timestamp(self.form(), self.zero_dates, data_type))
    }

    /// What comes nearest to the wanted type; the rest is an exact cast of the batch.
    fn wanted(&self, definition: &Definition, own: Native, wanted: &DataType) -> Native {
        let fraction = if definition.decimals <= 6 { definition.decimals } else { 6 };
        let written = match definition.kind {
            kind::DATE => Some(WrittenKind::Date),
            kind::DATETIME | kind::TIMESTAMP => Some(WrittenKind::Moment(fraction)),
            kind::TIME => Some(WrittenKind::Duration(fraction)),
            _ => None,
        };
        let layout = own.layout;
        let native = match (wanted, &own.data_type) {
            (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View, _) => match (written, self.protocol) {
                // As the server writes it; also dates that are none.
                (Some(_), Protocol::Text) => native(DataType::Utf8, Text),
                (Some(written), Protocol::Binary) => native(DataType::Utf8, Written(written)),
                (None, _) if is_decimal(&own.data_type) => native(DataType::Utf8, Text),
                _ => own,
            },
            (DataType::Binary, DataType::Utf8) => native(DataType::Binary, Bytes),
            (DataType::Decimal128(..) | DataType::Decimal256(..), from) if is_decimal(from) => {
                match Decimal::new(wanted) {
                    Some(decoder) => native(wanted.clone(), decoder),
                    None => own,
                }
            }
            _ => own,
        };
        // Another decoder of the same bytes.
        Native { layout, ..native }
    }
}

fn is_decimal(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Decimal128(..) | DataType::Decimal256(..))
}

fn is_choice(definition: &Definition) -> bool {
    definition.flags & (flag::ENUM | flag::SET) != 0 || matches!(definition.kind, kind::ENUM | kind::SET)
}

/// The decimal of a column whose values take so many characters: digits, a point, a sign.
fn decimal(definition: &Definition) -> DataType {
    let scale = u32::from(definition.decimals);
    let signed = u32::from(definition.flags & flag::UNSIGNED == 0);
    let digits = definition.length.saturating_sub(signed + u32::from(scale > 0));
    let precision = u8::try_from(digits.max(scale).max(1)).unwrap_or(u8::MAX);
    match (precision, i8::try_from(scale)) {
        (..=38, Ok(scale)) => DataType::Decimal128(precision, scale),
        (39..=76, Ok(scale)) => DataType::Decimal256(precision, scale),
        _ => DataType::Utf8,
    }
}

/// The database's own name of the type.
fn type_name(definition: &Definition) -> String {
    let text = definition.charset != NO_TEXT;
    let name = match definition.kind {
        _ if definition.extended.is_some() => return definition.extended.clone().unwrap_or_default(),
        _ if definition.flags & flag::ENUM != 0 => "enum",
        _ if definition.flags & flag::SET != 0 => "set",
        kind::DECIMAL | kind::NEWDECIMAL => "decimal",
        kind::TINY => "tinyint",
        kind::SHORT => "smallint",
        kind::LONG => "int",
        kind::FLOAT => "float",
        kind::DOUBLE => "double",
        kind::NULL => "null",
        kind::TIMESTAMP => "timestamp",
        kind::LONGLONG => "bigint",
        kind::INT24 => "mediumint",
        kind::DATE => "date",
        kind::TIME => "time",
        kind::DATETIME => "datetime",
        kind::YEAR => "year",
        kind::BIT => "bit",
        kind::VECTOR => "vector",
        kind::JSON => "json",
        kind::ENUM => "enum",
        kind::SET => "set",
        kind::TINY_BLOB if text => "tinytext",
        kind::TINY_BLOB => "tinyblob",
        kind::MEDIUM_BLOB if text => "mediumtext",
        kind::MEDIUM_BLOB => "mediumblob",
        kind::LONG_BLOB if text => "longtext",
        kind::LONG_BLOB => "longblob",
        kind::BLOB if text => "text",
        kind::BLOB => "blob",
        kind::VARCHAR | kind::VAR_STRING if text => "varchar",
        kind::VARCHAR | kind::VAR_STRING => "varbinary",
        kind::STRING if text => "char",
        kind::STRING => "binary",
        kind::GEOMETRY => "geometry",
        other => return format!("type {other}"),
    };
    let number =
        matches!(definition.kind, kind::DECIMAL..=kind::DOUBLE | kind::LONGLONG | kind::INT24 | kind::NEWDECIMAL);
    if number && definition.flags & flag::UNSIGNED != 0 { format!("{name} unsigned") } else { name.to_owned() }
}

#[cfg(test)]
mod tests;
