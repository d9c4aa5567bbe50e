//! Which driver a URI names, and what it is told.

use std::fmt;
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Naming, Result, Secrets};
use bowshot_sql::{Database, Dialect};
use percent_encoding::percent_decode_str;

use crate::duckdb;
use crate::family::{Family, dialect, named_dialect, naming, statements};

/// How much of what a driver returns is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validate {
    /// Offsets, UTF-8, dictionary keys, counts of NULLs, digits of decimals, dates and times that are none.
    Full,
    /// The user's word that the driver is right.
    None,
}

/// A driver and its options. Every value may hold a secret, so none is ever shown.
#[derive(Clone)]
pub(crate) struct Location {
    /// A path, or a name to search for.
    pub(crate) driver: String,
    /// The function that initialises the driver; `None`: what its manifest or its name says.
    pub(crate) entrypoint: Option<String>,
    pub(crate) family: Family,
    pub(crate) dialect: Dialect,
    /// How the database writes names.
    pub(crate) naming: Naming,
    /// The options of the database object, such as `uri`.
    pub(crate) database: Vec<(String, String)>,
    pub(crate) connection: Vec<(String, String)>,
    pub(crate) statement: Vec<(String, String)>,
    pub(crate) validate: Validate,
    /// Whose statements it takes.
    pub(crate) statements: Database,
    /// Whether procedures and prepared statements may run.
    pub(crate) calls: Calls,
    /// How long a connection may take to open.
    pub(crate) patience: Duration,
    /// What no message may show.
    pub(crate) secrets: Secrets,
}

