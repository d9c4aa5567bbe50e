use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
    Ed25519KeyPair, KeyPair,
};
use serde_json::json;

use super::*;
use crate::jwt::tests::{at, config, good, message, signed, with_secret};
use crate::jwt::{Jwt, JwtConfig, JwtKey};

/// A public key, and tokens that its private half signed once: `exp` is 2,000,000,000.
const RSA: &str = include_str!("../signed/rsa_public.pem");
const RS256: &str = include_str!("../signed/rs256.jwt");
const PS256: &str = include_str!("../signed/ps256.jwt");

fn base64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Modulus and exponent, from the PEM file's DER: they are the last two integers (RFC 8017, appendix A.1.1).
fn rsa(id: Option<&str>) -> Value {
    let text: String = RSA.lines().filter(|line| !line.starts_with('-')).collect();
    let der = STANDARD.decode(text).unwrap();
    let exponent = der.len() - 3;
    assert_eq!(der[exponent - 2..exponent], [2, 3]);
    let modulus = &der[exponent - 2 - 256..exponent - 2];
    // A zero in front, as some issuers write it.
    let mut key = json!({"kty": "RSA", "n": base64(&[&[0], modulus].concat()), "e": base64(&der[exponent..])});
    if let Some(id) = id {
        key["kid"] = json!(id);
    }
    key
}

fn pair(algorithm: &'static EcdsaSigningAlgorithm) -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap()
}

fn elliptic(id: &str, curve: &str, pair: &EcdsaKeyPair) -> Value {
    let point = &pair.public_key().as_ref()[1..];
    let (x, y) = point.split_at(point.len() / 2);
    json!({"kty": "EC", "crv": curve, "kid": id, "x": base64(x), "y": base64(y)})
}

fn set(keys: &[Value]) -> Result<KeySet> {
    KeySet::read(json!({ "keys": keys }).to_string().as_bytes())
}

fn jwt(keys: &KeySet, algorithms: &[&str]) -> Jwt {
    let algorithms = algorithms.iter().map(|name| (*name).into()).collect();
    Jwt::new(&JwtConfig { algorithms, key: JwtKey::Set(keys.clone()), ..config() }).unwrap()
}

fn believes(jwt: &Jwt, token: &str) -> bool {
    jwt.check(token, at(1_000)).is_ok_and(|proof| proof.user == "ada")
}

fn by_curve(id: Option<&str>, algorithm: &str, pair: &EcdsaKeyPair) -> String {
    let mut header = json!({ "alg": algorithm });
    if let Some(id) = id {
        header["kid"] = json!(id);
    }
    let message = message(&header, &good());
    let signature = pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
    signed(&message, signature.as_ref())
}

#[test]
fn a_token_is_checked_by_the_key_that_it_names() {
    let (first, second) = (pair(&ECDSA_P256_SHA256_FIXED_SIGNING), pair(&ECDSA_P256_SHA256_FIXED_SIGNING));
    let large = pair(&ECDSA_P384_SHA384_FIXED_SIGNING);
    let keys = set(&[elliptic("a", "P-256", &first), elliptic("b", "P-256", &second), elliptic("a", "P-384", &large)])
        .unwrap();
    let jwt = jwt(&keys, &["ES256", "ES384"]);
    assert!(believes(&jwt, &by_curve(Some("a"), "ES256", &first)));
    assert!(believes(&jwt, &by_curve(Some("b"), "ES256", &second)));
    assert!(believes(&jwt, &by_curve(Some("a"), "ES384", &large)), "two keys of one name, of two kinds");
    assert!(!believes(&jwt, &by_curve(Some("b"), "ES256", &first)), "another's signature");
    assert!(!believes(&jwt, &by_curve(None, "ES256", &first)), "it could be for two keys");
    assert!(believes(&jwt, &by_curve(None, "ES384", &large)), "it can be for one key only");
    assert!(!keys.take_missed());
    assert!(!believes(&jwt, &by_curve(Some("c"), "ES256", &first)));
    assert!(keys.take_missed() && !keys.take_missed(), "somebody should look for new keys, once");
}

#[test]
fn keys_of_all_kinds_check_what_they_signed() {
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let edwards = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let x = base64(edwards.public_key().as_ref());
    let keys = set(&[rsa(Some("rsa")), json!({"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": x})]).unwrap();
    let jwt = jwt(&keys, &["RS256", "PS256", "EdDSA"]);
    // These name no key, and there is one of RSA.
    assert!(believes(&jwt, RS256.trim()) && believes(&jwt, PS256.trim()));
    let (body, _) = RS256.trim().rsplit_once('.').unwrap();
    let (_, other) = PS256.trim().rsplit_once('.').unwrap();
    assert!(!believes(&jwt, &format!("{body}.{other}")));
    let message = message(&json!({"alg": "EdDSA", "kid": "ed"}), &good());
    assert!(believes(&jwt, &signed(&message, edwards.sign(message.as_bytes()).as_ref())));
    assert!(!believes(&jwt, &signed(&message, edwards.sign(b"other").as_ref())));
}

