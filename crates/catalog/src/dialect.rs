//! Which catalog a source has, and the SQL that lists it.

mod clickhouse;
mod duckdb;
mod mysql;
mod oracle;
mod postgres;
mod sql_server;
mod sqlite;
mod trino;

use bowshot_sql::quote_identifier;

/// The kind of database that a source is, as far as its own catalog goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// PostgreSQL and what has its `pg_catalog`.
    Postgres,
    /// MySQL and MariaDB.
    MySql,
    /// SQLite.
    Sqlite,
    /// Microsoft SQL Server.
    SqlServer,
    /// Oracle Database, from 12.1 on.
    Oracle,
    /// ClickHouse.
    ClickHouse,
    /// Trino; the catalog of its session is the one that is listed.
    Trino,
    /// DuckDB.
    DuckDb,
    /// Files, and databases whose catalog is not known here: only the tables that the configuration names.
    #[default]
    Other,
}

/// The SQL that lists a source. Each has the columns that its comment names, in that order, of any types; a listing
/// that the database has nothing for is `None`.
pub(crate) struct Listing {
    /// Schemas that the login may look into, those without tables among them.
    pub(crate) schemas: Option<&'static str>,
    /// Schema, table, type (as [`TableType`](crate::TableType) names it), remarks.
    pub(crate) tables: &'static str,
    /// Schema, table, column, type's name, nullable, precision, scale, remarks, auto-increment.
    pub(crate) columns: &'static str,
    /// Schema, table, column, constraint, place in it from 1 on.
    pub(crate) primary_keys: Option<&'static str>,
    /// Schema, table, column and constraint that are referred to; schema, table, column and constraint that refer;
    /// place from 1 on, update rule, delete rule.
    pub(crate) foreign_keys: Option<&'static str>,
}

