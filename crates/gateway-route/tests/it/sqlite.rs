//! SQLite says itself which tables it reads for a query.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bowshot_core::Cancel;
use bowshot_gateway_access::Rights;
use bowshot_gateway_catalog::{Catalog, Dialect};
use bowshot_gateway_route::{Route, Router, Served};
use bowshot_sql::tables;
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::common::{SECRET, answer, query};

const SHOP: &str =
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO orders VALUES (1, 'one'), (2, 'two');
    CREATE TABLE salaries (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO salaries VALUES (1, 'S3CRET'), (2, 'S3CRET');
    CREATE VIEW names AS SELECT upper(name) AS name FROM orders";

const TABLES: &[&str] = &[
    "orders",
    "salaries",
    "main.orders",
    "main.salaries",
    "[salaries]",
    "\"SALARIES\"",
    "`orders`",
    "Main . Salaries",
];

/// A database, and the tables that it was asked to read since the last look.
struct Asked {
    connection: Connection,
    read: Arc<Mutex<BTreeSet<String>>>,
}

impl Asked {
    fn new() -> Self {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SHOP).unwrap();
        let read: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let seen = Arc::clone(&read);
        let authorizer = move |context: AuthContext<'_>| {
            // Without a column, it may also be the name of a common table expression.
            if let AuthAction::Read { table_name, column_name } = context.action
                && !column_name.is_empty()
            {
                seen.lock().unwrap().insert(table_name.to_lowercase());
            }
            Authorization::Allow
        };
        connection.authorizer(Some(authorizer)).unwrap();
        Asked { connection, read }
    }

    /// The tables that SQLite reads for a query, if it takes it.
    fn reads(&self, sql: &str) -> Option<BTreeSet<String>> {
        self.read.lock().unwrap().clear();
        self.connection.prepare(sql).ok()?;
        Some(self.read.lock().unwrap().clone())
    }
}

fn router() -> Router {
    Router::new(vec![Served::database("lite", bowshot_sql::Dialect::Sqlite)])
}

#[test]
fn no_table_that_sqlite_reads_is_missed() {
    let asked = Asked::new();
    let taken = std::cell::Cell::new(0_usize);
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 2000, ..ProptestConfig::default() });
    runner
        .run(&query(TABLES), |sql| {
            let Some(read) = asked.reads(&sql) else { return Ok(()) };
            taken.set(taken.get() + 1);
            let Ok(found) = tables(&sql, bowshot_sql::Dialect::Sqlite) else {
                return Err(TestCaseError::fail(format!("not read: {sql}")));
            };
            let found: BTreeSet<String> = found.tables.iter().map(|table| table.name.last().to_lowercase()).collect();
            let missed: Vec<_> = read.difference(&found).collect();
            prop_assert!(missed.is_empty(), "{missed:?} of {sql}");
            Ok(())
        })
        .unwrap();
    assert!(taken.get() > 300, "SQLite took {} queries of 2000", taken.get());
}

#[test]
fn nothing_of_a_denied_table_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path).unwrap().execute_batch(SHOP).unwrap();
    let source = bowshot_connect::connect(&format!("sqlite:///{}", path.display())).unwrap();
    let catalogs = [Catalog::new("lite", Arc::clone(&source), Dialect::Sqlite)];
    let (router, rights) = (router(), Rights::parse(&["deny lite.main.salaries", "allow lite.main"]).unwrap());
    let route = |sql: &str| match router.route(sql, None, &rights, &catalogs, &Cancel::new()) {
        Ok(Route::Source { sql, .. }) => Some(sql),
        _ => None,
    };
    // The test can fail: without rules it comes out.
    assert!(answer(source.as_ref(), "SELECT * FROM salaries").unwrap().contains(SECRET));
    for sql in [
        "SELECT * FROM orders",
        "SELECT * FROM main.\"ORDERS\"",
        "SELECT * FROM names",
        "SELECT * FROM lite.main.orders",
    ] {
        answer(source.as_ref(), &route(sql).unwrap_or_else(|| panic!("{sql}"))).unwrap();
    }
    for sql in [
        "SELECT * FROM sqlite_master",
        "SELECT * FROM sqlite_schema",
        "SELECT * FROM main.sqlite_schema",
        "SELECT * FROM salaries",
    ] {
        assert_eq!(route(sql), None, "{sql}");
    }
    let passed = std::cell::Cell::new(0_usize);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 400, ..ProptestConfig::default() });
    runner
        .run(&query(TABLES), |sql| {
            if let Some(sent) = route(&sql)
                && let Ok(cells) = answer(source.as_ref(), &sent)
            {
                passed.set(passed.get() + 1);
                prop_assert!(!cells.contains(SECRET), "{sql}");
            }
            Ok(())
        })
        .unwrap();
    assert!(passed.get() > 20, "{} of 400 queries passed and ran", passed.get());
}
