use std::io::{Read, Write};

use bowshot_testkit::{FalseServer, message};

use super::*;

/// What a query gets from a server that answers it with these bytes and hangs up.
fn answered(script: &[u8]) -> Result<Vec<Vec<Option<String>>>> {
    let server = FalseServer::start(script.to_vec()).unwrap();
    open(&server.uri())?.query("SELECT 1")
}

/// What a login gets.
fn greeted(script: Vec<u8>) -> Error {
    let server = FalseServer::raw(move |mut client| {
        let _ = client.read(&mut [0; 1024])?;
        client.write_all(&script)
    })
    .unwrap();
    open(&format!("{}?sslmode=disable&password=secret", server.uri())).err().unwrap()
}

#[test]
fn answers_that_make_no_sense_are_errors() {
    let lost = ErrorKind::ConnectionLost;
    let protocol = ErrorKind::Protocol;
    let huge = [b"D\x3f\xff\xff\xff".as_slice(), &[0; 100]].concat();
    for (script, kind) in [
        (b"".to_vec(), lost),
        (b"D\0\0".to_vec(), lost),
        (huge, lost),
        (b"D\0\0\0\x03".to_vec(), protocol),
        (b"D\xff\xff\xff\xff".to_vec(), protocol),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), protocol),
        (message(b'R', &[0; 4]), protocol),
        ([message(b'D', &[0, 2, 0, 0, 0, 9]), message(b'Z', b"I")].concat(), protocol),
        ([message(b'D', &[0]), message(b'Z', b"I")].concat(), protocol),
        ([message(b'D', &[0, 1, 0, 0, 0, 1, 0xff]), message(b'Z', b"I")].concat(), ErrorKind::Value),
        ([message(b'E', b""), message(b'Z', b"I")].concat(), ErrorKind::Sql),
        ([message(b'E', b"CXX000\0Mgone"), message(b'Z', b"I")].concat(), ErrorKind::Sql),
    ] {
        let error = answered(&script).unwrap_err();
        assert_eq!(error.kind(), kind, "{script:?}: {error}");
    }
    // Odd, but allowed: notices, notifications and parameters at any time, a row of negative width.
    let odd = [
        message(b'N', b"Mnotice\0\0"),
        message(b'S', b"no end"),
        message(b'A', b""),
        message(b'D', &[0xff, 0xff]),
        message(b'S', b"TimeZone\0Mars\0"),
        message(b'Z', b"I"),
    ];
    assert_eq!(answered(&odd.concat()).unwrap(), [[]; 1]);
}

#[test]
fn logins_that_make_no_sense_are_errors() {
    let request = |number: u32, rest: &[u8]| message(b'R', &[&number.to_be_bytes(), rest].concat());
    let sasl = request(10, b"SCRAM-SHA-256\0\0");
    for (script, kind, part) in [
        (b"".to_vec(), ErrorKind::ConnectionLost, "the login"),
        (b"HTTP/1.1 400 Bad Request".to_vec(), ErrorKind::Protocol, "PostgreSQL"),
        // MySQL's greeting.
        (b"\x4a\0\0\0\x0a8.0.36\0".to_vec(), ErrorKind::Protocol, "PostgreSQL"),
        (message(b'Z', b"I"), ErrorKind::Protocol, "no place in a login"),
        (message(b'D', &[0, 0]), ErrorKind::Protocol, "no place in a login"),
        (message(b'E', &vec![b'M'; 100_000]), ErrorKind::Protocol, "no message"),
        (message(b'R', b"\0"), ErrorKind::Protocol, "too early"),
        (request(5, b"abc"), ErrorKind::Protocol, "salt"),
        (request(7, b""), ErrorKind::Unsupported, "GSSAPI"),
        (request(99, b""), ErrorKind::Unsupported, "a login by"),
        (request(10, b"OAUTHBEARER\0\0"), ErrorKind::Unsupported, "SASL"),
        (request(11, b"r=1"), ErrorKind::Protocol, "out of turn"),
        (request(12, b"v=1"), ErrorKind::Protocol, "out of turn"),
        ([sasl.clone(), request(0, b"")].concat(), ErrorKind::Protocol, "without its own proof"),
        ([sasl.clone(), request(11, b"r=forged,s=AAAA,i=1")].concat(), ErrorKind::Authentication, "nonce"),
        ([sasl.clone(), sasl.clone()].concat(), ErrorKind::Protocol, "second request"),
        ([request(3, b""), request(3, b"")].concat(), ErrorKind::Protocol, "second request"),
        (message(b'E', b"C28P01\0Mno\0\0"), ErrorKind::Authentication, "28P01"),
    ] {
        let error = greeted(script.clone());
        assert_eq!(error.kind(), kind, "{script:?}: {error}");
        let text = format!("{error} {error:?}");
        assert!(text.contains(part) && !text.contains("secret"), "{text}");
    }
}

#[test]
fn a_flood_of_parameters_fills_no_memory() {
    let flood: Vec<u8> =
        (0..10_000).flat_map(|number| message(b'S', format!("parameter{number}\0value\0").as_bytes())).collect();
    let server = FalseServer::start([flood, message(b'Z', b"I")].concat()).unwrap();
    let mut session = open(&server.uri()).unwrap();
    session.query("SELECT 1").unwrap();
    assert!(session.asides.count() <= 100);
    assert_eq!(session.parameter("server_version"), Some("15.0"));
    assert_eq!(session.version(), 150_000);
}

#[test]
fn versions_are_numbers() {
    for (text, number) in [
        ("15.18 (Debian 15.18-1)", 150_018),
        ("9.6.24", 90_624),
        ("18beta2", 180_000),
        ("19devel", 190_000),
        ("13.0.0", 130_000),
        ("1.18.0/bouncer", 11_800),
        ("", 0),
        ("PgBouncer", 0),
        ("99999999999.1", 100),
    ] {
        assert_eq!(super::super::version_number(text), number, "{text}");
    }
}
