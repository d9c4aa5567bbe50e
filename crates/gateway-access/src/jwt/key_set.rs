//! Sets of public keys, as issuers of tokens publish them ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517), section 5).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bowshot_core::{Error, ErrorKind, Result};
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use parking_lot::RwLock;
use serde_json::Value;

/// The longest set, in bytes; those of large issuers have some thousands.
pub const LONGEST_KEY_SET: usize = 256 << 10;

/// The most keys of a set. Each may have to be tried.
const MOST_KEYS: usize = 100;

/// The shortest modulus of RSA, in bytes: RFC 7518, section 3.3, demands 2,048 bits.
const SHORTEST_MODULUS: usize = 256;

/// The public keys of an issuer. Clones stand for the same set, which may be replaced while tokens are checked.
///
/// ```
/// use bowshot_gateway_access::KeySet;
///
/// let published = br#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "alg": "EdDSA",
///     "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
/// let keys = KeySet::read(published)?;
/// assert_eq!(keys.len(), 1);
/// keys.replace(published)?; // when the issuer has published it anew
/// assert!(KeySet::read(b"{}").is_err());
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone)]
pub struct KeySet {
    keys: Arc<RwLock<Arc<Vec<PublicKey>>>>,
    missed: Arc<AtomicBool>,
}

struct PublicKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

impl KeySet {
    /// Reads a JWK Set. Keys that are for something else than signatures, or of kinds that nobody here can check, are left out,
    /// as RFC 7517 demands.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config), never showing a key: what is longer than [`LONGEST_KEY_SET`], no JWK Set, has more than
    /// 100 keys, holds no key that can be used, or one that should be secret.
    pub fn read(json: &[u8]) -> Result<Self> {
        Ok(KeySet { keys: Arc::new(RwLock::new(Arc::new(keys(json)?))), missed: Arc::default() })
    }

    /// Puts other keys in the place of these, for the tokens to come.
    ///
    /// # Errors
    /// As [`read`](Self::read); then the keys stay as they are.
    pub fn replace(&self, json: &[u8]) -> Result<()> {
        *self.keys.write() = Arc::new(keys(json)?);
        Ok(())
    }

    /// Believes no token any more, until the keys are replaced.
    pub fn clear(&self) {
        *self.keys.write() = Arc::default();
    }

    /// How many keys can be used.
    pub fn len(&self) -> usize {
        self.keys.read().len()
    }

    /// Whether no token is believed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a token has named a key that is not here, since this was asked last: the issuer may have published another set.
    pub fn take_missed(&self) -> bool {
        self.missed.swap(false, Ordering::Relaxed)
    }

    /// The keys that may have signed a token: those of the name that it gives. One that gives no name is for the only key of its
    /// algorithm.
    pub(super) fn candidates(&self, header: &Header) -> Vec<DecodingKey> {
        let keys = Arc::clone(&self.keys.read());
        let named = |key: &&PublicKey| header.kid.is_none() || header.kid == key.id;
        let fitting = |key: &&PublicKey| key.algorithms.contains(&header.alg);
        let found: Vec<DecodingKey> = keys.iter().filter(named).filter(fitting).map(|key| key.key.clone()).collect();
        match (&header.kid, found.len()) {
            (Some(_), 0) => self.missed.store(true, Ordering::Relaxed),
            (None, 2..) => return Vec::new(),
            _ => {}
        }
        found
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySet({} keys)", self.len())
    }
}

fn keys(json: &[u8]) -> Result<Vec<PublicKey>> {
    if json.len() > LONGEST_KEY_SET {
        return Err(mistake(format!("the set of keys has more than {} KiB", LONGEST_KEY_SET >> 10)));
    }
    let set: Value =
        serde_json::from_slice(json).map_err(|error| mistake(format!("the set of keys is no JSON: {error}")))?;
    let Some(all) = set.get("keys").and_then(Value::as_array) else {
        return Err(mistake("there is no array \"keys\" in the set of keys").with_hint(
            "it is a JWK Set (RFC 7517): the address stands as jwks_uri in the issuer's openid-configuration",
        ));
    };
    if all.len() > MOST_KEYS {
        return Err(mistake(format!("the set has more than {MOST_KEYS} keys")));
    }
    if all.iter().any(is_secret) {
        return Err(mistake("the set holds a secret or a private key")
            .with_hint("give the public keys alone, and make new ones where others have seen these"));
    }
    let usable: Vec<PublicKey> = all.iter().filter_map(public_key).collect();
    if usable.is_empty() {
        return Err(mistake(format!("none of the {} keys of the set can check a signature", all.len())).with_hint(
            "usable are RSA keys of at least 2048 bits, those of P-256 and P-384, and Ed25519, whose \"use\" is \"sig\" or missing",
        ));
    }
    Ok(usable)
}

/// A symmetric key, or the private half of any other: their members are `k` and `d` (RFC 7518, section 6).
fn is_secret(key: &Value) -> bool {
    ["k", "d"].iter().any(|member| key.get(member).is_some())
}

fn public_key(value: &Value) -> Option<PublicKey> {
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    let common = &jwk.common;
    let for_signatures = common.public_key_use.as_ref().is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
    let for_checks =
        common.key_operations.as_ref().is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    if !for_signatures || !for_checks {
        return None;
    }
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    let algorithms = possible(&jwk.algorithm, &key);
    let algorithms: Vec<Algorithm> = match common.key_algorithm {
        None => algorithms.to_vec(),
        Some(said) => algorithms.iter().copied().filter(|algorithm| KeyAlgorithm::from(*algorithm) == said).collect(),
    };
    match algorithms.iter().all(|algorithm| super::verify::try_key(algorithm, &key).is_ok()) {
        true if !algorithms.is_empty() => Some(PublicKey { id: common.key_id.clone(), algorithms, key }),
        _ => None,
    }
}

/// The algorithms that a key of this kind can have signed with.
fn possible(parameters: &AlgorithmParameters, key: &DecodingKey) -> &'static [Algorithm] {
    use jsonwebtoken::DecodingKeyKind::RsaModulusExponent;
    match (parameters, key.kind()) {
        (AlgorithmParameters::RSA(_), RsaModulusExponent { n, .. }) if n.len() >= SHORTEST_MODULUS => &[
            Algorithm::RS256,
            Algorithm::RS384,
            Algorithm::RS512,
            Algorithm::PS256,
            Algorithm::PS384,
            Algorithm::PS512,
        ],
        (AlgorithmParameters::EllipticCurve(curve), _) if curve.curve == EllipticCurve::P256 => &[Algorithm::ES256],
        (AlgorithmParameters::EllipticCurve(curve), _) if curve.curve == EllipticCurve::P384 => &[Algorithm::ES384],
        (AlgorithmParameters::OctetKeyPair(pair), _) if pair.curve == EllipticCurve::Ed25519 => &[Algorithm::EdDSA],
        _ => &[],
    }
}

fn mistake(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message)
}

#[cfg(test)]
mod tests;
