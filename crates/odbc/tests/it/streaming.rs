//! Results come as a stream, in memory that does not grow with them; MariaDB's driver 3.1 keeps the result all the same.

use std::time::{Duration, Instant};

use bowshot_core::Options;

use crate::support::{both, request, stream};

/// The memory of this process, in bytes.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Set in the process that runs one test alone.
const ALONE: &str = "BOWSHOT_ALONE";

#[test]
fn memory_stays_flat() {
    if std::env::var_os(ALONE).is_none() {
        // The memory of the other tests is none of its own.
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let output = alone.args(["--exact", "streaming::memory_stays_flat"]).env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let [(name, uri, many), _] = both();
    {
        for protocol in ["block", "row"] {
            let options = Options { buffer_bytes: 4 << 20, protocol: Some(protocol.into()), ..Options::default() };
            let mut stream = stream(&uri, &request(&many(600_000), options)).unwrap();
            let first = stream.next().unwrap().unwrap();
            let (before, mut most, mut count) = (memory(), 0, first.num_rows());
            drop(first);
            for batch in stream {
                count += batch.unwrap().num_rows();
                most = most.max(memory());
            }
            assert_eq!(count, 600_000, "{name}");
            let grown = most.saturating_sub(before) >> 20;
            // The result has 70 MB.
            assert!(grown < 30, "{name}, {protocol}: {grown} MiB more");
        }
    }
}

#[test]
fn batches_are_about_as_large_as_asked() {
    for (name, uri, many) in both() {
        let options = Options { batch_bytes: 1 << 18, ..Options::default() };
        let sizes: Vec<usize> = stream(&uri, &request(&many(20_000), options))
            .unwrap()
            .map(|batch| batch.unwrap().get_array_memory_size())
            .collect();
        let (_, full) = sizes.split_last().unwrap();
        assert!(full.len() > 3 && full.iter().all(|size| (1 << 17..1 << 20).contains(size)), "{name}: {sizes:?}");
    }
}

#[test]
fn the_first_batch_comes_before_the_last_row_is_made() {
    let [(name, uri, many), _] = both();
    {
        let started = Instant::now();
        let options = Options { batch_bytes: 1 << 16, ..Options::default() };
        let mut stream = stream(&uri, &request(&many(30_000_000), options)).unwrap();
        stream.next().unwrap().unwrap();
        assert!(started.elapsed() < Duration::from_secs(5), "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn a_slow_consumer_gets_everything() {
    for (name, uri, many) in both() {
        let options = Options { batch_bytes: 1 << 16, buffer_bytes: 1 << 16, ..Options::default() };
        let mut count = 0;
        for batch in stream(&uri, &request(&many(20_000), options)).unwrap() {
            std::thread::sleep(Duration::from_millis(20));
            count += batch.unwrap().num_rows();
        }
        assert_eq!(count, 20_000, "{name}");
    }
}
