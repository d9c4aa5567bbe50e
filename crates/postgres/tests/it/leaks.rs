//! Many reads in a row leave no more behind than a few.

use bowshot_core::{Cancel, ErrorKind};

use crate::leftovers::{all_threads, alone, memory, open_files};
use crate::reading::{Database, SERVER, by, eventually, over, read, read_list, refused, start};

/// What this process has open and holds: threads, files, bytes of memory.
fn held() -> (usize, usize, usize) {
    (all_threads(), open_files(), memory("VmRSS"))
}

/// One read of every kind, by its number.
fn one(uri: &str, number: usize) {
    match number % 20 {
        0 => assert_eq!(read(uri, "SELECT id, name FROM t", &by("id", 3, None)).unwrap().count(), 100),
        1 => assert_eq!(read_list(uri, &["SELECT 1 AS a", "SELECT 2 AS a"], &over(2)).unwrap().count(), 2),
        2 => assert_eq!(refused(uri, "SELECT nope FROM t", &over(2)).kind(), ErrorKind::Sql),
        3 => assert_eq!(refused(uri, "SELECT 1 / (id - 50) FROM t", &over(2)).kind(), ErrorKind::Sql),
        4 => drop(crate::reading::plan(uri, "SELECT id FROM t", &over(2)).unwrap()),
        5 => {
            let mut stream = start(uri, "SELECT generate_series(1, 1000000) AS n", &over(2)).unwrap();
            assert!(stream.next().unwrap().is_ok());
        }
        6 => {
            let stream = start(uri, "SELECT pg_sleep(10)", &over(2)).unwrap();
            let cancel: Cancel = stream.cancel().clone();
            cancel.cancel();
            assert!(stream.map(|item| item.is_err()).eq([true]));
        }
        _ => assert_eq!(read(uri, "SELECT id, name, tags FROM t", &over(2)).unwrap().count(), 100),
    }
}

#[test]
fn two_thousand_reads_leak_nothing() {
    if !alone("leaks::two_thousand_reads_leak_nothing") {
        return;
    }
    let data = Database::make(
        "leaks",
        "CREATE TABLE t AS SELECT i AS id, 'name ' || i AS name, ARRAY[i, NULL] AS tags FROM generate_series(1, 100) i",
    );
    let uri = format!("{}?application_name=leak", data.uri_of("trusted", ""));
    // Caches and pools of the process fill.
    (0..400).for_each(|number| one(&uri, number));
    let before = held();
    (0..2000).for_each(|number| one(&uri, number));
    let after = held();
    assert_eq!((before.0, before.1), (after.0, after.1), "threads and files");
    let grown = after.2.saturating_sub(before.2);
    assert!(grown < 4 << 20, "{} KiB more memory after 2,000 reads", grown >> 10);
    assert!(eventually(|| crate::leftovers::connections(&SERVER, "leak") == 0));
}
