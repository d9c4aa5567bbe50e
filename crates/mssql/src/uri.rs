//! How to reach a database: a URI as SQLAlchemy writes it, its options in whatever case.

#[cfg(test)]
mod tests;

use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secret};
use bowshot_net::{TlsOptions, TlsVersion, Verify};
use percent_encoding::percent_decode_str;

use crate::tls;

/// Where SQL Server listens.
const PORT: u16 = 1433;
/// The options that there are, for messages.
const KNOWN: &str = "encrypt, trust_server_certificate, hostname_in_certificate, ca, application_name, \
                     application_intent, calls, connect_timeout, instance, packet_size";

/// How to reach a database and who we are there. Its `Debug` shows no secret.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) host: String,
    /// `None`: 1433, or what the SQL Server Browser says of the instance.
    pub(crate) port: Option<u16>,
    pub(crate) instance: Option<String>,
    pub(crate) user: String,
    pub(crate) password: Secret,
    /// Empty: the login's own.
    pub(crate) database: String,
    pub(crate) encrypt: Encrypt,
    pub(crate) tls: TlsOptions,
    /// The name that the certificate must have, if it is not the host's.
    pub(crate) certificate_name: Option<String>,
    pub(crate) application_name: String,
    /// Whether a secondary replica will do (`application_intent=readonly`).
    pub(crate) read_only: bool,
    /// Whether procedures may run.
    pub(crate) calls: Calls,
    pub(crate) connect_timeout: Duration,
    pub(crate) packet_size: u16,
}

/// How much of the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encrypt {
    /// The login alone, unless the server insists on more.
    No,
    /// All of it after the first messages.
    Yes,
    /// All of it from the first byte on (TDS 8.0).
    Strict,
}

