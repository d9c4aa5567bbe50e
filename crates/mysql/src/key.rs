//! A server's RSA key, before a password is encrypted with it.

use bowshot_core::Result;
use mysql_common::crypto::der::{PubKeyFileType, pem_to_der};
use x509_cert::der::asn1::UintRef;
use x509_cert::der::{Decode, Reader, SliceReader};
use x509_cert::spki::SubjectPublicKeyInfoRef;

use crate::error::broken;

/// The bytes of a modulus that can be meant seriously: 1024 to 16384 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 128..=2048;

/// The longest exponent; nearly every key has 65537.
const EXPONENT: usize = 8;

/// An error where the bytes are not an RSA key in PEM form. The library that encrypts with it takes that on trust.
pub(crate) fn check(pem: &[u8]) -> Result<()> {
    match is_rsa_key(pem) {
        Some(true) => Ok(()),
        _ => Err(broken("its public key is no RSA key of 1024 to 16384 bits")),
    }
}

fn is_rsa_key(pem: &[u8]) -> Option<bool> {
    let (der, kind) = pem_to_der(pem).ok()?;
    let key = match kind {
        PubKeyFileType::Pkcs1 => der.as_slice(),
        PubKeyFileType::Pkcs8 => SubjectPublicKeyInfoRef::from_der(&der).ok()?.subject_public_key.as_bytes()?,
    };
    let mut reader = SliceReader::new(key).ok()?;
    let lengths = reader.sequence(|fields| {
        let (modulus, exponent) = (UintRef::decode(fields)?, UintRef::decode(fields)?);
        Ok((modulus.as_bytes().len(), exponent.as_bytes().len()))
    });
    let (modulus, exponent) = lengths.ok()?;
    Some(reader.is_finished() && MODULUS.contains(&modulus) && (1..=EXPONENT).contains(&exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDmgKqLcXMmAlIPqL7z3WlUa3Dw
oJ+BxolwgUViCsSUDS9nh8B/I8fqKUmGKecDPwJkN92hIdpKhYQZ5fyHO5hYANIJ
HFLz0TpHdD0cUHFPeW6vUpTtnLw+T4qREaoeWGXQgUtqgL+2CK+XnHVMOiqKjoYT
GPNkqD8SX4gz5JXdZQIDAQAB
-----END PUBLIC KEY-----";

    #[test]
    fn only_whole_keys_pass() {
        check(KEY.as_bytes()).unwrap();
        assert!(check(b"").is_err());
        assert!(check(b"-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----").is_err());
        assert!(check(b"-----BEGIN RSA PUBLIC KEY-----\nMAA=\n-----END RSA PUBLIC KEY-----").is_err());
        assert!(check(KEY.replace("MIGf", "MIGe").as_bytes()).is_err());
        assert!(check(KEY.replace("GPNkqD8SX4gz5JXdZQIDAQAB\n", "\n").as_bytes()).is_err());
    }
}
