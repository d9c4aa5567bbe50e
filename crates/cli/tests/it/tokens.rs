//! Logins by the tokens of an issuer who publishes its keys.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use bowshot_testkit::Certificates;
use nix::sys::signal::Signal;

use crate::issuer::{Key, Web, key_set};
use crate::server::{Server, bowshot};

/// Nothing here takes so long, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What believes the tokens of the issuer whose keys are there.
fn arguments(place: &str, more: &[&str]) -> Vec<String> {
    let key_set = format!("jwt.key_set={place}");
    let settings = [
        "jwt.issuer=https://issuer.example",
        "jwt.audience=bowshot",
        "jwt.algorithms=ES256",
        "jwt.strangers=allow shop",
        key_set.as_str(),
    ];
    settings.iter().chain(more).flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()]).collect()
}

fn start(place: &str, more: &[&str]) -> Server {
    let arguments = arguments(place, more);
    Server::start(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn lets_in(server: &Server, token: &str) -> bool {
    server.rows(&format!("token={token}"), "SELECT 1 AS one").is_ok_and(|rows| rows == 1)
}

/// Asks until the answer is so.
fn until(server: &Server, token: &str, expected: bool) {
    let started = Instant::now();
    while lets_in(server, token) != expected {
        assert!(started.elapsed() < PATIENCE, "{}", server.log());
        thread::sleep(Duration::from_millis(50));
    }
}

fn ca(path: &Path) -> String {
    format!("jwt.key_set_ca={}", path.display())
}

#[test]
fn keys_that_are_published_let_in_and_keys_that_are_withdrawn_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ann").unwrap();
    let (old, new) = (Key::new("old"), Key::new("new"));
    let web = Web::start(&certificates, key_set(&[&old]));
    let server = start(&web.url(), &[&ca(&certificates.root()), "jwt.key_set_seconds=1"]);
    assert!(lets_in(&server, &old.token()), "{}", server.log());
    assert!(!lets_in(&server, &new.token()) && !lets_in(&server, &Key::new("old").token()));
    assert!(server.rows("", "SELECT 1 AS one").is_err(), "who shows no token is nobody");

    web.publish("200 OK", key_set(&[&new]));
    until(&server, &new.token(), true);
    assert!(!lets_in(&server, &old.token()));

    web.publish("503 Service Unavailable", String::new());
    let mut server = server;
    server.wait_for("the keys of tokens stay as they were");
    assert!(server.log().contains("503") && lets_in(&server, &new.token()), "{}", server.log());
    web.publish("200 OK", key_set(&[&old]));
    until(&server, &old.token(), true);
}

#[test]
fn a_token_of_an_unknown_key_and_a_hangup_have_the_keys_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second, third) = (Key::new("first"), Key::new("second"), Key::new("third"));
    let path = folder.path().join("keys.json");
    std::fs::write(&path, key_set(&[&first])).unwrap();
    let server = start(path.to_str().unwrap(), &["jwt.key_set_seconds=86400"]);
    assert!(lets_in(&server, &first.token()), "{}", server.log());
    std::fs::write(&path, key_set(&[&first, &second])).unwrap();
    until(&server, &second.token(), true);
    std::fs::write(&path, key_set(&[&third])).unwrap();
    server.signal(Signal::SIGHUP);
    until(&server, &first.token(), false);
    assert!(lets_in(&server, &third.token()));
}

#[test]
fn keys_that_cannot_be_had_are_told_by_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ann").unwrap();
    let key = Key::new("a");
    let web = Web::start(&certificates, key_set(&[&key]));
    let (url, file) = (web.url(), folder.path().join("keys.json"));
    std::fs::write(&file, "{}").unwrap();
    let (root, other) = (ca(&certificates.root()), ca(&certificates.other_root()));
    let check = |place: &str, more: &[&str]| {
        let output = bowshot(&["serve", "a=sqlite:///nowhere.db", "--check"]).args(arguments(place, more)).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check(&url, &[&root]).0, Some(0));
    for (place, more, words) in [
        (file.to_str().unwrap(), vec![], vec!["keys.json: there is no array", "jwks_uri"]),
        ("/nowhere/keys.json", vec![], vec!["cannot read /nowhere/keys.json"]),
        ("http://issuer.example/keys", vec![], vec!["http://issuer.example/keys", "neither a file nor an https://"]),
        ("https://ann:s3cret@issuer.example/keys", vec![], vec!["an address holds no user"]),
        (&url, vec![], vec!["--set jwt.key_set: https://127.0.0.1:", "cannot be read", "jwt.key_set_ca"]),
        (&url, vec![other.as_str()], vec!["cannot be read"]),
        (&url, vec![&root, "jwt.key_file=a.pem"], vec!["exactly one key or set of keys"]),
        (&url, vec![&root, "jwt.algorithms=HS256"], vec!["need a secret"]),
        (file.to_str().unwrap(), vec![&root], vec!["jwt.key_set_ca is for an https:// address"]),
    ] {
        let (code, told) = check(place, &more);
        assert!(code == Some(2) && words.iter().all(|words| told.contains(words)), "{place} {more:?}: {told}");
        assert!(!told.contains("s3cret"), "{told}");
    }
    for (status, body, words) in [
        ("404 Not Found", String::new(), "the server answers 404"),
        ("200 OK", " ".repeat(1 << 20), "more than 256 KiB"),
        ("200 OK", "<html>".to_owned(), "no JSON"),
    ] {
        web.publish(status, body);
        let (code, told) = check(&url, &[&root]);
        assert!(code == Some(2) && told.contains(words) && told.contains(&url), "{told}");
    }
}
