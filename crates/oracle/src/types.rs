//! The one table from Oracle's types to Arrow's, and to how each is read.

use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use oracledb_protocol::thin::{
    CS_FORM_NCHAR, ColumnMetadata, ORA_TYPE_NUM_BINARY_DOUBLE, ORA_TYPE_NUM_BINARY_FLOAT, ORA_TYPE_NUM_BINARY_INTEGER,
    ORA_TYPE_NUM_BLOB, ORA_TYPE_NUM_BOOLEAN, ORA_TYPE_NUM_CHAR, ORA_TYPE_NUM_CLOB, ORA_TYPE_NUM_DATE,
    ORA_TYPE_NUM_INTERVAL_DS, ORA_TYPE_NUM_INTERVAL_YM, ORA_TYPE_NUM_JSON, ORA_TYPE_NUM_LONG, ORA_TYPE_NUM_LONG_RAW,
    ORA_TYPE_NUM_NUMBER, ORA_TYPE_NUM_OBJECT, ORA_TYPE_NUM_RAW, ORA_TYPE_NUM_ROWID, ORA_TYPE_NUM_TIMESTAMP,
    ORA_TYPE_NUM_TIMESTAMP_LTZ, ORA_TYPE_NUM_TIMESTAMP_TZ, ORA_TYPE_NUM_UROWID, ORA_TYPE_NUM_VARCHAR,
    ORA_TYPE_NUM_VECTOR,
};

use crate::decode::Decoder;
use crate::rows::Framing;

/// The scale of numbers without one, and of FLOAT.
const FLOATING: i8 = -127;
/// The length of values that have none.
const LONGEST: u32 = i32::MAX.unsigned_abs();

/// How a column is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) data_type: DataType,
    pub(crate) decoder: Decoder,
    pub(crate) framing: Framing,
    /// The type that the server is to send instead: LOBs as their content.
    pub(crate) sent_as: Option<u8>,
}

/// What to do with a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    /// Its values are read from the wire.
    Read(Reading),
    /// The server turns it into text: the function around the column, with `{}` for its name.
    Cast(&'static str),
    /// It cannot be read; why, and the way out.
    Refused(&'static str, &'static str),
}

/// The row of the table for a column that the server described so; `wanted` is the type that the user asks for.
pub(crate) fn choose(column: &ColumnMetadata, wanted: Option<&DataType>) -> Choice {
    let plain = |data_type, decoder| read(data_type, decoder, Framing::Bytes);
    let wide = column.csfrm() == CS_FORM_NCHAR;
    let text = if wide { Decoder::Utf16 } else { Decoder::Text };
    match column.ora_type_num() {
        ORA_TYPE_NUM_NUMBER | ORA_TYPE_NUM_BINARY_INTEGER => number(column, wanted),
        ORA_TYPE_NUM_BINARY_FLOAT => plain(DataType::Float32, Decoder::Float),
        ORA_TYPE_NUM_BINARY_DOUBLE => plain(DataType::Float64, Decoder::Double),
        ORA_TYPE_NUM_BOOLEAN => plain(DataType::Boolean, Decoder::Boolean),
        ORA_TYPE_NUM_VARCHAR | ORA_TYPE_NUM_CHAR => plain(DataType::Utf8, text),
        ORA_TYPE_NUM_LONG => read(DataType::Utf8, text, Framing::Long),
        ORA_TYPE_NUM_CLOB => sent(DataType::Utf8, text, ORA_TYPE_NUM_LONG),
        ORA_TYPE_NUM_RAW => plain(DataType::Binary, Decoder::Binary),
        ORA_TYPE_NUM_LONG_RAW => read(DataType::Binary, Decoder::Binary, Framing::Long),
        ORA_TYPE_NUM_BLOB => sent(DataType::Binary, Decoder::Binary, ORA_TYPE_NUM_LONG_RAW),
        ORA_TYPE_NUM_ROWID => read(DataType::Utf8, Decoder::Text, Framing::Rowid),
        ORA_TYPE_NUM_UROWID => read(DataType::Utf8, Decoder::Text, Framing::Urowid),
        ORA_TYPE_NUM_DATE => plain(DataType::Timestamp(TimeUnit::Second, None), Decoder::Seconds),
        ORA_TYPE_NUM_TIMESTAMP => moment(column, false),
        ORA_TYPE_NUM_TIMESTAMP_TZ | ORA_TYPE_NUM_TIMESTAMP_LTZ => moment(column, true),
        ORA_TYPE_NUM_INTERVAL_YM => plain(DataType::Interval(IntervalUnit::MonthDayNano), Decoder::YearMonth),
        ORA_TYPE_NUM_INTERVAL_DS => plain(DataType::Interval(IntervalUnit::MonthDayNano), Decoder::DaySecond),
        ORA_TYPE_NUM_JSON => Choice::Cast("JSON_SERIALIZE({} RETURNING CLOB)"),
        ORA_TYPE_NUM_VECTOR => Choice::Cast("VECTOR_SERIALIZE({} RETURNING CLOB)"),
        ORA_TYPE_NUM_OBJECT if is_xml(column) => Choice::Cast("XMLSERIALIZE(CONTENT {} AS CLOB)"),
        ORA_TYPE_NUM_OBJECT => Choice::Refused(
            "is an object or a collection, which has no text",
            "select its attributes (c.street), or make JSON of it: JSON_OBJECT(c.street, c.city)",
        ),
        _ => Choice::Refused("is of a type that cannot be read", "leave it out, or cast it in the query"),
    }
}

