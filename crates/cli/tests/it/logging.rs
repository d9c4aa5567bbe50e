//! What operators read.

use std::io::Write;
use std::process::Stdio;

use bowshot_core::ErrorKind;
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::server::{Server, bowshot};

#[test]
fn each_source_has_a_line_and_open_doors_have_one_too() {
    let mut server = Server::start(&["lake=postgresql://ann:s3cret@127.0.0.1:1/lake?application_name=s3cret"]);
    server.rows("header.catalog=lake", "SELECT 1").unwrap_err();
    server.signal(Signal::SIGTERM);
    server.end();
    let log = server.log();
    assert!(log.contains("source shop: sqlite:///"), "{log}");
    assert!(log.contains("source lake: postgresql://ann@127.0.0.1:1/lake?…"), "{log}");
    assert!(log.contains("WARN no users are configured"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
}

#[test]
fn every_line_of_json_is_an_object() {
    let mut server = Server::start(&["--log-format", "json"]);
    assert_eq!(server.rows("", "SELECT 1 AS one").unwrap(), 1);
    server.signal(Signal::SIGTERM);
    server.end();
    let lines: Vec<Value> = server.log().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |words: &str| lines.iter().any(|line| line["message"].as_str().is_some_and(|text| text.contains(words)));
    assert!(told("listening on grpc://127.0.0.1:") && told("ending") && told("ended"), "{lines:?}");
    assert!(lines.iter().all(|line| line["level"].is_string() && line["timestamp"].is_string()), "{lines:?}");
}

#[test]
fn a_password_that_was_hashed_lets_its_user_in() {
    let mut hashing = bowshot(&["hash-password"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    hashing.stdin.take().unwrap().write_all(b"s3cret\n").unwrap();
    let hash = String::from_utf8(hashing.wait_with_output().unwrap().stdout).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bowshot.toml");
    std::fs::write(&file, format!("[[user]]\nname = \"ann\"\npassword_hash = '{}'\n", hash.trim())).unwrap();
    let server = Server::start(&["--config", file.to_str().unwrap()]);
    assert_eq!(server.rows("username=ann&password=s3cret", "SELECT 1 AS one").unwrap(), 1);
    for login in ["", "username=ann&password=wrong", "username=bob&password=s3cret"] {
        let error = server.rows(login, "SELECT 1 AS one").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication, "{error}");
    }
    let log = server.log();
    assert!(!log.contains("no users") && !log.contains("s3cret") && !log.contains(hash.trim()), "{log}");
}
