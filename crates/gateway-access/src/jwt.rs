//! JSON Web Tokens as bearers: somebody else's word about who asks.
//!
//! The rules are those of [RFC 7519](https://www.rfc-editor.org/rfc/rfc7519) and of the best current practice,
//! [RFC 8725](https://www.rfc-editor.org/rfc/rfc8725): the algorithm is ours to choose and not the token's, issuer and audience
//! are checked always, and a token without an end is none.

mod key_set;
mod verify;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bowshot_core::{Error, ErrorKind, Result};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, TokenData, Validation, decode, decode_header};
use serde_json::{Map, Value};

use crate::identity::is_name;
use crate::now::unix_seconds;
use crate::refusal::{Refusal, RefusalKind};
use crate::rights::Rights;

pub use key_set::{KeySet, LONGEST_KEY_SET};

/// How far the clocks of the issuer and of the gateway may be apart.
const LEEWAY: u64 = 60;

/// The shortest secret, in bytes: that of the hash ([RFC 7518, section 3.2](https://www.rfc-editor.org/rfc/rfc7518#section-3.2)).
const SHORTEST_SECRET: usize = 32;

/// What a token's signature is checked with.
#[derive(Clone)]
pub enum JwtKey {
    /// The secret that the issuer signs with too, of at least 32 bytes: HS256, HS384 and HS512.
    Secret(Vec<u8>),
    /// The issuer's public key, the content of a PEM file: RS, PS and ES algorithms, and EdDSA.
    Pem(Vec<u8>),
    /// The issuer's public keys, of which each token names one; for the same algorithms, of several kinds together.
    Set(KeySet),
}

impl fmt::Debug for JwtKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JwtKey::Secret(_) => "Secret(…)",
            JwtKey::Pem(_) => "Pem(…)",
            JwtKey::Set(_) => "Set(…)",
        })
    }
}

/// Which tokens are believed.
#[derive(Clone, Debug)]
pub struct JwtConfig {
    /// Who must have issued a token: its claim `iss`.
    pub issuer: String,
    /// Whom a token must be meant for: one of its claim `aud`.
    pub audience: String,
    /// The algorithms that may have signed it, such as `RS256`; where there is one key, all must be of its kind.
    pub algorithms: Vec<String>,
    /// What checks the signature.
    pub key: JwtKey,
    /// The claim that names the user, such as `sub`.
    pub user_claim: String,
    /// The rules of users who are named by a token and not configured; `None`: they are refused.
    pub strangers: Option<Vec<String>>,
}

/// Checks JSON Web Tokens.
pub struct Jwt {
    keys: Keys,
    validation: Validation,
    user_claim: String,
    strangers: Option<Arc<Rights>>,
}

enum Keys {
    One(Box<DecodingKey>),
    Set(KeySet),
}

/// What a token proves.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) user: String,
    pub(crate) until: SystemTime,
}

impl Jwt {
    /// Reads the key and the names of the algorithms.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config), never showing the key: an issuer, audience or claim that is empty; no algorithm, or
    /// one that is unknown or not for the key; a secret of less than 32 bytes; a PEM file without a public key.
    pub fn new(config: &JwtConfig) -> Result<Self> {
        for (name, value) in
            [("issuer", &config.issuer), ("audience", &config.audience), ("claim of the user", &config.user_claim)]
        {
            if value.is_empty() {
                return Err(mistake(format!("the {name} of tokens is empty")));
            }
        }
        let algorithms = config.algorithms.iter().map(|name| algorithm(name)).collect::<Result<Vec<_>>>()?;
        let Some(first) = algorithms.first() else { return Err(mistake("no algorithm of tokens is allowed")) };
        let keys = keys(&config.key, &algorithms, first.family())?;
        verify::install();
        let mut validation = Validation::new(*first);
        validation.algorithms = algorithms;
        validation.set_issuer(&[&config.issuer]);
        validation.set_audience(&[&config.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        // The times are compared here, against the caller's clock.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let strangers = config.strangers.as_deref().map(Rights::parse).transpose()?.map(Arc::new);
        Ok(Jwt { keys, validation, user_claim: config.user_claim.clone(), strangers })
    }

    /// Whether a bearer has the three parts of a token. The gateway's own bearers have no dot.
    pub(crate) fn looks_like(token: &str) -> bool {
        token.bytes().filter(|byte| *byte == b'.').count() == 2
    }

    pub(crate) fn lets_strangers_in(&self) -> bool {
        self.strangers.is_some()
    }

    pub(crate) fn strangers(&self) -> Option<Arc<Rights>> {
        self.strangers.clone()
    }

    /// Checks signature, issuer, audience and times, and says who the user is.
    pub(crate) fn check(&self, token: &str, now: SystemTime) -> Result<Proof, Refusal> {
        let data = self.verified(token)?;
        if data.header.crit.is_some() {
            return Err(refused("the token is not valid", "it has critical extensions"));
        }
        let claims = data.claims;
        let now = unix_seconds(now);
        let Some(end) = claims.get("exp").and_then(seconds) else {
            return Err(refused("the token is not valid", "its claim exp is not a time"));
        };
        if now >= end.saturating_add(LEEWAY) {
            return Err(refused("the token has expired", "it has expired"));
        }
        match claims.get("nbf").map(seconds) {
            None => {}
            Some(Some(start)) if start <= now.saturating_add(LEEWAY) => {}
            Some(Some(_)) => return Err(refused("the token is not valid yet", "it is not valid yet")),
            Some(None) => return Err(refused("the token is not valid", "its claim nbf is not a time")),
        }
        let until = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(end.saturating_add(LEEWAY)));
        let user = claims.get(&self.user_claim).and_then(Value::as_str).filter(|name| is_name(name));
        match (user, until) {
            (Some(user), Some(until)) => Ok(Proof { user: user.to_owned(), until }),
            (None, _) => Err(refused("the token names no user", format!("its claim {:?} is no name", self.user_claim))),
            (_, None) => Err(refused("the token is not valid", "its claim exp is beyond all clocks")),
        }
    }
}

impl Jwt {
    /// Checks the signature, issuer and audience.
    fn verified(&self, token: &str) -> Result<TokenData<Map<String, Value>>, Refusal> {
        let invalid = |cause: String| refused("the token is not valid", cause);
        let set = match &self.keys {
            Keys::One(key) => {
                return decode(token, key, &self.validation).map_err(|error| invalid(error.to_string()));
            }
            Keys::Set(set) => set,
        };
        let header = decode_header(token).map_err(|error| invalid(error.to_string()))?;
        if !self.validation.algorithms.contains(&header.alg) {
            return Err(invalid(format!("it is signed by {:?}, which is not allowed", header.alg)));
        }
        // The library demands that all allowed algorithms are of the key's kind.
        let validation = Validation { algorithms: vec![header.alg], ..self.validation.clone() };
        let mut cause = format!("the set of keys has none for {:?} that the token could mean", header.alg);
        for key in set.candidates(&header) {
            match decode(token, &key, &validation) {
                Ok(data) => return Ok(data),
                Err(error) => cause = error.to_string(),
            }
        }
        Err(invalid(cause))
    }
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt")
            .field("algorithms", &self.validation.algorithms)
            .field("issuer", &self.validation.iss)
            .field("audience", &self.validation.aud)
            .field("user_claim", &self.user_claim)
            .finish_non_exhaustive()
    }
}

