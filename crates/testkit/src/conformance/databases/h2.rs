//! H2, over PostgreSQL's protocol: a database a suite.

use super::DEAD_PORT;
use crate::Result;
use crate::conformance::{Database, Situation};

/// A private H2 server.
pub struct H2 {
    server: crate::H2,
}

impl H2 {
    /// Starts the server.
    pub fn start() -> Result<Self> {
        let server = crate::H2::start()?;
        // Whoever opens a database first chooses its password.
        server.psql("known", "SELECT 1")?;
        Ok(H2 { server })
    }
}

impl Database for H2 {
    fn name(&self) -> &'static str {
        "h2"
    }

    fn protocols(&self) -> &'static [&'static str] {
        &["extended", "cursor"]
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.server.psql(suite, setup)?;
        Ok(self.server.uri(suite))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        Some(match situation {
            Situation::WrongPassword => self.server.uri_of("not-the-password", "known"),
            Situation::DeadHost => format!("postgresql://sa@127.0.0.1:{DEAD_PORT}/known"),
            Situation::SilentHost => "postgresql://sa@127.0.0.1:PORT/known?connect_timeout=2".into(),
            // It makes the databases that it is asked for.
            _ => return None,
        })
    }

    fn crash(&mut self) -> Result<()> {
        self.server.crash()
    }
}
