use std::path::Path;

use super::*;

/// A URI of the server with TLS, to a host and with options.
fn uri(host: &str, options: &str) -> String {
    format!("postgresql://postgres:bowshot@{host}:{}/postgres?{options}", ENCRYPTED.port())
}

fn root() -> String {
    path(&ENCRYPTED.certificates().unwrap().root())
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_mode_against_a_server_with_and_without_tls() {
    let root = root();
    for (mode, encrypted, plain) in [
        ("disable", Some(false), true),
        ("allow", Some(false), true),
        ("prefer", Some(true), true),
        ("require", Some(true), false),
        ("verify-ca", Some(true), false),
        ("verify-full", Some(true), false),
    ] {
        let options = format!("sslmode={mode}&sslrootcert={root}");
        let mut session = open(&uri("localhost", &options)).unwrap();
        assert_eq!(Some(session.is_encrypted()), encrypted, "{mode}");
        let said = value(&mut session, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        assert_eq!(said == "t", session.is_encrypted(), "{mode}");

        let plain_uri = format!("{}?{options}", PLAIN.uri());
        if plain {
            assert!(!open(&plain_uri).unwrap().is_encrypted(), "{mode}");
        } else {
            assert_refused(&plain_uri, ErrorKind::Tls, &["has no TLS", "sslmode"]);
        }
    }
    // SCRAM is tied to the certificate.
    assert!(
        open(&uri("localhost", &format!("sslmode=verify-full&sslrootcert={root}&channel_binding=require"))).is_ok()
    );
    assert!(open(&uri("localhost", "sslmode=require&channel_binding=disable")).is_ok());
}

#[test]
fn the_server_is_who_it_should_be() {
    let certificates = ENCRYPTED.certificates().unwrap();
    let (root, other) = (root(), path(&certificates.other_root()));
    for mode in ["require", "verify-ca", "verify-full"] {
        let with = |root: &str| uri("localhost", &format!("sslmode={mode}&sslrootcert={root}"));
        assert_refused(&with(&other), ErrorKind::Tls, &["not issued by an authority", "sslrootcert"]);
        assert_refused(&with("/nowhere/root.crt"), ErrorKind::Config, &["/nowhere/root.crt"]);
        assert!(open(&with(&root)).is_ok());
        // A server may be trusted by its own certificate.
        assert!(open(&with(&path(&certificates.server()))).is_ok());
    }
    for mode in ["verify-ca", "verify-full"] {
        assert_refused(&uri("localhost", &format!("sslmode={mode}")), ErrorKind::Config, &["sslrootcert=system"]);
    }
    // No authority of the operating system signed it.
    assert_refused(&uri("localhost", "sslrootcert=system"), ErrorKind::Tls, &["not issued"]);
    assert_refused(&uri("localhost", "sslrootcert=system&sslmode=require"), ErrorKind::Config, &["verify-full"]);
    // Without a root certificate, or with encryption wished for only, nobody asks.
    assert!(open(&uri("localhost", "sslmode=require")).unwrap().is_encrypted());
    assert!(open(&uri("localhost", &format!("sslmode=prefer&sslrootcert={other}"))).unwrap().is_encrypted());
}

#[test]
fn a_revoked_certificate_is_refused() {
    let root = root();
    let certificates = ENCRYPTED.certificates().unwrap();
    let with = |list: &str| uri("localhost", &format!("sslmode=verify-full&sslrootcert={root}&sslcrl={list}"));
    assert_refused(&with(&path(&certificates.revoked())), ErrorKind::Tls, &["revoked"]);
    assert!(open(&with(&path(&certificates.nothing_revoked()))).is_ok());
    assert_refused(&with("/nowhere.crl"), ErrorKind::Config, &["/nowhere.crl", "sslcrl"]);
}

#[test]
fn the_host_must_be_in_the_certificate() {
    let root = root();
    let port = ENCRYPTED.port();
    let with = |host: &str, mode: &str| {
        format!("{host} port={port} user=postgres password=bowshot sslmode={mode} sslrootcert={root}")
    };
    assert!(open(&with("host=127.0.0.1", "verify-full")).is_ok(), "an address can be a name too");
    let pretended = "host=db.example.org hostaddr=127.0.0.1";
    let parts = ["made out to", "localhost", "\"db.example.org\""];
    assert_refused(&with(pretended, "verify-full"), ErrorKind::Tls, &parts);
    assert!(open(&with(pretended, "verify-ca")).is_ok());
    assert!(open(&with("host=localhost hostaddr=127.0.0.1", "verify-full")).is_ok());
    let nameless = with("hostaddr=127.0.0.1", "verify-full");
    assert_refused(&nameless, ErrorKind::Config, &["needs the host's name"]);
}

#[test]
fn a_common_name_is_no_host_name() {
    let certificates = ENCRYPTED.certificates().unwrap();
    let old = Postgres::builder()
        .tls()
        .setting("ssl_cert_file", path(&certificates.nameless()))
        .setting("ssl_key_file", path(&certificates.nameless_key()))
        .start()
        .unwrap();
    let with = |mode: &str| {
        let (port, root) = (old.port(), root());
        format!("postgresql://postgres:bowshot@localhost:{port}/postgres?sslmode={mode}&sslrootcert={root}")
    };
    assert_refused(&with("verify-full"), ErrorKind::Tls, &["names no host", "subjectAltName"]);
    assert!(open(&with("verify-ca")).unwrap().is_encrypted());
}

#[test]
fn a_certificate_of_ours_opens_the_door() {
    let certificates = ENCRYPTED.certificates().unwrap();
    let (certificate, key) = (path(&certificates.client()), path(&certificates.client_key()));
    let with = |certificate: &str, key: &str| {
        let port = ENCRYPTED.port();
        format!("postgresql://postgres@localhost:{port}/certified?sslmode=require&sslcert={certificate}&sslkey={key}")
    };
    let mut session = open(&with(&certificate, &key)).unwrap();
    let subject = value(&mut session, "SELECT client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    assert_eq!(subject, "/CN=postgres");
    assert_refused(&with("", ""), ErrorKind::Authentication, &["certificate"]);
    let disabled = format!("{}&sslcertmode=disable", with(&certificate, &key));
    assert_refused(&disabled, ErrorKind::Authentication, &["certificate"]);
    assert_refused(&with(&certificate, "/nowhere.key"), ErrorKind::Config, &["/nowhere.key", "sslkey"]);
    assert_refused(&with(&key, &key), ErrorKind::Config, &["sslcert"]);

    let folder = tempfile::tempdir().unwrap();
    let open_to_all = folder.path().join("open.key");
    std::fs::copy(&key, &open_to_all).unwrap();
    set_mode(&open_to_all, 0o644);
    assert_refused(&with(&certificate, &path(&open_to_all)), ErrorKind::Config, &["chmod 0600"]);
    let encrypted = folder.path().join("encrypted.key");
    std::fs::write(&encrypted, "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")
        .unwrap();
    set_mode(&encrypted, 0o600);
    let with_password = format!("{}&sslpassword=hush", with(&certificate, &path(&encrypted)));
    let error = refused(&with_password);
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("openssl pkey") && !error.to_string().contains("hush"), "{error}");
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_server_may_insist_on_encryption_or_on_none() {
    let with = |user: &str, mode: &str| {
        let port = ENCRYPTED.port();
        format!("postgresql://{user}:x@localhost:{port}/postgres?sslmode={mode}")
    };
    assert!(open(&with("only_encrypted", "allow")).unwrap().is_encrypted());
    assert!(!open(&with("only_plain", "prefer")).unwrap().is_encrypted());
    let kind = ErrorKind::Authentication;
    assert_refused(&with("only_encrypted", "disable"), kind, &["no encryption"]);
    assert_refused(&with("only_plain", "require"), kind, &["SSL encryption"]);
    // A wrong password is wrong either way, and is sent once.
    let before = ENCRYPTED.log().matches("password authentication failed").count();
    let wrong = with("only_encrypted", "prefer").replace(":x@", ":y@");
    assert_refused(&wrong, kind, &["28P01"]);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(ENCRYPTED.log().matches("password authentication failed").count(), before + 1);
}

#[test]
fn versions_can_be_limited() {
    for (limits, version) in [
        ("ssl_max_protocol_version=TLSv1.2", "TLSv1.2"),
        ("ssl_min_protocol_version=TLSv1.3", "TLSv1.3"),
        ("ssl_min_protocol_version=TLSv1", "TLSv1.3"),
    ] {
        let mut session = open(&uri("localhost", &format!("sslmode=require&{limits}"))).unwrap();
        let spoken = value(&mut session, "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        assert_eq!(spoken, version);
    }
    let kind = ErrorKind::Config;
    assert_refused(&uri("localhost", "ssl_max_protocol_version=TLSv1.1"), kind, &["not safe"]);
    let upside_down = "ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.2";
    assert_refused(&uri("localhost", upside_down), kind, &["no newer than"]);
}

#[test]
fn direct_negotiation_needs_a_server_that_knows_it() {
    assert_refused(&uri("localhost", "sslnegotiation=direct"), ErrorKind::Config, &["sslnegotiation"]);
    let direct = uri("localhost", "sslnegotiation=direct&sslmode=require");
    let version: u32 = ENCRYPTED.psql("SHOW server_version_num").unwrap().parse().unwrap();
    if version >= 170_000 {
        assert!(open(&direct).unwrap().is_encrypted());
    } else {
        assert!(open(&direct).is_err());
    }
}
