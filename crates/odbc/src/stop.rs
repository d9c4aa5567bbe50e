//! What stops a connection from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::handle;
use crate::library::Library;

/// How often, and after what pause, a driver is asked to cancel: a request that comes a moment before the statement
/// begins to run stops nothing.
const ATTEMPTS: usize = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// How long a statement may take to come back by itself. MariaDB's driver (3.1.15) frees in SQLCancel what an SQLFetch that is
/// about to end still writes to, which ends the whole process; only a call that waits for the server needs the request.
const GRACE: Duration = Duration::from_millis(200);
/// How often it is looked whether it did.
const LOOK: Duration = Duration::from_millis(2);

/// Whether a connection was asked to stop, and the statement that runs on it.
#[derive(Default)]
pub(crate) struct Stop {
    asked: AtomicBool,
    /// The driver manager and the statement's handle as a number; whoever frees the statement empties this first.
    statement: Mutex<Option<(&'static Library, usize)>>,
}

impl Stop {
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Cancels what runs, now and hereafter; does not wait for it.
    pub(crate) fn ask(self: &Arc<Self>) {
        if self.asked.swap(true, Ordering::SeqCst) || self.statement.try_lock().is_some_and(|held| held.is_none()) {
            return;
        }
        let stop = Arc::clone(self);
        // On a thread of its own: some driver managers make a cancel wait for what it should cancel.
        std::thread::spawn(move || {
            let asked = Instant::now();
            while asked.elapsed() < GRACE {
                if stop.statement.lock().is_none() {
                    return;
                }
                std::thread::sleep(LOOK);
            }
            for _ in 0..ATTEMPTS {
                {
                    let held = stop.statement.lock();
                    let Some((library, statement)) = *held else { return };
                    handle::cancel(library, statement);
                }
                std::thread::sleep(PAUSE);
            }
        });
    }

    /// Cancels the statement from the thread that works on it, between two of its calls: nothing else is at work on it.
    pub(crate) fn cancel_between_calls(&self) {
        let held = self.statement.lock();
        if let Some((library, statement)) = *held {
            handle::cancel(library, statement);
        }
    }

    pub(crate) fn watch(&self, library: &'static Library, statement: crate::abi::Handle) {
        *self.statement.lock() = Some((library, statement.expose_provenance()));
    }

    pub(crate) fn forget(&self) {
        *self.statement.lock() = None;
    }
}
