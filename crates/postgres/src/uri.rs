//! How to reach a database: connection strings, the environment, services and password files, all as in libpq.

mod environment;
mod hosts;
mod options;
mod parse;
mod passfile;
mod service;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secret};
use bowshot_net::{Keepalive, TlsOptions, TlsVersion, Verify};

pub(crate) use environment::Environment;
use options::Settings;
use passfile::Passfile;

use crate::tls::{self, Encryption, Tls};

/// How long one address may take to accept us, unless `connect_timeout` says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How to reach a database and who we are there. Its `Debug` shows no secret.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The servers, tried in this order.
    pub(crate) hosts: Vec<Host>,
    pub(crate) user: String,
    pub(crate) database: String,
    /// The wire protocol that the connection string asks for (`cxprotocol`).
    pub(crate) protocol: Option<String>,
    /// Whether procedures may run.
    pub(crate) calls: Calls,
    pub(crate) application_name: String,
    /// Settings for the server's session, as in `options='-c statement_timeout=1min'`.
    pub(crate) options: Option<String>,
    /// For each address; `None`: as long as it takes.
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) keepalive: Keepalive,
    pub(crate) tls: Tls,
    pub(crate) channel_binding: ChannelBinding,
    /// The ways to log in that are acceptable; `None`: every one that Bowshot knows.
    pub(crate) methods: Option<BTreeSet<Method>>,
    pub(crate) target: Target,
    /// Whether hosts and addresses are tried in random order.
    pub(crate) shuffle: bool,
    /// What a user should know of the passwords when a login fails.
    pub(crate) password_note: Option<String>,
}

/// One server.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) place: Place,
    pub(crate) port: u16,
    pub(crate) password: Option<Secret>,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A name or an address, to be resolved.
    Name(String),
    /// An address that needs no resolving, and the name that its certificate should have.
    Address { address: IpAddr, name: Option<String> },
    /// A folder with a Unix socket, or `@name` in the abstract namespace.
    Socket(PathBuf),
}

/// Whether the login is tied to the TLS connection that it runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelBinding {
    Disable,
    Prefer,
    Require,
}

/// A way to log in, by its name in `require_auth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Method {
    None,
    Password,
    Md5,
    Scram,
}

/// What kind of server is acceptable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

impl Config {
    /// Reads a connection string; what it leaves open comes from the process's environment.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        Config::parse_in(text, &Environment::process())
    }

    /// Reads a connection string in the given surroundings.
    pub(crate) fn parse_in(text: &str, environment: &Environment) -> Result<Self> {
        Address::read_uri(text, |text| {
            let mut settings = Settings::default();
            // Backwards, since the last one of the same name wins.
            for (name, value) in parse::pairs(text)?.into_iter().rev() {
                settings.add(&name, value, name.clone())?;
            }
            service::add(&mut settings, environment)?;
            settings.add_variables(|name| environment.variable(name))?;
            Config::from_settings(&settings, environment)
        })
    }

    fn from_settings(settings: &Settings, environment: &Environment) -> Result<Self> {
        if let Some(encoding) = settings.text("client_encoding") {
            let plain = encoding.to_ascii_lowercase().replace(['-', '_'], "");
            if !matches!(plain.as_str(), "utf8" | "unicode" | "auto") {
                return Err(settings.wrong("client_encoding", "UTF8 or auto, since Arrow's text is UTF-8"));
            }
        }
        let user = settings.text("user").map(str::to_owned).or_else(|| environment.user.clone()).ok_or_else(|| {
            Error::new(ErrorKind::Config, "the connection names no user, and the operating system has no name for ours")
                .with_hint("postgresql://user@host/database")
        })?;
        let database = settings.text("dbname").unwrap_or(&user).to_owned();
        let mut hosts = hosts::hosts(settings, environment)?;
        let password_note = add_passwords(&mut hosts, settings, environment, &database, &user);
        let application_name =
            settings.text("application_name").or(settings.text("fallback_application_name")).unwrap_or("bowshot");
        Ok(Config {
            hosts,
            user,
            database,
            protocol: settings.text("cxprotocol").map(str::to_owned),
            calls: settings.text(Calls::OPTION).map(Calls::parse).transpose()?.unwrap_or_default(),
            application_name: application_name.to_owned(),
            options: settings.text("options").map(str::to_owned),
            connect_timeout: match settings.integer("connect_timeout")? {
                None => Some(CONNECT_TIMEOUT),
                Some(limit) => positive(limit).map(|limit| Duration::from_secs(limit.into())),
            },
            keepalive: keepalive(settings)?,
            tls: tls(settings, environment)?,
            channel_binding: settings.choice(
                "channel_binding",
                &[
                    ("disable", ChannelBinding::Disable),
                    ("prefer", ChannelBinding::Prefer),
                    ("require", ChannelBinding::Require),
                ],
                ChannelBinding::Prefer,
            )?,
            methods: methods(settings)?,
            target: settings.choice(
                "target_session_attrs",
                &[
                    ("any", Target::Any),
                    ("read-write", Target::ReadWrite),
                    ("read-only", Target::ReadOnly),
                    ("primary", Target::Primary),
                    ("standby", Target::Standby),
                    ("prefer-standby", Target::PreferStandby),
                ],
                Target::Any,
            )?,
            shuffle: settings.choice("load_balance_hosts", &[("disable", false), ("random", true)], false)?,
            password_note,
        })
    }
}

