//! Which certificate of a server is good enough.

use std::path::PathBuf;
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// The name of TDS 8.0 within TLS.
const PROTOCOL: &[u8] = b"tds/8.0";

/// What the URI says on certificates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {
    /// Every certificate will do (`trust_server_certificate`).
    pub(crate) all: bool,
    /// Who is trusted in place of the operating system's authorities (`ca`).
    pub(crate) authorities: Option<PathBuf>,
    /// The name that the certificate must have, if it is not the host's.
    pub(crate) name: Option<String>,
}

/// All that a handshake with one server needs.
pub(crate) struct Tls {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) name: ServerName<'static>,
}

impl Tls {
    /// `strict`: TDS 8.0, where TLS comes first and may be 1.3; with it, older protocols know 1.2 at most.
    pub(crate) fn new(trust: &Trust, host: &str, strict: bool) -> Result<Tls> {
        let failed = |error: rustls::Error| {
            Error::new(ErrorKind::Tls, format!("TLS could not be set up: {error}")).with_source(error)
        };
        let versions: &[_] =
            if strict { &[&rustls::version::TLS12, &rustls::version::TLS13] } else { &[&rustls::version::TLS12] };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .map_err(failed)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::new(trust, provider)?))
            .with_no_client_auth();
        if strict {
            config.alpn_protocols = vec![PROTOCOL.to_vec()];
        }
        let name = trust.name.as_deref().unwrap_or(host);
        let name = ServerName::try_from(name.to_owned()).map_err(|_| {
            Error::new(ErrorKind::Tls, format!("no certificate can be made out to \"{name}\""))
                .with_hint("name what it is made out to: hostname_in_certificate=…")
        })?;
        Ok(Tls { config: Arc::new(config), name })
    }
}

/// Verifies the chain and the name, unless everyone is trusted.
#[derive(Debug)]
struct Verifier {
    algorithms: WebPkiSupportedAlgorithms,
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// The certificates of the user's file: a server may show one of them as its own.
    given: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(trust: &Trust, provider: Arc<CryptoProvider>) -> Result<Verifier> {
        let algorithms = provider.signature_verification_algorithms;
        if trust.all {
            return Ok(Verifier { algorithms, chain: None, given: Vec::new() });
        }
        let given = trust.authorities.as_ref().map(certificates).transpose()?;
        let trusted = match &given {
            Some(given) => given.clone(),
            None => rustls_native_certs::load_native_certs().certs,
        };
        let mut store = RootCertStore::empty();
        // The system's store may hold an odd one.
        let (added, _) = store.add_parsable_certificates(trusted);
        if added == 0 {
            return Err(Error::new(ErrorKind::Tls, "there is no root certificate to verify the server's with").with_hint(
                "install the operating system's (the package ca-certificates), or name a file: ca=/path/to/root.crt",
            ));
        }
        let chain =
            WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider).build().map_err(|error| {
                Error::new(ErrorKind::Tls, format!("the root certificates cannot be used: {error}")).with_source(error)
            })?;
        Ok(Verifier { algorithms, chain: Some(chain), given: given.unwrap_or_default() })
    }
}

fn certificates(path: &PathBuf) -> Result<Vec<CertificateDer<'static>>> {
    let unreadable = |why: String| {
        Error::new(ErrorKind::Config, format!("the file {} (ca) could not be read: {why}", path.display()))
            .with_hint("it must hold certificates in PEM form")
    };
    let text = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| unreadable(error.to_string()))?;
    if found.is_empty() { Err(unreadable("it holds no certificate".to_owned())) } else { Ok(found) }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        // A certificate that signed itself is no end of a chain, but the user may have named exactly it.
        if self.given.iter().any(|given| given.as_ref() == end_entity.as_ref()) {
            verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            return Ok(ServerCertVerified::assertion());
        }
        chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match self.chain {
            Some(_) => rustls::crypto::verify_tls12_signature(message, certificate, signed, &self.algorithms),
            // It was not asked whose key it is. This lets the certificate pass that SQL Server makes for itself.
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match self.chain {
            Some(_) => rustls::crypto::verify_tls13_signature(message, certificate, signed, &self.algorithms),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
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
