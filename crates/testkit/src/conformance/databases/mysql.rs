//! MariaDB: a database a suite.

use super::DEAD_PORT;
use crate::conformance::{Database, Situation};
use crate::{MariaDb, Result};

/// A private MariaDB server.
pub struct MySql {
    server: MariaDb,
    version: u32,
}

impl MySql {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        let server = MariaDb::start()?;
        // 10.11 is 1011, 11.4 is 1104.
        let version = "SELECT 100 * substring_index(version(), '.', 1) + substring_index(substring_index(version(), '.', 2), '.', -1)";
        let version = server.sql(version)?.trim().parse()?;
        Ok(MySql { server, version })
    }

    /// The server itself.
    pub(super) fn server(&self) -> &MariaDb {
        &self.server
    }
}

impl Database for MySql {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["text", "binary"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.sql(&format!("CREATE DATABASE {suite} CHARACTER SET utf8mb4; USE {suite};\n{setup}"))?;
        Ok(self.server.uri_of(self.server.user(), self.server.password(), suite))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let (user, password) = (self.server.user(), self.server.password());
        Some(match situation {
            Situation::WrongPassword => self.server.uri_of(user, "not-the-password", ""),
            Situation::UnknownDatabase => self.server.uri_of(user, password, "nowhere"),
            Situation::DeadHost => format!("mysql://{user}@127.0.0.1:{DEAD_PORT}/"),
            Situation::SilentHost => format!("mysql://{user}@127.0.0.1:PORT/?connect_timeout=2"),
            Situation::Well | Situation::KilledInMidStream | Situation::Cancelled => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