/// Gives every host its password: the one that was set, or the password file's. Says what went wrong with the latter.
fn add_passwords(
    hosts: &mut [Host],
    settings: &Settings,
    environment: &Environment,
    database: &str,
    user: &str,
) -> Option<String> {
    if let Some(password) = settings.text("password") {
        hosts.iter_mut().for_each(|host| host.password = Some(Secret::new(password)));
        return None;
    }
    let path = settings.text("passfile").map(PathBuf::from).or_else(|| environment.home_file(".pgpass"))?;
    let passfile = Passfile::read(&path);
    for host in hosts.iter_mut() {
        let name = match &host.place {
            Place::Name(name) | Place::Address { name: Some(name), .. } => name.clone(),
            Place::Address { address, name: None } => address.to_string(),
            // A server in the usual folder counts as localhost.
            Place::Socket(folder) if environment.socket_folders.contains(folder) => "localhost".to_owned(),
            Place::Socket(folder) => folder.display().to_string(),
        };
        host.password = passfile.find(&name, host.port, database, user);
    }
    match passfile.ignored {
        None if hosts.iter().any(|host| host.password.is_some()) => {
            Some(format!("the password came from {}", passfile.path().display()))
        }
        ignored => ignored,
    }
}

fn positive(number: i32) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| *number > 0)
}

fn keepalive(settings: &Settings) -> Result<Keepalive> {
    let seconds = |name| {
        let number = settings.integer(name)?.and_then(positive);
        Ok::<_, Error>(number.map(|number| Duration::from_secs(number.into())))
    };
    Ok(Keepalive {
        enabled: settings.switch("keepalives", true)?,
        idle: seconds("keepalives_idle")?,
        interval: seconds("keepalives_interval")?,
        count: settings.integer("keepalives_count")?.and_then(positive),
        user_timeout: settings
            .integer("tcp_user_timeout")?
            .and_then(positive)
            .map(|milliseconds| Duration::from_millis(milliseconds.into())),
    })
}

fn methods(settings: &Settings) -> Result<Option<BTreeSet<Method>>> {
    const KNOWN: [(&str, Option<Method>); 6] = [
        ("none", Some(Method::None)),
        ("password", Some(Method::Password)),
        ("md5", Some(Method::Md5)),
        ("scram-sha-256", Some(Method::Scram)),
        // They may be named; Bowshot does not speak them.
        ("gss", None),
        ("sspi", None),
    ];
    let Some(text) = settings.text("require_auth") else { return Ok(None) };
    let wrong =
        || settings.wrong("require_auth", "a list of none, password, md5 and scram-sha-256, all with \"!\" or no one");
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let negated = words.iter().all(|word| word.starts_with('!'));
    let mut named = BTreeSet::new();
    for word in words {
        let word = if negated { word.trim_start_matches('!') } else { word };
        let (_, method) = KNOWN.iter().find(|(known, _)| *known == word).ok_or_else(wrong)?;
        named.extend(*method);
    }
    if negated {
        named = KNOWN.iter().filter_map(|(_, method)| *method).filter(|method| !named.contains(method)).collect();
    }
    Ok(Some(named))
}

