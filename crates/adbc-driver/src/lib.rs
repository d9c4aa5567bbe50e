//! Every source of Bowshot behind an ADBC driver.
//!
//! The crate is a shared library, `libadbc_driver_bowshot.so`, which ADBC's driver managers load for programs in any language; see
//! `docs/adbc-driver.md`. It implements ADBC 1.1 on [`bowshot_connect::connect`]: a query is planned by its source and read by the
//! core's threads while the caller consumes it.
//!
//! ```
//! use adbc_core::options::{OptionDatabase, OptionValue};
//! use adbc_core::{Connection, Database, Driver, Statement};
//! use adbc_driver_bowshot::BowshotDriver;
//!
//! let path = std::env::temp_dir().join("a_number_for_adbc.csv");
//! std::fs::write(&path, "n\n7\n")?;
//! let uri = [(OptionDatabase::Uri, OptionValue::from(path.to_string_lossy().as_ref()))];
//! let mut connection = BowshotDriver.new_database_with_opts(uri)?.new_connection()?;
//! let mut statement = connection.new_statement()?;
//! statement.set_sql_query("SELECT n FROM data")?;
//! let rows: usize = statement.execute()?.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<_, _>>()?;
//! assert_eq!(rows, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bound;
mod columns;
mod connection;
mod constraints;
mod database;
mod driver;
mod error;
mod export;
mod foreign;
mod info;
mod ingest;
mod lists;
mod objects;
mod option_value;
mod parameters;
mod partitions;
mod reader;
mod running;
mod statement;
mod statistics;
mod target;

pub use connection::BowshotConnection;
pub use database::BowshotDatabase;
pub use driver::BowshotDriver;
pub use statement::BowshotStatement;

#[global_allocator]
static MEMORY: bowshot_memory::Memory = bowshot_memory::Memory;
