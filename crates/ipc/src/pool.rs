//! Memory for the bodies of one stream, used again when its arrays were let go.
//!
//! Memory that nobody has touched yet costs more than the bytes that are read into it: the system clears each page, and maps
//! it. Who lets go of batches as they come, and the columns of a dataframe do, reads the whole result into the same few bodies.

use std::sync::{Arc, Weak};

use arrow_buffer::Buffer;
use bowshot_cells::zeroes;
use bytes::Bytes;
use parking_lot::Mutex;

/// How many bodies wait to be used again at most.
const MOST: usize = 8;

/// What is smaller costs little, and what is larger would keep much.
const KEPT: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;

/// Bodies that were let go. The memory of those that are in use when this is dropped goes back to the system.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// Memory of at least `size` bytes. What it holds means nothing.
    ///
    /// Allocators begin blocks of this size at sixteen bytes, which is what decimals need; where one did not, Arrow would copy.
    pub(crate) fn take(&self, size: usize) -> Vec<u8> {
        let mut waiting = self.0.lock();
        // Not far larger ones: who keeps a small body would keep all of it.
        match waiting.iter().position(|memory| (size..=size.saturating_mul(2)).contains(&memory.len())) {
            Some(found) => waiting.swap_remove(found),
            None => {
                // Bodies that do not fit any more shall not stand in the way of those that do.
                waiting.pop();
                drop(waiting);
                // The bodies of a stream differ a little in size: with some room to spare the next one fits.
                zeroes(if KEPT.contains(&size) { size + size / 32 } else { size })
            }
        }
    }

    /// The first `end` bytes of a body, whose memory comes back when the last array on it is dropped.
    pub(crate) fn lend(&self, memory: Vec<u8>, end: usize) -> Buffer {
        if !KEPT.contains(&memory.len()) {
            return Buffer::from_vec(memory).slice_with_length(0, end);
        }
        let lent = Lent { memory, pool: Arc::downgrade(&self.0) };
        Buffer::from(Bytes::from_owner(lent)).slice_with_length(0, end)
    }
}

/// Memory that is in use.
struct Lent {
    memory: Vec<u8>,
    pool: Weak<Mutex<Vec<Vec<u8>>>>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.memory
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(pool) = self.pool.upgrade() else { return };
        let mut waiting = pool.lock();
        if waiting.len() < MOST {
            waiting.push(std::mem::take(&mut self.memory));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_once_nobody_looks_at_it() {
        let pool = Pool::default();
        let lend = || {
            let mut memory = pool.take(100_000);
            memory.fill(7);
            pool.lend(memory, 99_999)
        };
        let first = |size| pool.take(size).first().copied();
        let buffer = lend();
        assert_eq!(buffer.len(), 99_999);
        let part = buffer.slice(5);
        drop(buffer);
        assert_eq!(first(100_000), Some(0), "a part is in use");
        assert_eq!(part.as_slice(), [7; 99_994]);
        drop(part);
        assert_eq!(first(100_001), Some(7), "a little larger");
        drop(lend());
        assert_eq!(first(200_000), Some(0), "too large");
        assert_eq!(pool.0.lock().len(), 0, "what did not fit is gone");
    }

    #[test]
    fn little_is_kept() {
        let pool = Pool::default();
        let lend = |size: usize| pool.lend(vec![0; size], size);
        let kept = || pool.0.lock().len();
        drop((lend(1000), lend(8 << 20)));
        assert_eq!(kept(), 0);
        assert_eq!([0, 1000, 8 << 20].map(|size| pool.take(size).len()), [0, 1000, 8 << 20]);
        drop((0..20).map(|_| lend(1 << 20)).collect::<Vec<_>>());
        assert_eq!(kept(), MOST);
        assert_eq!(pool.take(1000).len(), 1000, "a small body must not keep a large one's memory");
        let last = lend(1 << 20);
        drop(pool);
        assert_eq!(last.len(), 1 << 20);
    }
}
