//! Who issues tokens: signs them, and publishes the keys over HTTPS.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bowshot_testkit::Certificates;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// A pair of keys of P-256, under a name.
pub struct Key {
    id: &'static str,
    pair: EcdsaKeyPair,
}

impl Key {
    pub fn new(id: &'static str) -> Key {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
        Key { id, pair }
    }

    /// A token for `ann` that holds for an hour.
    pub fn token(&self) -> String {
        let end = SystemTime::now() + Duration::from_secs(3_600);
        let end = end.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({"alg": "ES256", "kid": self.id});
        let claims = json!({"iss": "https://issuer.example", "aud": "bowshot", "sub": "ann", "exp": end});
        let message = format!("{}.{}", part(&header), part(&claims));
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// The set of these keys, as it is published.
pub fn key_set(keys: &[&Key]) -> String {
    let public = |key: &&Key| {
        let (x, y) = key.pair.public_key().as_ref()[1..].split_at(32);
        json!({"kty": "EC", "crv": "P-256", "kid": key.id, "use": "sig", "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y)})
    };
    json!({"keys": keys.iter().map(public).collect::<Vec<_>>()}).to_string()
}

/// A web server that answers every call with the same, which may be changed; it ends with the test.
pub struct Web {
    address: SocketAddr,
    answer: Arc<Mutex<(&'static str, String)>>,
}

impl Web {
    pub fn start(certificates: &Certificates, body: String) -> Web {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = CertificateDer::pem_file_iter(certificates.server()).unwrap().map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(certificates.server_key()).unwrap();
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answer = Arc::new(Mutex::new(("200 OK", body)));
        let current = Arc::clone(&answer);
        thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (status, body) = current.lock().unwrap().clone();
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                // A client that does not believe the certificate leaves.
                let _ = respond(StreamOwned::new(connection, socket), status, &body);
            }
        });
        Web { address, answer }
    }

    pub fn url(&self) -> String {
        format!("https://{}/keys", self.address)
    }

    pub fn publish(&self, status: &'static str, body: String) {
        *self.answer.lock().unwrap() = (status, body);
    }
}

fn respond(mut stream: StreamOwned<ServerConnection, TcpStream>, status: &str, body: &str) -> std::io::Result<()> {
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        asked.extend(byte);
    }
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")?;
    stream.conn.send_close_notify();
    stream.flush()
}
