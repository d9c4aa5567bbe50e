//! The server's plan for a query, as EXPLAIN tells it.

use bowshot_core::Result;

use crate::catalog::{Row, cell, unknown_answer};
use crate::connect::Session;

/// A table that the query reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// By the name that the query gives it.
    pub(super) table: String,
    /// `ALL`, `index`, `range`, `eq_ref`, …
    pub(super) method: String,
    /// The index that it is read by; empty where there is none.
    pub(super) key: String,
    pub(super) rows: u64,
}

/// Asks for the plan without running the query.
pub(super) fn explain(session: &mut Session, sql: &str) -> Result<Vec<Step>> {
    let maria_db = session.server().maria_db;
    let rows = session.query(&format!("EXPLAIN {sql}"))?;
    rows.iter().map(|row| step(row, maria_db)).collect()
}

fn step(row: &Row, maria_db: bool) -> Result<Step> {
    // MySQL shows the partitions of a table behind its name.
    let (columns, shift) = if maria_db { (10, 0) } else { (12, 1) };
    if row.len() != columns {
        return Err(unknown_answer("EXPLAIN"));
    }
    let text = |place: usize| cell(row, place + shift).to_owned();
    Ok(Step { table: cell(row, 2).to_owned(), method: text(3), key: text(5), rows: text(8).parse().unwrap_or(0) })
}
