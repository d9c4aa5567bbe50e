//! Which server a URI names, and who asks it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use bowshot_core::{Calls, Error, ErrorKind, OpenExcerpt, Result, Secret};
use http::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

/// How large a message may be. Servers send batches of some megabytes; what announces more than this is mistaken or
/// means harm.
const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// What gRPC itself can express.
const LARGEST_MESSAGE: usize = u32::MAX as usize;

/// The options, for messages.
const OPTIONS: &[&str] = &[
    "authority",
    "ca",
    "calls",
    "catalog",
    "cert",
    "connect_timeout",
    "fetch_timeout",
    "key",
    "max_message_bytes",
    "password",
    "poll",
    "query_timeout",
    "schema",
    "tls_server_name",
    "tls_skip_verify",
    "token",
    "transport",
    "username",
];

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address {
    pub(crate) tls: bool,
    /// A name or an address; IPv6 without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Address {
    /// The host and port as they stand in a URI.
    pub(crate) fn authority(&self) -> String {
        let Address { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.tls { "grpc+tls" } else { "grpc" }, self.authority())
    }
}

/// A server, and who asks it.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Secret>,
    /// A bearer token, in place of a user.
    pub(crate) token: Option<Secret>,
    /// The authorities that may have signed the server's certificate; `None`: those that the operating system trusts.
    pub(crate) ca: Option<PathBuf>,
    /// Our own certificate, and the key that belongs to it.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
    /// The user's word that anybody may pretend to be the server.
    pub(crate) tls_skip_verify: bool,
    /// The name in the server's certificate, where it is not the host's.
    pub(crate) tls_server_name: Option<String>,
    /// The name that the server is called by, where it is not the host's.
    pub(crate) authority: Option<String>,
    /// What every call carries.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// Options of the server's session.
    pub(crate) session: BTreeMap<String, String>,
    pub(crate) connect_timeout: Duration,
    /// How long the server may take until it says where the result is.
    pub(crate) query_timeout: Option<Duration>,
    /// How long a stream may be silent.
    pub(crate) fetch_timeout: Option<Duration>,
    pub(crate) max_message_bytes: usize,
    /// Whether the server is asked again and again until the query has run, in place of one long call.
    pub(crate) poll: bool,
    /// Whether procedures and prepared statements may run.
    pub(crate) calls: Calls,
    /// What reads excerpts of Parquet files, where the server may send such.
    pub(crate) open_excerpt: Option<OpenExcerpt>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers and session options hold secrets often enough.
        f.debug_struct("Target")
            .field("address", &format_args!("{}", self.address))
            .field("user", &self.user)
            .field("ca", &self.ca)
            .field("tls_skip_verify", &self.tls_skip_verify)
            .finish_non_exhaustive()
    }
}

impl Target {
    /// Reads `grpc://host:port`, `grpc+tls://user:password@host:port?options` and their like.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        bowshot_core::Address::read_uri(uri, Target::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let (scheme, rest) = uri.split_once("://").ok_or_else(|| unknown_scheme(uri))?;
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let options = options.split('&').filter(|option| !option.is_empty()).map(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            Ok((decode(name)?, decode(value)?))
        });
        let options: Vec<(String, String)> = options.collect::<Result<_>>()?;
        let transport = options.iter().find(|(name, _)| name == "transport").map(|(_, value)| value.as_str());
        let tls = encrypted(scheme, transport)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !path.is_empty() {
            return Err(Error::new(ErrorKind::Config, "the URI of a Flight SQL server has nothing after its port")
                .with_hint("name a catalog or a schema with ?catalog=NAME&schema=NAME"));
        }
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let mut target = Target {
            address: address(host, tls)?,
            user: None,
            password: None,
            token: None,
            ca: None,
            identity: None,
            tls_skip_verify: false,
            tls_server_name: None,
            authority: None,
            headers: Vec::new(),
            session: BTreeMap::new(),
            connect_timeout: Duration::from_secs(10),
            query_timeout: None,
            fetch_timeout: None,
            max_message_bytes: MAX_MESSAGE_BYTES,
            poll: false,
            calls: Calls::Refuse,
            open_excerpt: None,
        };
        if let Some(user) = user {
            let (user, password) = user.split_once(':').map_or((user, None), |(user, word)| (user, Some(word)));
            target.user = Some(decode(user)?);
            target.password = password.map(decode).transpose()?.map(Secret::new);
        }
        let (mut certificate, mut key) = (None, None);
        for (name, value) in options {
            match name.as_str() {
                "cert" => certificate = Some(PathBuf::from(value)),
                "key" => key = Some(PathBuf::from(value)),
                _ => target.set(&name, value)?,
            }
        }
        target.identity = match (certificate, key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                return Err(Error::new(
                    ErrorKind::Config,
                    "a certificate of our own needs both cert=FILE and key=FILE",
                ));
            }
        };
        target.check()?;
        Ok(target)
    }

    fn set(&mut self, name: &str, value: String) -> Result<()> {
        match name {
            "transport" => {}
            Calls::OPTION => self.calls = Calls::parse(&value)?,
            "username" => self.user = Some(value),
            "password" => self.password = Some(Secret::new(value)),
            "token" => self.token = Some(Secret::new(value)),
            "ca" => self.ca = Some(value.into()),
            "authority" => self.authority = Some(value),
            "tls_server_name" => self.tls_server_name = Some(value),
            "tls_skip_verify" => self.tls_skip_verify = truth(name, &value)?,
            "poll" => self.poll = truth(name, &value)?,
            "connect_timeout" => self.connect_timeout = seconds(name, &value)?,
            "query_timeout" => self.query_timeout = Some(seconds(name, &value)?),
            "fetch_timeout" => self.fetch_timeout = Some(seconds(name, &value)?),
            "catalog" | "schema" => {
                self.session.insert(name.to_owned(), value);
            }
            "max_message_bytes" => {
                let bytes = value.parse().ok().filter(|bytes| (1024..=LARGEST_MESSAGE).contains(bytes));
                self.max_message_bytes = bytes.ok_or_else(|| wrong(name, "BYTES, from 1024 to 4294967295"))?;
            }
            _ => {
                if let Some(header) = name.strip_prefix("header.") {
                    self.headers.push(call_header(header, &value)?);
                } else if let Some(option) = name.strip_prefix("session.") {
                    self.session.insert(option.to_owned(), value);
                } else {
                    return Err(unknown_option(name));
                }
            }
        }
        Ok(())
    }

    /// Options that contradict each other.
    fn check(&self) -> Result<()> {
        let refuse = |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        if self.token.is_some() && (self.user.is_some() || self.password.is_some()) {
            return refuse("the URI has both a token and a user", "give one of them");
        }
        if self.password.is_some() && self.user.is_none() {
            return refuse("the URI has a password and no user", "write grpc+tls://USER:PASSWORD@HOST:PORT");
        }
        let for_tls = self.ca.is_some() || self.identity.is_some() || self.tls_server_name.is_some();
        if !self.address.tls && (for_tls || self.tls_skip_verify) {
            return refuse(
                "the URI has options of TLS, and its scheme asks for none",
                "write grpc+tls:// for an encrypted connection",
            );
        }
        Ok(())
    }
}

