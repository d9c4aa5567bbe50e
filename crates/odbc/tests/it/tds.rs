//! FreeTDS, as far as no SQL Server is needed.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use bowshot_core::ErrorKind;

use crate::support::{FREETDS, select, uri};

#[test]
fn dead_host() {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let started = Instant::now();
    let error = select(&uri(FREETDS, port, "sa", "hidden-word", "master"), "SELECT 1").unwrap_err();
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Connect, Some("08S01")), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(10) && !error.to_string().contains("hidden-word"));
}

#[test]
fn wrong_login() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        while let Ok((mut client, _)) = listener.accept() {
            let mut message = [0; 8192];
            // The one connection without a byte ends the test.
            let Ok(1..) = client.read(&mut message) else { return };
            let _ = client.write_all(&refusal());
        }
    });
    let uri = format!("{};TDS_Version=7.0", uri(FREETDS, port, "sa", "wrong", "master"));
    let started = Instant::now();
    let error = select(&uri, "SELECT 1").unwrap_err();
    drop(std::net::TcpStream::connect(("127.0.0.1", port)).unwrap());
    server.join().unwrap();
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Authentication, Some("42000")), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

/// A reply with the error 18456 and the end.
fn refusal() -> Vec<u8> {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let message = "Login failed for user 'sa'.";
    let mut error = 18_456_u32.to_le_bytes().to_vec();
    error.extend([1, 14]);
    error.extend(u16::try_from(message.len()).unwrap().to_le_bytes());
    error.extend(utf16(message));
    // Neither a server nor a procedure has a name; line 1.
    error.extend([0, 0, 1, 0]);
    let mut tokens = vec![0xaa];
    tokens.extend(u16::try_from(error.len()).unwrap().to_le_bytes());
    tokens.extend(error);
    // DONE, with an error.
    tokens.extend([0xfd, 2, 0, 0, 0, 0, 0, 0, 0]);
    let length = u16::try_from(tokens.len() + 8).unwrap().to_be_bytes();
    let mut packet = vec![4, 1, length[0], length[1], 0, 0, 1, 0];
    packet.extend(tokens);
    packet
}
