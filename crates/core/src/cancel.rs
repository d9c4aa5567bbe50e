//! Stopping work from another thread, and hearing what databases say of it meanwhile.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::{Error, Notices, Result};

type Hook = Arc<dyn Fn() + Send + Sync>;

/// Asks work that is under way to stop. Clones stand for the same work.
///
/// A connection registers what interrupts it ([`Cancel::on_cancel`]): PostgreSQL's CancelRequest, SQLite's interrupt. The other way
/// goes what its database says beside the result ([`Cancel::notices`]).
///
/// ```
/// use bowshot_core::Cancel;
///
/// let cancel = Cancel::new();
/// assert!(cancel.check().is_ok());
/// cancel.cancel();
/// assert!(cancel.check().is_err());
/// ```
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    /// Set once, never cleared.
    cancelled: AtomicBool,
    /// What interrupts each connection, by registration number; the number to give out next comes first.
    hooks: Mutex<(u64, BTreeMap<u64, Hook>)>,
    /// What databases say of the work.
    notices: Arc<Notices>,
}

impl Cancel {
    /// For new work.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to stop and interrupts every registered connection. Returns when all of them have been told.
    pub fn cancel(&self) {
        if self.0.cancelled.swap(true, Ordering::SeqCst) {
            return;
        }
        let hooks: Vec<Hook> = self.0.hooks.lock().1.values().cloned().collect();
        // Side by side, so that one dead network cannot delay the others.
        std::thread::scope(|scope| {
            for hook in hooks {
                scope.spawn(move || hook());
            }
        });
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// An error of kind [`Cancelled`](crate::ErrorKind::Cancelled) once the work was asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// For a part of the work that may be stopped alone; what databases say of it is said of the whole.
    ///
    /// ```
    /// use bowshot_core::{Cancel, Notice, Severity};
    ///
    /// let (whole, part) = { let whole = Cancel::new(); let part = whole.part(); (whole, part) };
    /// part.notices().add(Notice::new(Severity::Notice, "heard"));
    /// part.cancel();
    /// assert!(!whole.is_cancelled() && whole.notices().all().len() == 1);
    /// ```
    #[must_use]
    pub fn part(&self) -> Cancel {
        Cancel(Arc::new(State { notices: Arc::clone(&self.0.notices), ..State::default() }))
    }

    /// What databases say of the work beside its results: every source adds to it, whoever asked for the work looks.
    pub fn notices(&self) -> &Notices {
        &self.0.notices
    }

    /// Calls `hook` when the work is asked to stop, from another thread; at once if it already was.
    #[must_use = "the hook is forgotten when its registration is dropped"]
    pub fn on_cancel(&self, hook: impl Fn() + Send + Sync + 'static) -> Registration {
        let hook: Hook = Arc::new(hook);
        let number = {
            let mut hooks = self.0.hooks.lock();
            hooks.0 += 1;
            let number = hooks.0;
            hooks.1.insert(number, Arc::clone(&hook));
            number
        };
        // Checked after the insertion: either `cancel` sees the hook, or this sees the flag.
        if self.is_cancelled() {
            hook();
        }
        Registration { cancel: self.clone(), number }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// Keeps a hook registered until it is dropped.
#[derive(Debug)]
pub struct Registration {
    cancel: Cancel,
    number: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.cancel.0.hooks.lock().1.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn hooks_run_once_and_only_while_registered() {
        let calls = Arc::new(AtomicUsize::new(0));
        let count = |calls: &Arc<AtomicUsize>| {
            let calls = Arc::clone(calls);
            move || {
                calls.fetch_add(1, Ordering::SeqCst);
            }
        };
        let cancel = Cancel::new();
        let kept = cancel.on_cancel(count(&calls));
        drop(cancel.on_cancel(count(&calls)));
        cancel.cancel();
        cancel.cancel();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        let _late = cancel.on_cancel(count(&calls));
        assert_eq!(calls.load(Ordering::SeqCst), 2);
        drop(kept);
    }
}
