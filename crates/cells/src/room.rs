//! Memory for what stays of a result: mapped before it is written.
//!
//! A result is memory that nobody has touched yet, and the first touch of each page of 4 KiB interrupts the decoder.
//! One call for all pages of an array costs two thirds to four fifths of that; `cargo run --release -p bowshot-net --example
//! first_touch` prints both.

use bowshot_memory::of_result;

/// Fewer bytes are not worth a call.
#[cfg(target_os = "linux")]
const LEAST: usize = 16 << 10;

/// In steps of so many bytes a vector that grows for long has its pages mapped.
const STEP: usize = 256 << 10;

/// An empty vector with room for exactly `count` values, which the caller may fill.
pub fn with_capacity<T>(count: usize) -> Vec<T> {
    of_result(|| Vec::with_capacity(count))
}

/// An empty vector with room for exactly `count` values, which the caller is about to fill.
pub fn with_room<T>(count: usize) -> Vec<T> {
    let mut values = with_capacity(count);
    map_pages(values.spare_capacity_mut());
    values
}

/// An empty vector with room for `count` values, if the system has as much: what is not written costs nothing, and who expects too
/// few grows. A guess of more than 2^27 is not taken at its word.
pub fn expecting<T>(count: usize) -> Vec<T> {
    let mut values = Vec::new();
    let _ = values.try_reserve_exact(count.min(1 << 27));
    values
}

/// Room for exactly `count` values more, which the caller may append.
pub fn grow<T>(values: &mut Vec<T>, count: usize) {
    of_result(|| values.reserve_exact(count));
}

/// Room for `count` values more, which the caller is about to append to a vector that grows for long.
///
/// Its pages are mapped in steps of 256 KiB, which the calls before have begun: a column of a frame grows by some ten kilobytes a
/// batch, and each call walks the pages that are there already.
pub fn make_room<T>(values: &mut Vec<T>, count: usize) {
    of_result(|| values.reserve(count));
    let is_first = values.is_empty();
    let room = values.spare_capacity_mut();
    let (address, size) = (room.as_ptr().addr(), size_of::<T>().max(1));
    // In values: from where this step begins to where the one ends in which the last value lies.
    let begin = if is_first { 0 } else { (address.next_multiple_of(STEP) - address).div_ceil(size) };
    let end = ((address + count * size).next_multiple_of(STEP) - address) / size;
    let end = end.min(room.len());
    if let Some(room) = room.get_mut(begin..end) {
        map_pages(room);
    }
}

/// `count` zeroes, which the caller is about to write over. The system clears what it maps anyway.
pub fn zeroes(count: usize) -> Vec<u8> {
    let mut bytes = of_result(|| vec![0; count]);
    map_pages(&mut bytes);
    bytes
}

/// All of `values`.
#[inline(always)]
pub fn collect<T>(values: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut all = with_room(values.len());
    all.extend(values);
    all
}

/// Has the system map the pages that lie wholly in `room`.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn map_pages<T>(room: &mut [T]) {
    const PAGE: usize = 4096;
    let bytes = size_of_val(room);
    if bytes < LEAST {
        return;
    }
    let start = room.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(PAGE);
    let Some(whole) = bytes.checked_sub(before).map(|rest| rest / PAGE * PAGE) else { return };
    // SAFETY: the pages lie within `room`, which is ours alone, and the call changes no byte that could be read: it
    // maps what a write would map. Older systems refuse it (before Linux 5.14), which is no matter: then the writes do.
    unsafe { libc::madvise(start.add(before).cast(), whole, libc::MADV_POPULATE_WRITE) };
}

/// Has the system map the pages that lie wholly in `room`; this system has no call for it.
#[cfg(not(target_os = "linux"))]
fn map_pages<T>(_room: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_number_and_size_are_kept() {
        for count in [0_usize, 1, 4095, 4096, 4097, 100_000] {
            assert_eq!(collect((0..count).map(|number| number * 7)), (0..count).map(|n| n * 7).collect::<Vec<_>>());
            let bytes = collect((0..count).map(|number| u8::try_from(number % 251).unwrap()));
            assert_eq!(bytes.len(), count);
            assert!(bytes.iter().enumerate().all(|(at, &byte)| usize::from(byte) == at % 251), "{count}");
        }
        assert_eq!(with_room::<()>(10).len(), 0);
        assert!([0, 1, 100_000].into_iter().all(|count| zeroes(count) == vec![0; count]));
        let mut grown = Vec::new();
        for count in [0_usize, 1, 5000, 70_000] {
            make_room(&mut grown, count);
            assert!(grown.capacity() >= grown.len() + count);
            grown.extend(std::iter::repeat_n(count, count));
        }
        assert!((grown.len(), grown.first(), grown.last()) == (75_001, Some(&1), Some(&70_000)));
    }

    /// How many pages this thread has had mapped so far, by writing to them or by a call.
    #[cfg(target_os = "linux")]
    fn faults() -> u64 {
        let text = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        text.rsplit_once(')').unwrap().1.split_whitespace().nth(7).unwrap().parse().unwrap()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_vector_that_grows_has_a_step_s_pages_ahead_of_it() {
        let mut grown: Vec<u32> = Vec::with_capacity(16 << 20);
        let mut ahead = 0;
        for batch in 0..1_000_u32 {
            make_room(&mut grown, 2_500);
            let before = faults();
            grown.extend(std::iter::repeat_n(batch, 2_500));
            ahead += u64::from(faults() == before);
        }
        // A test of its own runs beside others; by their first touch, each batch's pages would be mapped.
        assert!(ahead > 900, "{ahead} of 1000 batches were written to pages that were there");
        assert_eq!((grown.len(), grown[2_499], grown[2_500]), (2_500_000, 0, 1));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_pages_are_there() {
        let mut room: Vec<u8> = with_room(64 << 20);
        let before = faults();
        room.resize(64 << 20, 1);
        assert!(faults() - before < 1000, "{} of 16384 pages were mapped by their first touch", faults() - before);
    }
}
