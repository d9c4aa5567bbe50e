//! Where the memory of results comes from that are kept whole.
//!
//! A result is memory that nobody has touched yet. In pages of 4 KiB, each page interrupts who writes it first; of huge pages, of
//! 2 MiB, the system only has to clear them. But it gives them to large areas alone, on many systems only to who asks, and the
//! arrays of a batch are some hundred kibibytes each. So those of a result that is kept whole are laid side by side in areas that
//! ask for huge pages (`area.rs`). Blocks that are large by themselves, as the columns of a dataframe, ask for them too; everything
//! else is the system allocator's as ever. See docs/decisions/0014-memory-of-results.md.
//!
//! ```
//! #[global_allocator]
//! static MEMORY: bowshot_memory::Memory = bowshot_memory::Memory;
//!
//! // In a thread whose results are kept:
//! bowshot_memory::keeps(true);
//! let mut column: Vec<u64> = bowshot_memory::of_result(|| Vec::with_capacity(50_000));
//! column.extend(0..50_000);
//! # bowshot_memory::keeps(false);
//! # assert_eq!(column.iter().sum::<u64>(), 1_249_975_000);
//! ```
//!
//! A program that does not install [`Memory`] loses nothing: [`of_result`] only says what a block is for.

mod area;
mod numbers;
mod range;
mod system;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Smaller blocks are no array of a batch, or cost little.
const SMALL: usize = 4 << 10;

/// Larger ones fill huge pages by themselves, and would leave much of an area unused.
const LARGE: usize = 16 << 20;

thread_local! {
    /// Whether what this thread makes of results is kept whole.
    static KEEPS: Cell<bool> = const { Cell::new(false) };
    /// Whether what is allocated now is part of a result.
    static OF_RESULT: Cell<bool> = const { Cell::new(false) };
}

/// Says for this thread whether the results that it reads are kept whole, and not let go of batch by batch. Those are better off
/// with memory that was used before.
pub fn keeps(whole: bool) {
    KEEPS.set(whole);
}

/// Says that what `make` allocates is part of a result.
#[inline]
pub fn of_result<T>(make: impl FnOnce() -> T) -> T {
    if !KEEPS.get() {
        return make();
    }
    /// Until the end, however that is reached.
    struct Said;
    impl Drop for Said {
        fn drop(&mut self) {
            OF_RESULT.set(false);
        }
    }
    OF_RESULT.set(true);
    let _said = Said;
    make()
}

/// Has the system's allocator keep the memory of messages that were sent, for those that follow: for a program that is a server.
///
/// glibc gives blocks of 128 KiB and more back to the system when they are freed, and learns in time, as larger ones are, that this
/// is in vain. These are the numbers at which it stops to learn
/// ([`mallopt`](https://man7.org/linux/man-pages/man3/mallopt.3.html)). Every page of a message would be mapped anew until then.
pub fn reuse() {
    system::keep_freed(32 << 20, 64 << 20);
}

/// The allocator: the system's, but for the memory of results that are kept whole.
#[derive(Debug)]
pub struct Memory;

/// Whether blocks of so many bytes are laid beside others.
#[inline]
fn fits(size: usize) -> bool {
    (SMALL..LARGE).contains(&size)
}

/// Whether a new block goes to an area.
#[inline]
fn belongs(layout: Layout) -> bool {
    fits(layout.size()) && layout.align() <= area::UNIT && OF_RESULT.get()
}

// SAFETY: a block of an area is the caller's alone until it is given back, and every other block comes from the system's
// allocator and goes back there. Which is which, its address says.
#[expect(unsafe_code, reason = "an allocator is an unsafe trait")]
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if belongs(layout)
            && let Some(block) = area::take(layout.size())
        {
            return block;
        }
        // SAFETY: the caller's promises are those that are asked for.
        system::advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // Areas have not been written before.
        if belongs(layout)
            && let Some(block) = area::take(layout.size())
        {
            return block;
        }
        // SAFETY: the caller's promises are those that are asked for.
        system::advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if fits(layout.size()) && area::has(block) {
            // SAFETY: it was taken with this size, and the caller does not use it any more.
            return unsafe { area::give_back(block, layout.size()) };
        }
        // SAFETY: it came from there.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !(fits(layout.size()) && area::has(block)) {
            // SAFETY: it came from there; the caller's other promises are those that are asked for.
            return system::advised(unsafe { System.realloc(block, layout, size) }, size);
        }
        // SAFETY: the caller promises that a block of this alignment may have `size` bytes. Both blocks have as many bytes as are
        // copied, and they are not the same; the old one is not used any more.
        unsafe {
            let room = Layout::from_size_align_unchecked(size, layout.align());
            // As it was part of a result, it still is one.
            let new = match fits(size).then(|| area::take(size)).flatten() {
                Some(new) => new,
                None => system::advised(System.alloc(room), size),
            };
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                area::give_back(block, layout.size());
            }
            new
        }
    }
}
