//! The values of a query's placeholders, as drivers take them.

use bowshot_core::Value;

use crate::abi::{self, c, sql};

/// A value with the memory that the driver reads it from.
pub(crate) struct Parameter {
    pub(crate) c_type: i16,
    pub(crate) sql_type: i16,
    /// Characters, bytes or digits.
    pub(crate) size: usize,
    pub(crate) data: Vec<u8>,
    pub(crate) length: Box<isize>,
}

impl Parameter {
    pub(crate) fn new(value: &Value) -> Self {
        let (c_type, sql_type, size, data) = match value {
            Value::Null => (c::CHAR, sql::VARCHAR, 1, Vec::new()),
            Value::Bool(value) => (c::BIT, sql::BIT, 1, vec![u8::from(*value)]),
            Value::Int(value) => (c::SBIGINT, sql::BIGINT, 19, value.to_ne_bytes().to_vec()),
            Value::Float(value) => (c::DOUBLE, sql::DOUBLE, 15, value.to_ne_bytes().to_vec()),
            Value::Text(text) => {
                let data: Vec<u8> = text.encode_utf16().flat_map(u16::to_ne_bytes).collect();
                (c::WCHAR, sql::WVARCHAR, (data.len() / 2).max(1), data)
            }
            Value::Bytes(bytes) => (c::BINARY, sql::VARBINARY, bytes.len().max(1), bytes.clone()),
        };
        let length = match value {
            Value::Null => abi::NULL_DATA,
            _ => isize::try_from(data.len()).unwrap_or(isize::MAX),
        };
        Parameter { c_type, sql_type, size, data, length: Box::new(length) }
    }
}
