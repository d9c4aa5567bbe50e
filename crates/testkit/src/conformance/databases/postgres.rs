//! PostgreSQL: a database a suite.

use super::DEAD_PORT;
use crate::Result;
use crate::conformance::{Database, Situation};

/// A private PostgreSQL server.
pub struct Postgres {
    server: crate::Postgres,
    version: u32,
}

impl Postgres {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        let server = crate::Postgres::start()?;
        let version = server.psql("SELECT current_setting('server_version_num')::int / 10000")?.parse()?;
        Ok(Postgres { server, version })
    }

    /// The server itself.
    pub(super) fn server(&self) -> &crate::Postgres {
        &self.server
    }
}

impl Database for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["copy", "extended", "cursor"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.psql(&format!("CREATE DATABASE {suite}"))?;
        self.server.psql_in(suite, setup)?;
        Ok(self.server.uri_of(self.server.superuser(), self.server.password(), suite))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let (user, password) = (self.server.superuser(), self.server.password());
        Some(match situation {
            Situation::WrongPassword => self.server.uri_of(user, "not-the-password", user),
            Situation::UnknownDatabase => self.server.uri_of(user, password, "nowhere"),
            Situation::DeadHost => format!("postgresql://{user}@127.0.0.1:{DEAD_PORT}/{user}"),
            Situation::SilentHost => format!("postgresql://{user}@127.0.0.1:PORT/{user}?connect_timeout=2"),
            Situation::Well | Situation::KilledInMidStream | Situation::Cancelled => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
