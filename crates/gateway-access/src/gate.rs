//! A room that holds only so many at once.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

const DAY: Duration = Duration::from_secs(86_400);

/// Lets `most` in at the same time; others wait in front of it.
pub(crate) struct Gate {
    most: usize,
    inside: Mutex<usize>,
    left: Condvar,
}

/// Being inside, until it is dropped.
pub(crate) struct Inside<'a>(&'a Gate);

impl Gate {
    pub(crate) fn new(most: usize) -> Self {
        Gate { most, inside: Mutex::new(0), left: Condvar::new() }
    }

    /// Waits until there is room, for at most `wait` or a day.
    pub(crate) fn enter(&self, wait: Duration) -> Option<Inside<'_>> {
        let deadline = Instant::now().checked_add(wait.min(DAY))?;
        let mut inside = self.inside.lock();
        while *inside >= self.most {
            if self.left.wait_until(&mut inside, deadline).timed_out() && *inside >= self.most {
                return None;
            }
        }
        *inside += 1;
        Some(Inside(self))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        *self.0.inside.lock() -= 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_than_so_many_are_inside_and_all_get_in() {
        let gate = Gate::new(3);
        let (inside, highest, total) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _inside = gate.enter(Duration::from_secs(60)).unwrap();
                        highest.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        total.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(highest.load(Ordering::SeqCst) <= 3);
        assert_eq!(total.load(Ordering::SeqCst), 800);
    }

    #[test]
    fn who_waits_too_long_is_told() {
        let gate = Gate::new(1);
        let inside = gate.enter(Duration::ZERO);
        assert!(inside.is_some() && gate.enter(Duration::from_millis(1)).is_none());
        drop(inside);
        assert!(gate.enter(Duration::ZERO).is_some());
    }
}
