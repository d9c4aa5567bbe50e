//! The catalogs that databases keep of themselves.

use bowshot_gateway_access::{Rights, TablePath};
use bowshot_sql::Dialect;

/// Schemas that only hold what a database says of itself, in small letters.
const SCHEMAS: &[&str] =
    &["information_schema", "mysql", "performance_schema", "pg_catalog", "pg_temp", "pg_toast", "sys", "system"];
/// How the names of such tables begin where no schema says it: PostgreSQL's, SQLite's, SQL Server's, Oracle's.
const PREFIXES: &[&str] = &["all_", "cdb_", "dba_", "pg_", "sqlite_", "sys", "user_", "v$"];
/// A name that nothing has.
const NOTHING: &str = "\u{1}";

/// Whether a table of a source that lists none is one of them, by its name alone.
pub(crate) fn is_system(schema: Option<&str>, table: &str) -> bool {
    let (schema, table) = (schema.unwrap_or_default().to_lowercase(), table.to_lowercase());
    let of_session = schema.starts_with("pg_temp_") || schema.starts_with("pg_toast");
    SCHEMAS.contains(&schema.as_str())
        || of_session
        || (schema.is_empty() && PREFIXES.iter().any(|prefix| table.starts_with(prefix)))
}

/// Whether a rule that allows the table is about it, and not about anything there is: the same rules would not allow another
/// schema or another table. SQLite keeps its catalog in the schema of the tables themselves: there it must be the table.
pub(crate) fn is_named(rights: &Rights, path: &TablePath, dialect: Dialect) -> bool {
    let elsewhere = TablePath { schema: Some(NOTHING.to_owned()), ..path.clone() };
    let another = TablePath { table: NOTHING.to_owned(), ..path.clone() };
    let by_schema = dialect != Dialect::Sqlite && !rights.may_read(&elsewhere);
    rights.may_read(path) && (by_schema || !rights.may_read(&another))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_must_name_a_catalog() {
        let path = TablePath::new("shop", "pg_catalog", "pg_class");
        let named = |rules: &[&str]| is_named(&Rights::parse(rules).unwrap(), &path, Dialect::Postgres);
        assert!(named(&["allow shop.pg_catalog"]));
        assert!(named(&["allow shop.public", "allow shop.pg_catalog.pg_class"]));
        assert!(named(&["allow shop.*.pg_class"]));
        assert!(!named(&["allow shop"]));
        assert!(!named(&["deny shop.hr", "allow *"]));
        assert!(!named(&["deny shop.pg_catalog", "allow shop.pg_catalog.pg_class"]));
        let path = TablePath::new("lite", "main", "sqlite_schema");
        let named = |rules: &[&str]| is_named(&Rights::parse(rules).unwrap(), &path, Dialect::Sqlite);
        assert!(!named(&["allow lite.main"]));
        assert!(named(&["allow lite.main.sqlite_schema"]));
    }
}
