//! Interrupting a connection, and waiting for locks, from where SQLite calls back.

use std::cell::Cell as Slot;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use bowshot_core::Cancel;
use libsqlite3_sys as ffi;
use parking_lot::Mutex;

/// How many virtual machine instructions SQLite runs between two looks at the cancel flag: a few milliseconds at most.
pub(super) const INSTRUCTIONS_BETWEEN_LOOKS: c_int = 20_000;

/// Lets other threads interrupt a connection, and waits with the closing until they have.
pub(super) struct Gate(Mutex<Option<Target>>);

struct Target(NonNull<ffi::sqlite3>);

// SAFETY: `sqlite3_interrupt`, the only use of the pointer, may be called from any thread while the connection is open.
unsafe impl Send for Target {}

impl Gate {
    /// For a connection that is open, until [`Gate::close`].
    pub(super) fn new(connection: NonNull<ffi::sqlite3>) -> Self {
        Gate(Mutex::new(Some(Target(connection))))
    }

    /// From now on nothing is interrupted; waits for an interrupt that is under way.
    pub(super) fn close(&self) {
        *self.0.lock() = None;
    }

    pub(super) fn interrupt(&self) {
        if let Some(target) = &*self.0.lock() {
            // SAFETY: the connection is open: `Database::drop` empties the gate under its lock before it closes.
            unsafe { ffi::sqlite3_interrupt(target.0.as_ptr()) };
        }
    }
}

/// What SQLite asks while it works or waits.
pub(super) struct Watch {
    pub(super) cancel: Cancel,
    patience: Duration,
    /// When the present wait for a lock began.
    since: Slot<Option<Instant>>,
}

impl Watch {
    pub(super) fn new(cancel: Cancel, patience: Duration) -> Self {
        Watch { cancel, patience, since: Slot::new(None) }
    }
}

/// Called by SQLite every few thousand instructions; non-zero interrupts the statement.
///
/// `sqlite3_interrupt` alone is not enough: a call just before a statement's first step is forgotten.
pub(super) unsafe extern "C" fn look(watch: *mut c_void) -> c_int {
    // SAFETY: `Database::listen` passes a `Watch` that lives until the handler is replaced or the connection closed.
    let watch = unsafe { &*watch.cast::<Watch>() };
    c_int::from(watch.cancel.is_cancelled())
}

/// Called by SQLite when a lock is taken; non-zero means "try again".
pub(super) unsafe extern "C" fn wait(watch: *mut c_void, tries: c_int) -> c_int {
    // SAFETY: as in `look`.
    let watch = unsafe { &*watch.cast::<Watch>() };
    if tries == 0 {
        watch.since.set(Some(Instant::now()));
    }
    let waited = watch.since.get().map_or(Duration::MAX, |since| since.elapsed());
    if watch.cancel.is_cancelled() || waited >= watch.patience {
        return 0;
    }
    let pause = Duration::from_millis(1 << tries.clamp(0, 4));
    std::thread::sleep(pause.min(watch.patience - waited));
    1
}
