//! Private servers for tests: real ones that are started, used and stopped, and false ones that misbehave.
//!
//! Nothing here needs Docker or a running server; PostgreSQL's and MariaDB's own binaries must be installed
//! (`POSTGRES_BIN` and `MARIADB_BIN` name their folders where these are unusual ones).
//!
//! ```no_run
//! let server = bowshot_testkit::Postgres::start()?;
//! server.psql("CREATE TABLE numbers AS SELECT generate_series(1, 3) AS n")?;
//! assert_eq!(server.psql("SELECT sum(n) FROM numbers")?, "6");
//! # Ok::<(), bowshot_testkit::Failure>(())
//! ```

mod certificates;
mod clickhouse;
mod client;
pub mod conformance;
mod cousins;
mod encode;
mod false_server;
mod flight;
mod mariadb;
mod owner;
mod port;
mod postgres;
mod process;
mod watchdog;

pub use certificates::Certificates;
pub use clickhouse::ClickHouse;
pub use cousins::{H2, QuestDb};
pub use false_server::{FalseServer, message};
pub use flight::{Roapi, Sail};
pub use mariadb::{Builder as MariaDbBuilder, MariaDb};
pub use postgres::{Builder, Postgres};

/// Why a server could not be started or used: a sentence for who reads the test's output.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A result whose error is a sentence.
pub type Result<T, E = Failure> = std::result::Result<T, E>;
