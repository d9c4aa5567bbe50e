//! The tables that a query reads, and whether all connections see the same in them.

use bowshot_core::Result;
use bowshot_sql::{Dialect, Prepared, quote_literal};

use crate::catalog::{cell, number};
use crate::connect::Session;
use crate::explain::{ScanNode, explain};

/// A table that the server scans for the query.
pub(crate) struct ScannedTable {
    pub(crate) oid: u32,
    pub(crate) name: String,
    pub(crate) pages: u64,
    /// Policies decide which of its rows this user sees.
    pub(crate) is_secured: bool,
    is_temporary: bool,
    is_sequence: bool,
}

/// Every table that the server scans.
pub(crate) fn tables(session: &mut Session, scans: &[ScanNode]) -> Result<Vec<ScannedTable>> {
    let literal = |text: &str| quote_literal(text, Dialect::Postgres);
    let pairs: Vec<String> =
        scans.iter().map(|node| format!("({}, {})", literal(&node.schema), literal(&node.table))).collect();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let pairs = pairs.join(", ");
    // EXPLAIN may call the session's own schema of temporary tables by its alias.
    let rows = session.query(&format!(
        "SELECT c.oid, c.relname, \
           pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::pg_catalog.int8, \
           pg_catalog.row_security_active(c.oid)::int, (c.relpersistence = 't')::int, (c.relkind = 'S')::int \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE (n.nspname, c.relname) IN ({pairs}) \
           OR n.oid = pg_catalog.pg_my_temp_schema() AND ('pg_temp', c.relname) IN ({pairs})"
    ))?;
    let table = |row: &Vec<Option<String>>| {
        Ok(ScannedTable {
            oid: number(row, 0)?,
            name: cell(row, 1).to_owned(),
            pages: number(row, 2)?,
            is_secured: cell(row, 3) == "1",
            is_temporary: cell(row, 4) == "1",
            is_sequence: cell(row, 5) == "1",
        })
    };
    rows.iter().map(table).collect()
}

/// Why other connections would not see the same, though they share a snapshot.
pub(crate) fn obstacle(session: &mut Session, queries: &[Prepared]) -> Result<Option<String>> {
    // EXPLAIN takes no other ones.
    for query in queries.iter().filter(|query| query.shape.read && query.values.is_empty()) {
        let explained = explain(session, &query.sql)?;
        if explained.is_foreign {
            return Ok(Some("a foreign table is in no snapshot of this server".into()));
        }
        for table in tables(session, &explained.scans)? {
            if table.is_temporary {
                return Ok(Some(format!("{} is temporary, so other connections cannot see it", table.name)));
            }
            if table.is_sequence {
                return Ok(Some(format!("{} is a sequence, which is in no snapshot", table.name)));
            }
        }
    }
    Ok(None)
}
