//! TLS as the connection string asks for it: from none at all to a verified host name.

mod channel_binding;
mod client;
mod files;
mod verify;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub(crate) use channel_binding::server_end_point;
pub(crate) use client::{TlsClient, refused};

/// How much the connection must be protected, from least to most (`sslmode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TlsMode {
    /// Never encrypted.
    Disable,
    /// Encrypted if the server insists.
    Allow,
    /// Encrypted if the server can.
    #[default]
    Prefer,
    /// Encrypted; the server is verified only if there is a root certificate.
    Require,
    /// The server's certificate leads to a root certificate.
    VerifyCa,
    /// And it is made out to the host that we asked for.
    VerifyFull,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TlsVersion {
    /// 1.0 or 1.1, which nobody should speak.
    Older,
    #[default]
    Tls12,
    Tls13,
}

/// What the connection string says on TLS.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsOptions {
    pub(crate) mode: TlsMode,
    /// Whether TLS begins at once, without asking the server first (`sslnegotiation=direct`).
    pub(crate) direct: bool,
    /// Whether the operating system's root certificates are trusted (`sslrootcert=system`).
    pub(crate) system_roots: bool,
    /// The root certificates that are trusted.
    pub(crate) root_file: Option<PathBuf>,
    /// Certificates that are no longer to be trusted.
    pub(crate) revoked_file: Option<PathBuf>,
    /// Our own certificate, and the key that belongs to it.
    pub(crate) certificate_file: Option<PathBuf>,
    pub(crate) key_file: Option<PathBuf>,
    /// Whether the host's name is sent in the clear, for proxies (SNI).
    pub(crate) server_name: bool,
    pub(crate) minimum: TlsVersion,
    pub(crate) maximum: TlsVersion,
    /// Made from the files once, for all connections of the same configuration.
    pub(super) made: Arc<OnceLock<Arc<rustls::ClientConfig>>>,
}
