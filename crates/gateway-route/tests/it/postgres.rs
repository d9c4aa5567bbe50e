//! PostgreSQL, whose search path finds the denied table too.

use std::sync::Arc;

use bowshot_core::Cancel;
use bowshot_gateway_access::Rights;
use bowshot_gateway_catalog::{Catalog, Dialect};
use bowshot_gateway_route::{Refused, Route, Router, Served};
use bowshot_testkit::Postgres;
use proptest::prelude::*;

use crate::common::{SECRET, answer, query};

const SHOP: &str = "
CREATE SCHEMA hr;
CREATE TABLE hr.salaries (id int PRIMARY KEY, name text); INSERT INTO hr.salaries VALUES (1, 'S3CRET'), (2, 'S3CRET');
CREATE TABLE public.orders (id int PRIMARY KEY, name text); INSERT INTO public.orders VALUES (1, 'one'), (2, 'two');
CREATE VIEW public.names AS SELECT upper(name) AS name FROM public.orders;
CREATE FUNCTION public.run_sql(text) RETURNS text LANGUAGE plpgsql AS 'DECLARE r text; BEGIN EXECUTE $1 INTO r; RETURN r; END';
ALTER ROLE ALL SET search_path = public, hr;
";

const TABLES: &[&str] = &[
    "orders",
    "salaries",
    "public.orders",
    "hr.salaries",
    "\"salaries\"",
    "Orders",
    "hr . /* x */ SALARIES",
    "shop.public.orders",
];

const EVASIONS: &str = include_str!("../../src/tests/evasions/postgres.txt");

#[test]
fn nothing_of_a_denied_table_comes_out() {
    let server = Postgres::start().unwrap();
    server.psql(SHOP).unwrap();
    let source = bowshot_connect::connect(&server.uri()).unwrap();
    let catalogs = [Catalog::new("shop", Arc::clone(&source), Dialect::Postgres)];
    let router = Router::new(vec![Served::database("shop", bowshot_sql::Dialect::Postgres)]);
    let rights = Rights::parse(&["deny shop.hr", "allow shop"]).unwrap();
    let route = |sql: &str| router.route(sql, None, &rights, &catalogs, &Cancel::new());

    // The test can fail: as they are, many of the evasions work.
    let meant = |line: &str| line.replace("␊", "\n").replace("␍", "\r").replace("␀", "\0");
    let lines = || EVASIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(meant);
    let works = |sql: &String| answer(source.as_ref(), sql).is_ok_and(|cells| cells.contains(SECRET));
    let working = lines().filter(|line| line.starts_with("SELECT") && !line.contains("pg_sleep")).filter(works).count();
    assert!(working > 20, "{working} evasions read the table");
    for sql in lines() {
        assert!(matches!(route(&sql), Err(Refused::PermissionDenied(_))), "{sql}");
    }

    for (sql, cells) in [
        ("SELECT name FROM orders WHERE id = 2", "two"),
        ("SELECT name FROM shop.public.orders WHERE shop.public.orders.id = 1", "one"),
        ("WITH salaries AS (SELECT * FROM orders) SELECT max(name) FROM salaries", "two"),
        ("TABLE names", "ONE"),
        ("SELECT date_trunc('day', timestamp '2020-02-03 04:05:06')::date::text", "2020-02-03"),
    ] {
        let Ok(Route::Source { sql: sent, .. }) = route(sql) else { panic!("{sql}") };
        assert!(answer(source.as_ref(), &sent).unwrap().contains(cells), "{sql}");
    }

    let passed = std::cell::Cell::new(0_usize);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 300, ..ProptestConfig::default() });
    runner
        .run(&query(TABLES), |sql| {
            if let Ok(Route::Source { sql: sent, .. }) = route(&sql)
                && let Ok(cells) = answer(source.as_ref(), &sent)
            {
                passed.set(passed.get() + 1);
                prop_assert!(!cells.contains(SECRET), "{sql}");
            }
            Ok(())
        })
        .unwrap();
    assert!(passed.get() > 20, "{} of 300 queries passed and ran", passed.get());
}
