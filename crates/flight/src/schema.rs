//! Schemas as servers send them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_ipc::convert::{try_schema_from_flatbuffer_bytes, try_schema_from_ipc_buffer};
use arrow_schema::{ArrowError, Schema};
use bowshot_core::Result;

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

/// The schema at the beginning of a stream.
pub(crate) fn read_message(header: &[u8], address: &Address) -> Result<Schema> {
    guarded(|| try_schema_from_flatbuffer_bytes(header))
        .map_err(|why| protocol(address, format!("a stream that does not begin with a schema ({why})")))
}

/// Runs Arrow's own readers, which trust their input in places: what they panic over is not Arrow.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(panic) => {
            let words = panic.downcast_ref::<&str>().map(ToString::to_string);
            Err(words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it is no Arrow".into()))
        }
    }
}
