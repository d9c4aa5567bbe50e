//! SQLite: a file a suite.

use tempfile::TempDir;

use crate::Result;
use crate::conformance::{Database, Situation};

/// A folder of SQLite files.
pub struct Sqlite {
    folder: TempDir,
    /// Keeps the write-ahead logs.
    writers: Vec<rusqlite::Connection>,
}

impl Sqlite {
    /// An empty folder.
    pub fn start() -> Result<Self> {
        Ok(Sqlite { folder: tempfile::tempdir()?, writers: Vec::new() })
    }
}

impl Database for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        let path = self.folder.path().join(format!("{suite}.db"));
        let writer = rusqlite::Connection::open(&path)?;
        writer.execute_batch(setup)?;
        self.writers.push(writer);
        Ok(format!("sqlite:///{}", path.display()))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        match situation {
            Situation::UnknownDatabase => Some(format!("sqlite:///{}/nowhere.db", self.folder.path().display())),
            _ => None,
        }
    }

    fn crash(&mut self) -> Result<()> {
        Err("there is no server".into())
    }
}
