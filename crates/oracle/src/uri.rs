//! Which database a URI names, as whom, and how to get there.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secret};
use bowshot_net::{Host, OptionNames, TlsOptions, Verify};
use percent_encoding::percent_decode_str;

/// Where listeners listen.
const PORT: u16 = 1521;
/// How long a connection may take, the login included.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The bytes of a packet that we ask for; the server's own limit is usually lower.
const PACKET: u16 = u16::MAX;
/// What an Oracle URI may say.
const KNOWN: &str = "the options are service_name, sid, protocol (tcp or tcps), connect_timeout (seconds), sdu (bytes), calls, ca, \
                     certificate, key, wallet_location and ssl_server_dn_match (true or false)";

pub(crate) const TLS_NAMES: OptionNames = OptionNames {
    roots: "ca",
    revoked: "ca",
    certificate: "certificate",
    key: "key",
    without_name: "ssl_server_dn_match=false",
    system: None,
};

/// What the listener is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A service, such as a pluggable database.
    Service(String),
    /// An instance by its system identifier.
    Sid(String),
}

/// A database and the way to it.
#[derive(Clone)]
pub(crate) struct Location {
    pub(crate) host: Host,
    pub(crate) target: Target,
    pub(crate) user: String,
    pub(crate) password: Secret,
    /// TLS where it is asked for.
    pub(crate) tls: Option<TlsOptions>,
    pub(crate) timeout: Duration,
    /// The longest packet that we ask for.
    pub(crate) packet: u16,
    /// Whether procedures may run.
    pub(crate) calls: Calls,
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Location")
            .field("host", &self.host)
            .field("target", &self.target)
            .field("user", &self.user)
            .field("tls", &self.tls.is_some())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// What the options after the `?` say.
#[derive(Default)]
struct Given {
    target: Option<Target>,
    tcps: Option<bool>,
    timeout: Option<Duration>,
    packet: Option<u16>,
    calls: Calls,
    ca: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    wallet: Option<PathBuf>,
    match_name: Option<bool>,
}

impl Location {
    /// Reads `oracle://user:password@host:port/service?options`.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read_uri(uri, Location::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let (scheme, rest) = uri.split_once("://").ok_or_else(|| wrong("it has no scheme"))?;
        let mut given = Given::default();
        for word in scheme.split('+').skip(1) {
            match word.to_ascii_lowercase().as_str() {
                "tcps" => given.tcps = Some(true),
                // SQLAlchemy's names of drivers.
                "oracledb" | "cx_oracle" | "oracledb_async" => {}
                other => {
                    return Err(wrong(&format!("oracle+{other} is no scheme of Oracle's"))
                        .with_hint("write oracle:// or oracle+tcps://"));
                }
            }
        }
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            given.set(name, &decode(value, name)?)?;
        }
        let (place, path) = place.split_once('/').unwrap_or((place, ""));
        let (who, address) = place.rsplit_once('@').unwrap_or(("", place));
        let (user, password) = who.split_once(':').unwrap_or((who, ""));
        let (user, password) = (decode(user, "the user")?, decode(password, "the password")?);
        if user.is_empty() || password.is_empty() {
            return Err(wrong("it names no user or no password").with_hint(
                "write oracle://user:password@host:1521/service_name; in either, @ is %40, : is %3A and / is %2F",
            ));
        }
        let path = decode(path, "the service")?;
        let target = match (given.target.take(), path.is_empty()) {
            (Some(_), false) => return Err(wrong("it names a service in its path and in its options")),
            (Some(target), true) => target,
            (None, false) => Target::Service(plain(&path, "service")?),
            (None, true) => {
                return Err(wrong("it names no service")
                    .with_hint("write oracle://user:password@host:1521/service_name, or ?sid= with an instance"));
            }
        };
        Ok(Location {
            host: host(address)?,
            target,
            user,
            password: Secret::new(password),
            timeout: given.timeout.unwrap_or(TIMEOUT),
            packet: given.packet.unwrap_or(PACKET),
            calls: given.calls,
            tls: given.tls()?,
        })
    }
}

