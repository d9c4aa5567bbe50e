//! QuestDB, over PostgreSQL's protocol: one database for all suites.

use super::DEAD_PORT;
use crate::Result;
use crate::conformance::{Database, Situation};

/// A private QuestDB server.
pub struct QuestDb {
    server: crate::QuestDb,
}

impl QuestDb {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        Ok(QuestDb { server: crate::QuestDb::start()? })
    }
}

impl Database for QuestDb {
    fn name(&self) -> &'static str {
        "questdb"
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["extended"]
    }

    fn prepare(&mut self, _suite: &str, setup: &str) -> Result<String> {
        self.server.psql(setup)?;
        Ok(self.server.uri())
    }

    fn address(&self, situation: Situation) -> Option<String> {
        Some(match situation {
            Situation::WrongPassword => self.server.uri_of("not-the-password"),
            Situation::DeadHost => format!("postgresql://admin@127.0.0.1:{DEAD_PORT}/qdb"),
            Situation::SilentHost => "postgresql://admin@127.0.0.1:PORT/qdb?connect_timeout=2".into(),
            // Its one database answers to every name.
            _ => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
