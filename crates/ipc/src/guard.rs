//! Where what Arrow's own readers panic over becomes an error.

use arrow_schema::ArrowError;
use bowshot_core::contained;

/// Runs Arrow's own readers, which trust their input in places: what they panic over is not Arrow.
///
/// # Errors
/// What the reader says, or what it panicked with.
pub fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, String> {
    match contained(read) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(words) => Err(words.unwrap_or_else(|| "it is no Arrow".into())),
    }
}
