//! What goes wrong in a query, and where it is said.

use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Options, Query, Result, Stream};

use super::mock::{Mock, Reply, Request};
use super::support::{failure, plan, read, texts, uri};
use super::tokens::{self, column, described, done, error, failed, int, numbers, row};

/// Describes one column of numbers, and answers the query with these tokens.
fn answering(answer: impl Fn() -> Reply + Send + Sync + 'static) -> Mock {
    Mock::start(move |request| match request.is_describe() {
        true => Reply::Tokens(tokens::description(&[described("n", 56, "int", 10, 0)])),
        false => answer(),
    })
}

/// Refuses to describe, and answers the query itself with these tokens.
fn undescribed(tokens: Vec<u8>) -> Mock {
    Mock::start(move |request| {
        Reply::Tokens(match request.is_describe() {
            true => failed(11526, 16, 1, "The metadata could not be determined because it uses a temp table."),
            false => tokens.clone(),
        })
    })
}

#[test]
fn errors_have_state_line_and_position() {
    let mock = undescribed(failed(208, 16, 2, "Invalid object name 'ordres'."));
    let error = failure(&uri(mock.port), "SELECT *\nFROM ordres");
    assert_eq!((error.kind(), error.sqlstate(), error.position()), (ErrorKind::Sql, Some("42S02"), Some(15)));
    assert_eq!(error.message(), "the database refused the query: Invalid object name 'ordres'. (error 208, line 2)");
    let mock = undescribed(failed(102, 15, 1, "Incorrect syntax near 'FORM'."));
    let error = failure(&uri(mock.port), "SELECT a FORM t");
    assert_eq!((error.kind(), error.sqlstate(), error.position()), (ErrorKind::Sql, Some("42000"), Some(10)));
    let mock = undescribed(failed(207, 16, 1, "Invalid column name 'x'."));
    assert_eq!(failure(&uri(mock.port), "SELECT x FROM t").sqlstate(), Some("42S22"));
}

#[test]
fn a_query_that_cannot_be_described_is_run() {
    let mock = undescribed(numbers("n", &[1, 2]));
    let plan = plan(&uri(mock.port), Query::new("SELECT n FROM #t"), &Options::default()).unwrap();
    assert_eq!(plan.partitions.len(), 1);
    assert!(plan.reason.contains("running it"), "{}", plan.reason);
    let batches: Vec<_> = Stream::start(plan, &Options::default(), Cancel::new()).collect::<Result<_>>().unwrap();
    assert_eq!(texts(&batches[0], 0), [Some("1".to_owned()), Some("2".to_owned())]);
    // Once: what it does is not done twice.
    assert_eq!(mock.queries().iter().filter(|query| query.sql == "SELECT n FROM #t").count(), 1);
}

#[test]
fn a_deadlock_in_mid_stream_ends_the_result_with_an_error() {
    let head = tokens::columns(&[column("n", tokens::INT)]);
    let rows: Vec<u8> = (0..2000).flat_map(|n| row(&[int(n)])).collect();
    let tail = failed(1205, 13, 1, "Transaction was deadlocked on lock resources with another process.");
    let tokens = [head, rows, tail].concat();
    let mock = answering(move || Reply::Tokens(tokens.clone()));
    let options = Options { batch_bytes: 1024, ..Options::default() };
    let plan = plan(&uri(mock.port), Query::new("SELECT n FROM t"), &options).unwrap();
    let outcomes: Vec<Result<_>> = Stream::start(plan, &options, Cancel::new()).collect();
    let error = outcomes.last().unwrap().as_ref().unwrap_err();
    assert_eq!((error.kind(), error.sqlstate(), error.is_temporary()), (ErrorKind::Sql, Some("40001"), true));
}

