//! Ties a SCRAM login to the certificate that the server showed (`tls-server-end-point` of RFC 5929).

use sha2::{Digest, Sha256, Sha384, Sha512};
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// The hash of the server's certificate with the hash function of the certificate's own signature; `None` where the
/// signature names none (Ed25519, RSASSA-PSS), for which servers cannot compute it either.
pub(crate) fn server_end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let parsed = Certificate::from_der(certificate).ok()?;
    Some(match parsed.signature_algorithm.oid.to_string().as_str() {
        // RSA or ECDSA with SHA-256; with MD5 or SHA-1, in whose place stands SHA-256.
        "1.2.840.113549.1.1.11"
        | "1.2.840.10045.4.3.2"
        | "1.2.840.113549.1.1.4"
        | "1.2.840.113549.1.1.5"
        | "1.2.840.10045.4.1" => Sha256::digest(certificate).to_vec(),
        // With SHA-384.
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Sha384::digest(certificate).to_vec(),
        // With SHA-512.
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Sha512::digest(certificate).to_vec(),
        _ => return None,
    })
}
