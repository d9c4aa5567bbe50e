//! Which cluster a URI names, and who asks it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secret};
use http::HeaderValue;
use percent_encoding::percent_decode_str;

/// The options, for messages.
const OPTIONS: &[&str] = &[
    "ca",
    "calls",
    "client_info",
    "client_tags",
    "connect_timeout",
    "fetch_timeout",
    "query_timeout",
    "source",
    "timezone",
    "tls_skip_verify",
    "token",
];

/// How to write a URI.
const FORM: &str =
    "write trino://USER@HOST:8080/CATALOG/SCHEMA, or trino+https://USER:PASSWORD@HOST:443/CATALOG/SCHEMA";

/// A cluster, and who asks it.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) tls: bool,
    /// A name or an address; IPv6 without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Secret>,
    /// A JWT, in place of a password.
    pub(crate) token: Option<Secret>,
    pub(crate) catalog: Option<String>,
    pub(crate) schema: Option<String>,
    /// What the cluster's lists of queries show of us.
    pub(crate) source: String,
    pub(crate) client_tags: Option<String>,
    pub(crate) client_info: Option<String>,
    /// The session's time zone; `None`: the server's.
    pub(crate) timezone: Option<String>,
    /// The session's properties.
    pub(crate) properties: BTreeMap<String, String>,
    /// Whether procedures and prepared statements may run.
    pub(crate) calls: Calls,
    /// The authorities that may have signed the server's certificate; `None`: those that the operating system trusts.
    pub(crate) ca: Option<PathBuf>,
    /// The user's word that anybody may pretend to be the server.
    pub(crate) tls_skip_verify: bool,
    /// How long it may take until the server has accepted a query.
    pub(crate) connect_timeout: Duration,
    /// How long the server may be silent, or out of order, after that.
    pub(crate) fetch_timeout: Duration,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Session properties hold secrets often enough.
        f.debug_struct("Target")
            .field("address", &format_args!("{self}"))
            .field("user", &self.user)
            .field("catalog", &self.catalog)
            .field("schema", &self.schema)
            .field("ca", &self.ca)
            .field("tls_skip_verify", &self.tls_skip_verify)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.tls { "https" } else { "http" }, self.authority())
    }
}

impl Target {
    /// Reads `trino://user:password@host:port/catalog/schema?options` and its like.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read_uri(uri, Target::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let (scheme, rest) = uri.split_once("://").ok_or_else(|| unknown_scheme(uri))?;
        let encrypted = encrypted(scheme)?;
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, address) = match authority.rsplit_once('@') {
            Some((login, address)) => (Some(login), address),
            None => (None, authority),
        };
        let (host, port) = address_of(address)?;
        let mut target = Target {
            tls: false,
            host,
            port: 0,
            user: None,
            password: None,
            token: None,
            catalog: None,
            schema: None,
            source: "bowshot".into(),
            client_tags: None,
            client_info: None,
            timezone: None,
            properties: BTreeMap::new(),
            calls: Calls::Refuse,
            ca: None,
            tls_skip_verify: false,
            connect_timeout: Duration::from_secs(10),
            fetch_timeout: Duration::from_secs(120),
        };
        if let Some(login) = login {
            let (user, password) = login.split_once(':').map_or((login, None), |(user, word)| (user, Some(word)));
            target.user = Some(decode(user)?).filter(|user| !user.is_empty());
            target.password = password.map(decode).transpose()?.map(Secret::new);
        }
        target.set_path(path)?;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            target.set(&decode(name)?, decode(value)?)?;
        }
        let secret = target.password.is_some() || target.token.is_some();
        target.tls = encrypted.unwrap_or(secret || port == Some(443));
        target.port = port.unwrap_or(if target.tls { 443 } else { 8080 });
        target.check()?;
        Ok(target)
    }

    /// The host and port as they stand in a URI.
    pub(crate) fn authority(&self) -> String {
        let Target { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    fn set_path(&mut self, path: &str) -> Result<()> {
        let mut names = path.split('/').map(decode);
        let mut next = || names.next().transpose().map(|name| name.filter(|name| !name.is_empty()));
        (self.catalog, self.schema) = (next()?, next()?);
        if next()?.is_some() || (self.catalog.is_none() && self.schema.is_some()) {
            return Err(Error::new(
                ErrorKind::Config,
                "the URI of a Trino cluster has a catalog and a schema after its port",
            )
            .with_hint(FORM));
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: String) -> Result<()> {
        match name {
            Calls::OPTION => self.calls = Calls::parse(&value)?,
            "ca" => self.ca = Some(value.into()),
            "client_info" => self.client_info = Some(value),
            "client_tags" => self.client_tags = Some(value),
            "connect_timeout" => self.connect_timeout = seconds(name, &value)?,
            "fetch_timeout" => self.fetch_timeout = seconds(name, &value)?,
            "query_timeout" => {
                // The server stops the query itself, wherever it is.
                let limit = format!("{}ms", seconds(name, &value)?.as_millis().max(1));
                self.properties.insert("query_max_run_time".into(), limit);
            }
            "source" => self.source = value,
            "timezone" => self.timezone = Some(value),
            "tls_skip_verify" => {
                self.tls_skip_verify = match value.as_str() {
                    "1" | "true" => true,
                    "0" | "false" => false,
                    _ => return Err(wrong(name, "true or false")),
                }
            }
            "token" => self.token = Some(Secret::new(value)),
            _ => match name.strip_prefix("session.") {
                Some("") => return Err(wrong("session.NAME", "VALUE, with a name")),
                Some(property) => {
                    if !property.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)) {
                        return Err(Error::new(
                            ErrorKind::Config,
                            format!("\"{property}\" is no name of a session property"),
                        ));
                    }
                    self.properties.insert(property.to_owned(), value);
                }
                None => return Err(unknown_option(name)),
            },
        }
        Ok(())
    }

    /// Options that contradict each other, or cannot be sent.
    fn check(&self) -> Result<()> {
        let refuse = |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        if self.token.is_some() && self.password.is_some() {
            return refuse("the URI has both a token and a password", "give one of them");
        }
        if self.user.is_none() && self.token.is_none() {
            return refuse("the URI of the Trino cluster has no user", FORM);
        }
        if self.user.as_ref().is_some_and(|user| user.contains(':')) && self.password.is_some() {
            return refuse("a user with a colon in its name cannot have a password: HTTP has no way to send it", FORM);
        }
        if !self.tls && (self.password.is_some() || self.token.is_some()) {
            return refuse(
                "a password or a token would travel in the clear",
                "write trino+https://, or leave the secret out where the cluster asks for none",
            );
        }
        if !self.tls && (self.ca.is_some() || self.tls_skip_verify) {
            return refuse("the URI has options of TLS, and asks for none", "write trino+https://");
        }
        let headers = [
            ("the user", &self.user),
            ("the catalog", &self.catalog),
            ("the schema", &self.schema),
            ("client_tags", &self.client_tags),
            ("client_info", &self.client_info),
            ("timezone", &self.timezone),
            ("source", &Some(self.source.clone())),
        ];
        let token = self.token.as_ref().map(|token| token.expose().to_owned());
        for (name, value) in headers.into_iter().chain([("the token", &token)]) {
            if value.as_ref().is_some_and(|value| HeaderValue::from_str(value).is_err()) {
                return Err(Error::new(ErrorKind::Config, format!("{name} holds what HTTP cannot send")));
            }
        }
        Ok(())
    }
}

