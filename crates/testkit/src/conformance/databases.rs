//! The databases that the cases run against on this machine.

mod clickhouse;
mod h2;
mod mysql;
mod odbc;
mod postgres;
mod questdb;
mod sqlite;

pub use clickhouse::ClickHouse;
pub use h2::H2;
pub use mysql::MySql;
pub use odbc::Odbc;
pub use postgres::Postgres;
pub use questdb::QuestDb;
pub use sqlite::Sqlite;

use super::Database;
use crate::Result;

/// Starts the database of this name.
pub fn start(name: &str) -> Result<Box<dyn Database>> {
    Ok(match name {
        "clickhouse" => Box::new(ClickHouse::start()?),
        "h2" => Box::new(H2::start()?),
        "mysql" => Box::new(MySql::start()?),
        "odbc-mariadb" => Box::new(Odbc::mariadb()?),
        "odbc-postgres" => Box::new(Odbc::postgres()?),
        "postgres" => Box::new(Postgres::start()?),
        "questdb" => Box::new(QuestDb::start()?),
        "sqlite" => Box::new(Sqlite::start()?),
        _ => return Err(format!("no database here is called {name}").into()),
    })
}

/// A port on which nobody listens: one of the first, which only the system may give out, and nobody has asked for in decades.
const DEAD_PORT: u16 = 1;
