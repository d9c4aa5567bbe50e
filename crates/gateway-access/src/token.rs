//! The bearer that opens a session.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::random;
use crate::refusal::{Refusal, RefusalKind};

/// A bearer: 256 random bits as base64 of the kind that is safe in URLs. It is handed out once; what is kept is its hash.
pub struct Token(String);

impl Token {
    pub(crate) fn new() -> Result<Self, Refusal> {
        match random::bytes::<32>() {
            Ok(bytes) => Ok(Token(URL_SAFE_NO_PAD.encode(bytes))),
            Err(error) => Err(Refusal::new(RefusalKind::Internal, error.message())),
        }
    }

    /// The bearer itself, for the client alone.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The value of the header `authorization` that answers a handshake: stock clients send it back with every call.
    pub fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The hash of a bearer. Who reads the gateway's memory or a dump of it cannot log in with what is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(crate) fn of(bearer: &str) -> Self {
        TokenHash(Sha256::digest(bearer.as_bytes()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_256_bits_and_no_dot() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.reveal().len(), 43);
        assert_ne!(one.reveal(), other.reveal());
        assert!(!one.reveal().contains('.'));
        assert_eq!(URL_SAFE_NO_PAD.decode(one.reveal()).unwrap().len(), 32);
        assert!(!format!("{one:?}").contains(one.reveal()));
    }
}
