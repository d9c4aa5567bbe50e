//! Queries as messages: a batch, or `sp_executesql` where there are parameters.

use bowshot_core::Value;
use bytes::Bytes;
use tds_protocol::rpc::{RpcParam, RpcRequest, TypeInfo};

use crate::packet::Kind;

/// Longer values are sent as `varbinary(max)`.
const MOST_BYTES: u16 = 8000;

/// The message of a query; `transaction` is the one that it belongs to.
pub(crate) fn query(sql: &str, values: &[Value], transaction: u64) -> (Kind, Vec<u8>) {
    if values.is_empty() {
        return (Kind::Batch, batch(sql, transaction));
    }
    let parameters = (1..).zip(values).map(|(number, value)| parameter(number, value)).collect();
    let request = RpcRequest::execute_sql(sql, parameters).encode_with_transaction(transaction);
    (Kind::Rpc, request.to_vec())
}

/// SQLBatch ([MS-TDS] 2.2.6.7): the transaction, then the text.
fn batch(sql: &str, transaction: u64) -> Vec<u8> {
    let mut message = Vec::with_capacity(22 + 2 * sql.len());
    message.extend(22_u32.to_le_bytes());
    message.extend(18_u32.to_le_bytes());
    message.extend(2_u16.to_le_bytes());
    message.extend(transaction.to_le_bytes());
    message.extend(1_u32.to_le_bytes());
    message.extend(sql.encode_utf16().flat_map(u16::to_le_bytes));
    message
}

fn parameter(number: usize, value: &Value) -> RpcParam {
    let name = format!("@P{number}");
    let bytes = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
    match value {
        Value::Null => RpcParam::null(name, TypeInfo::nvarchar(1)),
        Value::Bool(value) => RpcParam::new(name, TypeInfo::bit(), bytes(&[u8::from(*value)])),
        Value::Int(value) => RpcParam::bigint(name, *value),
        Value::Float(value) => RpcParam::new(name, TypeInfo::float(), bytes(&value.to_le_bytes())),
        Value::Text(value) => RpcParam::nvarchar(name, value),
        Value::Bytes(value) => {
            let length = u16::try_from(value.len()).ok().filter(|length| *length <= MOST_BYTES);
            let of = length.map_or_else(TypeInfo::varbinary_max, |length| TypeInfo::varbinary(length.max(1)));
            RpcParam::new(name, of, bytes(value))
        }
    }
}
