//! Secrets and TLS.

use bowshot_core::ErrorKind;
use bowshot_testkit::Certificates;

use super::*;
use crate::cluster::{Asked, Cluster, numbers, page};

#[test]
fn a_user_alone_travels_in_the_clear_and_a_password_never() {
    let cluster = Cluster::with(|_: &Asked| (page(&numbers()), false));
    read(&cluster.uri(), "SELECT 1", &Options::default()).unwrap();
    assert!(!cluster.asked()[0].headers.contains_key("authorization"));
    let clear = cluster.uri().replace("trino://ada@", "trino+http://ada:geheim@");
    let error = Trino::from_uri(&clear).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(!error.to_string().contains("geheim"));
    // Without +http it becomes TLS, which this cluster does not speak: nothing is sent.
    let error = fails(&cluster.uri().replace("ada@", "ada:geheim@"), "SELECT 1");
    assert_eq!(error.kind(), ErrorKind::Tls, "{error}");
    assert!(!format!("{error:?}").contains("geheim"));
    assert_eq!(cluster.count("POST"), 1);
}

#[test]
fn secrets_are_not_in_debug() {
    let source = Trino::from_uri("trino+https://ada:geheim@h/c/s?session.x=geheim").unwrap();
    assert!(!format!("{source:?}").contains("geheim"));
}

mod tls {
    use std::io::{Read, Write};
    use std::sync::Arc;

    use bowshot_testkit::FalseServer;
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use rustls::{ServerConfig, ServerConnection, Stream};

    use super::*;

    /// A cluster of one answer behind TLS, which wants this `Authorization`.
    fn start(certificates: &Certificates, wanted: &'static str) -> FalseServer {
        let chain = CertificateDer::pem_file_iter(certificates.server()).unwrap().map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(certificates.server_key()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
        FalseServer::raw(move |mut socket| {
            let mut session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut session, &mut socket);
            let mut asked = [0; 4096];
            let length = stream.read(&mut asked)?;
            let asked = String::from_utf8_lossy(&asked[..length]).into_owned();
            let body = format!("{{\"id\":\"q\",{},\"data\":[[1]]}}", numbers());
            let status = if asked.contains(wanted) { "200 OK" } else { "401 Unauthorized" };
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        })
        .unwrap()
    }

    #[test]
    fn a_certificate_is_verified_and_a_password_sent() {
        let folder = tempfile::tempdir().unwrap();
        let certificates = Certificates::make(folder.path(), "ada").unwrap();
        let server = start(&certificates, "authorization: Basic YWRhOmdlaGVpbQ==");
        let uri = |login: &str, host: &str, more: &str| {
            format!("trino://{login}@{host}:{}/c/s?connect_timeout=5{more}", server.port())
        };
        let ca = format!("&ca={}", certificates.root().display());
        let other = format!("&ca={}", certificates.other_root().display());
        let read = |uri: String| read(&uri, "SELECT 1", &Options::default());
        assert_eq!(read(uri("ada:geheim", "localhost", &ca)).unwrap().len(), 1);
        assert_eq!(read(uri("ada:geheim", "localhost", "&tls_skip_verify=1")).unwrap().len(), 1);
        for more in [other.as_str(), ""] {
            let error = read(uri("ada:geheim", "localhost", more)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Tls, "{error}");
        }
        let error = read(uri("ada:falsch", "localhost", &ca)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication, "{error}");
        assert!(!format!("{error:?}").contains("falsch"));
        let error = fails(&uri("ada", "127.0.0.1", "").replace("trino://", "trino+http://"), "SELECT 1");
        assert!(matches!(error.kind(), ErrorKind::ConnectionLost | ErrorKind::Protocol), "{error}");
    }
}
