//! The one place where a panic of a decoder becomes an error.
//!
//! The Parquet and Arrow IPC crates check most of what they read, yet some damaged files make them index behind the end of
//! something. That is a panic of safe code, not undefined behaviour: whatever the closure owned is dropped, and the caller
//! never uses what it borrowed again, since an error ends the read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bowshot_core::Result;

use crate::error::damaged;

/// Runs a decoder over bytes of `place`.
pub(crate) fn contained<T>(place: impl Fn() -> String, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the decoder gave up");
        Err(damaged(&place(), words))
    })
}
