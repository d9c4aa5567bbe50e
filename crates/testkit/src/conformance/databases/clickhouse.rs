//! ClickHouse: a database a suite.

use super::DEAD_PORT;
use crate::conformance::{Database, Situation};
use crate::{ClickHouse as Server, Result};

/// A private ClickHouse server.
pub struct ClickHouse {
    server: Server,
    version: u32,
}

impl ClickHouse {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        let server = Server::start()?;
        // 18.16 is 1816, 25.3 is 2503.
        let version = server.sql("default", "SELECT version()")?;
        let mut parts = version.trim().split('.').map(str::parse::<u32>);
        let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
            return Err(format!("ClickHouse says that its version is {version}").into());
        };
        Ok(ClickHouse { server, version: 100 * major + minor })
    }
}

impl Database for ClickHouse {
    fn name(&self) -> &'static str {
        "clickhouse"
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["native"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.sql("default", &format!("CREATE DATABASE {suite}"))?;
        // One statement a request; the suites' text has no semicolon in it.
        for statement in setup.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
            self.server.sql(suite, statement)?;
        }
        Ok(self.server.uri_of(self.server.user(), self.server.password(), suite))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let (user, password) = (self.server.user(), self.server.password());
        Some(match situation {
            Situation::WrongPassword => self.server.uri_of(user, "not-the-password", "default"),
            Situation::UnknownDatabase => self.server.uri_of(user, password, "nowhere"),
            Situation::DeadHost => format!("clickhouse://{user}@127.0.0.1:{DEAD_PORT}/"),
            Situation::SilentHost => format!("clickhouse://{user}@127.0.0.1:PORT/?connect_timeout=2"),
            Situation::Well | Situation::KilledInMidStream | Situation::Cancelled => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
