//! Which certificate of a server is good enough.

use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use x509_cert::Certificate;
use x509_cert::der::Decode;

use super::{TlsOptions, Verify, files};

/// Verifies as much as the mode asks for.
#[derive(Debug)]
pub(super) struct Verifier {
    algorithms: WebPkiSupportedAlgorithms,
    /// Who is trusted; `None`: everyone.
    chain: Option<Chain>,
    /// Whether the host's name must be in the certificate.
    name: bool,
}

#[derive(Debug)]
struct Chain {
    verifier: Arc<WebPkiServerVerifier>,
    /// The trusted certificates themselves: a server may show one of them as its own.
    trusted: Vec<CertificateDer<'static>>,
}

impl Verifier {
    pub(super) fn new(options: &TlsOptions) -> Result<Self> {
        let provider = rustls::crypto::ring::default_provider();
        let algorithms = provider.signature_verification_algorithms;
        let roots = if options.verify > Verify::Nothing { files::roots(options)? } else { None };
        if roots.is_none() && options.verify > Verify::Nothing {
            let names = &options.names;
            let system = names
                .system
                .map_or_else(String::new, |system| format!(", or trust the operating system's with {system}"));
            return Err(Error::new(
                ErrorKind::Config,
                "the server is to be verified, but there is no root certificate",
            )
            .with_hint(format!("name the authority's certificate with {}=/path/to/root.crt{system}", names.roots)));
        }
        let chain = roots.map(|trusted| Chain::new(options, trusted, provider)).transpose()?;
        Ok(Verifier { algorithms, chain, name: options.verify == Verify::Name })
    }
}

impl Chain {
    fn new(
        options: &TlsOptions,
        trusted: Vec<CertificateDer<'static>>,
        provider: rustls::crypto::CryptoProvider,
    ) -> Result<Self> {
        let mut store = RootCertStore::empty();
        // The system's store may hold an odd one; a file of the user's has to be right.
        let (added, _) = store.add_parsable_certificates(trusted.iter().cloned());
        if added == 0 {
            return Err(Error::new(ErrorKind::Tls, "none of the root certificates can be read")
                .with_hint(format!("{} must hold X.509 certificates of version 3", options.names.roots)));
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::new(provider))
            .with_crls(files::revoked(options)?)
            .allow_unknown_revocation_status()
            .build()
            .map_err(|error| {
                Error::new(ErrorKind::Tls, format!("the root certificates cannot be used: {error}")).with_source(error)
            })?;
        Ok(Chain { verifier, trusted })
    }

    /// Whether the certificate is trusted as it stands, and valid now.
    fn trusts(&self, certificate: &CertificateDer<'_>, now: UnixTime) -> Result<bool, rustls::Error> {
        if !self.trusted.iter().any(|trusted| trusted.as_ref() == certificate.as_ref()) {
            return Ok(false);
        }
        let parsed = Certificate::from_der(certificate)
            .map_err(|_| rustls::Error::InvalidCertificate(CertificateError::BadEncoding))?;
        let validity = parsed.tbs_certificate.validity;
        let now = Duration::from_secs(now.as_secs());
        if now > validity.not_after.to_unix_duration() {
            return Err(CertificateError::Expired.into());
        }
        if now < validity.not_before.to_unix_duration() {
            return Err(CertificateError::NotValidYet.into());
        }
        Ok(true)
    }
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
        // A self-signed certificate that is its own authority, as `openssl req -x509` makes it, is no end of a chain.
        if chain.trusts(end_entity, now)? {
            if self.name {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        match chain.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last, so that all else was right.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match self.chain {
            Some(_) => rustls::crypto::verify_tls12_signature(message, certificate, signed, &self.algorithms),
            // Whoever holds the key: it was not asked whose it is. This lets certificates of version 1 pass.
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
