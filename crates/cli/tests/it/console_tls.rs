//! The console where it speaks TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bowshot_testkit::Certificates;
use nix::sys::signal::Signal;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::server::{Server, bowshot};

/// Nothing here takes so long, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What `printf ann:s3cret | base64` prints.
const ANN: &str = "authorization: Basic YW5uOnMzY3JldA==\r\n";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A gateway with its console, and the console's address after the scheme.
fn start(scheme: &str, arguments: &[&str]) -> (Server, String) {
    let mut all = vec!["--console", "127.0.0.1:0"];
    all.extend_from_slice(arguments);
    let mut server = Server::start(&all);
    let words = format!("console on {scheme}://");
    let log = server.wait_for(&words);
    let address = log.split(&words).nth(1).unwrap().lines().next().unwrap().to_owned();
    (server, address)
}

/// What it answers to who believes this authority.
fn get(address: &str, authority: &Path, path: &str, headers: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    // As browsers do.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let connection = ClientConnection::new(Arc::new(config), "127.0.0.1".try_into().unwrap()).unwrap();
    let socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut stream = StreamOwned::new(connection, socket);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    Ok(answer)
}

#[test]
fn it_has_the_gateways_certificate_and_keeps_its_cookies_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ann").unwrap();
    let file = folder.path().join("bowshot.toml");
    let hash = bowshot_gateway_access::hash("s3cret").unwrap();
    std::fs::write(&file, format!("[[user]]\nname = \"ann\"\npassword_hash = '{hash}'\n")).unwrap();
    let (certificate, key) = (certificates.server(), certificates.server_key());
    let arguments = ["--config", text(&file), "--tls-certificate", text(&certificate), "--tls-key", text(&key)];
    let (mut server, address) = start("https", &arguments);
    let root = certificates.root();
    assert!(get(&address, &root, "/health", "").unwrap().starts_with("HTTP/1.1 200"));
    assert!(get(&address, &root, "/api/who", "").unwrap().starts_with("HTTP/1.1 401"));
    let who = get(&address, &root, "/api/who", ANN).unwrap().to_ascii_lowercase();
    assert!(who.starts_with("http/1.1 200") && who.contains("; secure"), "{who}");
    get(&address, &certificates.other_root(), "/health", "").unwrap_err();
    // Who speaks no TLS is not answered, and disturbs nobody.
    let mut plain = TcpStream::connect(&address).unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    plain.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // The connection may be reset.
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");

    let renewed_folder = tempfile::tempdir().unwrap();
    let renewed = Certificates::make(renewed_folder.path(), "ann").unwrap();
    std::fs::copy(renewed.server(), certificates.server()).unwrap();
    std::fs::copy(renewed.server_key(), certificates.server_key()).unwrap();
    server.signal(Signal::SIGHUP);
    server.wait_for("the certificate that was read now");
    assert!(get(&address, &renewed.root(), "/health", "").unwrap().starts_with("HTTP/1.1 200"));
    server.signal(Signal::SIGTERM);
    assert!(server.end().success(), "{}", server.log());
}

#[test]
fn it_may_have_a_certificate_of_its_own_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ann").unwrap();
    let (certificate, key) = (certificates.server(), certificates.server_key());
    let set = |name: &str, path: &Path| format!("{name}={}", text(path));
    let own = [set("console_certificate", &certificate), set("console_key", &key)];
    let (_own, address) = start("https", &["--set", &own[0], "--set", &own[1]]);
    assert!(get(&address, &certificates.root(), "/health", "").unwrap().starts_with("HTTP/1.1 200"));

    let gateways = ["--tls-certificate", text(&certificate), "--tls-key", text(&key), "--set", "console_tls=off"];
    let (_plain, address) = start("http", &gateways);
    let mut plain = TcpStream::connect(&address).unwrap();
    write!(plain, "GET /health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    plain.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn beyond_this_machine_it_is_only_encrypted_and_for_users() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ann").unwrap();
    let (certificate, key) = (certificates.server(), certificates.server_key());
    let tls = ["--tls-certificate", text(&certificate), "--tls-key", text(&key)];
    let users = format!("ann:{}", bowshot_gateway_access::hash("s3cret").unwrap());
    let check = |more: &[&str], users: &str| {
        let mut command = bowshot(&["serve", "a=sqlite:///nowhere.db", "--check", "--console", "0.0.0.0:31338"]);
        let output = command.args(more).env("BOWSHOT_USERS", users).output().unwrap();
        (output.status.code() == Some(0), String::from_utf8(output.stderr).unwrap())
    };
    for (more, users, words) in [
        (&[][..], "", "nothing is encrypted, and nobody has to log in"),
        (&[], users.as_str(), "nothing is encrypted"),
        (&tls, "", "nobody has to log in"),
    ] {
        let (right, told) = check(more, users);
        assert!(!right && told.contains("--console: the console on 0.0.0.0:31338") && told.contains(words), "{told}");
    }
    let (right, told) = check(&tls, &users);
    assert!(right, "{told}");
    let (right, told) = check(&["--insecure"], "");
    assert!(right, "{told}");
    let (right, told) = check(&[&tls[..], &["--set", "console_tls=off"]].concat(), &users);
    assert!(!right && told.contains("nothing is encrypted"), "{told}");
}