/// A time of RFC 7519, section 2: seconds since 1970, which may have a fraction.
fn seconds(value: &Value) -> Option<u64> {
    match value.as_u64() {
        Some(seconds) => Some(seconds),
        None => Duration::try_from_secs_f64(value.as_f64()?).ok().map(|time| time.as_secs()),
    }
}

fn algorithm(name: &str) -> Result<Algorithm> {
    Algorithm::from_str(name).map_err(|_| {
        mistake(format!("the algorithm {name:?} of tokens is not known")).with_hint(
            "known are HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and EdDSA",
        )
    })
}

fn keys(key: &JwtKey, algorithms: &[Algorithm], family: AlgorithmFamily) -> Result<Keys> {
    if let JwtKey::Set(set) = key {
        return match algorithms.iter().any(|algorithm| algorithm.family() == AlgorithmFamily::Hmac) {
            false => Ok(Keys::Set(set.clone())),
            true => Err(mistake("HS256, HS384 and HS512 need a secret, and a set of keys holds public ones")
                .with_hint("allow the algorithms that the issuer signs with, such as RS256 and ES256")),
        };
    }
    if algorithms.iter().any(|algorithm| algorithm.family() != family) {
        return Err(mistake("the algorithms of tokens need different keys"));
    }
    let key = self::key(key, family)?;
    for algorithm in algorithms {
        verify::try_key(algorithm, &key).map_err(|_| mistake(format!("the key of tokens is not for {algorithm:?}")))?;
    }
    Ok(Keys::One(Box::new(key)))
}

fn key(key: &JwtKey, family: AlgorithmFamily) -> Result<DecodingKey> {
    let read = match (key, family) {
        (JwtKey::Secret(secret), AlgorithmFamily::Hmac) if secret.len() < SHORTEST_SECRET => {
            return Err(mistake(format!("the secret of tokens has less than {SHORTEST_SECRET} bytes")));
        }
        (JwtKey::Secret(secret), AlgorithmFamily::Hmac) => return Ok(DecodingKey::from_secret(secret)),
        (JwtKey::Pem(pem), _) if pem.windows(11).any(|part| part == b"PRIVATE KEY") => {
            return Err(mistake("the PEM file of tokens holds a private key")
                .with_hint("the gateway needs only the public one: openssl pkey -in FILE -pubout"));
        }
        (JwtKey::Pem(pem), AlgorithmFamily::Rsa) => DecodingKey::from_rsa_pem(pem),
        (JwtKey::Pem(pem), AlgorithmFamily::Ec) => DecodingKey::from_ec_pem(pem),
        (JwtKey::Pem(pem), AlgorithmFamily::Ed) => DecodingKey::from_ed_pem(pem),
        _ => {
            return Err(mistake("the algorithms of tokens are not for the kind of their key")
                .with_hint("a secret is for HS256, HS384 and HS512, a PEM file for all others"));
        }
    };
    // The library's own message may repeat what it read.
    read.map_err(|_| {
        mistake("the PEM file of tokens holds no public key for their algorithms")
            .with_hint("it begins with -----BEGIN PUBLIC KEY-----")
    })
}

fn mistake(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message)
}

fn refused(message: &str, cause: impl Into<String>) -> Refusal {
    Refusal::new(RefusalKind::Unauthenticated, message).with_hint("get a new token").with_cause(cause)
}

#[cfg(test)]
pub(crate) mod tests;
