//! Logins: what is sent, how much of it is encrypted, and what is made of refusals.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options};
use bowshot_testkit::Certificates;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;

use super::mock::{Door, Mock, Reply, Request, Seen};
use super::support::{failure, read, texts, uri};
use super::tokens::{self, described, numbers};

fn one(request: &Request) -> Reply {
    Reply::Tokens(match request.is_describe() {
        true => tokens::description(&[described("n", 56, "int", 10, 0)]),
        false => numbers("n", &[1]),
    })
}

/// A server's certificate for localhost and 127.0.0.1, and the folder with the authority that signed it.
fn certificate(protocols: &[&[u8]]) -> (Arc<ServerConfig>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    Certificates::make(folder.path(), "nobody").unwrap();
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&read("server.crt")).collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(&read("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    (Arc::new(config), folder)
}

fn door(encryption: u8, tls: Arc<ServerConfig>) -> Door {
    Door { encryption, tls: Some(tls), packet_size: 8000, ..Door::default() }
}

#[test]
fn a_login_says_who_and_where_to() {
    let mock = Mock::start(one);
    let uri = format!(
        "mssql://ap%40p:ge%2Fheim%C3%A4@127.0.0.1:{}/my%20shop?encrypt=no&application_name=tests&packet_size=4096\
         &ApplicationIntent=ReadOnly",
        mock.port
    );
    assert_eq!(texts(&read(&uri, "SELECT 1", &Options::default()).unwrap(), 0), [Some("1".to_owned())]);
    let seen = mock.seen();
    assert_eq!(seen[0], Seen::PreLogin { encryption: 0 });
    let Seen::Login(login) = &seen[1] else { panic!("{seen:?}") };
    assert_eq!((login.version, login.packet_size), (0x7400_0004, 4096));
    assert_eq!((login.user.as_str(), login.password.as_str()), ("ap@p", "ge/heimä"));
    assert_eq!((login.application.as_str(), login.server.as_str()), ("tests", "127.0.0.1"));
    assert_eq!((login.database.as_str(), login.read_only, login.encrypted), ("my shop", true, false));
    // UTF8_SUPPORT without data, and nothing else.
    assert_eq!(login.features, [0x0A, 0, 0, 0, 0, 0xFF]);
}

#[test]
fn all_of_it_is_encrypted_and_the_certificate_verified() {
    let (tls, folder) = certificate(&[]);
    let mock = Mock::with(door(1, tls), one);
    let uri = |options: &str| format!("mssql://app:geheim@localhost:{}/shop{options}", mock.port);
    let ca = format!("?ca={}", folder.path().join("root.crt").display());
    assert_eq!(read(&uri(&ca), "SELECT 1", &Options::default()).unwrap().num_rows(), 1);
    assert_eq!(mock.seen()[0], Seen::PreLogin { encryption: 1 });
    assert!(mock.seen().iter().any(|seen| matches!(seen, Seen::Login(login) if login.encrypted)));
    // The server's own certificate, named.
    let own = format!("?ca={}", folder.path().join("server.crt").display());
    assert_eq!(read(&uri(&own), "SELECT 1", &Options::default()).unwrap().num_rows(), 1);
    assert_eq!(read(&uri("?TrustServerCertificate=yes"), "SELECT 1", &Options::default()).unwrap().num_rows(), 1);
    // An authority of somebody else, and another name.
    let other = format!("?ca={}", folder.path().join("other_root.crt").display());
    let error = failure(&uri(&other), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Tls);
    assert!(error.hint().unwrap().contains("trust_server_certificate"), "{error}");
    for named in [&ca, &own] {
        let error = failure(&uri(&format!("{named}&hostname_in_certificate=db.example")), "SELECT 1");
        assert_eq!(error.kind(), ErrorKind::Tls);
        assert!(error.hint().unwrap().contains("hostname_in_certificate"), "{error}");
    }
}

#[test]
fn only_the_login_is_encrypted_where_that_is_enough() {
    let (tls, _folder) = certificate(&[]);
    let mock = Mock::with(door(0, tls), one);
    assert_eq!(read(&uri(mock.port), "SELECT 1", &Options::default()).unwrap().num_rows(), 1);
    assert!(mock.seen().iter().any(|seen| matches!(seen, Seen::Login(login) if login.encrypted)));
    // Encryption was asked for, and the server does not give it.
    let plain = format!("mssql://app:geheim@127.0.0.1:{}/shop", mock.port);
    let error = failure(&plain, "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Tls);
    assert!(error.hint().unwrap().contains("encrypt=no"), "{error}");
}

#[test]
fn strict_encryption_comes_first() {
    let (tls, folder) = certificate(&[b"tds/8.0"]);
    let mock = Mock::with(Door { strict: true, ..door(2, tls) }, one);
    let ca = folder.path().join("root.crt");
    let uri = format!("mssql://app:geheim@localhost:{}/shop?encrypt=strict&ca={}", mock.port, ca.display());
    assert_eq!(read(&uri, "SELECT 1", &Options::default()).unwrap().num_rows(), 1);
    let seen = mock.seen();
    assert!(matches!(&seen[1], Seen::Login(login) if login.encrypted && login.version == 0x0800_0000), "{seen:?}");
    // Against a server that waits for the older protocol, the handshake fails at once or in time.
    let old = Mock::start(one);
    let uri =
        format!("mssql://app:geheim@localhost:{}/shop?encrypt=strict&connect_timeout=1&ca={}", old.port, ca.display());
    let start = Instant::now();
    let error = failure(&uri, "SELECT 1");
    assert!(matches!(error.kind(), ErrorKind::Tls | ErrorKind::Timeout), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn refusals_say_whose_doing_they_are() {
    let refused = |tokens: Vec<u8>| {
        let mock = Mock::with(Door { encryption: 2, login: Some(tokens), ..Door::default() }, one);
        failure(&uri(mock.port), "SELECT 1")
    };
    let error = refused(tokens::failed(18456, 14, 1, "Login failed for user 'app'."));
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Authentication, Some("28000")));
    assert!(error.message().contains("Login failed for user 'app'"), "{error}");
    assert!(!format!("{error:?}").contains("geheim"));
    // The database that it could not open comes first, and is what counts.
    let both = [
        tokens::error(4060, 11, 1, "Cannot open database \"shop\" requested by the login. The login failed."),
        tokens::failed(18456, 14, 1, "Login failed for user 'app'."),
    ];
    let error = refused(both.concat());
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Config, Some("08004")));
    let error = refused(tokens::failed(40613, 17, 1, "Database 'shop' on server 'x' is not currently available."));
    assert_eq!((error.kind(), error.is_temporary()), (ErrorKind::Connect, true));
    let error = refused(tokens::failed(10928, 20, 1, "The request limit for the database is 30 and has been reached."));
    assert_eq!(error.kind(), ErrorKind::ConnectionLimit);
    // Neither accepted nor refused.
    assert_eq!(refused(tokens::done()).kind(), ErrorKind::Protocol);
}

#[test]
fn a_login_may_go_on_at_another_server() {
    let second = Mock::start(one);
    let route = [tokens::route("127.0.0.1", second.port), tokens::done()].concat();
    let first = Mock::with(Door { encryption: 2, login: Some(route), ..Door::default() }, one);
    assert_eq!(read(&uri(first.port), "SELECT 1", &Options::default()).unwrap().num_rows(), 1);
    assert!(second.connections() > 0);
}

#[test]
fn nobody_is_waited_for_too_long() {
    // A port where nobody listens, a server that says nothing, a name that there is not.
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let error = failure(&uri(closed), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Connect);
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let start = Instant::now();
    let error = failure(&format!("mssql://app:p@127.0.0.1:{port}/shop?connect_timeout=0.5"), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    let start = Instant::now();
    let error = failure("mssql://app:p@no-such-host.invalid/shop?connect_timeout=3", "SELECT 1");
    assert!(matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
}
