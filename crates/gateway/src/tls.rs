//! The certificate of the gateway, and the authority that signed those of its clients.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::RwLock;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::encrypted::{Encrypted, encrypted};

/// Where the parts of TLS lie; all are PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The gateway's certificate, with the chain up to its authority.
    pub certificate: PathBuf,
    /// The key that belongs to it.
    pub key: PathBuf,
    /// The authorities that sign the certificates of clients; `None`: clients are not asked for one.
    pub client_authority: Option<PathBuf>,
    /// Whether a client may come without a certificate; a wrong one is refused always.
    pub client_may_have_none: bool,
}

/// TLS as the gateway speaks it: 1.2 and 1.3. Clones stand for the same files.
///
/// ```no_run
/// use bowshot_gateway::{Tls, TlsFiles};
///
/// let tls = Tls::read(TlsFiles {
///     certificate: "server.crt".into(),
///     key: "server.key".into(),
///     client_authority: None,
///     client_may_have_none: false,
/// })?;
/// tls.read_again()?; // when the files have changed
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Tls {
    files: Arc<TlsFiles>,
    /// What is spoken inside, as ALPN calls it.
    protocol: &'static [u8],
    current: Arc<RwLock<Arc<ServerConfig>>>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// Of kind [`Tls`](ErrorKind::Tls), naming the file and never showing what is in it: one that cannot be read or holds something
    /// else, a key of another certificate.
    pub fn read(files: TlsFiles) -> Result<Self> {
        // gRPC is HTTP/2; some clients end where they are not told so (RFC 9113, section 3.2).
        Tls::speaking(b"h2", files)
    }

    /// Reads the files for what speaks HTTP/1.1, as a page for browsers does.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_for_browsers(files: TlsFiles) -> Result<Self> {
        Tls::speaking(b"http/1.1", files)
    }

    fn speaking(protocol: &'static [u8], files: TlsFiles) -> Result<Self> {
        let config = config(&files, protocol)?;
        Ok(Tls { files: Arc::new(files), protocol, current: Arc::new(RwLock::new(config)) })
    }

    /// Reads the files anew, for the connections to come.
    ///
    /// # Errors
    /// As [`read`](Self::read); then what was read before stays.
    pub fn read_again(&self) -> Result<()> {
        let config = config(&self.files, self.protocol)?;
        *self.current.write() = config;
        Ok(())
    }

    /// The connections that `listener` accepts from now on, each once its handshake is done.
    pub fn accept(&self, listener: TcpListener) -> Encrypted {
        Encrypted(encrypted(listener, self.clone()))
    }

    /// What makes the next connection an encrypted one.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.read()))
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tls").field(&self.files).finish()
    }
}

fn config(files: &TlsFiles, protocol: &[u8]) -> Result<Arc<ServerConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(format!("this build cannot speak TLS: {error}")))?;
    let builder = match &files.client_authority {
        None => builder.with_no_client_auth(),
        Some(path) => builder.with_client_cert_verifier(verifier(path, files.client_may_have_none, provider)?),
    };
    let TlsFiles { certificate, key, .. } = files;
    let chain = certificates(certificate)?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| {
        refused(format!("the key in {} cannot be read: {}", key.display(), reason(&error)))
            .with_hint("it is a PEM file with a PRIVATE KEY that no password protects")
    })?;
    let mut config = builder.with_single_cert(chain, secret).map_err(|error| {
        refused(format!("{} and {} are no certificate and its key: {error}", certificate.display(), key.display()))
            .with_hint("check that both are of the same certificate, the gateway's own one first")
    })?;
    config.alpn_protocols = vec![protocol.to_vec()];
    Ok(Arc::new(config))
}

/// What checks the certificates of clients.
fn verifier(
    path: &Path,
    may_have_none: bool,
    provider: Arc<rustls::crypto::CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| refused(format!("{} is no authority: {error}", path.display())))?;
    }
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = if may_have_none { builder.allow_unauthenticated() } else { builder };
    builder.build().map_err(|error| refused(format!("{} verifies no client: {error}", path.display())))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| refused(format!("{} cannot be read: {}", path.display(), reason(&error))))?;
    if found.is_empty() {
        return Err(refused(format!("{} holds no certificate", path.display()))
            .with_hint("it is a PEM file, which begins with -----BEGIN CERTIFICATE-----"));
    }
    Ok(found)
}

/// Without what the file holds.
fn reason(error: &rustls::pki_types::pem::Error) -> String {
    use rustls::pki_types::pem::Error;
    match error {
        Error::Io(error) => error.to_string(),
        Error::NoItemsFound => "it holds none".to_owned(),
        _ => "it is no PEM file".to_owned(),
    }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Tls, message)
}
