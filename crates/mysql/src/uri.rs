//! How to reach a database: `mysql://user:password@host:port/database?option=value`, and what option files add.

mod option_file;
mod options;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result, Secret};
use bowshot_net::{Host, TlsOptions};
use percent_encoding::percent_decode_str;

use options::Settings;

/// How long connecting and logging in may take, unless `connect_timeout` says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The port of MySQL and MariaDB.
const PORT: u16 = 3306;

/// Where servers put their sockets: Debian and its kin, Red Hat and its kin, MySQL's own builds.
const SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];

/// How to reach a database and who we are there. Its `Debug` shows no secret.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) place: Place,
    pub(crate) user: String,
    pub(crate) password: Option<Secret>,
    pub(crate) database: Option<String>,
    /// The wire protocol that the URI asks for.
    pub(crate) protocol: Option<Protocol>,
    /// What may be locked while several connections begin.
    pub(crate) lock: Lock,
    /// Whether procedures may run.
    pub(crate) calls: Calls,
    /// For connecting and logging in; `None`: as long as it takes.
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) encryption: Encryption,
    pub(crate) tls: TlsOptions,
    /// Whether the password may be sent as it is, inside TLS (`enable-cleartext-plugin`).
    pub(crate) cleartext: bool,
    /// Whether a server's word on its own RSA key is believed (`get-server-public-key`).
    pub(crate) server_key: bool,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Tcp(Host),
    Socket(PathBuf),
}

/// How rows travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Every value as text (COM_QUERY).
    Text,
    /// Numbers, dates and times in binary form (COM_STMT_EXECUTE).
    Binary,
}

impl Protocol {
    /// By its name.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        match name {
            "text" => Ok(Protocol::Text),
            "binary" => Ok(Protocol::Binary),
            _ => Err(Error::new(ErrorKind::Config, format!("MySQL has no protocol \"{name}\""))
                .with_hint("the protocols are text and binary; without protocol= the cheaper one is used")),
        }
    }
}

/// What may be locked for a moment, so that several connections see one state (`lock`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lock {
    /// The tables of the query.
    #[default]
    Tables,
    /// The whole server.
    Global,
    /// Nothing.
    Never,
}

impl Lock {
    /// By its name.
    fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "tables" => Some(Lock::Tables),
            "global" => Some(Lock::Global),
            "none" => Some(Lock::Never),
            _ => None,
        }
    }
}

/// Whether the connection is encrypted (`ssl-mode`); how much of the certificate counts is in the TLS options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    Never,
    IfPossible,
    Always,
}

impl Config {
    /// Reads a URI; what it leaves open comes from `~/.my.cnf`.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Config::parse_in(uri, home.as_deref())
    }

    /// Reads a URI, with this folder as the user's own.
    pub(crate) fn parse_in(uri: &str, home: Option<&Path>) -> Result<Self> {
        Address::read_uri(uri, |uri| {
            let mut settings = Settings::default();
            read_uri(uri, &mut settings)?;
            option_file::add(&mut settings, home)?;
            Config::from_settings(&settings)
        })
    }

    fn from_settings(settings: &Settings) -> Result<Self> {
        settings.check_charset()?;
        let user = settings.text("user").map(str::to_owned).or_else(system_user).ok_or_else(|| {
            Error::new(ErrorKind::Config, "the URI names no user, and the operating system has no name for ours")
                .with_hint("mysql://user@host/database")
        })?;
        let (encryption, tls) = settings.tls()?;
        Ok(Config {
            place: place(settings)?,
            user,
            password: settings.text("password").map(Secret::new),
            database: settings.text("database").filter(|name| !name.is_empty()).map(str::to_owned),
            protocol: settings.text("protocol").map(Protocol::parse).transpose()?,
            lock: match settings.text("lock").map(Lock::parse) {
                None => Lock::default(),
                Some(Some(lock)) => lock,
                Some(None) => return Err(settings.wrong("lock", "tables, global or none")),
            },
            calls: settings.text(Calls::OPTION).map(Calls::parse).transpose()?.unwrap_or_default(),
            connect_timeout: match settings.number("connect-timeout")? {
                None => Some(CONNECT_TIMEOUT),
                Some(0) => None,
                Some(seconds) => Some(Duration::from_secs(seconds)),
            },
            encryption,
            tls,
            cleartext: settings.switch("enable-cleartext-plugin")?,
            server_key: settings.switch("get-server-public-key")?,
        })
    }

    /// Where the server is, for people.
    pub(crate) fn label(&self) -> String {
        match &self.place {
            Place::Tcp(host) => host.to_string(),
            Place::Socket(path) => path.display().to_string(),
        }
    }
}

