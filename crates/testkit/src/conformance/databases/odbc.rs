//! PostgreSQL and MariaDB through their ODBC drivers: the same databases by another door.

use super::{DEAD_PORT, MySql, Postgres};
use crate::Result;
use crate::conformance::{Database, Situation};

/// A PostgreSQL server behind psqlODBC.
pub struct OdbcPostgres {
    server: Postgres,
}

impl OdbcPostgres {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        Ok(OdbcPostgres { server: Postgres::start()? })
    }

    fn uri(&self, port: impl std::fmt::Display, database: &str, password: &str) -> String {
        let driver = "odbc:Driver={PostgreSQL Unicode};Server=127.0.0.1";
        format!("{driver};Port={port};Database={database};UID=postgres;PWD={password}")
    }
}

impl Database for OdbcPostgres {
    fn name(&self) -> &'static str {
        "odbc-postgres"
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["row"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.prepare(suite, setup)?;
        let server = self.server.server();
        Ok(self.uri(server.port(), suite, server.password()))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let server = self.server.server();
        Some(match situation {
            Situation::WrongPassword => self.uri(server.port(), "postgres", "not-the-password"),
            Situation::UnknownDatabase => self.uri(server.port(), "nowhere", server.password()),
            Situation::DeadHost => self.uri(DEAD_PORT, "postgres", ""),
            Situation::SilentHost => format!("{};LoginTimeout=2", self.uri("PORT", "postgres", "")),
            Situation::Well | Situation::KilledInMidStream | Situation::Cancelled => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}

/// A MariaDB server behind MariaDB's ODBC driver.
pub struct OdbcMariaDb {
    server: MySql,
}

impl OdbcMariaDb {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        Ok(OdbcMariaDb { server: MySql::start()? })
    }

    fn uri(&self, port: impl std::fmt::Display, database: &str, password: &str) -> String {
        let driver = "odbc:Driver={MariaDB Unicode};Server=127.0.0.1";
        format!("{driver};Port={port};Database={database};UID=root;PWD={password}")
    }
}

impl Database for OdbcMariaDb {
    fn name(&self) -> &'static str {
        "odbc-mariadb"
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["row"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.prepare(suite, setup)?;
        let server = self.server.server();
        Ok(self.uri(server.port(), suite, server.password()))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let server = self.server.server();
        Some(match situation {
            Situation::WrongPassword => self.uri(server.port(), "bowshot", "not-the-password"),
            Situation::UnknownDatabase => self.uri(server.port(), "nowhere", server.password()),
            Situation::DeadHost => self.uri(DEAD_PORT, "bowshot", ""),
            Situation::SilentHost => format!("{};LoginTimeout=2", self.uri("PORT", "bowshot", "")),
            Situation::Well | Situation::KilledInMidStream | Situation::Cancelled => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
