//! What is asked of the system.
#![expect(unsafe_code, reason = "memory is mapped and advised by pointers")]

/// What the processor maps at least, or a multiple of that.
pub(crate) const PAGE: usize = if cfg!(target_arch = "aarch64") { 64 << 10 } else { 4 << 10 };

/// What it maps at once where it can.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Asks for huge pages for a block of the system's allocator, which may be null, if it is large enough to fill some.
#[cfg(target_os = "linux")]
pub(crate) fn advised(block: *mut u8, size: usize) -> *mut u8 {
    if size >= 2 * HUGE_PAGE && !block.is_null() {
        // All of the pages that it touches: only a block that is one mapping can be moved when it grows.
        let before = block.addr() % PAGE;
        let pages = (before + size).next_multiple_of(PAGE);
        // SAFETY: an advice changes no byte, whoever has those beside the block. A system without huge pages says no,
        // which is no matter.
        unsafe { libc::madvise(block.wrapping_sub(before).cast(), pages, libc::MADV_HUGEPAGE) };
    }
    block
}

/// Asks for huge pages; this system has no call for it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn advised(block: *mut u8, _size: usize) -> *mut u8 {
    block
}

/// Addresses for so many bytes, a multiple of a huge page, that begin with one. They take no memory before they are written.
#[cfg(target_os = "linux")]
pub(crate) fn reserve(bytes: usize) -> Option<*mut u8> {
    let more = bytes + HUGE_PAGE;
    // SAFETY: new addresses, of which nobody knows.
    let start = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(std::ptr::null_mut(), more, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start: *mut u8 = start.cast();
    Some(start.wrapping_add(start.addr().next_multiple_of(HUGE_PAGE) - start.addr()))
}

/// No addresses: this system gives huge pages by itself, or by other calls.
#[cfg(not(target_os = "linux"))]
pub(crate) fn reserve(_bytes: usize) -> Option<*mut u8> {
    None
}

/// Asks for huge pages in a part of what was reserved, and not in all of it, or the system would look for pages to make huge
/// where nothing ever was.
pub(crate) fn advise(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: an advice changes no byte.
    unsafe {
        libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Gives back addresses that were reserved.
pub(crate) fn release(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: the caller reserved them and has told nobody of them.
    unsafe {
        libc::munmap(start.cast(), bytes);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Gives back the memory of the pages that lie wholly in a block that nobody uses. Its addresses stay; their bytes are zeros again.
pub(crate) fn give_back(block: *mut u8, size: usize) {
    let before = block.addr().next_multiple_of(PAGE) - block.addr();
    let whole = size.saturating_sub(before) / PAGE * PAGE;
    #[cfg(target_os = "linux")]
    if whole > 0 {
        // SAFETY: the caller has all of these pages.
        unsafe { libc::madvise(block.wrapping_add(before).cast(), whole, libc::MADV_DONTNEED) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = whole;
}

/// Leaves an area of which all was handed out with the huge pages that it has. Otherwise the system would make whole ones again,
/// in time, of what is left when parts of them were given back.
pub(crate) fn settle(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: an advice changes no byte.
    unsafe {
        libc::madvise(start.cast(), bytes, libc::MADV_NOHUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Makes pages that nobody uses as they were when they were reserved; false where the system refuses.
#[cfg(target_os = "linux")]
pub(crate) fn renew(start: *mut u8, bytes: usize) -> bool {
    // SAFETY: the caller has all of these addresses, which stay mapped. Mapping them anew gives back their tables too: where
    // parts of a huge page were given back, there would never be a huge page again.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        libc::mmap(start.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) != libc::MAP_FAILED
    }
}

/// Nothing: this system has no areas.
#[cfg(not(target_os = "linux"))]
pub(crate) fn renew(_start: *mut u8, _bytes: usize) -> bool {
    false
}

/// Has the system's allocator keep what is given back, see [`reuse`](crate::reuse).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_freed(mapped_from: i32, trimmed_from: i32) {
    // SAFETY: both set a number that the allocator reads under its own locks; they change no block that is there.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, mapped_from);
        libc::mallopt(libc::M_TRIM_THRESHOLD, trimmed_from);
    }
}

/// Nothing: this system's allocator has no such settings.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_freed(_mapped_from: i32, _trimmed_from: i32) {}
