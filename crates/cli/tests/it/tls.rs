//! Real handshakes with Bowshot's own client.

use std::path::Path;

use bowshot_core::{ErrorKind, Result};
use bowshot_testkit::Certificates;
use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::server::{Server, bowshot};

fn certificates() -> (TempDir, Certificates) {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path(), "ann").unwrap();
    (folder, certificates)
}

/// A gateway with the certificate of the server.
fn encrypted(certificates: &Certificates, more: &[&str]) -> Server {
    let (certificate, key) = (certificates.server(), certificates.server_key());
    let mut arguments = vec!["--tls-certificate", text(&certificate), "--tls-key", text(&key)];
    arguments.extend_from_slice(more);
    Server::start(&arguments)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Reads over TLS, believing this authority.
fn read(server: &Server, authority: &Path, more: &str) -> Result<usize> {
    server.rows(&format!("ca={}{more}", authority.display()), "SELECT 1 AS one")
}

#[test]
fn who_knows_the_authority_reads_and_nobody_else() {
    let (_folder, certificates) = certificates();
    let server = encrypted(&certificates, &[]);
    assert!(server.uri.starts_with("grpc+tls://127.0.0.1:"), "{}", server.uri);
    assert_eq!(read(&server, &certificates.root(), "").unwrap(), 1);
    let error = read(&server, &certificates.other_root(), "").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls, "{error}");
    let plain = bowshot_connect::connect(&server.uri.replace("grpc+tls", "grpc")).unwrap();
    let request = bowshot_core::Request::new(bowshot_core::Query::new("SELECT 1 AS one"), Default::default());
    plain.plan(&request, &bowshot_core::Cancel::new()).unwrap_err();
    assert_eq!(read(&server, &certificates.root(), "").unwrap(), 1, "strangers disturb nobody");
}

#[test]
fn clients_show_a_certificate_of_the_right_authority() {
    let (_folder, certificates) = certificates();
    let root = certificates.root();
    let server = encrypted(&certificates, &["--tls-client-ca", text(&root)]);
    let with = |certificates: &Certificates| {
        format!("&cert={}&key={}", certificates.client().display(), certificates.client_key().display())
    };
    assert_eq!(read(&server, &root, &with(&certificates)).unwrap(), 1);
    read(&server, &root, "").unwrap_err();
    let (_other_folder, others) = self::certificates();
    read(&server, &root, &with(&others)).unwrap_err();

    let arguments = ["--tls-client-ca", text(&root), "--set", "tls.client_certificate=optional"];
    let server = encrypted(&certificates, &arguments);
    assert_eq!(read(&server, &root, "").unwrap(), 1);
    assert_eq!(read(&server, &root, &with(&certificates)).unwrap(), 1);
    read(&server, &root, &with(&others)).unwrap_err();
}

#[test]
fn a_hangup_reads_the_certificate_again() {
    let (_folder, certificates) = certificates();
    let mut server = encrypted(&certificates, &[]);
    let (_new_folder, renewed) = self::certificates();
    std::fs::write(certificates.server(), "no certificate").unwrap();
    server.signal(Signal::SIGHUP);
    server.wait_for("the certificate stays as it was");
    assert_eq!(read(&server, &certificates.root(), "").unwrap(), 1);

    std::fs::copy(renewed.server(), certificates.server()).unwrap();
    std::fs::copy(renewed.server_key(), certificates.server_key()).unwrap();
    server.signal(Signal::SIGHUP);
    server.wait_for("the certificate that was read now");
    assert_eq!(read(&server, &renewed.root(), "").unwrap(), 1);
    read(&server, &certificates.root(), "").unwrap_err();
}

#[test]
fn files_that_do_not_belong_together_are_told_by_name() {
    let (_folder, certificates) = certificates();
    let (certificate, key) = (certificates.server(), certificates.client_key());
    for (arguments, words) in [
        (vec!["--tls-certificate", text(&certificate), "--tls-key", text(&key)], vec!["server.crt", "client.key"]),
        (vec!["--tls-certificate", text(&key), "--tls-key", text(&key)], vec!["client.key holds no certificate"]),
        (
            vec!["--tls-certificate", text(&certificate), "--tls-key", text(&certificate)],
            vec!["the key in", "server.crt"],
        ),
        (vec!["--tls-certificate", "/nowhere.crt", "--tls-key", text(&key)], vec!["/nowhere.crt cannot be read"]),
        (vec!["--tls-certificate", text(&certificate)], vec!["tls.key is not", "TLS needs both"]),
        (vec!["--tls-client-ca", text(&certificate)], vec!["speaks no TLS"]),
    ] {
        let output = bowshot(&["serve", "a=sqlite:///nowhere.db", "--check"]).args(&arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(words.iter().all(|words| told.contains(words)) && !told.contains("-----\nM"), "{arguments:?}: {told}");
    }
}
