//! PostgreSQL and MariaDB through their ODBC drivers: the same databases by another door.

use super::{DEAD_PORT, MySql, Postgres};
use crate::Result;
use crate::conformance::{Database, Situation};

/// A server behind its ODBC driver.
pub struct Odbc {
    name: &'static str,
    /// As unixODBC knows it.
    driver: &'static str,
    server: Box<dyn Database>,
    port: u16,
    user: &'static str,
    password: &'static str,
    /// A database that is always there.
    database: &'static str,
}

impl Odbc {
    /// Starts a PostgreSQL server; the driver is psqlODBC.
    pub fn postgres() -> Result<Self> {
        let server = Postgres::start()?;
        let (port, user, password) = (server.server().port(), server.server().superuser(), server.server().password());
        let (name, driver) = ("odbc-postgres", "PostgreSQL Unicode");
        Ok(Odbc { name, driver, server: Box::new(server), port, user, password, database: "postgres" })
    }

    /// Starts a MariaDB server.
    pub fn mariadb() -> Result<Self> {
        let server = MySql::start()?;
        let (port, user, password) = (server.server().port(), server.server().user(), server.server().password());
        let (name, driver) = ("odbc-mariadb", "MariaDB Unicode");
        Ok(Odbc { name, driver, server: Box::new(server), port, user, password, database: "bowshot" })
    }

    fn uri(&self, port: impl std::fmt::Display, database: &str, password: &str) -> String {
        let Odbc { driver, user, .. } = self;
        format!("odbc:Driver={{{driver}}};Server=127.0.0.1;Port={port};Database={database};UID={user};PWD={password}")
    }
}

impl Database for Odbc {
    fn name(&self) -> &'static str {
        self.name
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["row"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.prepare(suite, setup)?;
        Ok(self.uri(self.port, suite, self.password))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        Some(match situation {
            Situation::WrongPassword => self.uri(self.port, self.database, "not-the-password"),
            Situation::UnknownDatabase => self.uri(self.port, "nowhere", self.password),
            Situation::DeadHost => self.uri(DEAD_PORT, self.database, ""),
            Situation::SilentHost => format!("{};LoginTimeout=2", self.uri("PORT", self.database, "")),
            Situation::Well | Situation::KilledInMidStream | Situation::Cancelled => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
