//! However many endpoints a result has, the database reads each of its pages once (the ConnectorX paper, table 2).

use std::time::{Duration, Instant};

use bowshot_connect::connect;
use bowshot_core::Query;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;

use crate::reading::{numbers, read};
use crate::running::Running;

const COUNTERS: &str = "SELECT pg_stat_clear_snapshot(), heap_blks_read + heap_blks_hit FROM pg_statio_user_tables WHERE relname = 'orders'";

/// How many pages of the table PostgreSQL has read so far; backends report when they end.
fn pages_read(server: &Postgres) -> i64 {
    let now = || -> i64 { last(&server.psql(COUNTERS).unwrap()) };
    let (started, mut before) = (Instant::now(), now());
    while started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1500));
        let after = now();
        if after == before {
            return after;
        }
        before = after;
    }
    panic!("the counters do not come to rest");
}

/// The last number of psql's answer.
fn last(text: &str) -> i64 {
    text.trim().rsplit(['|', '\n', ' ']).next().unwrap().parse().unwrap()
}

#[test]
fn each_page_is_read_once_for_any_number_of_endpoints() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE orders AS SELECT n::int8 AS id, rpad('row ' || n, 200) AS text FROM generate_series(1, 200000) n; VACUUM ANALYZE orders").unwrap();
    let pages = last(&server.psql("SELECT pg_relation_size('orders') / current_setting('block_size')::int8").unwrap());
    let gateway = Running::open(&[("shop", connect(&server.uri()).unwrap(), Dialect::Postgres)], Limits::default());
    for count in [1, 2, 4, 8] {
        let before = pages_read(&server);
        let uri = format!("{}/?header.bowshot-endpoints={count}", gateway.uri(""));
        let (batches, endpoints) = read(&uri, Query::new("SELECT id, text FROM orders")).unwrap();
        assert!(endpoints <= count && (endpoints > 1 || count == 1), "{endpoints} of {count}");
        assert_eq!(numbers(&batches).len(), 200_000);
        let read = pages_read(&server) - before;
        // Each range of pages may look once at the page behind its last one.
        assert!((pages..pages + pages / 100 + 64).contains(&read), "{count} endpoints: {read} of {pages} pages");
    }
}
