//! TLS as the user asks for it: from a certificate that nobody looks at to a verified name.

mod client;
mod files;
mod verify;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use client::TlsClient;
pub(crate) use client::refused;

/// How much of the server's certificate has to be right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verify {
    /// Whoever holds its key may be anyone.
    #[default]
    Nothing,
    /// It leads to a root certificate.
    Chain,
    /// And it is made out to the host that we asked for.
    Name,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// 1.0 or 1.1, which nobody should speak.
    Older,
    /// 1.2.
    #[default]
    Tls12,
    /// 1.3.
    Tls13,
}

/// How a source calls the options, for errors that say what to do.
#[derive(Clone, Copy, Debug)]
pub struct OptionNames {
    /// The file of root certificates: `sslrootcert`.
    pub roots: &'static str,
    /// The file of revoked certificates.
    pub revoked: &'static str,
    /// The file with our own certificate.
    pub certificate: &'static str,
    /// The file with its key.
    pub key: &'static str,
    /// What verifies all but the name: `sslmode=verify-ca`.
    pub without_name: &'static str,
    /// What trusts the operating system's certificates, where that is not the default.
    pub system: Option<&'static str>,
}

/// What the user says on TLS.
#[derive(Clone, Debug)]
pub struct TlsOptions {
    /// How much of the certificate has to be right.
    pub verify: Verify,
    /// Whether the operating system's root certificates are trusted.
    pub system_roots: bool,
    /// The root certificates that are trusted.
    pub root_file: Option<PathBuf>,
    /// Certificates that are no longer to be trusted.
    pub revoked_file: Option<PathBuf>,
    /// Our own certificate.
    pub certificate_file: Option<PathBuf>,
    /// The key that belongs to it.
    pub key_file: Option<PathBuf>,
    /// Whether the host's name is sent in the clear, for proxies (SNI).
    pub send_name: bool,
    /// The oldest version that will do.
    pub minimum: TlsVersion,
    /// The newest one.
    pub maximum: TlsVersion,
    /// The protocol inside, where the server should know it (ALPN).
    pub protocol: Option<&'static [u8]>,
    /// How the source calls all that.
    pub names: OptionNames,
    /// Made from the files once, for all connections of the same configuration.
    made: Arc<OnceLock<Arc<rustls::ClientConfig>>>,
}

impl TlsOptions {
    /// Encrypted, and nothing verified.
    pub fn new(names: OptionNames) -> Self {
        TlsOptions {
            verify: Verify::Nothing,
            system_roots: false,
            root_file: None,
            revoked_file: None,
            certificate_file: None,
            key_file: None,
            send_name: true,
            minimum: TlsVersion::Tls12,
            maximum: TlsVersion::Tls13,
            protocol: None,
            names,
            made: Arc::default(),
        }
    }
}