/// Whether the scheme asks for TLS.
fn encrypted(scheme: &str, transport: Option<&str>) -> Result<bool> {
    let scheme = scheme.to_ascii_lowercase();
    let tls = match scheme.as_str() {
        "grpc" | "grpc+tcp" => false,
        "grpc+tls" | "grpcs" => true,
        "flightsql" => match transport.map(str::to_ascii_lowercase).as_deref() {
            None | Some("tls") => true,
            Some("tcp") => false,
            Some(_) => return Err(wrong("transport", "tls or tcp")),
        },
        _ => return Err(unknown_scheme(&scheme)),
    };
    if transport.is_some() && scheme != "flightsql" {
        return Err(Error::new(ErrorKind::Config, "transport= belongs to the scheme flightsql://")
            .with_hint("grpc:// is in the clear, grpc+tls:// is encrypted"));
    }
    Ok(tls)
}

fn unknown_scheme(found: &str) -> Error {
    let found = found.split(':').next().unwrap_or_default().to_ascii_lowercase();
    Error::new(ErrorKind::Config, format!("\"{found}\" is no scheme of a Flight SQL server"))
        .with_hint("write grpc://HOST:PORT, or grpc+tls://HOST:PORT for an encrypted connection")
}

/// Reads `host:port` and `[::1]:port`.
pub(crate) fn address(text: &str, tls: bool) -> Result<Address> {
    let missing = |what: &str| {
        Error::new(ErrorKind::Config, format!("the URI of the Flight SQL server has no {what}"))
            .with_hint("write grpc://HOST:PORT, or grpc+tls://HOST:PORT for an encrypted connection")
    };
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let host = decode(host)?;
    if host.is_empty() {
        return Err(missing("host"));
    }
    let port = match port {
        Some(port) => port.parse().map_err(|_| wrong("port", "a number up to 65535"))?,
        // The port of HTTPS, as gRPC has it.
        None if tls => 443,
        // There is no port that servers without TLS agree on.
        None => return Err(missing("port")),
    };
    Ok(Address { tls, host, port })
}

fn call_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let refused = |what: &str| Error::new(ErrorKind::Config, format!("header.{name} has {what}"));
    let header = HeaderName::try_from(name).map_err(|_| refused("no name that HTTP allows"))?;
    let mut value = HeaderValue::from_str(value).map_err(|_| refused("a value that HTTP does not allow"))?;
    value.set_sensitive(true);
    Ok((header, value))
}

fn unknown_option(name: &str) -> Error {
    let nearest = OPTIONS.iter().max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
    let near = nearest.filter(|option| strsim::jaro_winkler(name, option) > 0.8);
    let hint = match near {
        Some(option) => format!("did you mean {option}=?"),
        None => format!("the options are {}, header.NAME and session.NAME", OPTIONS.join(", ")),
    };
    Error::new(ErrorKind::Config, format!("the URI of a Flight SQL server has no option \"{name}\"")).with_hint(hint)
}

fn wrong(name: &str, what: &str) -> Error {
    // Without the value: where an option is mistyped it may be a secret.
    Error::new(ErrorKind::Config, format!("the value of {name} makes no sense"))
        .with_hint(format!("write {name}={what}"))
}

fn truth(name: &str, value: &str) -> Result<bool> {
    match value {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(wrong(name, "true or false")),
    }
}

fn seconds(name: &str, value: &str) -> Result<Duration> {
    let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    // Longer than a year is as good as for ever, and sums of such times overflow nowhere.
    let least = |time: &Duration| !time.is_zero() && *time <= Duration::from_secs(366 * 24 * 3600);
    seconds.filter(least).ok_or_else(|| wrong(name, "SECONDS, such as 30"))
}

fn decode(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(String::from).map_err(|_| Error::new(ErrorKind::Config, "the URI holds %-escapes that are not UTF-8"))
}

#[cfg(test)]
mod tests;
