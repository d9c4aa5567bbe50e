//! Every conformance case against every source that runs here, by URI, over every protocol, whole and in partitions: always
//! the same schema and the same cells; and the tables in the documents that follow from the cases.

use bowshot_connect::connect;
use bowshot_testkit::Result;
use bowshot_testkit::conformance::{Database, compare_support, compare_types, databases, run};

/// Every database: the column of the support tables, and its name.
const DATABASES: &[(&str, &str)] = &[
    ("PostgreSQL", "postgres"),
    ("MariaDB", "mysql"),
    ("SQLite", "sqlite"),
    ("ClickHouse", "clickhouse"),
    ("psqlODBC", "odbc-postgres"),
    ("MariaDB ODBC", "odbc-mariadb"),
    ("DuckDB", "adbc-duckdb"),
    ("SQLite by ADBC", "adbc-sqlite"),
    ("PostgreSQL by ADBC", "adbc-postgres"),
    ("QuestDB", "questdb"),
    ("H2", "h2"),
];

fn all_cases(database: &mut dyn Database, at_least: usize) -> Result<()> {
    let checked = run(database, &connect)?;
    assert!(checked >= at_least, "only {checked} cases were found");
    Ok(())
}

#[test]
fn postgres() -> Result<()> {
    all_cases(&mut databases::Postgres::start()?, 200)?;
    compare_types("postgres", &["defined"])
}

#[test]
fn mysql() -> Result<()> {
    all_cases(&mut databases::MySql::start()?, 80)?;
    compare_types("mysql", &[])
}

#[test]
fn h2() -> Result<()> {
    all_cases(&mut databases::H2::start()?, 30)
}

#[test]
fn questdb() -> Result<()> {
    all_cases(&mut databases::QuestDb::start()?, 30)
}

#[test]
fn clickhouse() -> Result<()> {
    all_cases(&mut databases::ClickHouse::start()?, 35)?;
    compare_types("clickhouse", &[])
}

#[test]
fn odbc_postgres() -> Result<()> {
    all_cases(&mut databases::Odbc::postgres()?, 55)
}

#[test]
fn odbc_mariadb() -> Result<()> {
    all_cases(&mut databases::Odbc::mariadb()?, 30)
}

#[test]
fn sqlite() -> Result<()> {
    all_cases(&mut databases::Sqlite::start()?, 70)?;
    compare_types("sqlite", &[])
}

#[test]
fn support_tables() -> Result<()> {
    compare_support(DATABASES)
}
