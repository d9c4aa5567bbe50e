//! The conformance cases of the drivers that are tested, and those of every source.

#[path = "it/drivers.rs"]
#[allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests, of which the other binary uses the rest"
)]
mod drivers;

use std::path::PathBuf;
use std::sync::Arc;

use bowshot_core::{Options, Query, Request, Source};
use bowshot_testkit::conformance::{Database, Situation, run};
use bowshot_testkit::{Postgres, Result};
use tempfile::TempDir;

fn check(database: &mut dyn Database, least: usize) -> Result<()> {
    let checked = run(database, &|uri| Ok(Arc::new(drivers::source(uri)?) as Arc<dyn Source>))?;
    assert!(checked >= least, "only {checked} cases were found");
    Ok(())
}

#[test]
fn duckdb() -> Result<()> {
    check(&mut DuckDb(tempfile::tempdir()?), 40)
}

#[test]
fn sqlite() -> Result<()> {
    check(&mut Sqlite(tempfile::tempdir()?), 10)
}

#[test]
fn postgres() -> Result<()> {
    check(&mut Server(Postgres::start()?), 20)
}

/// A folder of DuckDB files.
struct DuckDb(TempDir);

impl DuckDb {
    fn path(&self, suite: &str) -> PathBuf {
        self.0.path().join(format!("{suite}.db"))
    }
}

impl Database for DuckDb {
    fn name(&self) -> &'static str {
        "adbc-duckdb"
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        let path = self.path(suite);
        let before = vec![format!("ATTACH '{}' AS suite", path.display()), "USE suite".into(), setup.into()];
        let options = Options { before, ..Options::default() };
        drivers::read_request("duckdb:", &Request::new(Query::new("SELECT 1"), options))?;
        Ok(format!("duckdb:///{}", path.display()))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let missing = || format!("duckdb:///{}", self.path("nowhere").display());
        (situation == Situation::UnknownDatabase).then(missing)
    }

    fn crash(&mut self) -> Result<()> {
        Err("there is no server".into())
    }
}

/// A folder of SQLite files.
struct Sqlite(TempDir);

impl Database for Sqlite {
    fn name(&self) -> &'static str {
        "adbc-sqlite"
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        let path = self.0.path().join(format!("{suite}.db"));
        rusqlite::Connection::open(&path)?.execute_batch(setup)?;
        Ok(format!("adbc:sqlite?uri={}", path.display()))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        let missing = || format!("adbc:sqlite?uri={}/nowhere.db", self.0.path().display());
        (situation == Situation::UnknownDatabase).then(missing)
    }

    fn crash(&mut self) -> Result<()> {
        Err("there is no server".into())
    }
}

/// A PostgreSQL server.
struct Server(Postgres);

impl Server {
    fn uri(&self, password: &str, database: &str) -> String {
        format!("adbc:postgresql?uri={}", self.0.uri_of(self.0.superuser(), password, database))
    }
}

impl Database for Server {
    fn name(&self) -> &'static str {
        "adbc-postgres"
    }

    fn prepare(&mut self, suite: &str, setup: &str) -> Result<String> {
        self.0.psql(&format!("CREATE DATABASE suite_{suite}"))?;
        self.0.psql_in(&format!("suite_{suite}"), setup)?;
        Ok(self.uri(self.0.password(), &format!("suite_{suite}")))
    }

    fn address(&self, situation: Situation) -> Option<String> {
        match situation {
            Situation::WrongPassword => Some(self.uri("wrong", "postgres")),
            Situation::UnknownDatabase => Some(self.uri(self.0.password(), "nowhere")),
            Situation::DeadHost => Some("adbc:postgresql?uri=postgresql://postgres@127.0.0.1:1/postgres".into()),
            Situation::SilentHost => {
                Some("adbc:postgresql?uri=postgresql://postgres@127.0.0.1:PORT/postgres&connect_timeout=1".into())
            }
            _ => None,
        }
    }

    fn crash(&mut self) -> Result<()> {
        self.0.crash()
    }
}
