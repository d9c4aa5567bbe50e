//! Every page is read once, whatever the number of connections.

use super::{DATA, read_by};
use crate::reading::{eventually, over};

/// Pages of the table that the server looked at since it started.
fn looked_at() -> u64 {
    let sql = "SELECT heap_blks_read + heap_blks_hit FROM pg_statio_user_tables WHERE relname = 'counted'";
    DATA.psql(sql).parse().unwrap()
}

/// Pages that reading over so many connections looks at.
fn pages(connections: usize) -> u64 {
    let before = looked_at();
    assert_eq!(read_by(&over(connections), "SELECT id, grp FROM counted").count(), 20_000);
    // Servers' processes report as they end.
    let mut last = before;
    assert!(eventually(|| {
        std::thread::sleep(std::time::Duration::from_millis(300));
        let now = looked_at();
        let settled = now > before && now == last;
        last = now;
        settled
    }));
    last - before
}

#[test]
fn four_connections_read_as_much_as_one() {
    let (one, four) = (pages(1), pages(4));
    assert!(one >= 2_400, "{one}");
    assert!(four.abs_diff(one) <= one / 20, "{four} pages over four connections, {one} over one");
}