fn is_xml(column: &ColumnMetadata) -> bool {
    column.object_type_name() == Some("XMLTYPE") && matches!(column.object_schema(), Some("SYS" | "PUBLIC") | None)
}

fn read(data_type: DataType, decoder: Decoder, framing: Framing) -> Choice {
    Choice::Read(Reading { data_type, decoder, framing, sent_as: None })
}

fn sent(data_type: DataType, decoder: Decoder, sent_as: u8) -> Choice {
    Choice::Read(Reading { data_type, decoder, framing: Framing::Long, sent_as: Some(sent_as) })
}

/// TIMESTAMP(0) to (6) count microseconds, (7) to (9) nanoseconds; with a time zone they are moments in UTC.
fn moment(column: &ColumnMetadata, zoned: bool) -> Choice {
    let zone = zoned.then(|| "UTC".into());
    if column.scale() > 6 {
        read(DataType::Timestamp(TimeUnit::Nanosecond, zone), Decoder::Nanos, Framing::Bytes)
    } else {
        read(DataType::Timestamp(TimeUnit::Microsecond, zone), Decoder::Micros, Framing::Bytes)
    }
}

/// Digits before and behind the point of a NUMBER; `None` where it does not say.
fn digits(column: &ColumnMetadata) -> Option<(u8, i8)> {
    let precision = u8::try_from(column.precision()).ok()?;
    match (precision, column.scale()) {
        // Also the numbers that expressions yield.
        (0, 0 | FLOATING) => None,
        // NUMBER(*, 2).
        (0, scale) => Some((38, scale)),
        known => Some(known),
    }
}

/// FLOAT is a NUMBER whose precision counts binary digits.
fn is_float(column: &ColumnMetadata) -> bool {
    column.precision() > 0 && column.scale() == FLOATING
}

/// Whether a column is read as int64 by itself.
fn is_whole(column: &ColumnMetadata) -> bool {
    let Some((precision, scale)) = digits(column).filter(|_| !is_float(column)) else { return false };
    scale <= 0 && precision.saturating_add(scale.unsigned_abs()) <= 18
}

fn number(column: &ColumnMetadata, wanted: Option<&DataType>) -> Choice {
    let plain = |data_type, decoder| read(data_type, decoder, Framing::Bytes);
    // What the user asks for is read from the digits themselves, where that is no detour.
    match wanted {
        Some(DataType::Utf8) => return plain(DataType::Utf8, Decoder::NumberText),
        // A whole number is not the nearest double, but exactly it or none.
        Some(DataType::Float64) if !is_whole(column) => return plain(DataType::Float64, Decoder::NumberDouble),
        Some(DataType::Int64) => return plain(DataType::Int64, Decoder::NumberInt64),
        Some(DataType::Decimal128(precision, scale)) => {
            return plain(DataType::Decimal128(*precision, *scale), Decoder::Number128(*precision, *scale));
        }
        Some(DataType::Decimal256(precision, scale)) => {
            return plain(DataType::Decimal256(*precision, *scale), Decoder::Number256(*precision, *scale));
        }
        _ => {}
    }
    if is_float(column) {
        return plain(DataType::Float64, Decoder::NumberDouble);
    }
    let Some((precision, scale)) = digits(column) else {
        return plain(DataType::Decimal256(76, 38), Decoder::Number256(76, 38));
    };
    // Arrow's decimals have their point among their digits.
    let (precision, scale) = match u8::try_from(scale) {
        Ok(places) => (precision.max(places), places),
        Err(_) => (precision.saturating_add(scale.unsigned_abs()), 0),
    };
    let places = i8::try_from(scale).unwrap_or(i8::MAX);
    match (precision, scale) {
        (..=18, 0) => plain(DataType::Int64, Decoder::NumberInt64),
        (..=38, _) => plain(DataType::Decimal128(precision, places), Decoder::Number128(precision, places)),
        (..=76, _) => plain(DataType::Decimal256(precision, places), Decoder::Number256(precision, places)),
        _ => plain(DataType::Utf8, Decoder::NumberText),
    }
}

