//! Memory, disk, cancelling.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Poll, Query, Request, Stream};
use bowshot_gateway_catalog::Dialect;
use bowshot_gateway_engine::{Asker, EngineLimits};
use bowshot_testkit::Postgres;

use crate::common::{lines, options, read, serve, serve_with, text_file};

fn numbers(count: u32) -> String {
    let mut text = String::from("n,filler\n");
    for number in 0..count {
        text += &format!("{},filler of some length {number}\n", (number * 7919) % count);
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
