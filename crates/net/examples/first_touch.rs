//! What it costs to write memory for the first time: page by page as it is touched, mapped by one call before, and in huge pages as the
//! results that are kept have it.
#![allow(clippy::print_stdout, reason = "a measurement for the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bowshot_memory::{Memory, keeps};
use bowshot_net::with_room;

#[global_allocator]
static MEMORY: Memory = Memory;

/// A gigabyte in all, as a result would have it.
const BYTES: usize = 1 << 30;

fn main() {
    for kilobytes in [24, 100, 1024] {
        let plain = seconds(kilobytes << 10, Vec::with_capacity);
        let mapped = seconds(kilobytes << 10, with_room);
        keeps(true);
        let huge = seconds(kilobytes << 10, with_room);
        keeps(false);
        println!(
            "pieces of {kilobytes:4} KiB: touched {plain:.2?}, mapped before {mapped:.2?}, in huge pages {huge:.2?}"
        );
    }
}

/// The time to fill a gigabyte in pieces, the best of five.
fn seconds(piece: usize, room: impl Fn(usize) -> Vec<u8>) -> Duration {
    let fill = || {
        let started = Instant::now();
        let pieces: Vec<Vec<u8>> = (0..BYTES / piece)
            .map(|_| {
                let mut bytes = room(piece);
                bytes.resize(piece, 1);
                bytes
            })
            .collect();
        let time = started.elapsed();
        black_box(pieces);
        time
    };
    (0..5).map(|_| fill()).min().unwrap_or_default()
}
