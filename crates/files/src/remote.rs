//! Files in an object store.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_runtime::Runtime;
use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};

use crate::error::{changed, damaged, missing};
use crate::format::{is_orc, orc};
use crate::held::HeldFile;
use crate::lake::Lake;
use crate::snapshot::{File, Version};
use crate::uri::Location;
use crate::{glob, hive, list};

/// A dead host is given up after this, and tried again twice.
const CONNECT: Duration = Duration::from_secs(3);
/// One range, with all its bytes.
const REQUEST: Duration = Duration::from_secs(60);
/// Ranges that are as near to each other are fetched as one.
const GAP: u64 = 1 << 20;

/// A connection to an object store.
pub(crate) struct Remote {
    link: Arc<Link>,
    /// The address up to the path: `s3://bucket/`.
    root: String,
    /// The path as the user wrote it.
    path: String,
}

/// What the files of one connection share. Every connection has its own, since a runtime drives only its own sockets.
struct Link {
    store: Arc<dyn ObjectStore>,
    runtime: Runtime,
    cancel: Cancel,
    secrets: Vec<String>,
}

/// A file of the store.
pub(crate) struct Object {
    link: Arc<Link>,
    location: Path,
    file: Arc<File>,
}

impl Remote {
    /// Nothing is sent yet.
    pub(crate) fn new(address: &str, options: &[(String, String)], cancel: &Cancel) -> Result<Self> {
        let (scheme, rest) = address.split_once("://").unwrap_or((address, ""));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let root = format!("{scheme}://{host}/");
        // Every value may be a secret but those that people need to see.
        let plain = |name: &str| {
            ["region", "endpoint", "allow", "url", "version", "style", "skip"].iter().any(|word| name.contains(word))
        };
        let secrets = options.iter().filter(|(name, value)| !plain(name) && value.len() > 3);
        let secrets = secrets.map(|(_, value)| value.clone()).collect();
        let runtime = Runtime::new()?;
        let store = runtime.enter(|| build(scheme, &root, options))?;
        Ok(Remote {
            link: Arc::new(Link { store, runtime, cancel: cancel.clone(), secrets }),
            root,
            path: path.to_owned(),
        })
    }

