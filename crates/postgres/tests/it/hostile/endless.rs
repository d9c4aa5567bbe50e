//! A server that never comes to an end.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind, Query, Request, Result, Source, Stream};
use bowshot_testkit::{FalseServer, message};

use super::recording::record;
use crate::leftovers::{alone, memory};
use crate::reading::over;

const SQL: &str = "SELECT id FROM big LIMIT 10";

/// Sends `before`, then the same block for ever.
fn endless(before: Vec<u8>, block: Vec<u8>) -> FalseServer {
    let block = Arc::new(block.repeat((64 << 10) / block.len() + 1));
    FalseServer::raw(move |mut client| {
        let mut request = [0; 8];
        client.read_exact(&mut request)?;
        if request[4..] == 80_877_102_u32.to_be_bytes() {
            return Ok(());
        }
        client.write_all(&before)?;
        loop {
            client.write_all(&block)?;
        }
    })
    .unwrap()
}

/// Reads until it ends by itself or is cancelled after a second; the latter must work at once.
fn outcome(server: &FalseServer) -> Result<usize> {
    let cancel = Cancel::new();
    let stopper = {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            cancel.cancel();
        })
    };
    let uri = format!("postgresql://trusted@127.0.0.1:{}/hostile?sslmode=disable", server.port());
    let started = Instant::now();
    let request = Request::new(Query::new(SQL), over(1));
    let plan = bowshot_postgres::Postgres::from_uri(&uri)?.plan(&request, &cancel);
    let outcome =
        plan.and_then(|plan| Stream::start(plan, &request.options, cancel).map(|batch| Ok(batch?.num_rows())).sum());
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    stopper.join().unwrap();
    outcome
}

#[test]
fn endless_answers_take_no_memory_and_can_be_cancelled() {
    if !alone("hostile::endless::endless_answers_take_no_memory_and_can_be_cancelled") {
        return;
    }
    let recorded = record(SQL, &over(1)).remove(0);
    let login = {
        let places = super::recording::messages(&recorded);
        let ready = places.iter().find(|place| recorded[place.start] == b'Z').unwrap();
        recorded[..ready.end].to_vec()
    };
    let copy_begins = {
        let places = super::recording::messages(&recorded);
        let first = places.iter().find(|place| recorded[place.start] == b'd').unwrap();
        recorded[..first.end].to_vec()
    };
    let row = message(b'D', &[0, 1, 0, 0, 0, 4, b't', b'e', b'x', b't']);
    let field = [b"name\0".as_slice(), &[0; 18]].concat();
    let wide = message(b'T', &[[0x7f, 0xff].as_slice(), &field.repeat(32_767)].concat());
    for (before, block) in [
        (Vec::new(), message(b'N', b"SNOTICE\0Mbla\0\0")),
        (login.clone(), message(b'N', b"SNOTICE\0Mbla\0\0")),
        (login.clone(), message(b'S', b"name\0value\0")),
        (login.clone(), message(b'A', &[0; 100])),
        (login.clone(), message(b'C', b"SELECT 1\0")),
        (login.clone(), message(b'E', b"SERROR\0C42601\0Mno\0\0")),
        (login.clone(), row),
        (login, wide),
        (copy_begins.clone(), message(b'N', b"SNOTICE\0Mbla\0\0")),
        (copy_begins.clone(), message(b'C', b"COPY 1\0")),
        (copy_begins, message(b'd', &[0, 1, 0, 0, 0, 4, 0, 0, 0, 7])),
    ] {
        let tag = char::from(block[0]);
        let held = memory("VmHWM");
        let server = endless(before, block);
        let error = outcome(&server).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Protocol | ErrorKind::Sql),
            "{tag}: {:?} {error}",
            error.kind()
        );
        let grown = memory("VmHWM").saturating_sub(held);
        assert!(grown < 100 << 20, "{tag}: {} MiB", grown >> 20);
    }
}

#[test]
fn a_server_that_falls_silent_can_be_left() {
    let recorded = record(SQL, &over(1)).remove(0);
    for part in [0, recorded.len() / 3, recorded.len() - 30] {
        let script = recorded[..part].to_vec();
        let server = FalseServer::raw(move |mut client| {
            let mut request = [0; 8];
            client.read_exact(&mut request)?;
            if request[4..] != 80_877_102_u32.to_be_bytes() {
                client.write_all(&script)?;
            }
            std::io::copy(&mut client, &mut std::io::sink()).map(|_| ())
        })
        .unwrap();
        assert_eq!(outcome(&server).unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
