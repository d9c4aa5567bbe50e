//! What a handshake with one server needs, and what its failure means.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_net::OptionNames;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig};

use crate::uri::Config;

/// The name of TDS 8.0 within TLS.
pub(crate) const PROTOCOL: &[u8] = b"tds/8.0";

/// The options' names in TLS's errors. There are none for revoked certificates and for certificates of ours.
pub(crate) const NAMES: OptionNames = OptionNames {
    roots: "ca",
    revoked: "",
    certificate: "",
    key: "",
    without_name: "trust_server_certificate=yes",
    system: None,
};

/// All that a handshake with one server needs.
pub(crate) struct Tls {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) name: ServerName<'static>,
}

impl Tls {
    pub(crate) fn new(config: &Config, host: &str) -> Result<Tls> {
        let name = config.certificate_name.as_deref().unwrap_or(host);
        let name = ServerName::try_from(name.to_owned()).map_err(|_| {
            Error::new(ErrorKind::Tls, format!("no certificate can be made out to \"{name}\""))
                .with_hint("name what it is made out to: hostname_in_certificate=…")
        })?;
        Ok(Tls { config: config.tls.config()?, name })
    }
}

/// What a failure of TLS means.
pub(crate) fn refused(error: &rustls::Error) -> Error {
    const UNKNOWN: &str = "SQL Server makes itself a certificate where it has none: name it, or the authority that \
                           issued it, with ca=/path/to/root.crt, or trust every certificate with \
                           trust_server_certificate=yes";
    let (message, hint) = match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer | CertificateError::BadEncoding => {
                ("the server's certificate was not issued by an authority that is trusted here".to_owned(), UNKNOWN)
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
                format!("the server's certificate is made out to another name: {error}"),
                "connect to a name that it has, or say which one it has: hostname_in_certificate=…",
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                ("the server's certificate has expired".to_owned(), "are both clocks right?")
            }
            _ => (format!("the server's certificate was refused: {certificate}"), UNKNOWN),
        },
        _ => (
            format!("TLS failed: {error}"),
            "SQL Server 2016 and later speak TLS 1.2; encrypt=strict needs SQL Server 2022 or Azure SQL",
        ),
    };
    Error::new(ErrorKind::Tls, message).with_hint(hint).with_source(error.clone())
}
