//! How to reach a server: `clickhouse://user:password@host:port/database?option=value`.

use std::path::PathBuf;
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secret};
use bowshot_net::{Host, OptionNames, TlsOptions, Verify};
use percent_encoding::percent_decode_str;

/// How long connecting and logging in may take, unless `connect_timeout` says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The ports of ClickHouse over HTTP, and over HTTP with TLS.
const PORT: u16 = 8123;
const TLS_PORT: u16 = 8443;

/// How this source calls what has to do with TLS.
const TLS_NAMES: OptionNames =
    OptionNames { roots: "ca", revoked: "", certificate: "cert", key: "key", without_name: "verify=ca", system: None };

/// Where a server is, and who we are there. Its `Debug` shows no secret.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) host: Host,
    /// `None`: not encrypted.
    pub(crate) tls: Option<TlsOptions>,
    pub(crate) user: String,
    pub(crate) password: Option<Secret>,
    pub(crate) database: Option<String>,
    pub(crate) connect_timeout: Duration,
    /// Whether answers may be compressed.
    pub(crate) compress: bool,
    /// Whether prepared statements and procedures may run.
    pub(crate) calls: Calls,
    /// The user's settings for every query.
    pub(crate) settings: Vec<(String, String)>,
}

/// The options as they are written, before the defaults depend on each other.
#[derive(Default)]
struct Given {
    secure: Option<bool>,
    verify: Option<Verify>,
    ca: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl Location {
    /// Reads a URI. No error here repeats what may be a part of a password.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read_uri(uri, Location::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let (scheme, rest) = uri.split_once("://").ok_or_else(|| wrong("it has no \"://\""))?;
        let (base, transport) = scheme.split_once('+').unwrap_or((scheme, ""));
        let secure = match (base, transport) {
            ("clickhouse" | "clickhousedb", "" | "connect") => None,
            ("clickhouse" | "clickhousedb", "http") => Some(false),
            ("clickhouse" | "clickhousedb", "https") => Some(true),
            ("clickhouse" | "clickhousedb", _) => return Err(wrong("ClickHouse is read over http or https")),
            _ => return Err(wrong("it starts with another name than clickhouse")),
        };
        let mut given = Given { secure, ..Given::default() };
        let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        // The last "@", so that one in a password that nobody encoded does no harm.
        let (credentials, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) =
            credentials.split_once(':').map_or((credentials, None), |(user, rest)| (user, Some(rest)));
        let (host, port) = address(place)?;
        let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
        let named = |text: String| Some(text).filter(|text| !text.is_empty());
        let mut location = Location {
            host: Host { name: named(decoded(host)?).unwrap_or_else(|| "localhost".into()), port: PORT },
            tls: None,
            user: named(decoded(user)?).unwrap_or_else(|| "default".into()),
            password: password.map(decoded).transpose()?.map(Secret::new),
            database: named(decoded(path.trim_start_matches('/'))?),
            connect_timeout: CONNECT_TIMEOUT,
            compress: false,
            calls: Calls::Refuse,
            settings: Vec::new(),
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            location.set(&mut given, &decoded(name)?, decoded(value)?)?;
        }
        let secure = given.secure.unwrap_or(matches!(port, Some(TLS_PORT | 443)));
        location.host.port = port.unwrap_or(if secure { TLS_PORT } else { PORT });
        location.tls = given.tls(secure)?;
        Ok(location)
    }

