//! Panics of decoders, as errors that name the file.

use bowshot_core::Result;

use crate::error::damaged;

/// Runs a decoder over bytes of `place`.
pub(crate) fn contained<T>(place: impl Fn() -> String, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let outcome = bowshot_core::contained(work);
    outcome.unwrap_or_else(|words| Err(damaged(&place(), words.as_deref().unwrap_or("the decoder gave up"))))
}
