//! CommandGetSqlInfo: what the server can do, in the codes of `FlightSql.proto`'s enum `SqlInfo` and no others.
//!
//! All codes are there, for the JDBC driver asks for all and, before 19.0, failed on each one that it missed; codes of
//! our own (10,000 and up) are not, for it fails on each one that it does not know.

mod limits;
mod server;
mod syntax;
mod words;

use arrow_array::RecordBatch;
use arrow_flight::sql::CommandGetSqlInfo;
use arrow_flight::sql::metadata::SqlInfoDataBuilder;
use bowshot_core::Result;

use crate::batch::internal;

/// What a gateway says of itself that is not the same for all gateways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Bowshot's version.
    pub version: String,
    /// Whether something may be changed.
    pub writable: bool,
    /// What quotes names in the SQL that the caller writes.
    pub quote: char,
    /// How long a prepared statement lives without being used, in milliseconds; 0: for ever.
    pub statement_timeout: i32,
    /// How many characters a statement may have; 0: no limit is known.
    pub statement_length: i64,
    /// How many statements may run at the same time; 0: no limit is known.
    pub statements: i64,
    /// How many clients may be connected at the same time; 0: no limit is known.
    pub connections: i64,
}

impl Default for Server {
    /// This version, which only reads, without limits.
    fn default() -> Self {
        Server {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            writable: false,
            quote: '"',
            statement_timeout: 0,
            statement_length: 0,
            statements: 0,
            connections: 0,
        }
    }
}

/// What the server can do: the answer to CommandGetSqlInfo. A command without codes asks for all; a code that is not in
/// `FlightSql.proto` has no row.
///
/// # Errors
/// None that can be caused from outside.
///
/// ```
/// use arrow_flight::sql::{CommandGetSqlInfo, SqlInfo};
/// use bowshot_gateway_catalog::{Server, sql_info};
///
/// let codes = vec![SqlInfo::FlightSqlServerReadOnly as u32, 12_345];
/// assert_eq!(sql_info(&Server::default(), &CommandGetSqlInfo { info: codes })?.num_rows(), 1);
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn sql_info(server: &Server, command: &CommandGetSqlInfo) -> Result<RecordBatch> {
    let mut builder = SqlInfoDataBuilder::new();
    server::append(&mut builder, server);
    syntax::append(&mut builder, server);
    limits::append(&mut builder, server);
    let all = builder.build().map_err(internal)?;
    all.record_batch(command.info.iter().copied()).map_err(internal)
}

/// The bitmask in which bit n stands for the enum's value n.
fn bits<E: Into<i32> + Copy>(values: &[E]) -> i32 {
    let bit = |value: E| 1_i32.checked_shl(value.into().unsigned_abs()).unwrap_or(0);
    values.iter().fold(0, |mask, value| mask | bit(*value))
}

#[cfg(test)]
mod tests;
