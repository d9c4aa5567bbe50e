//! How the values of a column are handed over, and what they are then.
//!
//! PostgreSQL keeps values of common types in a form that needs no send function: numbers as the processor has them,
//! text as its bytes. Those are copied as they are. All others come in their binary form, as COPY BINARY sends them.

use arrow_schema::DataType;
use bowshot_postgres_values::{Cast, Column};
use postgres_types::Type;

use crate::enumeration::Labels;
use crate::numeric::Digits;

/// How C hands over a value of the column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum How {
    /// One byte of the datum: a boolean.
    #[default]
    Byte1 = 1,
    /// Two bytes of the datum.
    Byte2 = 2,
    /// Four bytes of the datum.
    Byte4 = 4,
    /// Eight bytes of the datum.
    Byte8 = 8,
    /// Sixteen bytes that the datum points to.
    Byte16 = 16,
    /// Sixteen bytes that C makes of a `numeric` for which 64 bits do, and [`Stream::decimal`](crate::Stream::decimal) of
    /// others.
    Decimal = 23,
    /// The bytes of a variable-length value without its header.
    Bytes = 17,
    /// The same, in the server's encoding.
    Text = 18,
    /// A `name`: text in the server's encoding that a zero ends.
    Name = 19,
    /// What the type's output function writes.
    Output = 20,
    /// What the type's send function writes, with its length in front.
    Sent = 21,
    /// The array as an array of what the elements' output function writes, sent.
    SentTexts = 22,
}

impl How {
    /// Bytes of a value that lies in the column's memory at its row's place; 0 where values have no fixed length.
    pub fn width(self) -> usize {
        match self {
            How::Byte1 => 1,
            How::Byte2 => 2,
            How::Byte4 => 4,
            How::Byte8 => 8,
            How::Byte16 | How::Decimal => 16,
            How::Bytes | How::Text | How::Name | How::Output | How::Sent | How::SentTexts => 0,
        }
    }
}

/// What a column's memory holds.
pub(crate) enum Form {
    Boolean,
    Int16,
    Int32,
    Int64,
    UInt32,
    Float32,
    Float64,
    Date,
    Time,
    Timestamp,
    Interval,
    Uuid,
    Money,
    /// `numeric` as decimal128.
    Decimal(Digits),
    /// `numeric` as it lies on disk, for a decimal256.
    Numeric(Digits),
    Text,
    Binary,
    /// The OIDs of an enum's labels.
    Enumeration(Labels),
    /// What send functions wrote, for the column's decoder.
    Sent,
}

/// How a column's values are handed over, and what they are then.
pub(crate) fn form(column: &Column, oid: u32) -> (How, Form) {
    match &column.cast {
        Some(Cast::Output(_)) => return (How::Output, Form::Text),
        Some(Cast::Texts) => return (How::SentTexts, Form::Sent),
        None => {}
    }
    match Type::from_oid(oid) {
        Some(Type::BOOL) => (How::Byte1, Form::Boolean),
        Some(Type::INT2) => (How::Byte2, Form::Int16),
        Some(Type::INT4) => (How::Byte4, Form::Int32),
        Some(Type::INT8) => (How::Byte8, Form::Int64),
        Some(Type::OID) => (How::Byte4, Form::UInt32),
        Some(Type::FLOAT4) => (How::Byte4, Form::Float32),
        Some(Type::FLOAT8) => (How::Byte8, Form::Float64),
        Some(Type::DATE) => (How::Byte4, Form::Date),
        Some(Type::TIME) => (How::Byte8, Form::Time),
        Some(Type::TIMESTAMP | Type::TIMESTAMPTZ) => (How::Byte8, Form::Timestamp),
        Some(Type::INTERVAL) => (How::Byte16, Form::Interval),
        Some(Type::UUID) => (How::Byte16, Form::Uuid),
        Some(Type::MONEY) => (How::Byte8, Form::Money),
        Some(Type::NUMERIC) => match (Digits::new(column.field.data_type()), column.field.data_type()) {
            (Some(digits), DataType::Decimal128(..)) => (How::Decimal, Form::Decimal(digits)),
            (Some(digits), _) => (How::Bytes, Form::Numeric(digits)),
            (None, _) => (How::Sent, Form::Sent),
        },
        Some(Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::JSON) => (How::Text, Form::Text),
        Some(Type::NAME) => (How::Name, Form::Text),
        Some(Type::BYTEA) => (How::Bytes, Form::Binary),
        _ => (How::Sent, Form::Sent),
    }
}