#[test]
fn other_failures_have_their_kinds() {
    let of = |number, class, message: &'static str| {
        let mock = answering(move || Reply::Tokens(failed(number, class, 1, message)));
        failure(&uri(mock.port), "SELECT n FROM t")
    };
    assert_eq!(of(1222, 16, "Lock request time out period exceeded.").kind(), ErrorKind::Timeout);
    assert_eq!(of(8134, 16, "Divide by zero error encountered.").sqlstate(), Some("22012"));
    assert_eq!(
        of(596, 21, "Cannot continue the execution because the session is in the kill state.").kind(),
        ErrorKind::ConnectionLost
    );
    assert_eq!(of(3961, 16, "Snapshot isolation transaction failed: the table was altered.").sqlstate(), Some("40001"));
}

#[test]
fn a_connection_that_breaks_is_no_end() {
    let head = [tokens::columns(&[column("n", tokens::INT)]), row(&[int(1)])].concat();
    let half = [head.clone(), vec![0xD1, 4, 0]].concat();
    for tokens in [head.clone(), half, Vec::new()] {
        let mock = answering(move || Reply::HangUp(tokens.clone()));
        let start = Instant::now();
        let error = failure(&uri(mock.port), "SELECT n FROM t");
        assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
        assert!(start.elapsed() < Duration::from_secs(3));
    }
    // It said why, before it went.
    let why = [head, error(6005, 14, 1, "SHUTDOWN is in progress.")].concat();
    let mock = answering(move || Reply::HangUp(why.clone()));
    let error = failure(&uri(mock.port), "SELECT n FROM t");
    assert_eq!(error.kind(), ErrorKind::ConnectionLost);
    assert!(error.message().contains("SHUTDOWN"), "{error}");
}

/// The source, with the user's word for procedures.
fn calling(port: u16) -> String {
    let uri = uri(port);
    format!("{uri}{}calls=allow", if uri.contains('?') { '&' } else { '?' })
}

#[test]
fn only_one_result_is_read() {
    let two =
        [tokens::columns(&[column("n", tokens::INT)]), row(&[int(1)]), tokens::done_with(0x11), numbers("m", &[2])]
            .concat();
    let mock = answering(move || Reply::Tokens(two.clone()));
    let error = failure(&calling(mock.port), "EXEC two");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    // Statements before it that return nothing do not count.
    let quiet = [tokens::done_with(0x01), tokens::info("careful"), numbers("n", &[3])].concat();
    let mock = answering(move || Reply::Tokens(quiet.clone()));
    let batch = read(&calling(mock.port), "DECLARE @n int = 3; SELECT @n", &Options::default()).unwrap();
    assert_eq!(texts(&batch, 0), [Some("3".to_owned())]);
    // Nothing at all.
    let mock = Mock::start(|request: &Request| {
        Reply::Tokens(if request.is_describe() { tokens::description(&[]) } else { done() })
    });
    let error = failure(&calling(mock.port), "EXEC nothing");
    assert!(error.message().contains("returns no rows"), "{error}");
    // And it was never run.
    assert!(mock.queries().iter().all(Request::is_describe));
}

#[test]
fn a_result_must_be_the_one_that_was_planned() {
    let mock = answering(|| {
        let other = [tokens::columns(&[column("n", tokens::NVARCHAR)]), row(&[tokens::nvarchar("x")]), done()].concat();
        Reply::Tokens(other)
    });
    let error = failure(&uri(mock.port), "SELECT n FROM t");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Sql, Some("n")));
    assert!(error.message().contains("is nvarchar and not int"), "{error}");
}

#[test]
fn protocols_and_statements_before() {
    let options = Options { protocol: Some("binary".into()), ..Options::default() };
    let error = read("mssql://u:p@127.0.0.1:1/d", "SELECT 1", &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("tds"), "{error}");
    let mock = Mock::start(|request: &Request| {
        Reply::Tokens(match request.sql.as_str() {
            "SET LOCK_TIMEUOT 1" => failed(102, 15, 1, "Incorrect syntax near 'LOCK_TIMEUOT'."),
            _ => done(),
        })
    });
    let options = Options { before: vec!["SET LOCK_TIMEUOT 1".into()], ..Options::default() };
    let error = read(&uri(mock.port), "SELECT 1", &options).unwrap_err();
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("42000")));
}
