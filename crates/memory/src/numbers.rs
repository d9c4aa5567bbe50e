//! Numbers that are handed out, given back and handed out again, without waiting for anybody.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The numbers below `MOST`.
pub(crate) struct Numbers<const MOST: usize> {
    /// Those from this one on were never handed out.
    new: AtomicU32,
    /// Those that were given back, as a stack ("Treiber's"): the last one, from 1, with a count of the changes above it, by which a
    /// change that others made meanwhile is seen; and for each of them the one below it.
    last: AtomicU64,
    below: [AtomicU32; MOST],
}

impl<const MOST: usize> Numbers<MOST> {
    pub(crate) const fn new() -> Self {
        Numbers { new: AtomicU32::new(0), last: AtomicU64::new(0), below: [const { AtomicU32::new(0) }; MOST] }
    }

    /// A number that nobody has.
    pub(crate) fn take(&self) -> Option<u32> {
        let mut seen = self.last.load(Ordering::Acquire);
        while let (last @ 1.., changes) = halves(seen) {
            let below = self.below.get(last as usize - 1)?.load(Ordering::Acquire);
            match self.change(seen, whole(below, changes.wrapping_add(1))) {
                Ok(_) => return Some(last - 1),
                Err(now) => seen = now,
            }
        }
        let next = |new: u32| ((new as usize) < MOST).then_some(new + 1);
        self.new.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()
    }

    /// Takes back a number that was [taken](Self::take).
    pub(crate) fn give_back(&self, number: u32) {
        let Some(below) = self.below.get(number as usize) else { return };
        let mut seen = self.last.load(Ordering::Acquire);
        loop {
            let (last, changes) = halves(seen);
            below.store(last, Ordering::Release);
            match self.change(seen, whole(number + 1, changes.wrapping_add(1))) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }

    fn change(&self, seen: u64, new: u64) -> Result<u64, u64> {
        self.last.compare_exchange_weak(seen, new, Ordering::AcqRel, Ordering::Acquire)
    }
}

/// The lower and the upper half.
#[expect(clippy::cast_possible_truncation, reason = "that is what halves are")]
pub(crate) fn halves(both: u64) -> (u32, u32) {
    (both as u32, (both >> 32) as u32)
}

/// Both in one number, so that they change together.
pub(crate) fn whole(lower: u32, upper: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::Numbers;

    #[test]
    fn each_is_handed_out_once() {
        let numbers = Numbers::<3>::new();
        let all: Vec<Option<u32>> = (0..4).map(|_| numbers.take()).collect();
        assert_eq!(all, [Some(0), Some(1), Some(2), None]);
        numbers.give_back(1);
        numbers.give_back(0);
        let again: HashSet<Option<u32>> = (0..3).map(|_| numbers.take()).collect();
        assert_eq!(again, HashSet::from([Some(0), Some(1), None]));
    }

    #[test]
    fn no_two_threads_have_the_same() {
        static NUMBERS: Numbers<3> = Numbers::new();
        static HAD: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
        let worker = || {
            for _ in 0..100_000 {
                let Some(number) = NUMBERS.take() else { continue };
                let had = &HAD[number as usize];
                assert!(!had.swap(true, Ordering::AcqRel), "{number} is another's");
                had.store(false, Ordering::Release);
                NUMBERS.give_back(number);
            }
        };
        let workers: Vec<_> = (0..4).map(|_| thread::spawn(worker)).collect();
        assert!(workers.into_iter().all(|worker| worker.join().is_ok()));
        assert_eq!((0..4).filter_map(|_| NUMBERS.take()).count(), 3);
    }
}
