//! Rows that are walked side by side.
//!
//! Where a field of a row begins is known when the length of the one before it has been loaded, and a load takes several
//! instructions' time. Rows that are walked side by side wait for their loads at the same time.

/// How many rows are walked side by side.
pub const TOGETHER: usize = 4;

/// At most so many rows are walked one by one between two attempts.
const MOST_ALONE: usize = 64;

/// When rows are tried side by side, which only rows of the plainest kind can be: the more often it failed, the more rows
/// are walked one by one before it is tried again.
#[derive(Debug)]
pub struct Together {
    /// How many rows are walked one by one, before the next attempt.
    alone: usize,
    /// How many there will be when that one fails.
    next: usize,
}

impl Default for Together {
    fn default() -> Self {
        Together { alone: 0, next: TOGETHER }
    }
}

impl Together {
    /// Whether `walk` was tried, and walked [`TOGETHER`] rows; if not, the next row is to be walked alone.
    #[inline(always)]
    pub fn attempt(&mut self, walk: impl FnOnce() -> bool) -> bool {
        if self.alone > 0 {
            self.alone -= 1;
            return false;
        }
        let walked = walk();
        if walked {
            self.next = TOGETHER;
        } else {
            self.alone = self.next - 1;
            self.next = (2 * self.next).min(MOST_ALONE);
        }
        walked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_often_it_fails_the_more_seldom_it_is_tried() {
        let mut together = Together::default();
        // How many rows go alone before the attempt whose outcome is given.
        let mut until = |outcome: bool| {
            let (mut alone, mut tried) = (0, false);
            loop {
                let walked = together.attempt(|| {
                    tried = true;
                    outcome
                });
                if tried {
                    assert_eq!(walked, outcome);
                    return alone;
                }
                alone += 1;
            }
        };
        // The row of a failed attempt goes alone as well.
        let found: Vec<usize> = (0..7).map(|_| until(false)).collect();
        assert_eq!(found, [0, 3, 7, 15, 31, 63, 63]);
        assert_eq!((until(true), until(true), until(false), until(false)), (63, 0, 0, 3));
    }
}
