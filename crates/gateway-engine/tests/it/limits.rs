//! Memory, disk, cancelling.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Poll, Query, Request, Stream};
use bowshot_gateway_catalog::Dialect;
use bowshot_gateway_engine::{Asker, EngineLimits};
use bowshot_testkit::Postgres;

use crate::common::{lines, options, read, serve, serve_with, text_file};

/// Rows of a join that does not fit into 16 MiB.
const ROWS: u32 = 300_000;

fn numbers(count: u32) -> String {
    let mut text = String::from("n,filler\n");
    for number in 0..count {
        text += &format!("{},filler of some length {number}\n", (u64::from(number) * 7919) % u64::from(count));
    }
    text
}

#[test]
fn a_sort_beyond_the_memory_spills() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", &numbers(400_000));
    let spill = tempfile::tempdir().unwrap();
    let limits = EngineLimits {
        memory_bytes: 16 << 20,
        spill_bytes: 1 << 30,
        spill_folder: Some(spill.path().to_owned()),
        threads: 2,
    };
    let served = serve_with(&[("n", &csv, None)], limits);
    let rows = served.rows("SELECT n, filler FROM n ORDER BY n");
    assert_eq!(rows.len(), 400_000);
    assert!(rows.iter().enumerate().all(|(place, row)| row.starts_with(&format!("{place}|"))));
}

#[test]
fn a_join_beyond_the_memory_is_sorted_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", &numbers(ROWS));
    let half: String = (0..ROWS).step_by(2).map(|n| format!("{n},half of some length {n}\n")).collect();
    let other = text_file(folder.path(), "half.csv", &format!("n,text\n{half}"));
    let spill = tempfile::tempdir().unwrap();
    let served = |memory_bytes, spill_bytes| {
        let limits =
            EngineLimits { memory_bytes, spill_bytes, spill_folder: Some(spill.path().to_owned()), threads: 2 };
        serve_with(&[("n", &csv, None), ("half", &other, None)], limits)
    };
    let (small, large, diskless) = (served(16 << 20, 1 << 30), served(1 << 30, 1 << 30), served(16 << 20, 0));
    for sql in [
        "SELECT n.n, filler, text FROM n JOIN half ON n.n = half.n",
        "SELECT n.n, text FROM n LEFT JOIN half ON n.n = half.n AND half.n > 1000",
        "SELECT a.n, b.filler FROM n a JOIN n b ON a.filler = b.filler",
        "SELECT n.n, filler, text FROM n FULL JOIN half ON n.n = half.n ORDER BY n.n",
        "SELECT count(*), sum(length(filler)), max(text) FROM n JOIN half USING (n)",
    ] {
        let error = diskless.error(sql);
        assert!(error.to_string().contains("more than the gateway may use"), "{sql}: {error}");
        let (found, expected) = match sql.contains("ORDER BY") {
            true => (small.rows(sql), large.rows(sql)),
            false => (small.sorted(sql), large.sorted(sql)),
        };
        assert!(found == expected, "{sql}: {} rows and {}", found.len(), expected.len());
    }
    // The engine gives everything back.
    assert_eq!(small.rows("SELECT count(*) FROM n"), [ROWS.to_string()]);
    assert!(
        std::fs::read_dir(spill.path())
            .unwrap()
            .flatten()
            .all(|left| { std::fs::read_dir(left.path()).is_ok_and(|mut files| files.next().is_none()) })
    );
}