    /// The files of the location, in the order of their paths.
    pub(crate) fn list(&self, location: &Location) -> Result<Vec<Arc<File>>> {
        let pattern = glob::is_pattern(&self.path);
        let folder = if pattern { glob::folder(&self.path) } else { self.path.as_str() };
        let prefix = self.parse(folder)?;
        let web = self.root.starts_with("http");
        if !pattern && !self.path.is_empty() && (web || !self.path.ends_with('/')) {
            match self.link.wait(async { Ok(self.link.store.head(&prefix).await) })? {
                Ok(meta) => return Ok(vec![self.file(location, &meta, "")]),
                Err(object_store::Error::NotFound { .. }) if !web => {}
                Err(error) => return Err(self.link.failed(location.shown(), &error)),
            }
        }
        if web {
            return Err(Error::new(ErrorKind::Unsupported, "folders and patterns cannot be listed over http")
                .with_hint("name one file, or read several addresses as several sources"));
        }
        let all = async { Ok(self.link.store.list(Some(&prefix)).try_collect::<Vec<ObjectMeta>>().await) };
        let all = self.link.wait(all)?.map_err(|error| self.link.failed(location.shown(), &error))?;
        let mut files = Vec::new();
        for meta in &all {
            let whole = meta.location.as_ref();
            let below = whole.strip_prefix(prefix.as_ref()).unwrap_or(whole).trim_start_matches('/');
            if let Some(lake) = Lake::of(below).filter(|_| !pattern) {
                return Err(lake.refusal(location.shown()));
            }
            let hidden = below.split('/').any(list::is_hidden);
            let taken = if pattern { glob::matches(&self.path, whole) } else { list::is_data(location, below) };
            // A folder's own marker has no bytes and no name.
            if taken && !hidden && !(meta.size == 0 && below.is_empty()) {
                files.push(self.file(location, meta, below));
            }
        }
        if !pattern {
            list::pass_documents(location, &mut files, |file| &file.name);
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        if files.is_empty() {
            let orc_file = all.iter().map(|meta| meta.location.as_ref()).find(|name| is_orc(name));
            return Err(orc_file.map_or_else(|| list::none(location.shown()), orc));
        }
        Ok(files)
    }

    /// The file of a ticket, if a listing of the location would name it so. Where it has a tag, each read asks for that version; else
    /// size and time are compared.
    pub(crate) fn find(&self, location: &Location, wanted: &HeldFile) -> Result<Arc<File>> {
        let pattern = glob::is_pattern(&self.path);
        let below = wanted.below.as_str();
        let prefix = self.parse(if pattern { glob::folder(&self.path) } else { self.path.as_str() })?;
        let outside = || list::outside(location, below);
        let place = if below.is_empty() {
            if pattern || self.path.is_empty() || self.path.ends_with('/') {
                return Err(outside());
            }
            prefix
        } else {
            let web = self.root.starts_with("http");
            let place = format!("{prefix}/{below}");
            let place = Path::parse(place.trim_start_matches('/')).map_err(|_| outside())?;
            let taken =
                if pattern { glob::matches(&self.path, place.as_ref()) } else { list::is_data(location, below) };
            if web || !list::is_inside(below) || !taken {
                return Err(outside());
            }
            place
        };
        let name = format!("{}{place}", self.root);
        if !matches!(wanted.version, Version::Remote { tag: Some(_), .. }) {
            let meta = self.link.wait(async { Ok(self.link.store.head(&place).await) })?;
            let meta = meta.map_err(|error| match error {
                object_store::Error::NotFound { .. } => missing(&name),
                other => self.link.failed(&name, &other),
            })?;
            let found = self.file(location, &meta, below);
            if (found.size, &found.version) != (wanted.size, &wanted.version) {
                return Err(changed(&name));
            }
        }
        let (path, below) = (place.as_ref().into(), below.to_owned());
        let (size, version, keys) = (wanted.size, wanted.version.clone(), wanted.keys.clone());
        Ok(Arc::new(File { name, path, below, size, version, keys }))
    }

    fn parse(&self, path: &str) -> Result<Path> {
        let parsed = if self.root.starts_with("http") { Path::from_url_path(path) } else { Path::parse(path) };
        parsed.map_err(|error| Error::new(ErrorKind::Config, format!("the path {path} makes no sense: {error}")))
    }

    fn file(&self, location: &Location, meta: &ObjectMeta, below: &str) -> Arc<File> {
        let keys = if location.hive { hive::keys(below) } else { Vec::new() };
        let name = format!("{}{}", self.root, meta.location);
        // A weak tag does not promise the same bytes, and no server takes it as a condition.
        let tag = meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        let (path, below) = (meta.location.as_ref().into(), below.to_owned());
        let version = Version::Remote { tag, modified: meta.last_modified.timestamp() };
        Arc::new(File { name, path, below, size: meta.size, version, keys })
    }

    pub(crate) fn object(&self, file: &Arc<File>) -> Object {
        // The path is one that the store itself gave.
        let location = Path::parse(file.path.to_string_lossy()).unwrap_or_default();
        Object { link: Arc::clone(&self.link), location, file: Arc::clone(file) }
    }
}

impl Object {
    pub(crate) fn read(&self, start: u64, length: u64) -> Result<Bytes> {
        if length == 0 {
            return Ok(Bytes::new());
        }
        let end = start.checked_add(length).filter(|end| *end <= self.file.size);
        let end = end.ok_or_else(|| damaged(&self.file.name, "it points to a place behind its end"))?;
        let bytes = self.link.wait(async { Ok(self.fetch(start..end).await) })?;
        let bytes = bytes.map_err(|error| self.failed(&error))?;
        if bytes.len() as u64 == length {
            Ok(bytes)
        } else {
            Err(damaged(&self.file.name, "the server sent less than was asked for"))
        }
    }

    /// Several ranges, at the same time.
    pub(crate) fn read_all(&self, ranges: &[(u64, u64)]) -> Result<Vec<Bytes>> {
        let ranges: Vec<Range<u64>> =
            ranges.iter().map(|(start, length)| *start..start.saturating_add(*length)).collect();
        if ranges.iter().any(|range| range.end > self.file.size) {
            return Err(damaged(&self.file.name, "it points to a place behind its end"));
        }
        let all = async { Ok(object_store::coalesce_ranges(&ranges, |range| self.fetch(range), GAP).await) };
        let all = self.link.wait(all)?.map_err(|error| self.failed(&error))?;
        let whole = all.iter().zip(&ranges).all(|(bytes, range)| bytes.len() as u64 == range.end - range.start);
        if whole { Ok(all) } else { Err(damaged(&self.file.name, "the server sent less than was asked for")) }
    }

    async fn fetch(&self, range: Range<u64>) -> object_store::Result<Bytes> {
        let tag = match &self.file.version {
            Version::Remote { tag, .. } => tag.clone(),
            Version::Local { .. } => None,
        };
        let options = GetOptions { range: Some(range.into()), if_match: tag, ..GetOptions::default() };
        self.link.store.get_opts(&self.location, options).await?.bytes().await
    }