fn place(settings: &Settings) -> Result<Place> {
    let host = settings.text("host").filter(|host| !host.is_empty());
    if let Some(socket) = settings.text("socket").filter(|path| !path.is_empty()) {
        // A socket is a way to this machine only; one in an option file counts where the URI says nothing of the place.
        let elsewhere = host.is_some_and(|host| host != "localhost");
        match settings.is_from_uri("socket") {
            true if elsewhere => {
                return Err(settings.wrong("socket", "no host beside it: mysql:///database?socket=/path"));
            }
            false if elsewhere || settings.is_from_uri("host") || settings.is_from_uri("port") => {}
            _ => return Ok(Place::Socket(socket.into())),
        }
    }
    let port = match settings.number("port")? {
        None => PORT,
        Some(port) => u16::try_from(port)
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| settings.wrong("port", "a number from 1 to 65535"))?,
    };
    let found = || SOCKETS.iter().map(Path::new).find(|path| path.exists());
    match host {
        None if settings.text("port").is_none()
            && let Some(socket) = found() =>
        {
            Ok(Place::Socket(socket.to_owned()))
        }
        host => Ok(Place::Tcp(Host { name: host.unwrap_or("localhost").to_owned(), port })),
    }
}

fn system_user() -> Option<String> {
    nix::unistd::User::from_uid(nix::unistd::Uid::effective()).ok().flatten().map(|user| user.name)
}

/// Takes a URI apart. No error here repeats what may be a part of a password.
fn read_uri(uri: &str, settings: &mut Settings) -> Result<()> {
    let wrong = |what: &str| {
        Error::new(ErrorKind::Config, format!("this is no MySQL URI: {what}"))
            .with_hint("mysql://user:password@host:3306/database?option=value; other characters than letters and digits in a password are written as %XX")
    };
    let (scheme, rest) = uri.split_once("://").ok_or_else(|| wrong("it has no \"://\""))?;
    let (base, _driver) = scheme.split_once('+').unwrap_or((scheme, ""));
    if !matches!(base, "mysql" | "mariadb") {
        return Err(wrong("it starts neither with mysql:// nor with mariadb://"));
    }
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    // The last "@", so that one in a password that nobody encoded does no harm.
    let (credentials, place) = authority.rsplit_once('@').map_or((None, authority), |(c, place)| (Some(c), place));
    let decoded = |text: &str, what: &str| {
        let text = percent_decode_str(text).decode_utf8();
        text.map(|text| text.into_owned()).map_err(|_| wrong(&format!("{what} is not UTF-8")))
    };
    if let Some(credentials) = credentials {
        let (user, password) = credentials.split_once(':').map_or((credentials, None), |(u, p)| (u, Some(p)));
        if !user.is_empty() {
            settings.add("user", decoded(user, "the user")?)?;
        }
        if let Some(password) = password {
            settings.add("password", decoded(password, "the password")?)?;
        }
    }
    let (host, port) = match place.strip_prefix('[') {
        Some(bracketed) => {
            let (host, port) = bracketed.split_once(']').ok_or_else(|| wrong("its \"[\" has no \"]\""))?;
            (host, port.strip_prefix(':'))
        }
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    if !host.is_empty() {
        settings.add("host", decoded(host, "the host")?)?;
    }
    if let Some(port) = port.filter(|port| !port.is_empty()) {
        settings.add("port", port.to_owned())?;
    }
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    let database = path.strip_prefix('/').unwrap_or(path);
    if !database.is_empty() {
        settings.add("database", decoded(database, "the database")?)?;
    }
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        settings.add(&decoded(name, "the name of an option")?, decoded(value, "an option")?)?;
    }
    Ok(())
}
