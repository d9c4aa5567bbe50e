//! Every conformance case against every source that runs here, by URI, over every protocol, whole and in partitions: always
//! the same schema and the same cells; and the tables in the documents that follow from the cases.

use bowshot_connect::connect;
use bowshot_testkit::Result;
use bowshot_testkit::conformance::{Database, compare_support, compare_types, databases, run};

/// Every database: the column of the support tables, and its name.
const DATABASES: &[(&str, &str)] = &[("PostgreSQL", "postgres"), ("MySQL, MariaDB", "mysql"), ("SQLite", "sqlite")];

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
fn sqlite() -> Result<()> {
    all_cases(&mut databases::Sqlite::start()?, 70)?;
    compare_types("sqlite", &[])
}

#[test]
fn support_tables() -> Result<()> {
    compare_support(DATABASES)
}
