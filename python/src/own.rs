//! What belongs to the process that made it: in a forked child nothing of it may be read, closed or joined.
//!
//! A child has its parent's memory and sockets, but none of its threads. To close a connection there would close the parent's.

use bowshot_core::{Error, ErrorKind, Result};

/// A plan or a stream of one process. A forked child neither gets nor drops it.
pub(crate) struct Own<T> {
    process: u32,
    /// Gone once it was taken out.
    value: Option<T>,
}

impl<T> Own<T> {
    pub(crate) fn new(value: T) -> Self {
        Own { process: std::process::id(), value: Some(value) }
    }

    /// The value, where it was made.
    pub(crate) fn get(&self) -> Result<&T> {
        self.value.as_ref().filter(|_| self.is_here()).ok_or_else(elsewhere)
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self) -> Result<&mut T> {
        let is_here = self.is_here();
        self.value.as_mut().filter(|_| is_here).ok_or_else(elsewhere)
    }

    /// The value itself, where it was made.
    pub(crate) fn into_inner(mut self) -> Result<T> {
        if self.is_here() { self.value.take().ok_or_else(elsewhere) } else { Err(elsewhere()) }
    }

    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }
}

impl<T> Drop for Own<T> {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.value.take());
        }
    }
}

fn elsewhere() -> Error {
    Error::new(
        ErrorKind::Config,
        "the query was planned before this process was forked: its connections are the parent's",
    )
    .with_hint("run the query in the child; what a child can read of its parent's is plan.partitions")
}
