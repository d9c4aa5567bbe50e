//! The warnings of a read: an answer tells how many there are, and they are asked for behind it.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Notice, Options, Query, Request, Result, Source, Stream};

use super::common::{accounts, connections, server, source};

/// How many rows are read, and what is said meanwhile.
fn read(uri: &str, sql: &str, options: &Options) -> (usize, Cancel) {
    let cancel = Cancel::new();
    let plan = source(uri).plan(&Request::new(Query::new(sql), options.clone()), &cancel).unwrap();
    let batches = Stream::start(plan, options, cancel.clone()).collect::<Result<Vec<_>>>().unwrap();
    (batches.iter().map(RecordBatch::num_rows).sum(), cancel)
}

#[test]
fn warnings_reach_whoever_reads_over_both_protocols() {
    let uri = accounts(server(), "warned", 5000);
    for protocol in ["text", "binary"] {
        let options = Options { protocol: Some(protocol.into()), ..connections(1) };
        let (rows, said) =
            read(&uri, "SELECT id, id + CAST('abc' AS SIGNED) AS n FROM accounts WHERE id <= 3", &options);
        let told: Vec<Notice> = said.notices().take_untold();
        assert_eq!((rows, told.len()), (3, 1), "{protocol}");
        assert!(
            told[0].to_string().starts_with("WARNING: Truncated incorrect INTEGER value: 'abc' (code 1292)"),
            "{}",
            told[0]
        );
        // A server keeps no more than these.
        let (rows, said) = read(&uri, "SELECT id, CAST(CONCAT('x', id) AS SIGNED) AS n FROM accounts", &options);
        assert_eq!((rows, said.notices().all().len()), (5000, 64), "{protocol}");
        // The connection goes on, and what has no warnings says nothing.
        let (rows, said) = read(&uri, "SELECT id FROM accounts", &options);
        assert_eq!((rows, said.notices().all()), (5000, vec![]), "{protocol}");
    }
}

#[test]
fn each_partition_and_the_statements_before_have_their_own() {
    let uri = accounts(server(), "warned_in_parts", 60_000);
    let options = Options { before: vec!["DO CAST('before' AS SIGNED)".into()], ..connections(3) };
    let (rows, said) =
        read(&uri, "SELECT id, CAST(IF(id % 20000 = 1, padding, '1') AS SIGNED) AS n FROM accounts", &options);
    let texts: Vec<_> = said.notices().all().iter().map(|notice| notice.message().to_owned()).collect();
    assert_eq!(rows, 60_000);
    assert!(texts.iter().any(|text| text.contains("'before'")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("'xxxxx")), "{texts:?}");
}
