//! Rows and results that are larger than what holds them.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
use bowshot_testkit::MariaDb;

use super::common::{connections, read, server, source};

#[test]
fn rows_of_many_packets() {
    let server = MariaDb::builder().setting("max_allowed_packet", "256M").start().unwrap();
    for protocol in ["text", "binary"] {
        let options = Options { protocol: Some(protocol.into()), ..connections(1) };
        // Around the length of a packet: 16 MiB less one byte.
        for length in [16_777_205_usize, 16_777_210, 16_777_211, 16_777_215, 16_777_216, 40_000_000] {
            let sql = format!("SELECT 7 AS a, REPEAT('x', {length}) AS b UNION ALL SELECT 8, 'y'");
            let batches = read(&server.uri(), &sql, &options).unwrap();
            let lengths: Vec<usize> = batches
                .iter()
                .flat_map(|batch| {
                    batch.column(1).as_string::<i32>().iter().map(|text| text.unwrap().len()).collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(lengths, [length, 1], "{protocol}");
        }
    }
}

/// The most memory that this process has had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[test]
fn a_slow_consumer_does_not_fill_the_memory() {
    let options = Options { buffer_bytes: 4 << 20, ..connections(1) };
    let cancel = Cancel::new();
    let request = Request::new(Query::new("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_400000"), options);
    let plan = source(&server().uri()).plan(&request, &cancel).unwrap();
    let before = peak();
    let mut rows = 0;
    for (number, batch) in Stream::start(plan, &request.options, cancel).enumerate() {
        let batch = batch.unwrap();
        assert!(!batch.column(0).is_empty());
        rows += batch.num_rows();
        if number % 20 == 0 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    assert_eq!(rows, 400_000);
    // 400 MB came by; other tests run beside this one.
    let grown = peak() - before;
    assert!(grown < 300 << 20, "{} MiB", grown >> 20);
}
