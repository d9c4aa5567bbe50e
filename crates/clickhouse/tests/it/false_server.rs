//! Servers that misbehave, or are newer than the one that runs here: what they send is written down.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use bowshot_core::{ErrorKind, Options, Result};

use crate::common::{cells, read};

/// A column of a block: its name, its type, and its values as bytes.
type Column<'a> = (&'a str, &'a str, &'a [u8]);

fn text(text: &str) -> Vec<u8> {
    [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
}

pub fn block(rows: u8, columns: &[Column<'_>]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(columns.len()).unwrap(), rows];
    for (name, kind, values) in columns {
        bytes.extend([text(name), text(kind), values.to_vec()].concat());
    }
    bytes
}

/// What the server sends after the head: chunks, and whether the last one is followed by the end.
pub struct Answer {
    pub head: &'static str,
    pub chunks: Vec<Vec<u8>>,
    pub whole: bool,
}

/// A server that lets everybody in, describes these columns, and then answers so. Its URI.
pub fn serve(described: &[(&str, &str)], answer: Answer) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let uri = format!("clickhouse://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let names: Vec<u8> = described.iter().flat_map(|(name, _)| text(name)).collect();
    let kinds: Vec<u8> = described.iter().flat_map(|(_, kind)| text(kind)).collect();
    let rows = u8::try_from(described.len()).unwrap();
    let description = block(rows, &[("name", "String", &names), ("type", "String", &kinds)]);
    std::thread::spawn(move || {
        let facts = block(1, &[("name", "String", &text("the time zone")), ("value", "String", &text("UTC"))]);
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            while let Some(request) = request(&mut stream) {
                if request.contains("system.settings") {
                    send(&mut stream, "", std::slice::from_ref(&facts), true);
                } else if request.contains("DESCRIBE") {
                    send(&mut stream, "", std::slice::from_ref(&description), true);
                } else if !request.contains("KILL") {
                    send(&mut stream, answer.head, &answer.chunks, answer.whole);
                    if !answer.whole {
                        break;
                    }
                }
            }
        }
    });
    uri
}

/// A request, whole; `None` at the end of the connection.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut some = [0; 4096];
        let count = stream.read(&mut some).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&some[..count]);
        let so_far = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = so_far.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            return Some(so_far);
        }
    }
}

fn send(stream: &mut TcpStream, head: &str, chunks: &[Vec<u8>], whole: bool) {
    let mut bytes = format!("HTTP/1.1 200 OK\r\n{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for chunk in chunks {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend(b"\r\n");
    }
    if whole {
        bytes.extend(b"0\r\n\r\n");
    }
    // Whoever is gone does not hear it.
    let _ = stream.write_all(&bytes);
}

fn answered(described: &[(&str, &str)], chunks: Vec<Vec<u8>>, whole: bool) -> Result<Vec<Vec<String>>> {
    let uri = serve(described, Answer { head: "", chunks, whole });
    read(&uri, "SELECT x", &Options::default()).map(|batches| cells(&batches))
}

const ONE: &[(&str, &str)] = &[("a", "UInt8")];

#[test]
fn blocks_may_be_cut_anywhere() {
    let bytes =
        [block(3, &[("a", "UInt8", &[1, 2, 3])]), block(0, &[("a", "UInt8", &[])]), block(1, &[("a", "UInt8", &[4])])];
    let chunks = bytes.concat().into_iter().map(|byte| vec![byte]).collect();
    assert_eq!(answered(ONE, chunks, true).unwrap(), [["1"], ["2"], ["3"], ["4"]]);
}

#[test]
fn exceptions_of_new_servers_are_errors() {
    let rows = block(2, &[("a", "UInt8", &[1, 2])]);
    let message = "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) (version 25.11.1.1 (official build))\n";
    let tag = "abcdefghijklmnop";
    let tagged = format!("\r\n__exception__\r\n{tag}\r\n{message}{} {tag}\r\n__exception__\r\n", message.len());
    for (head, exception) in [("", message.to_owned()), ("X-ClickHouse-Exception-Tag: abcdefghijklmnop\r\n", tagged)] {
        let whole = [rows.clone(), exception.clone().into_bytes()].concat();
        // In chunks of its own, with the rows, and cut in its middle; with the end of the answer, and without.
        let cut = whole.len() - 20;
        for chunks in [
            vec![whole.clone()],
            vec![rows.clone(), exception.clone().into_bytes()],
            vec![whole[..cut].to_vec(), whole[cut..].to_vec()],
        ] {
            for ends in [true, false] {
                let uri = serve(ONE, Answer { head, chunks: chunks.clone(), whole: ends });
                let error = read(&uri, "SELECT x", &Options::default()).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Sql, "{error:?}");
                assert!(error.message().contains("throwIf") && error.message().contains("code 395"), "{error}");
            }
        }
    }
}

#[test]
fn an_exception_in_the_middle_of_a_block_is_an_error() {
    let mut bytes = block(200, &[("a", "UInt8", &[7; 20])]);
    bytes.extend(b"Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 25.1)\n");
    let error = answered(ONE, vec![bytes], true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql, "{error:?}");
    assert!(error.message().contains("Memory limit"), "{error}");
}

#[test]
fn half_answers_are_errors() {
    let rows = block(4, &[("a", "UInt8", &[1, 2, 3, 4])]);
    for (chunks, whole) in
        [(vec![rows.clone()], false), (vec![rows[..rows.len() - 1].to_vec()], true), (vec![rows[..4].to_vec()], true)]
    {
        let error = answered(ONE, chunks, whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error:?}");
    }
}

#[test]
fn other_columns_than_described_are_refused() {
    for other in [("b", "UInt8"), ("a", "UInt16"), ("a", "Nullable(UInt8)"), ("a", "no type(")] {
        let error = answered(ONE, vec![block(1, &[(other.0, other.1, &[1, 0])])], true).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Protocol | ErrorKind::Unsupported), "{error:?}");
    }
    let error = answered(ONE, vec![block(1, &[("a", "UInt8", &[1]), ("b", "UInt8", &[1])])], true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error:?}");
}

#[test]
fn what_is_no_clickhouse_is_said_so() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let uri = format!("clickhouse://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = request(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>hi</html>");
        }
    });
    assert_eq!(read(&uri, "SELECT 1", &Options::default()).unwrap_err().kind(), ErrorKind::Protocol);
}

#[test]
fn compressed_answers_are_read_and_damaged_ones_refused() {
    // A hundred rows of 7 as one frame of LZ4, made with pyarrow.
    let frame = [
        4, 34, 77, 24, 96, 64, 130, 21, 0, 0, 0, 191, 1, 100, 1, 97, 5, 85, 73, 110, 116, 56, 7, 1, 0, 75, 80, 7, 7, 7,
        7, 7, 0, 0, 0, 0,
    ];
    let read_frame = |bytes: &[u8]| {
        let answer = Answer { head: "Content-Encoding: lz4\r\n", chunks: vec![bytes.to_vec()], whole: true };
        read(&format!("{}?compression=lz4", serve(ONE, answer)), "SELECT x", &Options::default())
    };
    assert_eq!(cells(&read_frame(&frame).unwrap()), vec![["7"]; 100]);
    assert!(read_frame(&frame[..frame.len() - 12]).is_err());
    let mut damaged = frame;
    damaged[12] ^= 0x40;
    assert!(read_frame(&damaged).is_err());
}