    fn set(&mut self, given: &mut Given, name: &str, value: String) -> Result<()> {
        let unclear = |what: &str| {
            Error::new(ErrorKind::Config, format!("the option {name} of the ClickHouse URI makes no sense as it is"))
                .with_hint(format!("write {name}={what}"))
        };
        let switch = |value: &str| match value {
            "1" | "true" | "yes" => Ok(true),
            "0" | "false" | "no" => Ok(false),
            _ => Err(unclear("true or false")),
        };
        match name {
            "secure" => given.secure = Some(switch(&value)?),
            "verify" => {
                given.verify = Some(match value.as_str() {
                    "ca" => Verify::Chain,
                    value if switch(value).map_err(|_| unclear("true, ca or false"))? => Verify::Name,
                    _ => Verify::Nothing,
                });
            }
            "ca" | "ca_cert" => given.ca = Some(value.into()),
            "cert" | "client_cert" => given.certificate = Some(value.into()),
            "key" | "client_cert_key" => given.key = Some(value.into()),
            Calls::OPTION => self.calls = Calls::parse(&value)?,
            "user" | "username" => self.user = value,
            "password" => self.password = Some(Secret::new(value)),
            "database" => self.database = Some(value),
            "connect_timeout" => {
                let seconds = value.parse().ok().filter(|seconds| *seconds > 0.0);
                let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.connect_timeout = limit.ok_or_else(|| unclear("SECONDS, such as connect_timeout=5"))?;
            }
            "compression" => {
                self.compress = match value.as_str() {
                    "lz4" => true,
                    "none" => false,
                    _ => return Err(unclear("none or lz4")),
                }
            }
            _ => match name.strip_prefix("setting.").filter(|name| !name.is_empty()) {
                Some(setting) => self.settings.push((setting.to_owned(), value)),
                None => {
                    return Err(Error::new(ErrorKind::Config, format!("a ClickHouse URI has no option \"{name}\""))
                        .with_hint(format!(
                            "the options are secure, verify, ca, cert, key, user, password, database, connect_timeout, \
                             compression, calls; a setting of ClickHouse is setting.{name}=VALUE"
                        )));
                }
            },
        }
        Ok(())
    }

    /// What the driver sends its requests to.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        // An address of IPv6 stands in brackets.
        let Host { name, port } = &self.host;
        if name.contains(':') { format!("{scheme}://[{name}]:{port}/") } else { format!("{scheme}://{name}:{port}/") }
    }
}

impl Given {
    fn tls(self, secure: bool) -> Result<Option<TlsOptions>> {
        if !secure {
            let of_tls = self.verify.is_some() || self.ca.is_some() || self.certificate.is_some() || self.key.is_some();
            // Who asks for a certificate to be looked at must not get a connection without one.
            return if of_tls {
                Err(Error::new(ErrorKind::Config, "the ClickHouse URI has options of TLS, but no TLS")
                    .with_hint("add secure=true, or leave verify, ca, cert and key out"))
            } else {
                Ok(None)
            };
        }
        if self.certificate.is_some() != self.key.is_some() {
            return Err(Error::new(ErrorKind::Config, "of the options cert and key, one is given without the other")
                .with_hint("a certificate of ours needs the key that belongs to it, and the other way round"));
        }
        let mut options = TlsOptions::new(TLS_NAMES);
        options.verify = self.verify.unwrap_or(Verify::Name);
        options.system_roots = options.verify != Verify::Nothing && self.ca.is_none();
        options.root_file = self.ca;
        options.certificate_file = self.certificate;
        options.key_file = self.key;
        Ok(Some(options))
    }
}

fn address(place: &str) -> Result<(&str, Option<u16>)> {
    let (host, port) = match place.strip_prefix('[') {
        Some(bracketed) => {
            let (host, port) = bracketed.split_once(']').ok_or_else(|| wrong("its \"[\" has no \"]\""))?;
            (host, port.strip_prefix(':'))
        }
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    let number = |port: &str| port.parse().ok().filter(|port| *port > 0);
    let port = port.filter(|port| !port.is_empty());
    let port =
        port.map(|port| number(port).ok_or_else(|| wrong("its port is no number from 1 to 65535"))).transpose()?;
    Ok((host, port))
}

fn decoded(text: &str) -> Result<String> {
    let text = percent_decode_str(text).decode_utf8();
    text.map(std::borrow::Cow::into_owned).map_err(|_| wrong("a part of it is not UTF-8"))
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::Config, format!("this is no ClickHouse URI: {what}")).with_hint(
        "clickhouse://user:password@host:8123/database?option=value; other characters than letters and digits in a password are written as %XX",
    )
}

#[cfg(test)]
mod tests;