/// Whether the scheme asks for TLS; `None` where it leaves that open.
fn encrypted(scheme: &str) -> Result<Option<bool>> {
    match scheme.to_ascii_lowercase().as_str() {
        "trino" => Ok(None),
        "trino+http" => Ok(Some(false)),
        "trino+https" => Ok(Some(true)),
        _ => Err(unknown_scheme(scheme)),
    }
}

fn unknown_scheme(found: &str) -> Error {
    let found = found.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let error = Error::new(ErrorKind::Config, format!("\"{found}\" is no scheme of a Trino cluster"));
    if found.starts_with("presto") {
        return error.with_hint("Presto speaks an older protocol, which is not read here; Trino is trino://");
    }
    error.with_hint(FORM)
}

/// Reads `host:port` and `[::1]:port`.
fn address_of(text: &str) -> Result<(String, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => (host, Some(rest.strip_prefix(':').unwrap_or("no port"))),
        None => text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let host = decode(host)?;
    if host.is_empty() {
        return Err(Error::new(ErrorKind::Config, "the URI of the Trino cluster has no host").with_hint(FORM));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:%~".contains(&byte) || !byte.is_ascii();
    if !host.bytes().all(plain) {
        return Err(
            Error::new(ErrorKind::Config, "the URI's host holds characters that no host's name has").with_hint(FORM)
        );
    }
    match port.map(str::parse).transpose() {
        Ok(port) if port != Some(0) => Ok((host, port)),
        _ => Err(wrong("the port", "a number up to 65535")),
    }
}

fn unknown_option(name: &str) -> Error {
    let likeness = |option: &str| strsim::jaro_winkler(name, option);
    let nearest = OPTIONS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = match nearest.filter(|option| likeness(option) > 0.8) {
        Some(option) => format!("did you mean {option}=?"),
        None => format!("the options are {} and session.NAME", OPTIONS.join(", ")),
    };
    Error::new(ErrorKind::Config, format!("the URI of a Trino cluster has no option \"{name}\"")).with_hint(hint)
}

fn wrong(name: &str, what: &str) -> Error {
    // Without the value: where an option is mistyped it may be a secret.
    Error::new(ErrorKind::Config, format!("the value of {name} makes no sense"))
        .with_hint(format!("write {name}={what}"))
}

fn seconds(name: &str, value: &str) -> Result<Duration> {
    let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    // Longer than a year is as good as for ever, and sums of such times overflow nowhere.
    let sensible = |time: &Duration| !time.is_zero() && *time <= Duration::from_secs(366 * 24 * 3600);
    seconds.filter(sensible).ok_or_else(|| wrong(name, "SECONDS, such as 30"))
}

fn decode(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(String::from).map_err(|_| Error::new(ErrorKind::Config, "the URI holds %-escapes that are not UTF-8"))
}

#[cfg(test)]
mod tests;