impl Location {
    /// Reads `adbc:DRIVER?OPTION=VALUE&…` or `duckdb:PATH`.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read(uri, Location::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let (scheme, rest) = uri.split_once(':').unwrap_or(("", uri));
        match scheme.to_ascii_lowercase().as_str() {
            "adbc" => Self::adbc(rest),
            "duckdb" => duckdb::location(rest),
            _ => Err(Error::new(ErrorKind::Config, "the URI of an ADBC driver begins with adbc: or duckdb:")
                .with_hint("write adbc:DRIVER?uri=…, or duckdb:///path/to/file")),
        }
    }

    fn adbc(rest: &str) -> Result<Self> {
        let (name, options) = rest.split_once('?').unwrap_or((rest, ""));
        let name = decode(name.strip_prefix("//").unwrap_or(name))?;
        // A driver has a name or a path; what has a login is the address that it is to be given.
        if Address::new(&name).is_withheld() || name.contains("://") {
            return Err(Error::new(ErrorKind::Config, "what follows adbc: is an address, not the name of a driver")
                .with_hint("write adbc:NAME?uri=ADDRESS, such as adbc:snowflake?uri=…, with & in the address as %26"));
        }
        let mut location = Self::new(name.clone());
        location.set_all(options)?;
        if location.driver.is_empty() {
            return Err(Error::new(ErrorKind::Config, "the URI names no ADBC driver").with_hint(
                "write adbc:NAME?uri=…, or the path of a driver's library: adbc:/path/to/libadbc_driver_x.so?uri=…",
            ));
        }
        // What the user calls it tells more than where the library lies.
        let known = if name.is_empty() { location.driver.clone() } else { name };
        location.family = Family::of(&known);
        location.dialect = location.wished_dialect(&known)?;
        location.naming = naming(&known, location.dialect);
        location.check_sqlite()?;
        Ok(location)
    }

    /// A driver without options.
    pub(crate) fn new(driver: String) -> Self {
        Location {
            family: Family::of(&driver),
            dialect: dialect(&driver),
            naming: naming(&driver, dialect(&driver)),
            statements: statements(&driver),
            driver,
            entrypoint: None,
            database: Vec::new(),
            connection: Vec::new(),
            statement: Vec::new(),
            validate: Validate::Full,
            calls: Calls::Refuse,
            patience: Duration::from_secs(30),
            secrets: Secrets::default(),
        }
    }

    /// Takes the options that follow a `?`.
    pub(crate) fn set_all(&mut self, options: &str) -> Result<()> {
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            self.set(&decode(name)?, decode(value)?)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: String) -> Result<()> {
        self.secrets.note(name, &value);
        match name {
            "driver" => self.driver = value,
            Calls::OPTION => self.calls = Calls::parse(&value)?,
            "entrypoint" => self.entrypoint = Some(value),
            "validate" => {
                self.validate = match value.as_str() {
                    "full" => Validate::Full,
                    "none" => Validate::None,
                    _ => return Err(wrong(name, "full or none")),
                }
            }
            "connect_timeout" => {
                let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.patience = seconds.ok_or_else(|| wrong(name, "SECONDS, such as connect_timeout=10"))?;
            }
            // Read again when the driver's name is known.
            "dialect" => self.statement.push((DIALECT.into(), value)),
            _ => {
                let (place, name) = place(name);
                let options = match place {
                    Place::Database => &mut self.database,
                    Place::Connection => &mut self.connection,
                    Place::Statement => &mut self.statement,
                };
                options.push((name.to_owned(), value));
            }
        }
        Ok(())
    }

    /// The dialect that the user names, else the one of the driver.
    fn wished_dialect(&mut self, driver: &str) -> Result<Dialect> {
        let wish = self.statement.iter().position(|(name, _)| name == DIALECT);
        match wish.map(|place| self.statement.remove(place).1) {
            Some(name) => {
                let dialect = named_dialect(&name)?;
                self.statements = dialect.into();
                Ok(dialect)
            }
            None => {
                self.statements = statements(driver);
                Ok(dialect(driver))
            }
        }
    }

    /// SQLite's driver would create a file that is not there.
    fn check_sqlite(&self) -> Result<()> {
        let Some((_, uri)) = self.database.iter().find(|(name, _)| self.family == Family::Sqlite && name == "uri")
        else {
            return Ok(());
        };
        let in_memory = uri.is_empty() || uri.contains(":memory:") || uri.contains("mode=memory");
        let path = uri.strip_prefix("file:").map_or(uri.as_str(), |rest| rest.split('?').next().unwrap_or(rest));
        let path = decode(path.strip_prefix("//").unwrap_or(path))?;
        if in_memory || std::path::Path::new(&path).exists() || std::path::Path::new(uri).exists() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Io, format!("there is no database {}", Address::new(path)))
            .with_hint("check the path; Bowshot never creates a database"))
    }
}

/// Where the wish for a dialect waits until the driver is known; no driver has an option of this name.
const DIALECT: &str = "bowshot.dialect";

enum Place {
    Database,
    Connection,
    Statement,
}

/// Which object an option is for, and its name there.
fn place(name: &str) -> (Place, &str) {
    if let Some(name) = name.strip_prefix("database.") {
        (Place::Database, name)
    } else if let Some(name) = name.strip_prefix("connection.") {
        (Place::Connection, name)
    } else if let Some(name) = name.strip_prefix("statement.") {
        (Place::Statement, name)
    } else if name.starts_with("adbc.connection.") {
        (Place::Connection, name)
    } else if name.starts_with("adbc.statement.") {
        (Place::Statement, name)
    } else {
        (Place::Database, name)
    }
}

fn wrong(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the option {name} of the ADBC URI makes no sense"))
        .with_hint(format!("write {name}={what}"))
}

/// Percent-decoded; options of drivers are text.
pub(crate) fn decode(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(|text| text.into_owned()).map_err(|_| Error::new(ErrorKind::Config, "a part of the URI is not UTF-8"))
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |options: &[(String, String)]| options.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        f.debug_struct("Location")
            .field("driver", &self.driver)
            .field("entrypoint", &self.entrypoint)
            .field("database", &names(&self.database))
            .field("connection", &names(&self.connection))
            .field("statement", &names(&self.statement))
            .field("validate", &self.validate)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
