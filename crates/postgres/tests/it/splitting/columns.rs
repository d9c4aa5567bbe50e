//! Partitions by a column: every row in exactly one of them.

use bowshot_core::ErrorKind;

use super::{DATA, plain, read_by};
use crate::reading::{Read, by, read, refused};

/// All rows of `keys`, in ranges of this column.
#[track_caller]
fn complete(column: &str, count: usize) -> Read {
    let sql = format!("SELECT id, {column}::text AS shown, {column} AS part FROM keys");
    let options = bowshot_core::Options { infinity: bowshot_core::Impossible::Null, ..by("part", count, None) };
    // NaN and infinity have no place in decimals, and this is not about values.
    let options =
        bowshot_core::Options { types: [("part".to_owned(), arrow_schema::DataType::Utf8)].into(), ..options };
    let read = read_by(&options, &sql);
    let first_two = |row: String| row.rsplitn(2, '|').last().unwrap_or_default().to_owned();
    let mut ours: Vec<String> = read.rows().into_iter().map(first_two).collect();
    let mut theirs: Vec<String> = plain(&sql).into_iter().map(first_two).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    assert!(ours == theirs, "{column}: {} rows, and {} in psql", ours.len(), theirs.len());
    read
}

#[test]
fn numbers_dates_and_times_are_complete() {
    for column in [
        "small",
        "middle",
        "whole",
        "double",
        "single",
        "number",
        "wide_number",
        "day",
        "moment",
        "instant",
        "edge",
        "skewed",
    ] {
        for count in [1, 2, 7] {
            let read = complete(column, count);
            assert_eq!(read.partitions, count + 1, "{column} and its NULLs");
            assert!(read.reason.contains("the user splits it by part"));
            assert!(read.snapshot.is_some());
        }
    }
}

#[test]
fn what_has_no_range_is_read_whole() {
    assert_eq!(complete("nothing", 3).partitions, 1);
    complete("huge_number", 3);
    let read = read_by(&by("id", 3, None), "SELECT id FROM empty");
    assert_eq!((read.count(), read.partitions), (0, 1));
}

#[test]
fn ranges_balance() {
    let read = read_by(&by("id", 4, None), "SELECT id FROM keys");
    let first: Vec<String> = read.rows().into_iter().take(250).collect();
    assert_eq!(first, plain("SELECT id FROM keys WHERE id <= 250"));
}

#[test]
fn more_ranges_than_values_are_not_made() {
    let read = read_by(&by("g", 1000, None), "SELECT grp % 3 AS g FROM small");
    assert_eq!((read.partitions, read.count()), (4, 91));
}

#[test]
fn a_given_range_is_all_that_is_read() {
    let read = read_by(&by("id", 3, Some((10, 19))), "SELECT id FROM keys");
    assert_eq!(read.rows(), plain("SELECT id FROM keys WHERE id BETWEEN 10 AND 19"));
    let read = read_by(&by("whole", 5, Some((i64::MIN, i64::MAX))), "SELECT whole FROM keys");
    assert_eq!(read.count(), 999, "all but NULL");
    let read = read_by(&by("double", 2, Some((0, 5))), "SELECT double FROM keys");
    let mut rows = read.rows();
    rows.sort_unstable();
    let mut expected = plain("SELECT double FROM keys WHERE double BETWEEN 0 AND 5");
    expected.sort_unstable();
    assert_eq!(rows.len(), expected.len());
    let error = refused(&DATA.uri(), "SELECT id FROM keys", &by("id", 3, Some((5, 4))));
    assert_eq!(error.kind(), ErrorKind::Config, "{error}");
}

#[test]
fn columns_that_cannot_be_cut_are_named() {
    for (column, part) in [
        ("missing", "is not in the result"),
        ("twice", "is in the result more than once"),
        ("words", "is neither a number nor a date"),
    ] {
        let error = refused(&DATA.uri(), "SELECT id AS twice, id AS twice, words FROM keys", &by(column, 3, None));
        assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some(column)));
        assert!(error.message().contains(part), "{error}");
    }
}

#[test]
fn any_query_can_be_cut() {
    for sql in [
        "SELECT grp AS key, count(*) AS n FROM big GROUP BY grp",
        "WITH b AS (SELECT id AS key FROM big) SELECT key FROM b -- remark",
        "SELECT id AS key FROM big UNION ALL SELECT -id FROM big",
        "SELECT b.id AS key, s.name FROM big b LEFT JOIN small s USING (grp);",
        "SELECT id AS \"key\", 'it''s' AS \"o\"\"k\" FROM parted",
    ] {
        let read = read(&DATA.uri(), sql, &by("key", 3, None)).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let (mut ours, mut theirs) = (read.rows(), plain(sql));
        ours.sort_unstable();
        theirs.sort_unstable();
        assert!(ours == theirs, "{sql}");
        assert_eq!(read.partitions, 4);
    }
}
