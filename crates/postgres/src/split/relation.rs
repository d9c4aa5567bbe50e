//! What the catalogue says of a table that may be split.

use bowshot_core::Result;
use bowshot_sql::{Dialect, Name, quote_identifier, quote_literal};

use crate::catalog::{cell, number};
use crate::connect::Session;

/// A table with everything that is scanned for it.
pub(super) struct Relation {
    /// As the query names it.
    pub(super) name: String,
    /// Its columns in their order.
    pub(super) columns: Vec<String>,
    /// Itself, or its partitions and the tables that inherit from it.
    pub(super) leaves: Vec<Leaf>,
    /// The server's page size.
    pub(super) page_bytes: u64,
}

/// A table with pages of its own.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) table: String,
    pub(super) pages: u64,
    /// About how many rows; `None` when it was never analysed.
    pub(super) rows: Option<u64>,
    /// Stored as PostgreSQL's own pages of rows.
    pub(super) is_heap: bool,
}

impl Leaf {
    /// Its name for SQL.
    pub(super) fn quoted(&self) -> String {
        let quote = |name: &str| quote_identifier(name, Dialect::Postgres);
        format!("{}.{}", quote(&self.schema), quote(&self.table))
    }
}

/// The name as `to_regclass` takes it, as a literal.
fn regclass(name: &Name) -> String {
    let parts: Vec<String> = name.0.iter().map(|part| quote_identifier(&part.text, Dialect::Postgres)).collect();
    quote_literal(&parts.join("."), Dialect::Postgres)
}

impl Relation {
    /// The table of this name and its partitions, or why it cannot be split.
    pub(super) fn find(session: &mut Session, name: &Name) -> Result<std::result::Result<Self, String>> {
        let rows = session.query(&format!(
            "WITH RECURSIVE tree(oid) AS ( \
               SELECT pg_catalog.to_regclass({})::pg_catalog.oid \
               UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN tree ON i.inhparent = tree.oid) \
             SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, pg_catalog.row_security_active(c.oid)::int, \
               pg_catalog.has_table_privilege(c.oid, 'SELECT')::int, coalesce(a.amname, ''), \
               CASE WHEN c.relkind IN ('r', 'm') THEN pg_catalog.pg_relation_size(c.oid) ELSE 0 END, \
               pg_catalog.current_setting('block_size'), c.reltuples::pg_catalog.int8, \
               (c.oid = pg_catalog.to_regclass({})::pg_catalog.oid)::int \
             FROM tree JOIN pg_catalog.pg_class c ON c.oid = tree.oid \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam",
            regclass(name),
            regclass(name)
        ))?;
        let mut leaves = Vec::new();
        let mut page_bytes = 8192;
        let mut root = None;
        for row in &rows {
            if let Some(reason) = obstacle(row) {
                return Ok(Err(format!("{name} {reason}")));
            }
            page_bytes = number::<u64>(row, 9)?.max(1);
            let oid = number(row, 0)?;
            if number::<u8>(row, 11)? == 1 {
                root = Some(oid);
            }
            // A partitioned table has no pages of its own.
            if cell(row, 3) != "p" {
                leaves.push(Leaf {
                    oid,
                    schema: cell(row, 1).to_owned(),
                    table: cell(row, 2).to_owned(),
                    pages: number::<u64>(row, 8)? / page_bytes,
                    rows: number::<i64>(row, 10).ok().and_then(|rows| u64::try_from(rows).ok()),
                    is_heap: cell(row, 7) == "heap",
                });
            }
        }
        let Some(root) = root else { return Ok(Err(format!("{name} is no table"))) };
        let columns = columns(session, root)?;
        Ok(Ok(Relation { name: name.last().to_owned(), columns, leaves, page_bytes }))
    }
}

/// Why this table or partition keeps the query from being split.
fn obstacle(row: &[Option<String>]) -> Option<&'static str> {
    match cell(row, 3) {
        "r" | "m" | "p" => {}
        "v" => return Some("is a view"),
        "f" => return Some("is a foreign table or has one as a partition"),
        _ => return Some("is no table"),
    }
    if cell(row, 4) == "t" {
        return Some("is temporary, so other connections cannot see it");
    }
    // Rights and policies of a partition count only for those who name it.
    if cell(row, 6) != "1" {
        return Some("may be read in some of its columns or partitions only");
    }
    (cell(row, 5) == "1").then_some("has row-level security")
}

fn columns(session: &mut Session, oid: u32) -> Result<Vec<String>> {
    let rows = session.query(&format!(
        "SELECT attname FROM pg_catalog.pg_attribute \
         WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    ))?;
    Ok(rows.iter().map(|row| cell(row, 0).to_owned()).collect())
}
