//! Partitioned tables and inheritance split into what is scanned for them.

use super::{splits, stays_whole, unsplit};

#[test]
fn every_partition_is_read_once() {
    let read = splits("SELECT id, grp, left(note, 9) FROM parted");
    assert!(read.partitions >= 4, "at least one a leaf");
    splits("SELECT * FROM parted WHERE note LIKE '%7x%'");
    splits("SELECT kind, id, note FROM listed");
    super::splits_in_any_order("SELECT p.id, s.name FROM parted p JOIN small s USING (grp)");
}

#[test]
fn pruned_partitions_are_not_read() {
    let read = splits("SELECT id, note FROM listed WHERE kind IS NULL OR kind NOT IN ('a', 'b', 'z')");
    assert_eq!(read.count(), 20_000);
    stays_whole("SELECT id, note FROM parted WHERE id < 100", "parted has only");
    stays_whole("SELECT id, note FROM listed WHERE kind = 'z'", "listed has only 0 pages");
    stays_whole("SELECT id FROM listed WHERE kind = 'a' AND kind = 'b'", "the server does not read listed");
}

#[test]
fn heirs_are_read_with_their_parents() {
    splits("SELECT id, note FROM parent");
    splits("SELECT * FROM parent WHERE id % 2 = 0");
    stays_whole("SELECT id, extra FROM other_parent", "other_parent has only");
    unsplit("SELECT id, note FROM ONLY parent", "ONLY");
    stays_whole("SELECT id, note FROM ONLY parent", "ONLY");
}