    fn failed(&self, error: &object_store::Error) -> Error {
        match error {
            object_store::Error::Precondition { .. } | object_store::Error::NotFound { .. } => changed(&self.file.name),
            other => self.link.failed(&self.file.name, other),
        }
    }
}

impl Link {
    fn wait<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        self.runtime.wait(&self.cancel, future)
    }

    /// The store's error in words that hold no secret; the error itself is not kept.
    fn failed(&self, name: &str, error: &object_store::Error) -> Error {
        let words = scrub(&error.to_string(), &self.secrets);
        let (kind, hint) = match error {
            object_store::Error::NotFound { .. } => (ErrorKind::Io, "check the address"),
            object_store::Error::Unauthenticated { .. } | object_store::Error::PermissionDenied { .. } => {
                (ErrorKind::Authentication, "check the keys in the environment or in the URI, and their rights")
            }
            object_store::Error::NotSupported { .. } | object_store::Error::NotImplemented { .. } => {
                (ErrorKind::Unsupported, "download the file first")
            }
            _ => (
                ErrorKind::Connect,
                "check the address, the endpoint and the network; for http without TLS add allow_http=true",
            ),
        };
        Error::new(kind, format!("cannot read {name}: {words}")).with_hint(hint)
    }
}

/// Takes secrets out of an error's words: option values, and the queries of addresses, which may be signatures.
fn scrub(words: &str, secrets: &[String]) -> String {
    let mut words = words.to_owned();
    for secret in secrets {
        words = words.replace(secret.as_str(), "***");
    }
    let mut clean = String::with_capacity(words.len());
    let mut within = false;
    for character in words.chars() {
        match character {
            '?' if !within => {
                within = true;
                clean.push_str("?***");
            }
            ' ' | ')' | '"' | '\n' => {
                within = false;
                clean.push(character);
            }
            _ if within => {}
            _ => clean.push(character),
        }
    }
    clean
}

fn build(scheme: &str, root: &str, options: &[(String, String)]) -> Result<Arc<dyn ObjectStore>> {
    let client = ClientOptions::new().with_connect_timeout(CONNECT).with_timeout(REQUEST);
    let retry = RetryConfig { max_retries: 2, retry_timeout: Duration::from_secs(15), ..RetryConfig::default() };
    let wrong = |error: object_store::Error| {
        let secrets: Vec<String> =
            options.iter().map(|(_, value)| value.clone()).filter(|value| value.len() > 3).collect();
        Error::new(
            ErrorKind::Config,
            format!("the object store at {root} cannot be used: {}", scrub(&error.to_string(), &secrets)),
        )
        .with_hint("check the options in the URI and the environment")
    };
    match scheme {
        "s3" | "s3a" => {
            let mut builder = AmazonS3Builder::from_env().with_client_options(client).with_retry(retry).with_url(root);
            for (name, value) in options {
                builder = builder.with_config(key::<AmazonS3ConfigKey>(name)?, value);
            }
            Ok(Arc::new(builder.build().map_err(wrong)?))
        }
        "gs" | "gcs" => {
            let root = root.replace("gcs://", "gs://");
            let mut builder =
                GoogleCloudStorageBuilder::from_env().with_client_options(client).with_retry(retry).with_url(root);
            for (name, value) in options {
                builder = builder.with_config(key::<GoogleConfigKey>(name)?, value);
            }
            Ok(Arc::new(builder.build().map_err(wrong)?))
        }
        "http" | "https" => {
            let client = client.with_allow_http(scheme == "http");
            let builder = HttpBuilder::new().with_client_options(client).with_retry(retry).with_url(root);
            Ok(Arc::new(builder.build().map_err(wrong)?))
        }
        _ => {
            let mut builder =
                MicrosoftAzureBuilder::from_env().with_client_options(client).with_retry(retry).with_url(root);
            for (name, value) in options {
                builder = builder.with_config(key::<AzureConfigKey>(name)?, value);
            }
            Ok(Arc::new(builder.build().map_err(wrong)?))
        }
    }
}

fn key<K: FromStr>(name: &str) -> Result<K> {
    name.to_ascii_lowercase().parse().map_err(|_| {
        Error::new(ErrorKind::Config, format!("this object store has no option \"{name}\"")).with_hint(
            "the options are the store's own (region, endpoint, access_key_id, …), and format, header, delimiter, quote, null, \
             hive",
        )
    })
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("root", &self.root).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_no_secret() {
        let words = "error for url (https://x/y?sig=abc&se=1) with key hunter2, again";
        assert_eq!(scrub(words, &["hunter2".into()]), "error for url (https://x/y?***) with key ***, again");
    }

    #[test]
    fn unknown_options_are_refused() {
        let error = Remote::new("s3://bucket/x", &[("colour".into(), "red".into())], &Cancel::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
    }
}
