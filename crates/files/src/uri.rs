//! Which files a URI or a path names, and how to read them.

use std::fmt;
use std::ops::Range;

use bowshot_core::{Address, Error, ErrorKind, Result};
use percent_encoding::percent_decode_str;

use crate::csv::Dialect;
use crate::format::Format;

/// Files and how to read them.
#[derive(Clone, PartialEq)]
pub(crate) struct Location {
    pub(crate) place: Place,
    /// The user's word; `None`: the names tell.
    pub(crate) format: Option<Format>,
    pub(crate) dialect: Dialect,
    /// Whether folders named `key=value` are columns.
    pub(crate) hive: bool,
    /// Whether Arrow files are mapped into memory.
    pub(crate) mmap: bool,
    /// The user's word that Arrow files hold what they say.
    pub(crate) trusted: bool,
    /// Whether every record of JSON lines is looked at for its types.
    pub(crate) infer_all: bool,
    /// The part of a Parquet file to read: the row groups whose middle lies in these bytes.
    pub(crate) range: Option<Range<u64>>,
}

/// Where files are.
#[derive(Clone, PartialEq)]
pub(crate) enum Place {
    /// A file, a folder, or a pattern of paths.
    Local(String),
    /// An object store.
    Remote {
        /// The address without what may be secret.
        address: String,
        /// The store's own options, which may be secret.
        options: Vec<(String, String)>,
    },
}

