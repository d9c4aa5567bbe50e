//! Schemas as servers send them.

use arrow_ipc::convert::{try_schema_from_flatbuffer_bytes, try_schema_from_ipc_buffer};
use arrow_schema::Schema;
use bowshot_core::Result;
use bowshot_ipc::guarded;

use crate::error::protocol;
use crate::uri::Address;

/// The schema in an answer: a message of Arrow's stream format, or what such a message holds. `None` where there is none.
pub(crate) fn read(bytes: &[u8], address: &Address) -> Result<Option<Schema>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let schema = guarded(|| try_schema_from_ipc_buffer(bytes).or_else(|_| try_schema_from_flatbuffer_bytes(bytes)));
    schema.map(Some).map_err(|why| protocol(address, format!("a schema that cannot be read ({why})")))
}
