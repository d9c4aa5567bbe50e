//! The signatures of JSON Web Tokens, checked by ring.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::{hmac, signature as asymmetric};

/// What checks signatures throughout the process. Nothing is ever signed.
static RING: CryptoProvider =
    CryptoProvider { signer_factory: no_signer, verifier_factory: verifier, key_utils: KeyUtils::new_unimplemented() };

/// Makes ring what jsonwebtoken checks signatures with, unless the program has chosen something before.
pub(super) fn install() {
    // It fails where something is installed already, which then serves as well.
    let _ = RING.install_default();
}

/// Whether the key can be for the algorithm.
pub(super) fn try_key(algorithm: &Algorithm, key: &DecodingKey) -> Result<(), Error> {
    verifier(algorithm, key).map(|_| ())
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    if let DecodingKeyKind::RsaModulusExponent { n, e } = key.kind() {
        let how = How::Components(rsa(algorithm)?, signature_key(n, e));
        return Ok(Box::new(Ring { algorithm: *algorithm, how }));
    }
    let bytes = key.try_get_as_bytes()?;
    let how = match algorithm {
        Algorithm::HS256 => How::Secret(hmac::Key::new(hmac::HMAC_SHA256, bytes)),
        Algorithm::HS384 => How::Secret(hmac::Key::new(hmac::HMAC_SHA384, bytes)),
        Algorithm::HS512 => How::Secret(hmac::Key::new(hmac::HMAC_SHA512, bytes)),
        Algorithm::ES256 => public(&asymmetric::ECDSA_P256_SHA256_FIXED, bytes),
        Algorithm::ES384 => public(&asymmetric::ECDSA_P384_SHA384_FIXED, bytes),
        Algorithm::EdDSA => public(&asymmetric::ED25519, bytes),
        _ => public(rsa(algorithm)?, bytes),
    };
    // A point of an elliptic curve: 0x04 and both coordinates (SEC 1, section 2.3.3); Ed25519's keys have 32 bytes.
    let length = match algorithm {
        Algorithm::ES256 => Some(65),
        Algorithm::ES384 => Some(97),
        Algorithm::EdDSA => Some(32),
        _ => None,
    };
    if length.is_some_and(|length| length != bytes.len()) {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Ring { algorithm: *algorithm, how }))
}

fn rsa(algorithm: &Algorithm) -> Result<&'static asymmetric::RsaParameters, Error> {
    match algorithm {
        Algorithm::RS256 => Ok(&asymmetric::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Ok(&asymmetric::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Ok(&asymmetric::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Ok(&asymmetric::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Ok(&asymmetric::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Ok(&asymmetric::RSA_PSS_2048_8192_SHA512),
        _ => Err(ErrorKind::UnsupportedAlgorithm.into()),
    }
}

/// Modulus and exponent without the zeros in front, which ring refuses and some issuers write.
fn signature_key(n: &[u8], e: &[u8]) -> asymmetric::RsaPublicKeyComponents<Vec<u8>> {
    let number = |bytes: &[u8]| bytes.iter().copied().skip_while(|byte| *byte == 0).collect();
    asymmetric::RsaPublicKeyComponents { n: number(n), e: number(e) }
}

fn public(algorithm: &'static dyn asymmetric::VerificationAlgorithm, key: &[u8]) -> How {
    How::Public(asymmetric::UnparsedPublicKey::new(algorithm, key.to_vec()))
}

struct Ring {
    algorithm: Algorithm,
    how: How,
}

enum How {
    Secret(hmac::Key),
    Public(asymmetric::UnparsedPublicKey<Vec<u8>>),
    Components(&'static asymmetric::RsaParameters, asymmetric::RsaPublicKeyComponents<Vec<u8>>),
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        match &self.how {
            How::Secret(key) => hmac::verify(key, message, signature),
            How::Public(key) => key.verify(message, signature),
            How::Components(parameters, key) => key.verify(parameters, message, signature),
        }
        .map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