impl Config {
    /// Reads `mssql://user:password@host:1433/database?option=value`.
    pub(crate) fn parse(uri: &str) -> Result<Config> {
        Address::read_uri(uri, Config::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Config> {
        let wrong = |what: &str| {
            Error::new(ErrorKind::Config, format!("the SQL Server URI makes no sense: {what}"))
                .with_hint("write mssql://user:password@host:1433/database?option=value")
        };
        let (scheme, rest) = uri.split_once("://").ok_or_else(|| wrong("it has no ://"))?;
        let name = scheme.split('+').next().unwrap_or(scheme);
        if !["mssql", "sqlserver"].iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(wrong("it begins with neither mssql:// nor sqlserver://"));
        }
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        // A password may hold a slash or an @ that nobody encoded; a host and a database do not hold an @.
        let (login, place) = rest.rsplit_once('@').unwrap_or(("", rest));
        let (server, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let (host, port) = match server.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, "")) => (address, None),
            Some((address, rest)) => {
                (address, Some(rest.strip_prefix(':').ok_or_else(|| wrong("the port follows after a colon"))?))
            }
            None => match server.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (server, None),
            },
        };
        let text = |part: &str| {
            let decoded = percent_decode_str(part).decode_utf8();
            decoded.map(String::from).map_err(|_| wrong("a part of it is not UTF-8 when its %XX are decoded"))
        };
        let host = text(host)?;
        // As in connection strings of ODBC: host\instance.
        let (host, instance) = match host.split_once('\\') {
            Some((host, instance)) => (host.to_owned(), Some(instance.to_owned())),
            None => (host, None),
        };
        let port = port.filter(|port| !port.is_empty()).map(|port| {
            port.parse().ok().filter(|port| *port > 0).ok_or_else(|| wrong("its port is not a number from 1 to 65535"))
        });
        let mut config = Config {
            host: if host.is_empty() || host == "." { "localhost".to_owned() } else { host },
            port: port.transpose()?,
            instance,
            user: text(user)?,
            password: Secret::new(text(password)?),
            database: text(database)?,
            encrypt: Encrypt::Yes,
            tls: TlsOptions::new(tls::NAMES),
            certificate_name: None,
            application_name: "bowshot".to_owned(),
            read_only: false,
            calls: Calls::Refuse,
            connect_timeout: Duration::from_secs(15),
            packet_size: 8000,
        };
        config.tls.verify = Verify::Name;
        config.tls.system_roots = true;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            // A query writes a space as +.
            config.set(&text(name)?, &text(&value.replace('+', "%20"))?)?;
        }
        config.check()?;
        config.limit_tls();
        Ok(config)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let wrong = |what: &str| {
            Error::new(ErrorKind::Config, format!("the value of {name} in the SQL Server URI makes no sense"))
                .with_hint(format!("write {name}={what}"))
        };
        // TrustServerCertificate, trust_server_certificate, "Trust Server Certificate".
        let plain: String = name.chars().filter(|c| !matches!(c, '_' | ' ' | '-')).collect();
        match plain.to_ascii_lowercase().as_str() {
            "encrypt" => {
                self.encrypt = match value.to_ascii_lowercase().as_str() {
                    "strict" => Encrypt::Strict,
                    "mandatory" => Encrypt::Yes,
                    "optional" => Encrypt::No,
                    _ => match truth(value) {
                        Some(true) => Encrypt::Yes,
                        Some(false) => Encrypt::No,
                        None => return Err(wrong("yes, no or strict")),
                    },
                };
            }
            "trustservercertificate" => {
                self.tls.verify = match truth(value) {
                    Some(true) => Verify::Nothing,
                    Some(false) => Verify::Name,
                    None => return Err(wrong("yes or no")),
                };
            }
            "hostnameincertificate" => self.certificate_name = Some(value.to_owned()).filter(|name| !name.is_empty()),
            Calls::OPTION => self.calls = Calls::parse(value)?,
            "ca" => {
                self.tls.system_roots = false;
                self.tls.root_file = Some(value.into());
            }
            "applicationname" | "app" => self.application_name = value.to_owned(),
            "applicationintent" => {
                self.read_only = match value.to_ascii_lowercase().as_str() {
                    "readonly" => true,
                    "readwrite" => false,
                    _ => return Err(wrong("readonly or readwrite")),
                };
            }
            "connecttimeout" | "connectiontimeout" | "logintimeout" => {
                let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.connect_timeout = seconds
                    .filter(|limit| !limit.is_zero() && *limit < Duration::from_secs(86_400))
                    .ok_or_else(|| wrong("SECONDS, such as connect_timeout=30"))?;
            }
            "instance" => self.instance = Some(value.to_owned()).filter(|name| !name.is_empty()),
            "packetsize" => {
                self.packet_size = value
                    .parse()
                    .ok()
                    .filter(|size| (512..=32_767).contains(size))
                    .ok_or_else(|| wrong("BYTES, from 512 to 32767"))?;
            }
            // SQLAlchemy's name of an ODBC driver: none of ours.
            "driver" => {}
            "trustedconnection" | "integratedsecurity" if truth(value) == Some(false) => {}
            "trustedconnection" | "integratedsecurity" | "authentication" => {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!("{name}: Windows, Kerberos and Microsoft Entra logins are not supported"),
                )
                .with_hint("use a login of SQL Server itself, or read through odbc: with Microsoft's driver"));
            }
            _ => {
                return Err(Error::new(ErrorKind::Config, format!("a SQL Server URI has no option \"{name}\""))
                    .with_hint(format!("the options are {KNOWN}")));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if self.user.is_empty() {
            return Err(Error::new(ErrorKind::Config, "the SQL Server URI names no user")
                .with_hint("write mssql://user:password@host/database; Windows logins are not supported"));
        }
        // LOGIN7 has two bytes for lengths, and names of SQL Server have at most 128 characters.
        let names = [&self.user, self.password.expose(), &self.database, &self.application_name, &self.host];
        if names.iter().any(|name| name.encode_utf16().count() > 128) {
            return Err(Error::new(
                ErrorKind::Config,
                "a name, or the password, in the SQL Server URI has more than 128 characters",
            ));
        }
        if self.encrypt == Encrypt::Strict && self.tls.verify == Verify::Nothing {
            return Err(Error::new(
                ErrorKind::Config,
                "encrypt=strict verifies the server's certificate, and trust_server_certificate=yes says not to",
            )
            .with_hint("leave one of them out; ca=file names an authority of your own"));
        }
        Ok(())
    }

    /// What the way of encrypting says on TLS.
    fn limit_tls(&mut self) {
        match self.encrypt {
            Encrypt::Strict => self.tls.protocol = Some(tls::PROTOCOL),
            // Protocols older than TDS 8.0 know TLS 1.2 at most.
            Encrypt::Yes => self.tls.maximum = TlsVersion::Tls12,
            // Nobody asked for the certificate of a connection that need not be encrypted.
            Encrypt::No => {
                self.tls.maximum = TlsVersion::Tls12;
                self.tls.verify = Verify::Nothing;
            }
        }
    }

    /// The port, where no instance has to be asked for.
    pub(crate) fn known_port(&self) -> Option<u16> {
        match (self.port, &self.instance) {
            (Some(port), _) => Some(port),
            (None, None) => Some(PORT),
            (None, Some(_)) => None,
        }
    }
}

fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "on" => Some(true),
        "no" | "false" | "0" | "off" => Some(false),
        _ => None,
    }
}
