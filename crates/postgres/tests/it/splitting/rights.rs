//! Who may not read everything still reads what the plain query would give.

use super::{DATA, plain, same};
use crate::reading::{Read, over, read};

/// Read as `reader`, beside what `psql` reads in that role.
#[track_caller]
fn as_reader(sql: &str) -> Read {
    let read = read(&DATA.uri_of("reader", "reader"), sql, &over(4)).unwrap_or_else(|error| panic!("{sql}: {error}"));
    same(sql, &read, &plain(&format!("SET ROLE reader;\n{sql}")));
    read
}

#[test]
fn rights_to_columns_are_enough() {
    let read = as_reader("SELECT id, grp FROM partly");
    assert!(read.reason.contains("may be read in some of its columns"), "{}", read.reason);
    assert!(as_reader("SELECT id, grp FROM big").partitions > 1);
    // Rights to a parent are none to its partitions.
    assert_eq!(as_reader("SELECT id, grp FROM parted").partitions, 1);
}

#[test]
fn row_level_security_holds() {
    for sql in [
        "SELECT id, grp FROM secured",
        "SELECT id, note FROM secured_parent",
        "SELECT b.id, g.name FROM big b JOIN gates g USING (grp)",
    ] {
        let read = as_reader(sql);
        assert_eq!(read.partitions, 1, "{sql}");
        assert!(read.reason.contains("row-level security"), "{sql}: {}", read.reason);
    }
    // Its owner sees all rows anyhow.
    assert_eq!(super::splits("SELECT id, grp FROM secured").count(), 20_000);
    assert_eq!(super::splits("SELECT id, note FROM secured_parent").count(), 20_000);
}
