//! The databases that the cases run against on this machine.

mod mysql;
mod postgres;
mod sqlite;

pub use mysql::MySql;
pub use postgres::Postgres;
pub use sqlite::Sqlite;

use std::net::TcpListener;

use super::Database;
use crate::Result;

/// Starts the database of this name.
pub fn start(name: &str) -> Result<Box<dyn Database>> {
    Ok(match name {
        "mysql" => Box::new(MySql::start()?),
        "postgres" => Box::new(Postgres::start()?),
        "sqlite" => Box::new(Sqlite::start()?),
        _ => return Err(format!("no database here is called {name}").into()),
    })
}

/// A port on which nobody listens.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
