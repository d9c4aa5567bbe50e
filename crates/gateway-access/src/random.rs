//! Random bytes that nobody can foretell.

use bowshot_core::{Error, ErrorKind, Result};

/// As many bytes as the caller has room for, from the operating system.
///
/// # Errors
/// Of kind [`Internal`](ErrorKind::Internal): the system gives none.
pub fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::new(ErrorKind::Internal, format!("the operating system gave no random bytes: {error}"))
    })?;
    Ok(bytes)
}
