//! Panics of libraries that become errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many calls of [`contained`] this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Runs what may panic over a stranger's bytes: libraries check most of what they read, yet some damaged bytes make them index behind the
/// end of something. That is a panic of safe code, not undefined behaviour: whatever the closure owned is dropped, and the caller must
/// never use what it borrowed again.
///
/// Nothing is printed of such a panic: it is told by the error that it becomes. Panics of other threads, and of this one outside, are
/// printed as ever.
///
/// # Errors
/// The words of the panic; `None` where it has none.
///
/// ```
/// assert_eq!(bowshot_core::contained(|| 1), Ok(1));
/// assert_eq!(bowshot_core::contained(|| [1][std::hint::black_box(1)]).unwrap_err().is_some(), true);
/// ```
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Option<String>> {
    silence();
    let depth = Depth::deeper();
    let outcome = catch_unwind(AssertUnwindSafe(work));
    drop(depth);
    outcome.map_err(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        words.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
    })
}

/// One call of [`contained`].
struct Depth;

impl Depth {
    fn deeper() -> Self {
        DEPTH.set(DEPTH.get().saturating_add(1));
        Depth
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

/// Puts a hook in front of the process's own, which then hears of panics that are not contained.
fn silence() {
    static ONCE: Once = Once::new();
    // A thread that panics must not set hooks.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if DEPTH.try_with(Cell::get).unwrap_or(0) == 0 {
                before(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const INSIDE: &str = "CONTAINED_PANICS_HERE";

    #[test]
    fn nothing_is_printed_of_a_panic_that_is_contained_and_all_of_others() {
        if std::env::var_os(INSIDE).is_some() {
            let words = contained(|| {
                let inner = contained(|| panic!("within twice"));
                assert_eq!(inner, Err::<(), _>(Some("within twice".to_owned())));
                std::panic::panic_any("within once");
            });
            assert_eq!(words, Err::<(), _>(Some("within once".to_owned())));
            assert!(std::thread::spawn(|| panic!("outside of it")).join().is_err());
            return;
        }
        let name = "contained::tests::nothing_is_printed_of_a_panic_that_is_contained_and_all_of_others";
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        let output = command.args(["--exact", name, "--nocapture"]).env(INSIDE, "1").output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{printed}");
        assert!(printed.contains("outside of it") && !printed.contains("within"), "{printed}");
    }
}
