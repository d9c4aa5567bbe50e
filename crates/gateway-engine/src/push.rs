//! What a source does itself: columns, the filters that mean the same there, LIMIT.

mod filter;
mod literal;
mod prune;

use bowshot_core::Condition;
use bowshot_gateway_catalog::{Dialect, TablePath};
use bowshot_sql::quote_identifier;
use datafusion::logical_expr::Expr;

use crate::tables::Described;

/// The query of one scan.
pub(crate) struct Select<'a> {
    /// `None` for files, which know plain reads only.
    pub(crate) dialect: Option<Dialect>,
    pub(crate) path: &'a TablePath,
    /// At least one; or none, for rows that are only counted.
    pub(crate) columns: Vec<&'a str>,
    /// In the source's SQL.
    pub(crate) filters: Vec<String>,
    pub(crate) limit: Option<usize>,
}

impl Select<'_> {
    /// The SQL in the source's dialect.
    pub(crate) fn sql(&self) -> String {
        let name = |name: &str| quoted(name, self.dialect);
        let columns = match self.columns.as_slice() {
            [] => format!("1 AS {}", name("one")),
            columns => columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(", "),
        };
        let table = match &self.path.schema {
            Some(schema) => format!("{}.{}", name(schema), name(&self.path.table)),
            None => name(&self.path.table),
        };
        let top = match (self.dialect, self.limit) {
            (Some(Dialect::SqlServer), Some(limit)) => format!("TOP ({limit}) "),
            _ => String::new(),
        };
        let mut sql = format!("SELECT {top}{columns} FROM {table}");
        if !self.filters.is_empty() {
            sql += &format!(" WHERE {}", self.filters.join(" AND "));
        }
        match (self.dialect, self.limit) {
            (_, None) | (Some(Dialect::SqlServer), _) => {}
            (Some(Dialect::Oracle), Some(limit)) => sql += &format!(" FETCH FIRST {limit} ROWS ONLY"),
            (_, Some(limit)) => sql += &format!(" LIMIT {limit}"),
        }
        sql
    }
}

/// Whether the SQL for "the first rows" is known.
pub(crate) fn knows_limit(dialect: Option<Dialect>) -> bool {
    dialect != Some(Dialect::Other)
}

/// The filter in the source's SQL, if it means the same there.
pub(crate) fn pushed(filter: &Expr, table: &Described, dialect: Option<Dialect>) -> Option<String> {
    filter::Writer { table, dialect: dialect? }.predicate(filter)
}

/// What a filter says of the rows that files may leave out, as far as their statistics could know it.
pub(crate) fn prunes(filter: &Expr, table: &Described) -> Vec<Condition> {
    prune::conditions(filter, &table.schema).unwrap_or_default()
}

/// A name in the source's quotes.
pub(crate) fn quoted(name: &str, dialect: Option<Dialect>) -> String {
    let dialect = match dialect {
        Some(Dialect::Postgres) => bowshot_sql::Dialect::Postgres,
        Some(Dialect::MySql) => bowshot_sql::Dialect::MySql,
        Some(Dialect::Sqlite) => bowshot_sql::Dialect::Sqlite,
        Some(Dialect::SqlServer) => bowshot_sql::Dialect::SqlServer,
        Some(Dialect::Oracle) => bowshot_sql::Dialect::Oracle,
        // Between its quotes, a backslash escapes.
        Some(Dialect::ClickHouse) => return format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
        Some(Dialect::Trino | Dialect::DuckDb | Dialect::Other) | None => bowshot_sql::Dialect::Standard,
    };
    quote_identifier(name, dialect)
}

#[cfg(test)]
mod tests;