impl Dialect {
    /// What the database is called; cousins that speak another's protocol have its name.
    pub fn vendor(self) -> &'static str {
        match self {
            Dialect::Postgres => "PostgreSQL",
            Dialect::MySql => "MySQL",
            Dialect::Sqlite => "SQLite",
            Dialect::SqlServer => "Microsoft SQL Server",
            Dialect::Oracle => "Oracle",
            Dialect::ClickHouse => "ClickHouse",
            Dialect::Trino => "Trino",
            Dialect::DuckDb => "DuckDB",
            Dialect::Other => "Bowshot",
        }
    }

    /// The dialect of a URI's scheme; schemes that say nothing of the database behind them, such as `odbc`, are
    /// [`Dialect::Other`].
    ///
    /// ```
    /// use bowshot_catalog::Dialect;
    ///
    /// assert_eq!(Dialect::of_scheme("postgresql"), Dialect::Postgres);
    /// assert_eq!(Dialect::of_scheme("clickhouse+https"), Dialect::ClickHouse);
    /// assert_eq!(Dialect::of_scheme("file"), Dialect::Other);
    /// ```
    pub fn of_scheme(scheme: &str) -> Self {
        let scheme = scheme.split('+').next().unwrap_or(scheme);
        match scheme.to_ascii_lowercase().as_str() {
            "postgresql" | "postgres" | "cockroachdb" | "redshift" => Dialect::Postgres,
            "mysql" | "mariadb" => Dialect::MySql,
            "sqlite" => Dialect::Sqlite,
            "mssql" | "sqlserver" => Dialect::SqlServer,
            "oracle" => Dialect::Oracle,
            "clickhouse" | "clickhousedb" => Dialect::ClickHouse,
            "trino" | "presto" => Dialect::Trino,
            "duckdb" => Dialect::DuckDb,
            _ => Dialect::Other,
        }
    }

    /// The SQL that lists it; `None` where no catalog is known.
    pub(crate) fn listing(self) -> Option<&'static Listing> {
        match self {
            Dialect::Postgres => Some(&postgres::LISTING),
            Dialect::MySql => Some(&mysql::LISTING),
            Dialect::Sqlite => Some(&sqlite::LISTING),
            Dialect::SqlServer => Some(&sql_server::LISTING),
            Dialect::Oracle => Some(&oracle::LISTING),
            Dialect::ClickHouse => Some(&clickhouse::LISTING),
            Dialect::Trino => Some(&trino::LISTING),
            Dialect::DuckDb => Some(&duckdb::LISTING),
            Dialect::Other => None,
        }
    }

    /// The SQL that names the database's own catalog, in one row.
    pub(crate) fn catalog(self) -> Option<&'static str> {
        match self {
            Dialect::Postgres => Some("SELECT current_database()::text"),
            // Its `information_schema` calls it so everywhere.
            Dialect::MySql => Some("SELECT 'def'"),
            Dialect::Sqlite => Some("SELECT 'main'"),
            Dialect::SqlServer => Some("SELECT DB_NAME()"),
            Dialect::Trino => Some("SELECT current_catalog"),
            Dialect::DuckDb => Some("SELECT current_database()"),
            Dialect::Oracle | Dialect::ClickHouse | Dialect::Other => None,
        }
    }

    /// The SQL that names the schema in which tables are looked for first, in one row.
    pub(crate) fn schema(self) -> Option<&'static str> {
        match self {
            Dialect::Postgres => Some("SELECT current_schema()::text"),
            Dialect::MySql => Some("SELECT DATABASE()"),
            Dialect::Sqlite => Some("SELECT 'main'"),
            Dialect::SqlServer => Some("SELECT SCHEMA_NAME()"),
            Dialect::Oracle => Some("SELECT SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM DUAL"),
            Dialect::ClickHouse => Some("SELECT currentDatabase()"),
            Dialect::Trino => Some("SELECT current_schema"),
            Dialect::DuckDb => Some("SELECT current_schema()"),
            Dialect::Other => None,
        }
    }

    /// The SQL that tells the server's version, in one row.
    pub(crate) fn version(self) -> Option<&'static str> {
        match self {
            Dialect::Postgres | Dialect::DuckDb | Dialect::ClickHouse => Some("SELECT version()"),
            Dialect::MySql => Some("SELECT VERSION()"),
            Dialect::Sqlite => Some("SELECT sqlite_version()"),
            Dialect::SqlServer => Some("SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128))"),
            Dialect::Oracle => Some("SELECT VERSION FROM PRODUCT_COMPONENT_VERSION WHERE PRODUCT LIKE 'Oracle%'"),
            Dialect::Trino => Some("SELECT node_version FROM system.runtime.nodes WHERE coordinator"),
            Dialect::Other => None,
        }
    }

    /// The query that reads a whole table.
    pub(crate) fn select_all(self, schema: Option<&str>, table: &str) -> String {
        match schema {
            Some(schema) => format!("SELECT * FROM {}.{}", self.quoted(schema), self.quoted(table)),
            None => format!("SELECT * FROM {}", self.quoted(table)),
        }
    }

    fn quoted(self, name: &str) -> String {
        let dialect = match self {
            Dialect::Postgres => bowshot_sql::Dialect::Postgres,
            Dialect::MySql => bowshot_sql::Dialect::MySql,
            Dialect::Sqlite => bowshot_sql::Dialect::Sqlite,
            Dialect::SqlServer => bowshot_sql::Dialect::SqlServer,
            Dialect::Oracle => bowshot_sql::Dialect::Oracle,
            // Between its quotes, a backslash escapes.
            Dialect::ClickHouse => return format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
            Dialect::Trino | Dialect::DuckDb | Dialect::Other => bowshot_sql::Dialect::Standard,
        };
        quote_identifier(name, dialect)
    }
}

#[cfg(test)]
mod tests {
    use super::Dialect;

    #[test]
    fn names_are_quoted_so_that_the_database_reads_back_exactly_them() {
        let select = |dialect: Dialect| dialect.select_all(Some("s"), "a\"`]\\b");
        assert_eq!(select(Dialect::Postgres), "SELECT * FROM \"s\".\"a\"\"`]\\b\"");
        assert_eq!(select(Dialect::MySql), "SELECT * FROM `s`.`a\"``]\\b`");
        assert_eq!(select(Dialect::SqlServer), "SELECT * FROM [s].[a\"`]]\\b]");
        assert_eq!(select(Dialect::ClickHouse), "SELECT * FROM `s`.`a\"\\`]\\\\b`");
        assert_eq!(Dialect::Other.select_all(None, "data"), "SELECT * FROM \"data\"");
    }
}
