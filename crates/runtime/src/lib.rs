//! Waits for asynchronous drivers from the threads that read.
//!
//! Bowshot's readers are plain threads that block; some drivers are futures on tokio. A [`Runtime`] belongs to one
//! connection: it drives that connection's futures on the thread that waits for them, and no thread of its own runs.
//!
//! ```
//! use bowshot_core::Cancel;
//! use bowshot_runtime::Runtime;
//!
//! let runtime = Runtime::new()?;
//! let answer = runtime.wait(&Cancel::new(), async { Ok(42) })?;
//! assert_eq!(answer, 42);
//! # Ok::<(), bowshot_core::Error>(())
//! ```

use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use tokio::sync::Notify;

/// Drives the futures of one connection on the thread that waits.
#[derive(Debug)]
pub struct Runtime(tokio::runtime::Runtime);

impl Runtime {
    /// For a new connection.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where the system has no file descriptor left for it.
    pub fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map(Runtime).map_err(|error| {
            Error::new(ErrorKind::Io, format!("the system refused what waiting needs: {error}")).with_source(error)
        })
    }

    /// The value of `future`; [`Cancelled`](ErrorKind::Cancelled) as soon as `cancel` fires, and the future is dropped then.
    pub fn wait<T>(&self, cancel: &Cancel, future: impl Future<Output = Result<T>>) -> Result<T> {
        cancel.check()?;
        let fired = Arc::new(Notify::new());
        let hook = Arc::clone(&fired);
        // A permit is kept where nobody waits yet: none is lost.
        let _registration = cancel.on_cancel(move || hook.notify_one());
        self.0.block_on(async {
            tokio::select! {
                biased;
                () = fired.notified() => Err(Error::cancelled()),
                value = future => value,
            }
        })
    }

    /// Like [`wait`](Self::wait), and at most for `limit`.
    ///
    /// # Errors
    /// Of kind [`Timeout`](ErrorKind::Timeout) after the limit; `what` did not end in time, such as "the login".
    pub fn wait_for<T>(
        &self,
        cancel: &Cancel,
        limit: Duration,
        what: &str,
        future: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.wait(cancel, async {
            match tokio::time::timeout(limit, future).await {
                Ok(value) => value,
                Err(_) => Err(too_late(what, limit)),
            }
        })
    }

    /// Runs `work` where a driver finds this runtime, to start tasks of its own on it; they advance while somebody waits.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let _guard = self.0.enter();
        work()
    }
}

/// The error of `what`, such as "the login", that did not end within `limit`.
pub fn too_late(what: &str, limit: Duration) -> Error {
    Error::new(ErrorKind::Timeout, format!("{what} did not end within {} s", limit.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_cancel_ends_the_wait() {
        let (runtime, cancel) = (Runtime::new().unwrap(), Cancel::new());
        let later = cancel.clone();
        let started = Instant::now();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            later.cancel();
        });
        let waited: Result<()> = runtime.wait(&cancel, std::future::pending());
        assert_eq!(waited.unwrap_err().kind(), ErrorKind::Cancelled);
        assert!(started.elapsed() < Duration::from_secs(5));
        canceller.join().unwrap();
        let waited: Result<()> = runtime.wait(&cancel, async { Ok(()) });
        assert_eq!(waited.unwrap_err().kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn a_limit_ends_the_wait() {
        let runtime = Runtime::new().unwrap();
        let limit = Duration::from_millis(20);
        let waited: Result<()> = runtime.wait_for(&Cancel::new(), limit, "the login", std::future::pending());
        let error = waited.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert_eq!(error.message(), "the login did not end within 0.02 s");
    }
}
