//! What belongs to the process that made it: in a forked child nothing of it may be read, closed or joined.
//!
//! A child has its parent's memory and sockets, but none of its threads. To close a connection there would close the parent's, and
//! to wait for a lock that one of those threads held would never end.

use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::{Mutex, MutexGuard};

/// A plan or a stream of one process, for one thread at a time. A forked child neither gets nor drops it.
pub(crate) struct Own<T> {
    process: u32,
    /// Gone when it is dropped.
    value: Option<Mutex<T>>,
}

impl<T> Own<T> {
    pub(crate) fn new(value: T) -> Self {
        Own { process: std::process::id(), value: Some(Mutex::new(value)) }
    }

    /// The value, where it was made. Call it without the GIL, for which the thread that has the value may wait.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, T>> {
        self.value.as_ref().filter(|_| self.is_here()).map(Mutex::lock).ok_or_else(elsewhere)
    }

    /// The same, and in a forked child what it inherited, for what may be read there: no connection. A lock that another of the
    /// parent's threads had is held for ever there.
    pub(crate) fn lock_inherited(&self) -> Result<MutexGuard<'_, T>> {
        if self.is_here() {
            return self.lock();
        }
        self.value.as_ref().and_then(Mutex::try_lock).ok_or_else(elsewhere)
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
