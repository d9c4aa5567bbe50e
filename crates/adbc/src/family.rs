//! Which kind of driver it is, as far as that matters: its SQL, and what has to be known about it.

use bowshot_core::{Case, Error, ErrorKind, Naming, Result};
use bowshot_sql::{Database, Dialect};

/// What is known of a driver from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    DuckDb,
    Postgres,
    Sqlite,
    FlightSql,
    Other,
}

impl Family {
    /// By the name or the path of a driver.
    pub(crate) fn of(driver: &str) -> Self {
        let name = file_name(driver);
        if name.contains("duckdb") {
            Family::DuckDb
        } else if name.contains("postgres") {
            Family::Postgres
        } else if name.contains("sqlite") {
            Family::Sqlite
        } else if name.contains("flightsql") || name.contains("flight_sql") {
            Family::FlightSql
        } else {
            Family::Other
        }
    }

    /// What makes a connection refuse to write, for a driver that has no option for it.
    pub(crate) fn read_only(self) -> Option<&'static str> {
        match self {
            Family::Postgres => Some("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"),
            Family::Sqlite => Some("PRAGMA query_only = 1"),
            Family::DuckDb | Family::FlightSql | Family::Other => None,
        }
    }

    /// Whether the driver tells the schema of a result without running the query.
    ///
    /// Only those that are known to: DuckDB's says yes and returns no schema.
    pub(crate) fn describes(self) -> bool {
        matches!(self, Family::Postgres)
    }
}

/// Whose SQL a driver takes, by its name.
pub(crate) fn dialect(driver: &str) -> Dialect {
    let name = file_name(driver);
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["postgres", "duckdb", "redshift"]) {
        // DuckDB's lexer and placeholders are PostgreSQL's.
        Dialect::Postgres
    } else if has(&["sqlite"]) {
        Dialect::Sqlite
    } else if has(&["mysql", "mariadb"]) {
        Dialect::MySql
    } else if has(&["mssql", "sqlserver", "sql_server"]) {
        Dialect::SqlServer
    } else if has(&["oracle"]) {
        Dialect::Oracle
    } else {
        Dialect::Standard
    }
}

/// How the database behind a driver writes names.
pub(crate) fn naming(driver: &str, dialect: Dialect) -> Naming {
    let name = file_name(driver);
    let naming = dialect.naming();
    if name.contains("duckdb") {
        // Names that are not quoted keep their letters, and mean any case.
        Naming { case: Case::Kept, ..naming }
    } else if name.contains("snowflake") {
        Naming { case: Case::Upper, ..naming }
    } else if name.contains("bigquery") || name.contains("databricks") {
        Naming { quotes: Some(('`', '`')), ..naming }
    } else {
        naming
    }
}

/// Whose statements a driver takes, by its name.
pub(crate) fn statements(driver: &str) -> Database {
    Database::named(&file_name(driver))
}

/// The dialect that `dialect=` names.
pub(crate) fn named_dialect(name: &str) -> Result<Dialect> {
    Ok(match name {
        "postgres" | "postgresql" => Dialect::Postgres,
        "sqlite" => Dialect::Sqlite,
        "mysql" => Dialect::MySql,
        "sqlserver" => Dialect::SqlServer,
        "oracle" => Dialect::Oracle,
        "standard" => Dialect::Standard,
        _ => {
            return Err(Error::new(ErrorKind::Config, format!("no dialect of SQL is called \"{name}\""))
                .with_hint("dialect is one of postgres, sqlite, mysql, sqlserver, oracle, standard"));
        }
    })
}

/// The last part of a path, in lower case: a folder's name says nothing about the driver in it.
fn file_name(driver: &str) -> String {
    driver.rsplit(['/', '\\']).next().unwrap_or(driver).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_tells_not_its_folder() {
        assert_eq!(Family::of("/opt/duckdb/libadbc_driver_sqlite.so"), Family::Sqlite);
        assert_eq!(Family::of("/x/_duckdb.cpython-311-x86_64-linux-gnu.so"), Family::DuckDb);
        assert_eq!(Family::of("adbc_driver_flightsql"), Family::FlightSql);
        assert_eq!(Family::of("snowflake"), Family::Other);
        assert_eq!(dialect("/opt/postgres/libadbc_driver_mysql.so"), Dialect::MySql);
        assert_eq!(dialect("duckdb"), Dialect::Postgres);
        assert_eq!(named_dialect("oracle").unwrap(), Dialect::Oracle);
        assert!(named_dialect("klingon").is_err());
    }
}
