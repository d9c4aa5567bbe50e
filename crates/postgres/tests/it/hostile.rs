//! A server that answers with anything at all: an error or a right result, never a panic, a hang or much memory.

mod between;
mod endless;
mod mutations;
mod recording;
mod replay;
mod values;

use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options, Result};

use crate::reading::{Read, read};

/// Reads from a false server; whatever comes of it must come soon and must not be our own mistake.
#[track_caller]
fn survives(uri: &str, sql: &str, options: &Options, what: &dyn std::fmt::Debug) -> Result<Read> {
    let started = Instant::now();
    let outcome = read(uri, sql, options);
    assert!(started.elapsed() < Duration::from_secs(5), "{what:?} took {:?}", started.elapsed());
    if let Err(error) = &outcome {
        assert_ne!(error.kind(), ErrorKind::Internal, "{what:?}: {error}");
    }
    outcome
}
