//! The consumer stops, or is slow.

use std::thread;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Query, Request, Source};
use bowshot_postgres::Postgres;

use super::{LONG_SPLIT, LONG_WHOLE, ends_with_an_error, named, narrow, soon};
use crate::leftovers::{alone, connections, leaves_nothing, memory};
use crate::reading::{SERVER, by, eventually, over, start};

#[test]
fn a_cancelled_read_ends_within_a_second() {
    for sql in [LONG_SPLIT, LONG_WHOLE, "SELECT pg_sleep(60) AS s, 1 AS id"] {
        leaves_nothing(&SERVER, move |name| {
            super::DATA.uri();
            let stream = start(&named(&SERVER, "faults", name), sql, &narrow(4)).unwrap();
            let cancel = stream.cancel().clone();
            let stopper = soon(move || {
                let started = Instant::now();
                cancel.cancel();
                assert!(started.elapsed() < Duration::from_secs(1), "cancelling took {:?}", started.elapsed());
            });
            let started = Instant::now();
            let error = ends_with_an_error(stream);
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
            assert!(started.elapsed() < Duration::from_millis(1100), "{:?}", started.elapsed());
            stopper.join().unwrap();
        });
    }
}

#[test]
fn planning_can_be_cancelled_too() {
    leaves_nothing(&SERVER, |name| {
        super::DATA.uri();
        let cancel = Cancel::new();
        let stopper = {
            let cancel = cancel.clone();
            soon(move || cancel.cancel())
        };
        let source = Postgres::from_uri(&named(&SERVER, "faults", name)).unwrap();
        // Its lowest and highest value are asked for.
        let query = Query::new("SELECT pg_sleep(60)::text AS s, n FROM generate_series(1, 5) AS n");
        let started = Instant::now();
        let error = source.plan(&Request::new(query, by("n", 3, None)), &cancel).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        assert!(started.elapsed() < Duration::from_millis(1100), "{:?}", started.elapsed());
        stopper.join().unwrap();
    });
}

#[test]
fn a_dropped_stream_ends_its_queries() {
    for (sql, connections_wanted) in [(LONG_SPLIT, 3), (LONG_WHOLE, 1)] {
        leaves_nothing(&SERVER, move |name| {
            super::DATA.uri();
            let mut stream = start(&named(&SERVER, "faults", name), sql, &narrow(3)).unwrap();
            assert!(stream.next().unwrap().is_ok());
            assert!(eventually(|| connections(&SERVER, name) == connections_wanted));
            let started = Instant::now();
            drop(stream);
            assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
            assert!(eventually(|| connections(&SERVER, name) == 0));
            assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        });
    }
}

#[test]
fn a_slow_consumer_makes_the_server_wait() {
    if !alone("faults::stopping::a_slow_consumer_makes_the_server_wait") {
        return;
    }
    super::DATA.uri();
    for sql in [LONG_SPLIT, LONG_WHOLE] {
        let before = memory("VmRSS");
        let mut stream = start(&named(&SERVER, "faults", "slow"), sql, &narrow(3)).unwrap();
        assert!(stream.next().unwrap().is_ok());
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'slow' AND state = 'active' \
                       AND wait_event IS DISTINCT FROM 'ClientWrite'";
        thread::sleep(Duration::from_millis(500));
        assert!(eventually(|| SERVER.psql(waiting).unwrap() == "0"));
        thread::sleep(Duration::from_secs(1));
        let grown = memory("VmRSS").saturating_sub(before);
        assert!(grown < 24 << 20, "{} MiB wait for a consumer that allows 1", grown >> 20);
        // It goes on where it stood.
        assert!((0..100).all(|_| stream.next().unwrap().is_ok()));
    }
}

#[test]
fn a_large_result_passes_through_little_memory() {
    if !alone("faults::stopping::a_large_result_passes_through_little_memory") {
        return;
    }
    super::DATA.uri();
    let before = memory("VmRSS");
    let options = bowshot_core::Options { buffer_bytes: 8 << 20, ..over(3) };
    let stream = start(&named(&SERVER, "faults", "large"), LONG_SPLIT, &options).unwrap();
    let rows: usize = stream.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 500_000);
    let grown = memory("VmHWM").saturating_sub(before);
    assert!(grown < 60 << 20, "{} MiB for a result that passes through", grown >> 20);
}
