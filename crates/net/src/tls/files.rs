//! Certificates and keys from files.

use std::path::Path;

use bowshot_core::{Error, ErrorKind, Result};
use rustls::SupportedProtocolVersion;
use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};

use super::{TlsOptions, TlsVersion};

/// The versions from `minimum` to `maximum`.
pub(super) fn versions(minimum: TlsVersion, maximum: TlsVersion) -> Vec<&'static SupportedProtocolVersion> {
    [(TlsVersion::Tls12, &rustls::version::TLS12), (TlsVersion::Tls13, &rustls::version::TLS13)]
        .into_iter()
        .filter(|(version, _)| (minimum..=maximum).contains(version))
        .map(|(_, supported)| supported)
        .collect()
}

/// The certificates that are trusted; `None` if nothing says which.
pub(super) fn roots(options: &TlsOptions) -> Result<Option<Vec<CertificateDer<'static>>>> {
    if options.system_roots {
        let found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            return Err(Error::new(ErrorKind::Tls, "the operating system has no root certificates").with_hint(
                format!(
                    "install them (the package ca-certificates), or name a file: {}=/path/to/root.crt",
                    options.names.roots
                ),
            ));
        }
        return Ok(Some(found.certs));
    }
    options.root_file.as_deref().map(|path| certificates(path, options.names.roots)).transpose()
}

/// The lists of certificates that are no longer to be trusted.
pub(super) fn revoked(options: &TlsOptions) -> Result<Vec<CertificateRevocationListDer<'static>>> {
    let Some(path) = options.revoked_file.as_deref() else { return Ok(Vec::new()) };
    let text = read(path, options.names.revoked)?;
    CertificateRevocationListDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| unreadable(path, options.names.revoked, &error.to_string()))
}

/// Our own certificate with its chain, and its key.
pub(super) fn own_certificate(
    options: &TlsOptions,
) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>> {
    let (Some(certificate), Some(key)) = (&options.certificate_file, &options.key_file) else { return Ok(None) };
    let chain = certificates(certificate, options.names.certificate)?;
    private(key, options.names.key)?;
    let text = read(key, options.names.key)?;
    // An encrypted key is either a section of its own kind or, in OpenSSL's old form, says so in a header.
    let encrypted = [b"BEGIN ENCRYPTED PRIVATE KEY".as_slice(), b"Proc-Type: 4,ENCRYPTED"];
    if encrypted.iter().any(|mark| text.windows(mark.len()).any(|window| window == *mark)) {
        let path = key.display();
        return Err(Error::new(
            ErrorKind::Unsupported,
            format!("the key in {path} ({}) is encrypted, which Bowshot cannot read", options.names.key),
        )
        .with_hint(format!(
            "decrypt it into a file that only you may read: openssl pkey -in {path} -out decrypted.key"
        )));
    }
    let key =
        PrivateKeyDer::from_pem_slice(&text).map_err(|error| unreadable(key, options.names.key, &error.to_string()))?;
    Ok(Some((chain, key)))
}

/// Refuses a key that others may read, as libpq does.
fn private(path: &Path, option: &str) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata().map_err(|error| unreadable(path, option, &error.to_string()))?;
        // A key of the system's administrator may be readable by a group.
        let forbidden = if metadata.uid() == 0 { 0o027 } else { 0o077 };
        if metadata.mode() & forbidden != 0 {
            let path = path.display();
            return Err(Error::new(
                ErrorKind::Config,
                format!("others than its owner may use the key {path} ({option})"),
            )
            .with_hint(format!("chmod 0600 {path}")));
        }
    }
    Ok(())
}

/// What a file of certificates looks like.
const FORM: &str = "it must hold certificates in PEM form";

fn certificates(path: &Path, option: &str) -> Result<Vec<CertificateDer<'static>>> {
    let text = read(path, option)?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| unreadable(path, option, &error.to_string()).with_hint(FORM))?;
    if found.is_empty() {
        let kind = SectionKind::Certificate;
        return Err(unreadable(path, option, &format!("it holds nothing of the kind {kind:?}")).with_hint(FORM));
    }
    Ok(found)
}

fn read(path: &Path, option: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| unreadable(path, option, &error.to_string()))
}

fn unreadable(path: &Path, option: &str, why: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the file {} ({option}) could not be read: {why}", path.display()))
}
