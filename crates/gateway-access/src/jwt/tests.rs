use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::json;

use super::*;

const SECRET: &[u8] = b"a secret of at least 32 bytes, as it must be";

/// A public key, and tokens that its private half signed once: `exp` is 2,000,000,000.
const RSA: &str = include_str!("signed/rsa_public.pem");
const RS256: &str = include_str!("signed/rs256.jwt");
const PS256: &str = include_str!("signed/ps256.jwt");

pub(crate) fn config() -> JwtConfig {
    JwtConfig {
        issuer: "https://issuer.example".into(),
        audience: "bowshot".into(),
        algorithms: vec!["HS256".into()],
        key: JwtKey::Secret(SECRET.to_vec()),
        user_claim: "sub".into(),
        strangers: None,
    }
}

/// A token that [`config`] believes.
pub(crate) fn token_for(user: &str, end: SystemTime) -> String {
    hs256(&json!({"iss": "https://issuer.example", "aud": "bowshot", "sub": user, "exp": unix_seconds(end)}))
}

pub(crate) fn message(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

pub(crate) fn signed(message: &str, signature: &[u8]) -> String {
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

pub(crate) fn with_secret(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let message = message(header, claims);
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
    signed(&message, ring::hmac::sign(&key, message.as_bytes()).as_ref())
}

fn hs256(claims: &Value) -> String {
    with_secret(&json!({"alg": "HS256", "typ": "JWT"}), claims, SECRET)
}

pub(crate) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

pub(crate) fn good() -> Value {
    json!({"iss": "https://issuer.example", "aud": "bowshot", "sub": "ada", "exp": 2_000})
}

/// The claims with one changed, or removed.
fn but(claim: &str, value: Option<Value>) -> Value {
    let mut claims = good();
    let map = claims.as_object_mut().unwrap();
    match value {
        Some(value) => map.insert(claim.into(), value),
        None => map.remove(claim),
    };
    claims
}

fn user(jwt: &Jwt, token: &str) -> Option<String> {
    jwt.check(token, at(1_000)).ok().map(|proof| proof.user)
}

fn hmac() -> Jwt {
    Jwt::new(&config()).unwrap()
}

fn public(pem: &str, algorithms: &[&str]) -> Result<Jwt> {
    let algorithms = algorithms.iter().map(|name| (*name).into()).collect();
    Jwt::new(&JwtConfig { algorithms, key: JwtKey::Pem(pem.into()), ..config() })
}

/// The PEM file of a public key: what stands before it in DER, and the key.
fn pem(before: &[u8], key: &[u8]) -> String {
    let text = STANDARD.encode([before, key].concat());
    format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")
}

#[test]
fn a_token_names_its_user_and_its_end() {
    let proof = hmac().check(&hs256(&good()), at(1_000)).unwrap();
    assert_eq!((proof.user.as_str(), proof.until), ("ada", at(2_060)));
    let mail = Jwt::new(&JwtConfig { user_claim: "email".into(), ..config() }).unwrap();
    let token = hs256(&but("email", Some(json!("ada@example.com"))));
    assert_eq!(user(&mail, &token).as_deref(), Some("ada@example.com"));
}

#[test]
fn a_token_holds_from_its_start_to_its_end_with_a_minute_for_clocks() {
    let claims = but("nbf", Some(json!(1_000)));
    let valid = |now| hmac().check(&hs256(&claims), at(now)).is_ok();
    assert_eq!([939, 940, 2_059, 2_060].map(valid), [false, true, true, false]);
    let fraction = hs256(&but("exp", Some(json!(2_000.5))));
    assert!(hmac().check(&fraction, at(2_059)).is_ok() && hmac().check(&fraction, at(2_060)).is_err());
}

#[test]
fn a_token_is_for_this_audience_from_this_issuer() {
    for (claim, value, valid) in [
        ("aud", Some(json!(["other", "bowshot"])), true),
        ("aud", Some(json!("other")), false),
        ("aud", Some(json!([])), false),
        ("aud", Some(json!(7)), false),
        ("aud", None, false),
        ("iss", Some(json!("https://issuer.example/")), false),
        ("iss", Some(json!("")), false),
        ("iss", None, false),
    ] {
        assert_eq!(user(&hmac(), &hs256(&but(claim, value.clone()))).is_some(), valid, "{claim} {value:?}");
    }
}

#[test]
fn claims_of_a_wrong_type_do_not_count_as_absent() {
    for (claim, value) in [
        ("exp", json!("2000")),
        ("exp", json!(-1)),
        ("exp", json!(null)),
        ("exp", json!([2_000])),
        ("nbf", json!("5")),
        ("nbf", json!(null)),
        ("nbf", json!({})),
        ("sub", json!("")),
        ("sub", json!(7)),
        ("sub", json!(["ada"])),
        ("sub", json!("a\nb")),
        ("sub", json!("a".repeat(257))),
    ] {
        assert_eq!(user(&hmac(), &hs256(&but(claim, Some(value.clone())))), None, "{claim} {value}");
    }
    for claim in ["exp", "sub"] {
        assert_eq!(user(&hmac(), &hs256(&but(claim, None))), None, "{claim}");
    }
    let endless = hs256(&but("exp", Some(json!(u64::MAX))));
    assert_eq!(user(&hmac(), &endless), None);
}

#[test]
fn a_token_does_not_choose_its_algorithm() {
    let none = message(&json!({"alg": "none"}), &good());
    let tokens = [
        format!("{none}."),
        with_secret(&json!({"alg": "none"}), &good(), SECRET),
        with_secret(&json!({"alg": "HS512"}), &good(), SECRET),
        with_secret(&json!({"alg": "RS256"}), &good(), SECRET),
        with_secret(&json!({"alg": "HS256", "crit": ["b64"], "b64": false}), &good(), SECRET),
        with_secret(&json!({}), &good(), SECRET),
    ];
    for token in &tokens {
        assert_eq!(user(&hmac(), token), None, "{token}");
    }
    // The classic: the public key, which everybody has, taken as a secret.
    let rsa = public(RSA, &["RS256"]).unwrap();
    let confused = with_secret(&json!({"alg": "HS256"}), &good(), RSA.as_bytes());
    assert_eq!(user(&rsa, &confused), None);
}

#[test]
fn another_secret_signs_nothing() {
    let header = json!({"alg": "HS256"});
    assert_eq!(user(&hmac(), &with_secret(&header, &good(), b"another secret of at least 32 bytes, yes")), None);
    assert_eq!(user(&hmac(), &with_secret(&header, &good(), b"")), None);
}

#[test]
fn rsa_signatures_are_checked() {
    let (rs, ps) = (RS256.trim(), PS256.trim());
    assert_eq!(user(&public(RSA, &["RS256"]).unwrap(), rs).as_deref(), Some("ada"));
    assert_eq!(user(&public(RSA, &["PS256"]).unwrap(), ps).as_deref(), Some("ada"));
    let both = public(RSA, &["RS256", "PS256"]).unwrap();
    assert!(user(&both, rs).is_some() && user(&both, ps).is_some());
    assert_eq!(user(&public(RSA, &["RS256"]).unwrap(), ps), None);
    assert_eq!(user(&public(RSA, &["RS512"]).unwrap(), rs), None);
    let (body, _) = rs.rsplit_once('.').unwrap();
    let (_, signature) = ps.rsplit_once('.').unwrap();
    assert_eq!(user(&both, &format!("{body}.{signature}")), None);
}

#[test]
fn signatures_of_elliptic_curves_are_checked() {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
    // SubjectPublicKeyInfo of a point on P-256 (RFC 5480).
    let before =
        b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00";
    let key = pem(before, pair.public_key().as_ref());
    let jwt = public(&key, &["ES256"]).unwrap();
    let message = message(&json!({"alg": "ES256"}), &good());
    let signature = pair.sign(&random, message.as_bytes()).unwrap();
    assert_eq!(user(&jwt, &signed(&message, signature.as_ref())).as_deref(), Some("ada"));
    assert_eq!(user(&jwt, &signed(&message, &[0; 64])), None);
    assert!(
        public(&key, &["ES384"]).is_err() && public(&key, &["EdDSA"]).is_err() && public(&key, &["RS256"]).is_err()
    );
}

#[test]
fn signatures_of_ed25519_are_checked() {
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    // SubjectPublicKeyInfo of an Ed25519 key (RFC 8410).
    let before = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
    let jwt = public(&pem(before, pair.public_key().as_ref()), &["EdDSA"]).unwrap();
    let message = message(&json!({"alg": "EdDSA"}), &good());
    assert_eq!(user(&jwt, &signed(&message, pair.sign(message.as_bytes()).as_ref())).as_deref(), Some("ada"));
    assert_eq!(user(&jwt, &signed(&message, pair.sign(b"other").as_ref())), None);
}

#[test]
fn every_token_with_one_character_changed_is_refused() {
    let token = hs256(&good());
    // The last character of a signature holds bits that mean nothing; decoders refuse them where they are not zero.
    for at in 0..token.len() {
        for other in ["A", "B", ".", "="] {
            if &token[at..=at] != other {
                let changed = format!("{}{other}{}", &token[..at], &token[at + 1..]);
                assert_eq!(user(&hmac(), &changed), None, "{at}");
            }
        }
    }
}

#[test]
fn mistakes_of_configuration_are_told_without_the_key() {
    let with = |change: fn(&mut JwtConfig)| {
        let mut config = config();
        change(&mut config);
        let error = Jwt::new(&config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(!format!("{error:?} {config:?}").contains("hunter2"), "{error:?}");
        error
    };
    with(|config| config.issuer.clear());
    with(|config| config.audience.clear());
    with(|config| config.user_claim.clear());
    with(|config| config.algorithms.clear());
    with(|config| config.algorithms = vec!["none".into()]);
    with(|config| config.algorithms = vec!["HS256".into(), "RS256".into()]);
    with(|config| config.algorithms = vec!["RS256".into()]);
    with(|config| config.key = JwtKey::Secret(b"hunter2".to_vec()));
    with(|config| config.key = JwtKey::Pem(b"hunter2".to_vec()));
    with(|config| config.strangers = Some(vec!["permit *".into()]));
    let error = with(|config| {
        config.algorithms = vec!["RS256".into()];
        config.key = JwtKey::Pem(b"-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----".to_vec());
    });
    assert!(error.message().contains("private"));
    let error = public("-----BEGIN PUBLIC KEY-----\nhunter2=\n-----END PUBLIC KEY-----", &["RS256"]).unwrap_err();
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[test]
fn what_debug_shows_holds_no_key() {
    let shown = format!("{:?} {:?}", hmac(), config());
    assert!(shown.contains("issuer.example") && !shown.contains("a secret of at"), "{shown}");
    assert!(!shown.contains(&format!("{:?}", &SECRET[..4])), "{shown}");
}

proptest! {
    #[test]
    fn no_token_makes_it_panic(token in "\\PC*|[A-Za-z0-9_=-]{0,40}\\.[A-Za-z0-9_=-]{0,40}\\.[A-Za-z0-9_=-]{0,40}") {
        prop_assert_eq!(user(&hmac(), &token), None);
    }

    #[test]
    fn no_signed_claims_make_it_panic(exp in any::<f64>(), nbf in any::<i64>(), sub in "\\PC*") {
        let mut claims = good();
        claims["exp"] = json!(exp);
        claims["nbf"] = json!(nbf);
        claims["sub"] = json!(sub);
        let _ = hmac().check(&hs256(&claims), at(1_000));
    }
}
