//! Arrow inside PostgreSQL: what `COPY … TO STDOUT (FORMAT arrow)` makes of the values that the server hands over.
//!
//! The extension (`postgres-extension/`, in C) runs the query and copies each value into a column's memory; this
//! library owns that memory, turns full columns into a record batch, and the batch into messages of an Arrow IPC
//! stream. Which Arrow type a PostgreSQL type has, and what its binary form means, is
//! [`bowshot_postgres_values`]' knowledge, so that the client gets the same from here as from COPY BINARY.
//!
//! C sees the functions of `border` alone, which `postgres-extension/src/bowshot_arrow.h` declares. Nothing here calls
//! back into PostgreSQL, so that no error of its own jumps over this code, and no panic leaves it.

mod array;
mod border;
mod enumeration;
mod form;
mod memory;
mod numeric;
mod stream;

pub use form::How;
pub use memory::RawColumn;
pub use stream::{Settings, Stream};
