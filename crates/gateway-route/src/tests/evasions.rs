//! Ways around rules, as attackers have tried them elsewhere. The tests in `tests/it` try them on real servers.

use bowshot_gateway_access::Rights;
use bowshot_gateway_catalog::{Catalog, Dialect};
use bowshot_sql::Dialect as Written;
use proptest::prelude::*;

use crate::testing::{Desk, SHOP, Shelf};
use crate::{Refused, Router, Served};

/// None of these may reach a database for a user who may only read `public`.
const POSTGRES: &str = include_str!("evasions/postgres.txt");
const MYSQL: &str = include_str!("evasions/mysql.txt");
const OTHERS: &str = include_str!("evasions/others.txt");

/// The queries of a file: one a line, `\n`, `\r` and `\0` for what they mean, `#` before a comment.
fn queries(text: &str) -> impl Iterator<Item = String> + '_ {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.replace("␊", "\n").replace("␍", "\r").replace("␀", "\0"))
}

fn refused(written: Written, dialect: Dialect, rules: &[&str], sql: &str) {
    // Oracle's names are in capital letters, also in the rules.
    let capital = |names: &[&str]| names.iter().map(|name| name.to_uppercase()).collect::<Vec<_>>();
    let (tables, oracle_rules) = (capital(SHOP), rules.iter().map(|rule| in_capitals(rule)).collect::<Vec<_>>());
    let (tables, oracle_rules): (Vec<&str>, Vec<&str>) =
        (tables.iter().map(String::as_str).collect(), oracle_rules.iter().map(String::as_str).collect());
    let (tables, rules) =
        if dialect == Dialect::Oracle { (tables.as_slice(), oracle_rules.as_slice()) } else { (SHOP, rules) };
    let catalogs = [Catalog::new("shop", Shelf::new(tables), dialect)];
    let router = Router::new(vec![Served::database("shop", written)]);
    let route = router.route(sql, None, &Rights::parse(rules).unwrap(), &catalogs, &bowshot_core::Cancel::new());
    assert!(matches!(route, Err(Refused::PermissionDenied(_))), "{written:?} {rules:?} {sql}: {route:?}");
}

/// `allow shop.public` as `allow shop.PUBLIC`.
fn in_capitals(rule: &str) -> String {
    let (source, rest) = rule.split_once('.').unwrap_or((rule, ""));
    if rest.is_empty() { source.to_owned() } else { format!("{source}.{}", rest.to_uppercase()) }
}

#[test]
fn no_evasion_passes() {
    // Whether the rules say what is allowed or what is not.
    for rules in
        [&["allow shop.public"][..], &["deny shop.hr", "deny shop.*.salaries", "deny shop.*.staff", "allow shop"]]
    {
        for sql in queries(POSTGRES) {
            refused(Written::Postgres, Dialect::Postgres, rules, &sql);
        }
        for sql in queries(MYSQL) {
            refused(Written::MySql, Dialect::MySql, rules, &sql);
        }
        for sql in queries(OTHERS) {
            let (written, sql) = sql.split_once(": ").unwrap();
            let (written, dialect) = match written {
                "sqlite" => (Written::Sqlite, Dialect::Sqlite),
                "sqlserver" => (Written::SqlServer, Dialect::SqlServer),
                "oracle" => (Written::Oracle, Dialect::Oracle),
                "clickhouse" => (Written::Standard, Dialect::ClickHouse),
                "duckdb" => (Written::Standard, Dialect::DuckDb),
                other => panic!("{other}"),
            };
            refused(written, dialect, rules, sql);
        }
    }
}

/// What queries are made of that try to read `hr.salaries`.
fn piece() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "SELECT",
        "SELECT *",
        "FROM",
        "FROM public.orders",
        "FROM hr.salaries",
        "hr.salaries",
        "salaries",
        "\"salaries\"",
        "hr",
        ".",
        ",",
        "(",
        ")",
        "JOIN",
        "LEFT JOIN",
        "ON true",
        "USING (id)",
        "WITH",
        "RECURSIVE",
        "salaries AS (",
        "UNION ALL",
        "TABLE",
        "ONLY",
        "LATERAL",
        "WHERE",
        "IN",
        "EXISTS (",
        "x",
        "1",
        "'",
        "\"",
        "\\",
        "E'",
        "$$",
        "/*",
        "*/",
        "--",
        "\n",
        "\r",
        ";",
        "AS",
        "a",
        "::",
        "row_to_json(",
        "query_to_xml(",
        "ORDER BY",
        "LIMIT 1",
        "?",
        "%s",
        "U&\"",
        "/*!",
        "@",
        "#",
        "`",
        "[",
        "]",
        "\u{a0}",
        "CAST(",
    ])
}

proptest! {
    #[test]
    fn no_text_that_reads_only_what_is_denied_passes(pieces in prop::collection::vec(piece(), 1..20), all in any::<bool>()) {
        let sql = pieces.join(" ");
        let rules = &["deny shop.hr", "allow shop.public"];
        let desk = if all { Desk::all(rules) } else { Desk::shop(rules) };
        if let Ok(route) = desk.ask(&sql, None) {
            let tables = match route {
                crate::Route::Source { tables, .. } | crate::Route::Engine { tables, .. } => tables,
            };
            for table in tables {
                prop_assert!(desk.rights.may_read(&table.path), "{sql}");
                prop_assert_eq!(table.path.schema.as_deref(), Some("public"));
            }
        }
    }
}
