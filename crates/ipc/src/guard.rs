//! Where what Arrow's own readers panic over becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;

/// Runs Arrow's own readers, which trust their input in places: what they panic over is not Arrow.
///
/// # Errors
/// What the reader says, or what it panicked with.
pub fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(panic) => {
            let words = panic.downcast_ref::<&str>().map(ToString::to_string);
            Err(words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it is no Arrow".into()))
        }
    }
}
