//! Servers that lie: every answer ends in an error, soon, and nothing panics.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::FalseServer;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::login::read;

/// What becomes of a read whose server answers every message with the next of these.
fn outcome(answers: Vec<Vec<u8>>) -> bowshot_core::Error {
    let server = FalseServer::raw(move |mut client| {
        for answer in &answers {
            let _ = client.read(&mut [0; 4096])?;
            client.write_all(answer)?;
        }
        client.set_read_timeout(Some(Duration::from_millis(500)))?;
        client.read(&mut [0; 4096]).map(|_| ())
    })
    .unwrap();
    let uri = format!("oracle://u:p@127.0.0.1:{}/s?connect_timeout=2", server.port());
    let started = Instant::now();
    let error = read(&uri, "SELECT 1 FROM dual", &Options::default()).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}: {error}", started.elapsed());
    error
}

fn accept(version: u16, flags: u32) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    body.extend([0; 22]);
    body.extend(8192_u32.to_be_bytes());
    body.extend([0; 5]);
    body.extend(flags.to_be_bytes());
    packet(2, &body)
}

fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 8).unwrap().to_be_bytes();
    [&length, [0, 0, kind, 0, 0, 0].as_slice(), body].concat()
}

fn data(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 10).unwrap().to_be_bytes();
    [&length, [6, 0, 0, 0, 0, 0].as_slice(), body].concat()
}

#[test]
fn other_servers_are_no_listeners() {
    for greeting in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".as_slice(),
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"E\0\0\0\x09SERROR\0\0",
        b"\0\0\0\0\0\0\0\0",
        b"\0\x07\0\0\x02\0\0\0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let error = outcome(vec![greeting.to_vec()]);
        let kinds = [ErrorKind::Protocol, ErrorKind::ConnectionLost, ErrorKind::Timeout];
        assert!(kinds.contains(&error.kind()), "{greeting:?}: {error}");
    }
}

#[test]
fn logins_full_of_nonsense_end() {
    let endless = data(&[9; 300]);
    for answer in [
        data(&[]),
        data(&[1]),
        data(&[255; 64]),
        data(&[8, 2, 255, 255]),
        data(&[4, 4, 255, 255, 255, 255]),
        data(&[23, 99]),
        endless,
        vec![255, 255, 255, 255, 6, 0, 0, 0],
        packet(6, &[0, 0, 9, 9]),
    ] {
        outcome(vec![accept(318, 0), answer.clone(), answer.clone(), answer]);
    }
}

#[test]
fn strange_bytes_end_in_errors() {
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let strategy = (any::<bool>(), any::<bool>(), prop::collection::vec(bytes, 1..4));
    runner
        .run(&strategy, |(framed, modern, bodies)| {
            let mut answers = vec![if modern { accept(319, 0x1200_0000) } else { accept(318, 0) }];
            answers.extend(bodies.into_iter().map(|body| if framed { data(&body) } else { body }));
            outcome(answers);
            Ok(())
        })
        .unwrap();
}
