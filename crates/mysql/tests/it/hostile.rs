//! Servers that lie: what a real one said, with changed bytes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bowshot_testkit::FalseServer;

use super::common::{accounts, connections, read, server};

const SQL: &str = "SELECT id, balance, padding, NULL AS n, 1.50 AS d, '2024-01-02' + INTERVAL 1 DAY AS t FROM accounts";

/// The client's next packet, whole, since header and body may arrive apart.
fn packet(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut packet = vec![0; 4];
    client.read_exact(&mut packet)?;
    let length = u32::from_le_bytes([packet[0], packet[1], packet[2], 0]);
    client.take(u64::from(length)).read_to_end(&mut packet)?;
    Ok(packet)
}

/// Everything that the server says in one read, answer by answer: what it sends before the client speaks again.
fn recording(uri: &str, port: u16) -> Vec<Vec<u8>> {
    let answers = Arc::new(Mutex::new(vec![Vec::new()]));
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let here = listener.local_addr().unwrap().port();
    let kept = Arc::clone(&answers);
    let relay = std::thread::spawn(move || -> io::Result<()> {
        let (mut client, _) = listener.accept()?;
        let mut real = TcpStream::connect(("127.0.0.1", port))?;
        let (mut answering, mut answered) = (real.try_clone()?, client.try_clone()?);
        let said = Arc::clone(&kept);
        let back = std::thread::spawn(move || -> io::Result<()> {
            let mut buffer = vec![0; 1 << 20];
            loop {
                let count = answering.read(&mut buffer)?;
                if count == 0 {
                    return Ok(());
                }
                said.lock().unwrap().last_mut().unwrap().extend_from_slice(&buffer[..count]);
                answered.write_all(&buffer[..count])?;
            }
        });
        while let Ok(packet) = packet(&mut client) {
            kept.lock().unwrap().push(Vec::new());
            real.write_all(&packet)?;
        }
        real.shutdown(Shutdown::Both)?;
        let _ = back.join().unwrap();
        Ok(())
    });
    // MariaDB 11.4 encrypts without being told to.
    let uri = format!("{}?ssl-mode=DISABLED", uri.replace(&format!(":{port}/"), &format!(":{here}/")));
    read(&uri, SQL, &connections(1)).unwrap();
    let _ = relay.join().unwrap();
    Arc::into_inner(answers).unwrap().into_inner().unwrap()
}

/// Says the answers one after the other, each when the client has said something, for which it is given `patience`:
/// who waits for bytes that were cut off gets the end after it.
fn replay(answers: Vec<Vec<u8>>, patience: Duration) -> FalseServer {
    FalseServer::raw(move |mut client: TcpStream| {
        client.set_read_timeout(Some(patience))?;
        for answer in &answers {
            client.write_all(answer)?;
            packet(&mut client)?;
        }
        Ok(())
    })
    .unwrap()
}

#[test]
fn changed_bytes_are_errors_or_values_but_never_a_panic_or_a_wait() {
    let uri = accounts(server(), "hostile", 300);
    let answers = recording(&uri, server().port());
    let length: usize = answers.iter().map(Vec::len).sum();
    assert!(answers.len() > 3 && length > 1000);
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % u64::try_from(below).unwrap()).unwrap()
    };
    let mut failures = 0;
    for round in 0..150 {
        let mut lies = answers.clone();
        // Mostly the short answers: they hold what all else depends on.
        let place = next(lies.len());
        let answer = &mut lies[place];
        if answer.is_empty() {
            continue;
        }
        let near = answer.len().min(200);
        match round % 3 {
            0 => answer[next(near)] ^= 1 << next(8),
            1 => answer.truncate(next(near)),
            _ => {
                let (at, byte) = (next(near), u8::try_from(next(256)).unwrap());
                answer.insert(at, byte);
            }
        }
        let liar = replay(lies, Duration::from_millis(150));
        let uri = format!("mysql://root:bowshot@127.0.0.1:{}/hostile?ssl-mode=DISABLED&connect_timeout=2", liar.port());
        let started = Instant::now();
        failures += usize::from(read(&uri, SQL, &connections(1)).is_err());
        assert!(started.elapsed() < Duration::from_secs(20), "round {round} took {:?}", started.elapsed());
    }
    assert!(failures > 50, "only {failures} lies were found out");
}

/// Where the packets of an answer begin and end.
fn packets(answer: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    while let Some(&[a, b, c, _]) = answer.get(at..at + 4) {
        let end = at + 4 + usize::from(a) + (usize::from(b) << 8) + (usize::from(c) << 16);
        found.push(at..end);
        at = end;
    }
    found
}

#[test]
fn warnings_and_changes_of_the_session_change_no_row() {
    let uri = accounts(server(), "hostile_warnings", 300);
    let answers = recording(&uri, server().port());
    let rows = |answers: Vec<Vec<u8>>| {
        let liar = replay(answers, Duration::from_secs(20));
        let uri = format!("mysql://root:bowshot@127.0.0.1:{}/hostile?ssl-mode=DISABLED&connect_timeout=2", liar.port());
        read(&uri, SQL, &connections(1)).map(|batches| batches.iter().map(|batch| batch.num_rows()).sum::<usize>())
    };
    assert_eq!(rows(answers.clone()).unwrap(), 300);
    // The packet that ends the rows tells of warnings, which the server then does not tell.
    let read = answers.iter().position(|answer| answer.len() > 10_000).unwrap();
    for count in [1_u16, 64, u16::MAX] {
        let mut warned = answers.clone();
        let end = packets(&warned[read]).pop().unwrap();
        assert_eq!(warned[read][end.start + 4], 0xFE);
        warned[read][end.start + 9..end.start + 11].copy_from_slice(&count.to_le_bytes());
        // An OK packet, and no warning in it, is what who asks for them gets.
        warned.insert(read + 1, vec![7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(rows(warned).unwrap(), 300, "{count} warnings");
    }
    // What a server tracks of a session stands behind all else in its OK packets, short or long.
    for (place, answer) in answers.iter().enumerate() {
        let places = packets(answer);
        let [only] = &places[..] else { continue };
        if answer[only.start + 4] != 0 || place < 2 {
            continue;
        }
        for length in [1_usize, 250, 40_000] {
            let mut tracked = answers.clone();
            tracked[place].extend(vec![b'x'; length]);
            let size = u32::try_from(tracked[place].len() - 4).unwrap().to_le_bytes();
            tracked[place][..3].copy_from_slice(&size[..3]);
            assert_eq!(rows(tracked).unwrap(), 300, "{length} bytes in answer {place}");
        }
    }
}
