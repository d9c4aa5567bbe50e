//! A list of queries is read in its order, on one snapshot.

use bowshot_core::ErrorKind;

use super::{DATA, plain, same};
use crate::reading::{over, read_list};

#[test]
fn queries_follow_each_other() {
    let queries = [
        "SELECT id, note FROM big WHERE id > 15000",
        "SELECT id, note FROM big WHERE id <= 15000 ORDER BY id DESC",
        "SELECT id, note FROM big WHERE id < 0;",
        "SELECT 1::int8 AS id, 'x' AS note -- one more",
    ];
    let read = read_list(&DATA.uri(), &queries, &over(3)).unwrap();
    assert_eq!((read.partitions, read.reason.as_str()), (4, "they are the given queries"));
    assert!(read.snapshot.is_some());
    same("a list", &read, &queries.map(plain).concat());
    let read = read_list(&DATA.uri(), &queries[..1], &over(1)).unwrap();
    same("a list of one", &read, &plain(queries[0]));
}

#[test]
fn queries_must_be_alike() {
    for (other, part) in [
        ("SELECT id, grp FROM big", "column \"note\""),
        ("SELECT id FROM big", "the number of columns"),
        ("SELECT grp AS id, note FROM big", "column \"id\""),
    ] {
        let error = read_list(&DATA.uri(), &["SELECT id, note FROM big", other], &over(2)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.message().starts_with("query 2 of the list") && error.message().contains(part), "{error}");
    }
    assert_eq!(read_list(&DATA.uri(), &[], &over(2)).unwrap_err().kind(), ErrorKind::Config);
}
