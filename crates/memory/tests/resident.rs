//! How much memory results take: that of their arrays, as long as these are there. One test, since others would take some too.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use bowshot_memory::{Memory, keeps, of_result};

#[global_allocator]
static MEMORY: Memory = Memory;

/// Bytes of memory that this process has.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = text.lines().find(|line| line.starts_with("Rss:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// Bytes of addresses for which huge pages were asked: the system looks through all of them for pages to make huge.
fn asked_for() -> usize {
    let text = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut size = 0;
    let mut all = 0;
    for line in text.lines() {
        if let Some(kilobytes) = line.strip_prefix("Size:") {
            size = kilobytes.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10;
        } else if line.starts_with("VmFlags:") && line.split_whitespace().any(|flag| flag == "hg") {
            all += size;
        }
    }
    all
}

fn array(size: usize, byte: u8) -> Vec<u8> {
    let mut array = of_result(|| Vec::with_capacity(size));
    array.resize(size, byte);
    array
}

#[test]
fn arrays_lie_side_by_side_and_leave_no_memory_behind() {
    keeps(true);
    let before = resident();
    for _ in 0..3 {
        let arrays: Vec<Vec<u8>> = (0..1_000).map(|_| array(200_000, 1)).collect();
        let bytes = 200_000 * arrays.len();
        let gaps: Vec<usize> =
            arrays.windows(2).map(|pair| pair[1].as_ptr().addr().wrapping_sub(pair[0].as_ptr().addr())).collect();
        let close = gaps.iter().filter(|gap| **gap == 200_192).count();
        assert!(close > 900, "{close}");
        let kept = resident() - before;
        assert!((bytes..bytes + bytes / 20).contains(&kept), "{kept} bytes for {bytes}");
        assert!(asked_for() < 4 * bytes, "{} bytes for {bytes}", asked_for());
        // One of ten stays.
        let some: Vec<Vec<u8>> =
            arrays.into_iter().enumerate().filter(|(at, _)| at % 10 == 0).map(|(_, array)| array).collect();
        let left = resident() - before;
        // Beside them the pages at their ends, and what is left of huge pages at the ends of areas.
        assert!(left < bytes / 10 + (8 << 20), "{left} of {bytes}");
        assert!(some.iter().all(|array| *array == [1; 200_000]));
    }
    let left = resident().saturating_sub(before);
    assert!(left < 4 << 20, "{left}");
}
