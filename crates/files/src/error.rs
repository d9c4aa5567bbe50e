//! What a library reports, as Bowshot's error with the file in it.

use bowshot_core::{Error, ErrorKind};

/// The operating system's word about a file.
pub(crate) fn io(name: &str, error: std::io::Error) -> Error {
    let error_kind = error.kind();
    let failed = Error::new(ErrorKind::Io, format!("cannot read {name}: {error}")).with_source(error);
    match error_kind {
        std::io::ErrorKind::NotFound => {
            failed.with_hint("check the path; a relative one begins at the working directory")
        }
        std::io::ErrorKind::PermissionDenied => failed.with_hint("check the file's permissions"),
        _ => failed,
    }
}

/// A file does not hold what its format asks for.
pub(crate) fn damaged(place: &str, what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Io, format!("{place} is damaged or cut off: {what}"))
        .with_hint("compare it with its origin, or have it written again")
}

/// The file is not the one that was planned with.
pub(crate) fn changed(name: &str) -> Error {
    Error::new(ErrorKind::SnapshotGone, format!("{name} changed since the read was planned"))
        .with_hint("read again when nobody writes to it; a writer should write a new file and rename it")
}

/// A file that was planned with is there no more.
pub(crate) fn missing(name: &str) -> Error {
    Error::new(
        ErrorKind::SnapshotGone,
        format!("{name} is not there: it was removed or renamed since the read was planned"),
    )
    .with_hint("plan the read again; on another machine, the same files must lie at the address that is read from")
}

/// A ticket holds what no plan of these files wrote.
pub(crate) fn damaged_ticket(what: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the ticket is damaged: {what}"))
        .with_hint("a ticket is read as it was written: get it again from the plan")
}
