//! No connection at all.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use bowshot_core::ErrorKind;

use super::DATA;
use crate::leftovers::leaves_nothing;
use crate::reading::{SERVER, over, refused};

/// The error of a URI that leads nowhere, which must come within two seconds.
fn fails(uri: String, kind: ErrorKind, parts: &'static [&'static str]) {
    leaves_nothing(&SERVER, move |_| {
        let started = Instant::now();
        let error = refused(&uri, "SELECT 1", &over(4));
        assert!(started.elapsed() < Duration::from_secs(2), "{error} took {:?}", started.elapsed());
        assert_eq!(error.kind(), kind, "{error}");
        let text = format!("{error} {error:?}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
    });
}

#[test]
fn what_keeps_us_out_is_said_at_once() {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    fails(DATA.uri_of("reader", "s3cret"), ErrorKind::Authentication, &["password", "28P01"]);
    fails(DATA.uri_of("nobody", "s3cret"), ErrorKind::Authentication, &["28P01"]);
    fails("postgresql://u:s3cret@no-such-host.invalid/x".into(), ErrorKind::Connect, &["no-such-host.invalid"]);
    fails(format!("postgresql://u:s3cret@127.0.0.1:{port}/x"), ErrorKind::Connect, &["no server listens"]);
    fails(SERVER.uri_of("reader", "reader", "nowhere"), ErrorKind::Config, &["nowhere", "3D000"]);
    fails(format!("{}?sslmode=require", DATA.uri()), ErrorKind::Tls, &["TLS"]);
}