fn tls(settings: &Settings, environment: &Environment) -> Result<Tls> {
    let system = settings.text("sslrootcert") == Some("system");
    let (encryption, verify) = settings.choice(
        "sslmode",
        &[
            ("disable", (Encryption::Never, Verify::Nothing)),
            ("allow", (Encryption::IfDemanded, Verify::Nothing)),
            ("prefer", (Encryption::IfPossible, Verify::Nothing)),
            ("require", (Encryption::Always, Verify::Nothing)),
            ("verify-ca", (Encryption::Always, Verify::Chain)),
            ("verify-full", (Encryption::Always, Verify::Name)),
        ],
        if system { (Encryption::Always, Verify::Name) } else { (Encryption::IfPossible, Verify::Nothing) },
    )?;
    if system && verify != Verify::Name {
        // Anyone can have a certificate from a public authority: without the host name it proves nothing.
        return Err(settings.wrong("sslmode", "verify-full when sslrootcert is system"));
    }
    let direct = settings.choice("sslnegotiation", &[("postgres", false), ("direct", true)], false)?;
    if direct && encryption != Encryption::Always {
        return Err(settings.wrong("sslnegotiation", "postgres unless sslmode is require, verify-ca or verify-full"));
    }
    let versions = [
        ("TLSv1", TlsVersion::Older),
        ("TLSv1.1", TlsVersion::Older),
        ("TLSv1.2", TlsVersion::Tls12),
        ("TLSv1.3", TlsVersion::Tls13),
    ];
    let minimum = settings.choice("ssl_min_protocol_version", &versions, TlsVersion::Tls12)?;
    let maximum = settings.choice("ssl_max_protocol_version", &versions, TlsVersion::Tls13)?;
    if maximum == TlsVersion::Older {
        return Err(settings.wrong("ssl_max_protocol_version", "TLSv1.2 or TLSv1.3: older versions are not safe"));
    }
    if minimum > maximum {
        return Err(settings.wrong("ssl_min_protocol_version", "no newer than ssl_max_protocol_version"));
    }
    let file = |name: &str, default: &str| match settings.text(name) {
        Some(path) => Some((PathBuf::from(path), true)),
        None => environment.home_file(&format!(".postgresql/{default}")).map(|path| (path, false)),
    };
    // Files in the user's folder count only where they exist; those that are named have to.
    let existing =
        |file: Option<(PathBuf, bool)>| file.filter(|(path, named)| *named || Path::exists(path)).map(|(path, _)| path);
    let certificate =
        existing(file("sslcert", "postgresql.crt")).filter(|_| settings.text("sslcertmode") != Some("disable"));
    let root_file = existing(file("sslrootcert", "root.crt").filter(|_| !system));
    // As in libpq: `require` verifies the chain as soon as there is something to verify it with.
    let verify =
        if encryption == Encryption::Always && root_file.is_some() { verify.max(Verify::Chain) } else { verify };
    let mut options = TlsOptions::new(tls::NAMES);
    options.verify = verify;
    options.system_roots = system;
    options.root_file = root_file;
    options.revoked_file = existing(file("sslcrl", "root.crl"));
    options.key_file = certificate.is_some().then(|| file("sslkey", "postgresql.key").map(|(path, _)| path)).flatten();
    options.certificate_file = certificate;
    options.send_name = settings.switch("sslsni", true)?;
    options.minimum = minimum;
    options.maximum = maximum;
    options.protocol = Some(tls::PROTOCOL);
    Ok(Tls { encryption, direct, options })
}