/// A column as the server is to send it.
pub(crate) fn define(column: &ColumnMetadata, sent_as: Option<u8>) -> ColumnMetadata {
    match sent_as {
        Some(kind) => column.clone().with_ora_type_num(kind).with_buffer_size(LONGEST).with_max_size(0),
        None => match column.ora_type_num() {
            ORA_TYPE_NUM_LONG | ORA_TYPE_NUM_LONG_RAW => column.clone().with_buffer_size(LONGEST),
            _ => column.clone(),
        },
    }
}

/// Oracle's own name of a column's type.
pub(crate) fn name(column: &ColumnMetadata) -> String {
    let (precision, scale) = (column.precision(), column.scale());
    let national = |national: &str, plain: &str| {
        if column.csfrm() == CS_FORM_NCHAR { national.to_owned() } else { plain.to_owned() }
    };
    match column.ora_type_num() {
        ORA_TYPE_NUM_NUMBER if is_float(column) => format!("FLOAT({precision})"),
        ORA_TYPE_NUM_NUMBER => match digits(column) {
            None => "NUMBER".into(),
            Some((38, scale)) if precision == 0 => format!("NUMBER(*,{scale})"),
            Some((precision, 0)) => format!("NUMBER({precision})"),
            Some((precision, scale)) => format!("NUMBER({precision},{scale})"),
        },
        ORA_TYPE_NUM_BINARY_INTEGER => "BINARY_INTEGER".into(),
        ORA_TYPE_NUM_BINARY_FLOAT => "BINARY_FLOAT".into(),
        ORA_TYPE_NUM_BINARY_DOUBLE => "BINARY_DOUBLE".into(),
        ORA_TYPE_NUM_BOOLEAN => "BOOLEAN".into(),
        ORA_TYPE_NUM_VARCHAR => national("NVARCHAR2", "VARCHAR2"),
        ORA_TYPE_NUM_CHAR => national("NCHAR", "CHAR"),
        ORA_TYPE_NUM_LONG => "LONG".into(),
        ORA_TYPE_NUM_CLOB => national("NCLOB", "CLOB"),
        ORA_TYPE_NUM_RAW => "RAW".into(),
        ORA_TYPE_NUM_LONG_RAW => "LONG RAW".into(),
        ORA_TYPE_NUM_BLOB => "BLOB".into(),
        ORA_TYPE_NUM_ROWID => "ROWID".into(),
        ORA_TYPE_NUM_UROWID => "UROWID".into(),
        ORA_TYPE_NUM_DATE => "DATE".into(),
        ORA_TYPE_NUM_TIMESTAMP => format!("TIMESTAMP({scale})"),
        ORA_TYPE_NUM_TIMESTAMP_TZ => format!("TIMESTAMP({scale}) WITH TIME ZONE"),
        ORA_TYPE_NUM_TIMESTAMP_LTZ => format!("TIMESTAMP({scale}) WITH LOCAL TIME ZONE"),
        ORA_TYPE_NUM_INTERVAL_YM => "INTERVAL YEAR TO MONTH".into(),
        ORA_TYPE_NUM_INTERVAL_DS => "INTERVAL DAY TO SECOND".into(),
        ORA_TYPE_NUM_JSON => "JSON".into(),
        ORA_TYPE_NUM_VECTOR => "VECTOR".into(),
        ORA_TYPE_NUM_OBJECT if is_xml(column) => "XMLTYPE".into(),
        ORA_TYPE_NUM_OBJECT => match (column.object_schema(), column.object_type_name()) {
            (Some(schema), Some(name)) => format!("{schema}.{name}"),
            (_, name) => name.unwrap_or("OBJECT").to_owned(),
        },
        102 => "REF CURSOR".into(),
        114 => "BFILE".into(),
        other => format!("type {other}"),
    }
}

#[cfg(test)]
mod tests;
