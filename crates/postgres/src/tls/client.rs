//! The TLS handshake with one server.

use std::io::{Read, Write};
use std::net::IpAddr;
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, StreamOwned};

use super::{TlsMode, TlsOptions, files, verify::Verifier};
use crate::connect::{Address, Socket, Transport, lost};
use crate::uri::{Host, Place};

/// The name of PostgreSQL's protocol within TLS.
const PROTOCOL: &[u8] = b"postgresql";

/// All that a handshake with one server needs.
#[derive(Clone)]
pub(crate) struct TlsClient {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    direct: bool,
    /// Whether a server without TLS will do.
    optional: bool,
}

impl TlsOptions {
    /// What a handshake with this host needs.
    pub(crate) fn client(&self, host: &Host, address: &Address) -> Result<TlsClient> {
        let config = match self.made.get() {
            Some(config) => Arc::clone(config),
            None => {
                let config = Arc::new(self.build()?);
                Arc::clone(self.made.get_or_init(|| config))
            }
        };
        Ok(TlsClient {
            config,
            name: self.name(host, address)?,
            direct: self.direct,
            optional: self.mode < TlsMode::Require,
        })
    }

    /// The name that the certificate should have, and that the server may need to choose one.
    fn name(&self, host: &Host, address: &Address) -> Result<ServerName<'static>> {
        let name = match &host.place {
            Place::Name(name) | Place::Address { name: Some(name), .. } => Some(name),
            Place::Address { .. } | Place::Socket(_) => None,
        };
        let address: Option<IpAddr> = match address {
            Address::Tcp(address) => Some(address.ip()),
            Address::Unix(_) => None,
        };
        let verified = self.mode == TlsMode::VerifyFull;
        match (name.map(|name| ServerName::try_from(name.clone())), address) {
            (Some(Ok(name)), _) => Ok(name),
            (_, Some(address)) if !verified => Ok(ServerName::from(address)),
            (Some(Err(_)), _) => Err(Error::new(
                ErrorKind::Tls,
                format!("no certificate can be made out to \"{}\"", name.map_or("", String::as_str)),
            )),
            _ => Err(Error::new(ErrorKind::Config, "sslmode=verify-full needs the host's name, not only its address")
                .with_hint("give host=… beside hostaddr=…")),
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
                    format!("the certificate and the key of sslcert and sslkey cannot be used: {error}"),
                )
                .with_source(error)
            })?,
        };
        config.enable_sni = self.server_name;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(config)
    }
}

impl TlsClient {
    /// Asks the server for TLS and makes the handshake; plain when the server has none and need not.
    pub(crate) fn negotiate(&self, mut socket: Socket) -> Result<Transport> {
        if !self.direct {
            let mut request = BytesMut::new();
            frontend::ssl_request(&mut request);
            let what = "the request for TLS";
            socket.write_all(&request).map_err(|error| lost(error, what))?;
            let mut answer = [0];
            // One byte and no more: what follows it belongs to TLS.
            socket.read_exact(&mut answer).map_err(|error| lost(error, what))?;
            match &answer {
                b"S" => {}
                b"N" if self.optional => return Ok(Transport::Plain(socket)),
                b"N" => {
                    return Err(Error::new(ErrorKind::Tls, "the server has no TLS, and sslmode asks for it")
                        .with_hint("turn on ssl in the server's configuration, or connect with sslmode=prefer"));
                }
                // A server that is out of processes. Its words are not encrypted, so that nobody knows whose they are.
                b"E" => {
                    return Err(Error::new(
                        ErrorKind::Connect,
                        "the server answered the request for TLS with an error",
                    )
                    .with_hint("its log says why; it may be out of memory or processes"));
                }
                _ => return Err(crate::message::unexpected("something that is no answer to a request for TLS")),
            }
        }
        let mut connection =
            ClientConnection::new(Arc::clone(&self.config), self.name.clone()).map_err(|error| refused(&error))?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| lost(error, "the TLS handshake"))?;
        }
        // Without it, a server of another protocol could be talked to by mistake.
        if self.direct && connection.alpn_protocol() != Some(PROTOCOL) {
            return Err(Error::new(ErrorKind::Tls, "the server did not agree to speak PostgreSQL inside TLS")
                .with_hint("sslnegotiation=direct needs PostgreSQL 17 or newer"));
        }
        Ok(Transport::Tls(Box::new(StreamOwned::new(connection, socket))))
    }
}

/// What a failure of TLS means.
pub(crate) fn refused(error: &rustls::Error) -> Error {
    let (message, hint) = match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => (
                "the server's certificate was not issued by an authority that is trusted here".to_owned(),
                Some("name the authority's certificate: sslrootcert=/path/to/root.crt"),
            ),
            CertificateError::NotValidForNameContext { expected, presented } if presented.is_empty() => (
                format!("the server's certificate names no host, so that it is none of \"{}\"", expected.to_str()),
                Some(
                    "the name must be in the certificate's subjectAltName; the common name (CN) of the subject does not \
                     count. sslmode=verify-ca does not look at the name",
                ),
            ),
            CertificateError::NotValidForNameContext { expected, presented } => (
                format!(
                    "the server's certificate is made out to {}, not to \"{}\"",
                    presented.join(", "),
                    expected.to_str()
                ),
                Some("connect to a name that it has; sslmode=verify-ca does not look at the name"),
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                ("the server's certificate has expired".to_owned(), None)
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                ("the server's certificate is not valid yet".to_owned(), Some("are both clocks right?"))
            }
            CertificateError::Revoked => ("the server's certificate was revoked".to_owned(), None),
            CertificateError::BadEncoding => (
                "the server's certificate cannot be read".to_owned(),
                Some("it must be an X.509 certificate of version 3 with a subjectAltName"),
            ),
            other => (
                format!("the server's certificate was refused: {other}"),
                Some("it must be an X.509 certificate of version 3 with a subjectAltName"),
            ),
        },
        rustls::Error::AlertReceived(alert) => (
            format!("the server ended the TLS connection: {alert:?}"),
            Some("if it asks for a certificate of ours, name it with sslcert and sslkey"),
        ),
        other => (format!("TLS failed: {other}"), None),
    };
    let error_out = Error::new(ErrorKind::Tls, message).with_source(error.clone());
    match hint {
        Some(hint) => error_out.with_hint(hint),
        None => error_out,
    }
}
