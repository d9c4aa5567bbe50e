//! A server that lies: whatever it sends, there is an error in the end, in time, and without a panic.

use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options, Result};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::mock::{Mock, Reply};
use super::support::{read, uri};
use super::tokens::{self, column, described, done, int, nvarchar, row};

/// Describes a number and a text, and answers the query so.
fn read_from(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Result<usize> {
    let mock = Mock::start(move |request| match request.is_describe() {
        true => Reply::Tokens(tokens::description(&[
            described("n", 56, "int", 10, 0),
            described("t", 231, "nvarchar(128)", 0, 0),
        ])),
        false => reply(),
    });
    let start = Instant::now();
    let outcome = read(&uri(mock.port), "SELECT n, t FROM t", &Options::default()).map(|batch| batch.num_rows());
    assert!(start.elapsed() < Duration::from_secs(8));
    outcome
}

fn result() -> Vec<u8> {
    let head = tokens::columns(&[column("n", tokens::INT), column("t", tokens::NVARCHAR)]);
    [head, row(&[int(1), nvarchar("a")]), row(&[int(2), nvarchar("ä")]), done()].concat()
}

#[test]
fn a_result_that_is_cut_anywhere_is_an_error() {
    assert_eq!(read_from(|| Reply::Tokens(result())).unwrap(), 2);
    for length in 0..result().len() {
        let error = read_from(move || Reply::Tokens(result()[..length].to_vec())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "cut at {length}: {error}");
    }
}

#[test]
fn what_is_no_token_is_an_error() {
    let head = tokens::columns(&[column("n", tokens::INT), column("t", tokens::NVARCHAR)]);
    let wrong = |bytes: &[u8]| {
        let tokens = [head.clone(), bytes.to_vec(), done()].concat();
        read_from(move || Reply::Tokens(tokens.clone())).unwrap_err()
    };
    for bytes in [
        &[0x00][..],
        // A number of three bytes, text of an odd number of them.
        &[0xD1, 3, 0, 0, 0, 0, 0],
        &[0xD1, 4, 0, 0, 0, 0, 1, 0, 65],
        // An error that is cut off, packets of no length, a failure without an error.
        &[0xAA, 2, 0, 1, 1],
        &[0xE3, 4, 0, 4, 1, b'x', 0],
        &[0xFD, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        // An attention that nobody asked for.
        &[0xFD, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        // The end, and then more.
        &[0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xD1],
    ] {
        let error = wrong(bytes);
        assert!(matches!(error.kind(), ErrorKind::Protocol | ErrorKind::Value), "{bytes:02X?}: {error:?}");
    }
    for type_info in [&[0x99][..], &[0x26, 3], &[0x6A, 17, 39, 0], &[0x6A, 5, 2, 3], &[0x2A, 8], &[0x24, 15], &[0xF3]] {
        let tokens = tokens::columns(&[column("n", type_info), column("t", tokens::NVARCHAR)]);
        let error = read_from(move || Reply::Tokens(tokens.clone())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{type_info:02X?}: {error}");
    }
    // Rows before their columns, a column too many.
    let error = read_from(|| Reply::Tokens([row(&[int(1)]), done()].concat())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    let error = read_from(|| Reply::Tokens(tokens::numbers("n", &[1]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql);
}

#[test]
fn what_is_no_packet_is_an_error() {
    for bytes in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        vec![4, 1, 0, 7, 0, 0, 1, 0],
        vec![4, 1, 0, 0, 0, 0, 1, 0],
        vec![0xFF; 64],
    ] {
        let error = read_from(move || Reply::Raw(bytes.clone())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    }
}

#[test]
fn a_column_that_cannot_be_null_is_not() {
    let mock = Mock::start(|request| {
        let mut one = described("n", 56, "int", 10, 0);
        one.nullable = false;
        let tokens = [tokens::columns(&[column("n", tokens::INT)]), row(&[vec![0]]), done()].concat();
        Reply::Tokens(if request.is_describe() { tokens::description(&[one]) } else { tokens })
    });
    let error = read(&uri(mock.port), "SELECT n FROM t", &Options::default()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Protocol, Some("n")));
}

#[test]
fn any_change_of_the_bytes_is_an_error_or_another_result() {
    let mut runner = TestRunner::new(Config { cases: 150, ..Config::default() });
    let length = result().len();
    let changes = proptest::collection::vec((0..length, any::<u8>()), 1..4);
    runner
        .run(&changes, |changes| {
            let mut bytes = result();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            // It ends, whatever it is.
            let _ = read_from(move || Reply::Tokens(bytes.clone()));
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_bytes_end_in_an_error() {
    let mut runner = TestRunner::new(Config { cases: 100, ..Config::default() });
    runner
        .run(&proptest::collection::vec(any::<u8>(), 0..300), |bytes| {
            let head = tokens::columns(&[column("n", tokens::INT), column("t", tokens::NVARCHAR)]);
            let tokens = [head, bytes].concat();
            let _ = read_from(move || Reply::Tokens(tokens.clone()));
            Ok(())
        })
        .unwrap();
}