#[test]
fn neither_token_nor_key_chooses_an_algorithm_that_is_not_allowed() {
    let first = pair(&ECDSA_P256_SHA256_FIXED_SIGNING);
    let mut said = rsa(None);
    said["alg"] = json!("PS256");
    let keys = set(&[said, elliptic("a", "P-256", &first)]).unwrap();
    let jwt = jwt(&keys, &["RS256", "PS256"]);
    assert!(!believes(&jwt, &by_curve(Some("a"), "ES256", &first)), "ES256 is not allowed");
    assert!(!believes(&jwt, RS256.trim()), "the key is for PS256 alone");
    assert!(believes(&jwt, PS256.trim()));
    for header in [json!({"alg": "none"}), json!({"alg": "none", "kid": "a"}), json!({"alg": "HS256", "kid": "a"})] {
        let message = message(&header, &good());
        assert!(!believes(&jwt, &format!("{message}.")));
        // The classic: what everybody may know, taken as a secret.
        assert!(!believes(&jwt, &with_secret(&header, &good(), RSA.as_bytes())));
    }
    let config = JwtConfig { algorithms: vec!["RS256".into(), "HS256".into()], key: JwtKey::Set(keys), ..config() };
    assert!(Jwt::new(&config).unwrap_err().message().contains("need a secret"));
}

#[test]
fn keys_for_other_purposes_are_left_out() {
    let with = |member: &str, value: Value| {
        let mut key = rsa(Some("a"));
        key[member] = value;
        key
    };
    let others = [
        with("use", json!("enc")),
        with("key_ops", json!(["wrapKey"])),
        with("alg", json!("RSA-OAEP")),
        with("alg", json!("ES256")),
        with("n", json!(base64(&[255; 128]))),
        with("kty", json!("AKP")),
        json!({"kty": "EC", "crv": "P-521", "x": base64(&[1; 66]), "y": base64(&[1; 66])}),
        json!({"kty": "EC", "crv": "P-256", "x": base64(&[1; 31]), "y": base64(&[1; 32])}),
        json!({"kty": "OKP", "crv": "Ed448", "x": base64(&[1; 57])}),
        json!("a"),
        json!({}),
    ];
    for other in &others {
        assert_eq!(set(&[other.clone(), rsa(None)]).unwrap().len(), 1, "{other}");
        assert!(set(std::slice::from_ref(other)).unwrap_err().message().contains("none of the 1 keys"), "{other}");
    }
    assert_eq!(set(&[with("use", json!("sig")), with("key_ops", json!(["verify"]))]).unwrap().len(), 2);
}

#[test]
fn what_is_no_set_of_public_keys_is_refused_without_showing_it() {
    let mut private = rsa(None);
    private["d"] = json!("hunter2");
    for (bytes, words) in [
        (b"hunter2".to_vec(), "no JSON"),
        (br#"{"hunter2": 1}"#.to_vec(), "no array"),
        (br#"{"keys": {"hunter2": 1}}"#.to_vec(), "no array"),
        (json!({ "keys": [rsa(None), private] }).to_string().into_bytes(), "private key"),
        (json!({"keys": [rsa(None), {"kty": "oct", "k": "hunter2"}]}).to_string().into_bytes(), "a secret"),
        (json!({ "keys": vec![rsa(None); 101] }).to_string().into_bytes(), "more than 100 keys"),
        (vec![b' '; LONGEST_KEY_SET + 1], "more than 256 KiB"),
        (br#"{"keys": []}"#.to_vec(), "none of the 0 keys"),
    ] {
        let error = KeySet::read(&bytes).unwrap_err();
        assert!(error.kind() == ErrorKind::Config && error.message().contains(words), "{error:?}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

#[test]
fn a_set_is_replaced_while_tokens_are_checked() {
    let (old, new) = (pair(&ECDSA_P256_SHA256_FIXED_SIGNING), pair(&ECDSA_P256_SHA256_FIXED_SIGNING));
    let keys = set(&[elliptic("old", "P-256", &old)]).unwrap();
    let jwt = jwt(&keys, &["ES256"]);
    let (by_old, by_new) = (by_curve(Some("old"), "ES256", &old), by_curve(Some("new"), "ES256", &new));
    assert!(believes(&jwt, &by_old) && !believes(&jwt, &by_new));
    keys.replace(json!({"keys": [elliptic("new", "P-256", &new)]}).to_string().as_bytes()).unwrap();
    assert!(!believes(&jwt, &by_old) && believes(&jwt, &by_new));
    keys.replace(b"{}").unwrap_err();
    assert!(believes(&jwt, &by_new));
    keys.clear();
    assert!(keys.is_empty() && !believes(&jwt, &by_new));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(KeySet::read(&bytes).is_err());
    }

    #[test]
    fn no_members_make_it_panic(kty in "RSA|EC|OKP|oct|\\PC*", crv in "P-256|P-384|Ed25519|\\PC*", x in "[A-Za-z0-9_=-]{0,90}",
                               n in "[A-Za-z0-9_-]{0,400}", alg in "RS256|ES256|EdDSA|\\PC*") {
        let key = json!({"kty": kty, "crv": crv, "x": x, "y": x, "n": n, "e": "AQAB", "alg": alg});
        if let Ok(keys) = set(&[key]) {
            let jwt = jwt(&keys, &["RS256", "ES256", "EdDSA"]);
            prop_assert!(!believes(&jwt, RS256.trim()));
        }
    }
}
