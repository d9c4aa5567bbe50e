//! What other connections would not see, or not in the same state, is read over one.

use bowshot_core::Options;

use super::DATA;
use crate::reading::{Read, by, over, read, read_list};

const JOINED: &str = "SELECT b.id, m.name FROM big b JOIN mine m ON m.grp = b.grp";

/// A temporary table that every connection makes for itself, at its own time.
fn with_own_table(options: Options) -> Options {
    Options {
        before: vec!["CREATE TEMP TABLE mine AS SELECT grp, pg_backend_pid()::text AS name FROM small".into()],
        ..options
    }
}

#[track_caller]
fn comes_from_one_connection(read: &Read, reason: &str) {
    assert!(read.snapshot.is_none() && read.reason.contains(reason), "{}", read.reason);
    let names: std::collections::BTreeSet<String> =
        read.rows().iter().map(|row| row.split('|').next_back().unwrap().to_owned()).collect();
    assert_eq!((names.len(), read.count()), (1, 18_764), "{names:?}");
}

#[test]
fn temporary_tables_belong_to_one_connection() {
    let reason = "mine is temporary, so other connections cannot see it";
    for options in [over(4), by("id", 4, None)] {
        comes_from_one_connection(&read(&DATA.uri(), JOINED, &with_own_table(options)).unwrap(), reason);
    }
    let halves = [format!("{JOINED} WHERE id <= 9000"), format!("{JOINED} WHERE id > 9000")];
    let list = read_list(&DATA.uri(), &halves.each_ref().map(String::as_str), &with_own_table(over(2))).unwrap();
    assert_eq!(list.partitions, 2);
    comes_from_one_connection(&list, reason);
}

#[test]
fn other_servers_have_other_states() {
    DATA.psql(
        "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
         CREATE FOREIGN TABLE process (id text) SERVER files OPTIONS (program 'echo $PPID')",
    );
    let read = read(&DATA.uri(), "SELECT b.id, p.id AS process FROM big b, process p", &over(4)).unwrap();
    assert_eq!((read.partitions, read.count()), (1, 20_000));
    assert_eq!(read.reason, "a foreign table is in no snapshot of this server");
    let read = super::unsplit("SELECT id FROM process", "foreign table");
    assert_eq!(read.count(), 1);
}

#[test]
fn sequences_have_no_states() {
    DATA.psql("CREATE SEQUENCE counter");
    super::unsplit("SELECT b.id, c.last_value FROM big b, counter c", "counter is a sequence, which is in no snapshot");
}