#[test]
fn a_join_is_not_begun_again_once_rows_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", &numbers(ROWS));
    let limits = EngineLimits { memory_bytes: 16 << 20, spill_bytes: 1 << 30, spill_folder: None, threads: 2 };
    let served = serve_with(&[("n", &csv, None)], limits);
    let sql = "SELECT n, filler FROM n UNION ALL SELECT a.n, b.filler FROM n a JOIN n b ON a.filler = b.filler";
    let request = Request::new(Query::new(sql), options());
    let plan = served.engine.plan(&request, &Asker::default(), &Cancel::new()).unwrap();
    // All that comes is either the whole result or ends in an error: never a row twice.
    let (mut rows, mut failed) = (0, false);
    for batch in Stream::start(plan, &request.options, Cancel::new()) {
        match batch {
            Ok(batch) => rows += batch.num_rows(),
            Err(error) => {
                assert!(error.to_string().contains("more than the gateway may use"), "{error}");
                failed = true;
            }
        }
    }
    assert!(if failed { rows < 2 * ROWS as usize } else { rows == 2 * ROWS as usize }, "{rows} rows, failed: {failed}");
}

#[test]
fn a_query_beyond_memory_and_disk_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", &numbers(100_000));
    let limits = EngineLimits { memory_bytes: 1 << 20, spill_bytes: 0, spill_folder: None, threads: 2 };
    let served = serve_with(&[("n", &csv, None)], limits);
    for sql in ["SELECT n, filler FROM n ORDER BY filler", "SELECT a.n FROM n a JOIN n b ON a.filler = b.filler"] {
        let error = served.error(sql);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{sql}: {error}");
        assert!(error.to_string().contains("more than the gateway may use"), "{sql}: {error}");
    }
    // The engine goes on.
    assert_eq!(served.rows("SELECT count(*) FROM n"), ["100000"]);
}

#[test]
fn a_cancel_ends_the_query_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start().unwrap();
    server
        .psql("CREATE VIEW slow AS SELECT n FROM generate_series(1, 100000) n WHERE pg_sleep(0.05)::text IS NOT NULL")
        .unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n2\n");
    let served = serve(&[("db", &server.uri(), Some(Dialect::Postgres)), ("n", &csv, None)]);
    let running = || {
        server.psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%slow%' AND state = 'active' AND pid <> pg_backend_pid()").unwrap()
    };
    for dropped in [false, true] {
        let request = Request::new(Query::new("SELECT count(*) FROM slow JOIN n USING (n)"), options());
        let cancel = Cancel::new();
        let plan = served.engine.plan(&request, &Asker::default(), &cancel).unwrap();
        let mut stream = Stream::start(plan, &request.options, cancel.clone());
        assert!(matches!(stream.poll(Duration::from_millis(500)).unwrap(), Poll::Pending));
        assert_eq!(running(), "1");
        if dropped {
            drop(stream);
        } else {
            cancel.cancel();
            let error = stream.find_map(Result::err).unwrap();
            assert_eq!(error.kind(), ErrorKind::Cancelled);
        }
        let started = Instant::now();
        while running() != "0" {
            assert!(started.elapsed() < Duration::from_secs(20), "the database still works");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn an_error_of_a_source_ends_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start().unwrap();
    server.psql("CREATE VIEW odd AS SELECT n, 1 / (50000 - n) AS q FROM generate_series(1, 100000) n").unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n2\n");
    let served = serve(&[("db", &server.uri(), Some(Dialect::Postgres)), ("n", &csv, None)]);
    let error = served.error("SELECT odd.n, q FROM odd LEFT JOIN n USING (n)");
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("22012")), "{error}");
}

#[test]
fn a_partition_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let csv = text_file(folder.path(), "n.csv", "n\n1\n2\n");
    let served = serve(&[("n", &csv, None)]);
    let plan = served.plan("SELECT n FROM n ORDER BY n").unwrap();
    let mut connection = plan.scan.connect(&Cancel::new()).unwrap();
    while connection.open(0).unwrap().next().unwrap().is_none() {}
    let error = connection.open(0).err().unwrap();
    assert!(error.message().contains("read already"), "{error}");
    assert!(connection.open(1).is_err());
    // A plan outlives its engine.
    let plan = served.plan("SELECT sum(n) FROM n").unwrap();
    drop(served);
    assert_eq!(lines(&read(plan).unwrap()), ["3"]);
}