const REMOTE: &[&str] = &["s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "azure", "adl", "http", "https"];

impl Location {
    /// Reads `file:///absolute`, `file:relative`, `s3://bucket/prefix` and the like, or a plain path.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read(uri, Location::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let scheme = uri.split_once(':').map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
        match scheme {
            Some((scheme, rest)) if scheme == "file" => Self::file(rest),
            Some((scheme, rest)) if REMOTE.contains(&scheme.as_str()) => Self::remote(&scheme, rest),
            Some((scheme, rest)) if rest.starts_with("//") => {
                Err(Error::new(ErrorKind::Unsupported, format!("files are not read from {scheme}://"))
                    .with_hint("they are read from file://, s3://, gs://, az:// and https://"))
            }
            // A plain path means itself, whatever characters are in it.
            _ => Self::local(uri.to_owned()),
        }
    }

    fn file(rest: &str) -> Result<Self> {
        let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
        let path = match path.strip_prefix("//") {
            Some(path) => match path.find('/') {
                // The host may be left out, or be this one.
                Some(slash) if matches!(path.get(..slash), Some("" | "localhost")) => path.get(slash..).unwrap_or(path),
                _ => {
                    return Err(Error::new(ErrorKind::Config, "the file: address names a host")
                        .with_hint("write file:///absolute/path or file:relative/path"));
                }
            },
            None => path,
        };
        let mut location = Self::local(decode(path)?)?;
        for (name, value) in pairs(options)? {
            if !location.set(&name, &value)? {
                return Err(unknown(&name, ""));
            }
        }
        Ok(location)
    }

    fn remote(scheme: &str, rest: &str) -> Result<Self> {
        if !cfg!(feature = "remote") {
            return Err(Error::new(ErrorKind::Unsupported, format!("this build does not read {scheme}://"))
                .with_hint("build bowshot-files with its feature \"remote\""));
        }
        // The query of an http address belongs to the server; a store's own addresses have none.
        let web = scheme.starts_with("http");
        let (address, options) = rest.split_once(if web { '#' } else { '?' }).unwrap_or((rest, ""));
        if web && address.contains('?') {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "an http address with a query, such as a presigned one, is not read",
            )
            .with_hint(
                "download the file first, or use the object store's own scheme; options of Bowshot follow a #",
            ));
        }
        let host = address.trim_start_matches('/').split('/').next().unwrap_or_default();
        if host.contains('@') && web {
            return Err(Error::new(ErrorKind::Config, "an http address with a user name and a password is not read")
                .with_hint("use a presigned address, or the object store's own scheme"));
        }
        let container = scheme.starts_with("az") || scheme.starts_with("ab") || scheme == "adl";
        if host.contains('@') && (!container || host.contains(':')) {
            return Err(Error::new(ErrorKind::Config, format!("a {scheme} address has no user and no password"))
                .with_hint("keys come from the environment, or as options: ?access_key_id=…&secret_access_key=…"));
        }
        if !web && address.rsplit_once('#').is_some_and(|(_, end)| end.contains('=')) {
            return Err(Error::new(
                ErrorKind::Config,
                format!("the options of a {scheme} address follow a ?, not a #"),
            ));
        }
        let mut location = Self::at(Place::Local(String::new()));
        let mut own = Vec::new();
        for (name, value) in pairs(options)? {
            if !location.set(&name, &value)? {
                own.push((name, value));
            }
        }
        if web && !own.is_empty() {
            return Err(unknown(&own.swap_remove(0).0, " after the # of an http address"));
        }
        let address = format!("{scheme}:{address}");
        location.place = Place::Remote { address, options: own };
        Ok(location)
    }

    fn local(path: String) -> Result<Self> {
        if path.is_empty() {
            return Err(
                Error::new(ErrorKind::Config, "the path is empty").with_hint("write ./ for the working directory")
            );
        }
        Ok(Self::at(Place::Local(path)))
    }

    fn at(place: Place) -> Self {
        Location {
            place,
            format: None,
            dialect: Dialect::default(),
            hive: true,
            mmap: true,
            trusted: false,
            infer_all: false,
            range: None,
        }
    }

    /// Takes an option that is Bowshot's own; false for another one.
    fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        let truth = || match value {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(wrong(name, "true or false")),
        };
        let byte = || match value.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r') => Ok(*byte),
            br"\t" => Ok(b'\t'),
            _ => Err(wrong(name, "one ASCII character; # as %23, & as %26, + as %2B, a tab as %09")),
        };
        match name {
            "format" => {
                let known = Format::named(value);
                self.format = Some(known.ok_or_else(|| wrong(name, "parquet, csv, tsv, jsonl or arrow"))?);
            }
            "header" => self.dialect.header = truth()?,
            "delimiter" => self.dialect.delimiter = Some(byte()?),
            "quote" => self.dialect.quote = if value.is_empty() { None } else { Some(byte()?) },
            "escape" => self.dialect.escape = if value.is_empty() { None } else { Some(byte()?) },
            "null" => self.dialect.nulls.push(value.as_bytes().to_vec()),
            "infer" => {
                self.infer_all = match value {
                    "all" => true,
                    "sample" => false,
                    _ => return Err(wrong(name, "all, or sample")),
                };
            }
            "hive" => self.hive = truth()?,
            "mmap" => self.mmap = truth()?,
            "trusted" => self.trusted = truth()?,
            "range" => self.range = Some(range(value).ok_or_else(|| wrong(name, "START-END, two numbers of bytes"))?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What the user calls it, without what may be secret.
    pub(crate) fn shown(&self) -> &str {
        match &self.place {
            Place::Local(path) => path,
            Place::Remote { address, .. } => address,
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Location").field("address", &self.shown()).field("format", &self.format).finish_non_exhaustive()
    }
}

fn pairs(options: &str) -> Result<Vec<(String, String)>> {
    let pair = |option: &str| {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        Ok((decode(name)?, decode(value)?))
    };
    options.split('&').filter(|option| !option.is_empty()).map(pair).collect()
}

fn decode(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| Error::new(ErrorKind::Config, "a percent-encoded part of the URI is not UTF-8"))
}

/// `0-134217728`: bytes from the first number to before the second.
fn range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once('-')?;
    let range = start.parse().ok()?..end.parse().ok()?;
    (range.start <= range.end).then_some(range)
}

fn wrong(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the value of the option {name} makes no sense"))
        .with_hint(format!("{name} is {what}"))
}

fn unknown(name: &str, place: &str) -> Error {
    Error::new(ErrorKind::Config, format!("files have no option \"{name}\"{place}")).with_hint(
        "the options are format, header, delimiter, quote, escape, null, infer, hive, mmap, trusted and range",
    )
}

#[cfg(test)]
mod tests;
