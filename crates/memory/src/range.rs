//! Addresses that are reserved for blocks of one kind: that a block is of this kind, its address says.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::system;

/// No address: it is odd.
const NONE: usize = 1;

/// So many bytes of addresses.
pub(crate) struct Range {
    bytes: usize,
    /// Where they begin; 0 before the first use, [`NONE`] where the system gives no such range.
    begin: AtomicUsize,
}

impl Range {
    pub(crate) const fn new(bytes: usize) -> Range {
        Range { bytes, begin: AtomicUsize::new(0) }
    }

    /// Where the range begins, which the first who asks reserves.
    pub(crate) fn begin(&self) -> Option<usize> {
        let mut begin = self.begin.load(Ordering::Acquire);
        if begin == 0 {
            let start = system::reserve(self.bytes);
            let new = start.map_or(NONE, |start| start.expose_provenance());
            begin = match self.begin.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => new,
                Err(others) => {
                    start.into_iter().for_each(|start| system::release(start, self.bytes));
                    others
                }
            };
        }
        (begin != NONE).then_some(begin)
    }

    /// How far behind the beginning a block lies that is in the range.
    #[inline]
    pub(crate) fn offset(&self, block: *mut u8) -> Option<usize> {
        let begin = self.begin.load(Ordering::Acquire);
        let offset = block.addr().wrapping_sub(begin);
        (begin > NONE && offset < self.bytes).then_some(offset)
    }
}

/// The address so many bytes behind the `begin` of a range.
pub(crate) fn place(begin: usize, offset: usize) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(begin + offset)
}
