//! Which bytes of a file of bounded size hold something that is still to be read.

use std::collections::VecDeque;

/// The room of a file, handed out in a circle: what was read first makes room first.
pub(crate) struct Space {
    limit: u64,
    /// What was handed out, in this order. Each begins where the one before it ends, or anew at 0.
    taken: VecDeque<Taken>,
}

struct Taken {
    start: u64,
    end: u64,
    /// Whether it was given back, although something before it was not.
    is_free: bool,
}

impl Space {
    /// The room of a file that may grow to `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Space { limit, taken: VecDeque::new() }
    }

    /// Where so many bytes would find a place now.
    pub(crate) fn place(&self, length: u64) -> Option<u64> {
        let (start, most) = match (self.taken.front(), self.taken.back()) {
            (Some(first), Some(last)) if last.end > first.start => match last.end.checked_add(length) {
                Some(end) if end <= self.limit => (last.end, self.limit),
                // Behind the last there is too little left: in front of the first there may be more.
                _ => (0, first.start),
            },
            (Some(first), Some(last)) => (last.end, first.start),
            _ => (0, self.limit),
        };
        (start.checked_add(length)? <= most).then_some(start)
    }

    /// The position of `length` bytes that are nobody else's until they are released; `None` where there is no room.
    pub(crate) fn reserve(&mut self, length: u64) -> Option<u64> {
        let start = self.place(length).filter(|_| length > 0)?;
        self.taken.push_back(Taken { start, end: start + length, is_free: false });
        Some(start)
    }

    /// Gives back what was reserved at `start`.
    pub(crate) fn release(&mut self, start: u64) {
        if let Some(taken) = self.taken.iter_mut().find(|taken| taken.start == start && !taken.is_free) {
            taken.is_free = true;
        }
        while self.taken.front().is_some_and(|first| first.is_free) {
            self.taken.pop_front();
        }
    }

    /// Hands out nothing any more.
    pub(crate) fn close(&mut self) {
        self.limit = 0;
        self.taken.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn room_that_was_read_is_used_again_before_all_was_read() {
        let mut space = Space::new(10);
        assert_eq!([space.reserve(4), space.reserve(4), space.reserve(4)], [Some(0), Some(4), None]);
        space.release(0);
        assert_eq!([space.reserve(3), space.reserve(2), space.reserve(1)], [Some(0), None, Some(3)]);
        space.release(4);
        assert_eq!(space.reserve(6), Some(4));
        assert_eq!([space.place(0), space.place(1), space.reserve(0)], [Some(10), None, None]);
    }

    #[test]
    fn a_closed_file_takes_nothing_even_when_it_was_read() {
        let mut space = Space::new(10);
        assert_eq!(space.reserve(4), Some(0));
        space.close();
        space.release(0);
        assert_eq!(space.reserve(1), None);
    }

    proptest! {
        #[test]
        fn what_is_unread_never_overlaps_and_never_passes_the_limit(
            limit in 0_u64..100,
            steps in prop::collection::vec((any::<bool>(), 1_u64..40), 0..300),
        ) {
            let mut space = Space::new(limit);
            let mut unread: Vec<Range<u64>> = Vec::new();
            for (is_written, length) in steps {
                if !is_written {
                    // Several readers: not always the oldest is done first.
                    if !unread.is_empty() {
                        let range = unread.remove(usize::try_from(length).unwrap() % unread.len().min(3));
                        space.release(range.start);
                    }
                    continue;
                }
                match space.reserve(length) {
                    Some(start) => {
                        let range = start..start + length;
                        prop_assert!(range.end <= limit);
                        prop_assert!(unread.iter().all(|other| range.end <= other.start || other.end <= range.start));
                        unread.push(range);
                    }
                    None => prop_assert!(length > limit || !unread.is_empty(), "an empty file has room"),
                }
            }
        }
    }
}
