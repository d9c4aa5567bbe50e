//! The TLS handshake with one server.

use std::net::IpAddr;
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, StreamOwned};

use super::verify::Verifier;
use super::{OptionNames, TlsOptions, Verify, files};
use crate::{Socket, Transport, lost};

/// All that a handshake with one server needs.
#[derive(Clone)]
pub struct TlsClient {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    names: OptionNames,
}

impl TlsOptions {
    /// What a handshake with a host of this name at this address needs.
    pub fn client(&self, name: Option<&str>, address: Option<IpAddr>) -> Result<TlsClient> {
        Ok(TlsClient { config: self.config()?, name: self.name(name, address)?, names: self.names })
    }

    /// What rustls needs, for drivers that make the handshake themselves.
    pub fn config(&self) -> Result<Arc<ClientConfig>> {
        if let Some(config) = self.made.get() {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(self.build()?);
        Ok(Arc::clone(self.made.get_or_init(|| config)))
    }

    /// The name that the certificate should have, and that the server may need to choose one.
    fn name(&self, name: Option<&str>, address: Option<IpAddr>) -> Result<ServerName<'static>> {
        match (name.map(|name| ServerName::try_from(name.to_owned())), address) {
            (Some(Ok(name)), _) => Ok(name),
            (_, Some(address)) if self.verify != Verify::Name => Ok(ServerName::from(address)),
            (Some(Err(_)), _) => Err(Error::new(
                ErrorKind::Tls,
                format!("no certificate can be made out to \"{}\"", name.unwrap_or_default()),
            )),
            _ => Err(Error::new(ErrorKind::Config, "to verify the server's name, its name has to be given").with_hint(
                format!(
                    "give the host's name beside its address; {} does not look at the name",
                    self.names.without_name
                ),
            )),
        }
    }

    fn build(&self) -> Result<ClientConfig> {
        let versions = files::versions(self.minimum, self.maximum);
        let failed = |error: rustls::Error| {
            Error::new(ErrorKind::Tls, format!("TLS could not be set up: {error}")).with_source(error)
        };
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&versions)
            .map_err(failed)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::new(self)?));
        let mut config = match files::own_certificate(self)? {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(|error| {
                Error::new(
                    ErrorKind::Tls,
                    format!(
                        "the certificate and the key of {} and {} cannot be used: {error}",
                        self.names.certificate, self.names.key
                    ),
                )
                .with_source(error)
            })?,
        };
        config.enable_sni = self.send_name;
        config.alpn_protocols = self.protocol.map(<[u8]>::to_vec).into_iter().collect();
        Ok(config)
    }
}

impl TlsClient {
    /// Makes the handshake on a connected socket, whose server is ready for it.
    pub fn handshake(&self, mut socket: Socket) -> Result<Transport> {
        let mut connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone())
            .map_err(|error| refused(&error, &self.names))?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| lost(error, "the TLS handshake", &self.names))?;
        }
        Ok(Transport::Tls(Box::new(StreamOwned::new(connection, socket))))
    }
}

/// What a failure of TLS means.
pub(crate) fn refused(error: &rustls::Error, names: &OptionNames) -> Error {
    let without_name = names.without_name;
    let (message, hint) = match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => (
                "the server's certificate was not issued by an authority that is trusted here".to_owned(),
                Some(format!("name the authority's certificate: {}=/path/to/root.crt", names.roots)),
            ),
            CertificateError::NotValidForNameContext { expected, presented } if presented.is_empty() => (
                format!("the server's certificate names no host, so that it is none of \"{}\"", expected.to_str()),
                Some(format!(
                    "the name must be in the certificate's subjectAltName; the common name (CN) of the subject does not \
                     count. {without_name} does not look at the name"
                )),
            ),
            CertificateError::NotValidForNameContext { expected, presented } => (
                format!(
                    "the server's certificate is made out to {}, not to \"{}\"",
                    presented.join(", "),
                    expected.to_str()
                ),
                Some(format!("connect to a name that it has; {without_name} does not look at the name")),
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                ("the server's certificate has expired".to_owned(), None)
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                ("the server's certificate is not valid yet".to_owned(), Some("are both clocks right?".to_owned()))
            }
            CertificateError::Revoked => ("the server's certificate was revoked".to_owned(), None),
            CertificateError::BadEncoding => (
                "the server's certificate cannot be read".to_owned(),
                Some("it must be an X.509 certificate of version 3 with a subjectAltName".to_owned()),
            ),
            other => (
                format!("the server's certificate was refused: {other}"),
                Some("it must be an X.509 certificate of version 3 with a subjectAltName".to_owned()),
            ),
        },
        rustls::Error::AlertReceived(alert) => (
            format!("the server ended the TLS connection: {alert:?}"),
            Some(format!("if it asks for a certificate of ours, name it with {} and {}", names.certificate, names.key)),
        ),
        other => (format!("TLS failed: {other}"), None),
    };
    let error_out = Error::new(ErrorKind::Tls, message).with_source(error.clone());
    match hint {
        Some(hint) => error_out.with_hint(hint),
        None => error_out,
    }
}