impl Given {
    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let needs = |what: &str| {
            Err(Error::new(ErrorKind::Config, format!("the value of {name} in the Oracle URI makes no sense"))
                .with_hint(format!("write {name}={what}")))
        };
        match name.to_ascii_lowercase().as_str() {
            Calls::OPTION => self.calls = Calls::parse(value)?,
            "service_name" | "sid" if self.target.is_some() => return Err(wrong("it names two services or instances")),
            "service_name" => self.target = Some(Target::Service(plain(value, name)?)),
            "sid" => self.target = Some(Target::Sid(plain(value, name)?)),
            "protocol" => match value {
                "tcp" if self.tcps != Some(true) => self.tcps = Some(false),
                "tcps" => self.tcps = Some(true),
                _ => return needs("tcp or tcps, the same as in the scheme"),
            },
            "connect_timeout" => match value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            {
                Some(limit) if !limit.is_zero() => self.timeout = Some(limit),
                _ => return needs("SECONDS, such as connect_timeout=30"),
            },
            "sdu" => match value.parse() {
                Ok(bytes) if bytes >= 512 => self.packet = Some(bytes),
                _ => return needs("BYTES, from 512 to 65535"),
            },
            "ca" => self.ca = Some(value.into()),
            "certificate" => self.certificate = Some(value.into()),
            "key" => self.key = Some(value.into()),
            "wallet_location" => self.wallet = Some(value.into()),
            "ssl_server_dn_match" => match value.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => self.match_name = Some(true),
                "false" | "no" | "off" | "0" => self.match_name = Some(false),
                _ => return needs("true or false"),
            },
            _ => {
                return Err(
                    Error::new(ErrorKind::Config, format!("an Oracle URI has no option \"{name}\"")).with_hint(KNOWN)
                );
            }
        }
        Ok(())
    }

    /// TLS as the options ask for it: verified, the name included, unless they say otherwise.
    fn tls(self) -> Result<Option<TlsOptions>> {
        let said = self.ca.is_some()
            || self.certificate.is_some()
            || self.key.is_some()
            || self.wallet.is_some()
            || self.match_name.is_some();
        if self.tcps != Some(true) {
            return match said {
                false => Ok(None),
                true => Err(wrong("it has options for TLS, but does not ask for TLS")
                    .with_hint("write oracle+tcps:// or add protocol=tcps")),
            };
        }
        if self.certificate.is_some() != self.key.is_some() {
            return Err(wrong("it names a certificate without its key, or a key without its certificate"));
        }
        if self.wallet.is_some() && (self.ca.is_some() || self.certificate.is_some()) {
            return Err(wrong("it names a wallet and files that a wallet would hold")
                .with_hint("give wallet_location, or ca, certificate and key"));
        }
        let mut options = TlsOptions::new(TLS_NAMES);
        options.verify = if self.match_name == Some(false) { Verify::Chain } else { Verify::Name };
        options.root_file = self.ca;
        options.certificate_file = self.certificate;
        options.key_file = self.key;
        if let Some(folder) = self.wallet {
            let wallet = folder.join("ewallet.pem");
            let text = std::fs::read_to_string(&wallet).map_err(|error| {
                Error::new(ErrorKind::Tls, format!("the wallet {} cannot be read: {error}", wallet.display()))
                    .with_source(error)
                    .with_hint("wallet_location is the folder of an ewallet.pem")
            })?;
            if text.contains("PRIVATE KEY-----") {
                options.certificate_file = Some(wallet.clone());
                options.key_file = Some(wallet.clone());
            }
            options.root_file = Some(wallet);
        }
        options.system_roots = options.root_file.is_none();
        Ok(Some(options))
    }
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the Oracle URI makes no sense: {what}"))
}

/// A value with its percent signs decoded. The value itself is never shown: it may be a password.
fn decode(value: &str, what: &str) -> Result<String> {
    let decoded = percent_decode_str(value).decode_utf8().map_err(|_| wrong(&format!("{what} is not UTF-8")))?;
    Ok(decoded.into_owned())
}

/// A name that can stand in a connect descriptor, whose own signs are parentheses and equals signs.
fn plain(value: &str, what: &str) -> Result<String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_$#/".contains(&byte);
    if value.is_empty() || !value.bytes().all(fits) {
        return Err(wrong(&format!("the value of {what} is no name of a service or an instance")));
    }
    Ok(value.to_owned())
}

fn host(address: &str) -> Result<Host> {
    let (name, port) = match address.strip_prefix('[') {
        Some(inside) => {
            let (name, after) = inside.split_once(']').ok_or_else(|| wrong("its IPv6 address does not end"))?;
            (name, after.strip_prefix(':'))
        }
        None => match address.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (address, None),
        },
    };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:%".contains(&byte);
    if name.is_empty() || !name.bytes().all(fits) {
        return Err(
            wrong("its host is no host's name").with_hint("write oracle://user:password@host:1521/service_name")
        );
    }
    let port = match port {
        None | Some("") => PORT,
        Some(text) => {
            text.parse().ok().filter(|port| *port != 0).ok_or_else(|| wrong("its port is no number from 1 to 65535"))?
        }
    };
    Ok(Host { name: name.to_owned(), port })
}

#[cfg(test)]
mod tests;
