//! A database: a source by its address, and how its queries are read.

use adbc_core::error::Result as AdbcResult;
use adbc_core::options::{OptionConnection, OptionDatabase, OptionValue};
use adbc_core::{Database, Optionable};
use bowshot_core::{Error, ErrorKind, Result, Secret};

use crate::BowshotConnection;
use crate::error::guarded;
use crate::option_value::{absent, number, text, unknown};
use crate::target::Target;
use bowshot_connect::Login;
use bowshot_connect::Settings;

/// A source by its address. Nothing is sent to it before a connection is asked for something.
pub struct BowshotDatabase {
    uri: String,
    login: Login,
    target: Target,
    settings: Settings,
}

impl BowshotDatabase {
    pub(crate) fn new(options: impl IntoIterator<Item = (OptionDatabase, OptionValue)>) -> AdbcResult<Self> {
        guarded(|| {
            let (mut uri, mut login, mut settings) = (String::new(), Login::default(), Settings::default());
            for (key, value) in options {
                set(&mut uri, &mut login, &mut settings, key.as_ref(), &value)?;
            }
            if uri.is_empty() {
                return Err(Error::new(ErrorKind::Config, "the option uri is missing").with_hint(
                    "give the address of a database or of files: uri=postgresql://host/db, sqlite:///shop.db, /lake/orders/",
                ));
            }
            let target = Target::new(&uri, &login)?;
            settings.options()?;
            Ok(BowshotDatabase { uri, login, target, settings })
        })
    }

    fn get(&self, key: &str) -> AdbcResult<String> {
        guarded(|| match key {
            "uri" => Ok(self.target.shown.clone()),
            "username" if self.login.user.is_some() => Ok(self.login.user.clone().unwrap_or_default()),
            "password" => Err(Error::new(ErrorKind::Unsupported, "a password is not shown")),
            _ => self.settings.get(key).map(ToOwned::to_owned).ok_or_else(|| unknown(key, "database")),
        })
        .map_err(absent)
    }
}

fn set(uri: &mut String, login: &mut Login, settings: &mut Settings, key: &str, value: &OptionValue) -> Result<()> {
    let text = text(key, value)?;
    match key {
        "uri" => *uri = text,
        "username" => login.user = Some(text),
        "password" => login.password = Some(Secret::new(text)),
        _ if settings.set(key, &text)? => {}
        _ => return Err(unknown(key, "database")),
    }
    Ok(())
}

impl Optionable for BowshotDatabase {
    type Option = OptionDatabase;

    fn set_option(&mut self, key: OptionDatabase, value: OptionValue) -> AdbcResult<()> {
        guarded(|| {
            let (mut uri, mut login, mut settings) = (self.uri.clone(), self.login.clone(), self.settings.clone());
            set(&mut uri, &mut login, &mut settings, key.as_ref(), &value)?;
            let target = Target::new(&uri, &login)?;
            *self = BowshotDatabase { uri, login, target, settings };
            Ok(())
        })
    }

    fn get_option_string(&self, key: OptionDatabase) -> AdbcResult<String> {
        self.get(key.as_ref())
    }

    fn get_option_bytes(&self, key: OptionDatabase) -> AdbcResult<Vec<u8>> {
        self.get(key.as_ref()).map(String::into_bytes)
    }

    fn get_option_int(&self, key: OptionDatabase) -> AdbcResult<i64> {
        number(key.as_ref(), &self.get(key.as_ref())?)
    }

    fn get_option_double(&self, key: OptionDatabase) -> AdbcResult<f64> {
        number(key.as_ref(), &self.get(key.as_ref())?)
    }
}

impl Database for BowshotDatabase {
    type ConnectionType = BowshotConnection;

    fn new_connection(&self) -> AdbcResult<BowshotConnection> {
        self.new_connection_with_opts([])
    }

    fn new_connection_with_opts(
        &self,
        options: impl IntoIterator<Item = (OptionConnection, OptionValue)>,
    ) -> AdbcResult<BowshotConnection> {
        let mut connection = BowshotConnection::new(self.target.clone(), self.settings.clone());
        for (key, value) in options {
            connection.set_option(key, value)?;
        }
        Ok(connection)
    }
}
