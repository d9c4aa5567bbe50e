//! One table in every state that a table can be in.

use bowshot_core::Options;

use super::{DATA, read_by, splits, stays_whole};
use crate::reading::{over, read};

#[test]
fn size_decides() {
    splits("SELECT id, grp, price, day, note FROM big");
    stays_whole("SELECT grp, name FROM small", "small has only 1 pages");
    stays_whole("SELECT id, note FROM empty", "empty has only 0 pages");
    let read = read_by(&over(1), "SELECT id FROM big");
    assert_eq!((read.partitions, read.reason.as_str()), (1, "one connection reads it"));
    let single = Options { partitioning: bowshot_core::Partitioning::Single, ..over(4) };
    assert_eq!(read_by(&single, "SELECT id FROM big").reason, "the user asks for one");
}

#[test]
fn filters_and_expressions_split() {
    splits(
        "SELECT id, grp + 1 AS g, upper(left(note, 7)), (price * 2)::numeric(14, 2), CASE WHEN grp > 9 THEN 'a' END FROM big",
    );
    splits("SELECT id FROM big WHERE price > 1000 AND note LIKE '%77x%'");
    splits("SELECT id FROM big WHERE NOT (grp = 3)");
    splits("SELECT 1 AS one FROM big WHERE day BETWEEN '2020-02-01' AND '2020-05-31' -- no more\n;");
    let nothing = read_by(&over(4), "SELECT FROM big");
    assert!(nothing.partitions > 1 && nothing.count() == 20_000 && nothing.batches[0].num_columns() == 0);
    assert_eq!(splits("SELECT * FROM big WHERE grp < 0 OR price < 0").count(), 0);
}

#[test]
fn an_index_is_kept() {
    stays_whole("SELECT id, note FROM big WHERE id = 77", "the server reads big by its index scan");
    stays_whole("SELECT id FROM big WHERE id BETWEEN 5 AND 20", "by its index only scan");
}

#[test]
fn every_page_is_found_wherever_rows_lie() {
    splits("SELECT id, note FROM bloated");
    assert_eq!(splits("SELECT id, note FROM hollow").count(), 50);
    splits("SELECT * FROM unlogged");
    splits("SELECT id, note FROM unanalysed WHERE grp > 5");
    splits("SELECT * FROM big_copy");
    splits("SELECT id, left(note, 9), doubled, late, value FROM wide");
    splits("SELECT * FROM wide");
}

#[test]
fn a_temporary_table_is_no_other_connections() {
    let options = Options { before: vec!["CREATE TEMP TABLE big AS SELECT 7 AS id".into()], ..over(4) };
    let read = read(&DATA.uri(), "SELECT id FROM big", &options).unwrap();
    assert_eq!(read.rows(), ["7"]);
    assert!(read.reason.contains("is temporary, so other connections cannot see it"), "{}", read.reason);
}

#[test]
fn extended_protocol_and_cursors_split_alike() {
    for protocol in ["extended", "cursor"] {
        let options = Options { protocol: Some(protocol.into()), ..over(4) };
        let read = read_by(&options, "SELECT id, price, note FROM big");
        assert!(read.partitions > 1);
        super::same(protocol, &read, &super::plain("SELECT id, price, note FROM big"));
    }
}
