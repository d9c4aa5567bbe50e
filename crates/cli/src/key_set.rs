//! The public keys of who issues tokens: read from a file or over HTTPS, and read again while the gateway runs.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Address, Error, ErrorKind, Result};
use bowshot_gateway_access::{KeySet, LONGEST_KEY_SET};
use reqwest::{Certificate, Client, Response, Url, redirect};
use tokio::sync::Notify;

use crate::config::Layers;

/// How long the issuer may take for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How soon the keys are read again where a token names one that is not among them: strangers can send such tokens.
const SOONEST: Duration = Duration::from_secs(10);

/// How long keys are believed that cannot be read again: somebody may have withdrawn them.
const STALEST: Duration = Duration::from_hours(24);

/// How often to see whether it is time.
const LOOK: Duration = Duration::from_secs(1);

/// How often an issuer may send the reader elsewhere.
const REDIRECTS: usize = 3;

/// Where keys are published, and those that were read there. Clones stand for the same.
#[derive(Clone)]
pub(crate) struct Published {
    place: Place,
    keys: KeySet,
    every: Duration,
    asked: Arc<Notify>,
}

#[derive(Clone)]
enum Place {
    File(PathBuf),
    Web(Client, Url),
}

/// The keys of `jwt.key_set`, read; `None` where it is not set.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config), naming the file or the address: one that is neither a path nor `https://`, one that cannot be
/// read, one that holds something else.
pub(crate) fn published(settings: &Layers) -> Result<Option<Published>> {
    let Some(text) = settings.text("jwt.key_set") else {
        return match settings.text("jwt.key_set_ca") {
            None => Ok(None),
            Some(_) => Err(mistake("jwt.key_set_ca is set, and jwt.key_set is not").with_hint("set both or neither")),
        };
    };
    let blame = |error: Error| settings.origin("jwt.key_set").blame(&error);
    let place = Place::of(text, settings.path("jwt.key_set_ca").as_deref()).map_err(blame)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(ErrorKind::Io, format!("cannot wait for keys: {error}")))?;
    let keys = runtime.block_on(place.read()).and_then(|json| KeySet::read(&json).map_err(|error| place.blame(&error)));
    let every = settings.seconds("jwt.key_set_seconds")?;
    Ok(Some(Published { keys: keys.map_err(blame)?, place, every, asked: Arc::default() }))
}

impl Published {
    /// What tokens are checked with.
    pub(crate) fn keys(&self) -> KeySet {
        self.keys.clone()
    }

    /// Has the keys read again now.
    pub(crate) fn ask(&self) {
        self.asked.notify_one();
    }

    /// Reads the keys again from time to time, when it is asked to, and when tokens name others; for ever.
    pub(crate) async fn keep_fresh(self) {
        let (mut tried, mut read) = (Instant::now(), Instant::now());
        loop {
            let asked = tokio::time::timeout(LOOK, self.asked.notified()).await.is_ok();
            let since = tried.elapsed();
            // Looked at last: asking forgets it.
            if !(asked || since >= self.every || since >= SOONEST && self.keys.take_missed()) {
                continue;
            }
            tried = Instant::now();
            let replaced = match self.place.read().await {
                Ok(json) => self.keys.replace(&json).map_err(|error| self.place.blame(&error)),
                Err(error) => Err(error),
            };
            match replaced {
                Ok(()) => {
                    read = Instant::now();
                    tracing::debug!(keys = self.keys.len(), "the keys of tokens are read again");
                }
                Err(error) if read.elapsed() >= STALEST => {
                    self.keys.clear();
                    tracing::error!(%error, "no token is believed any more: the keys could not be read for a day");
                }
                Err(error) => tracing::warn!(%error, "the keys of tokens stay as they were"),
            }
        }
    }
}

impl Place {
    fn of(text: &str, authority: Option<&Path>) -> Result<Place> {
        if !text.contains("://") {
            return match authority {
                None => Ok(Place::File(PathBuf::from(text))),
                Some(_) => Err(mistake("jwt.key_set_ca is for an https:// address, and jwt.key_set is a file")),
            };
        }
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "https" && url.username().is_empty());
        let Some(url) = url else {
            return Err(mistake(format!(
                "jwt.key_set is {}, which is neither a file nor an https:// address",
                Address::new(text)
            ))
            .with_hint("keys that came unencrypted could be anybody's; an address holds no user"));
        };
        let refused = |error: reqwest::Error| mistake(format!("no HTTPS for jwt.key_set: {}", reason(&error)));
        let mut client = Client::builder()
            .https_only(true)
            .timeout(PATIENCE)
            .redirect(redirect::Policy::limited(REDIRECTS))
            // A connection would lie idle until the next time.
            .pool_max_idle_per_host(0);
        if let Some(path) = authority {
            let pem = bounded(path, "jwt.key_set_ca")?;
            let roots = Certificate::from_pem_bundle(&pem).ok().filter(|roots| !roots.is_empty()).ok_or_else(|| {
                mistake(format!("jwt.key_set_ca: {} holds no certificate", path.display()))
                    .with_hint("it is a PEM file, which begins with -----BEGIN CERTIFICATE-----")
            })?;
            client = roots
                .into_iter()
                .fold(client.tls_built_in_root_certs(false), |client, root| client.add_root_certificate(root));
        }
        Ok(Place::Web(client.build().map_err(refused)?, url))
    }

    async fn read(&self) -> Result<Vec<u8>> {
        match self {
            Place::File(path) => bounded(path, "jwt.key_set"),
            Place::Web(client, url) => {
                let failed = |error: reqwest::Error| {
                    mistake(format!("{} cannot be read: {}", Address::new(url.as_str()), reason(&error)))
                        .with_hint("check the address, the network and, for an authority of your own, jwt.key_set_ca")
                };
                let answer =
                    client.get(url.clone()).send().await.and_then(Response::error_for_status).map_err(failed)?;
                body(answer).await.map_err(failed)
            }
        }
    }

    /// Says where.
    fn blame(&self, error: &Error) -> Error {
        let place = match self {
            Place::File(path) => path.display().to_string(),
            Place::Web(_, url) => Address::new(url.as_str()).to_string(),
        };
        let blamed = mistake(format!("{place}: {}", error.message()));
        match error.hint() {
            Some(hint) => blamed.with_hint(hint),
            None => blamed,
        }
    }
}

/// What was answered, and not more than a set of keys can have.
async fn body(mut answer: Response) -> reqwest::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST_KEY_SET {
            break;
        }
    }
    Ok(bytes)
}

/// What a file holds, and not more than is looked at.
fn bounded(path: &Path, key: &str) -> Result<Vec<u8>> {
    let most = u64::try_from(LONGEST_KEY_SET).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| {
        mistake(format!("{key}: cannot read {}: {error}", path.display()))
            .with_hint("check the path, and who may read it")
    })?;
    Ok(bytes)
}

/// What reqwest says, with the causes that it keeps to itself and without the address, which is said already.
fn reason(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        return format!("the server answers {status}");
    }
    if error.is_timeout() {
        return format!("no answer within {} s", PATIENCE.as_secs());
    }
    let mut deepest: &dyn std::error::Error = error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    deepest.to_string()
}

fn mistake(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message)
}
