//! Users with rules.

use bowshot_gateway_catalog::{Catalog, Dialect};

use crate::testing::{Desk, Shelf};
use crate::{Refused, Served};

const RULES: &[&str] = &["deny shop.hr", "allow shop.public", "allow lake"];

#[test]
fn what_a_rule_allows_passes_as_it_was_written() {
    let desk = Desk::shop(RULES);
    for sql in [
        "SELECT 1",
        "SELECT count(*), max(o.id)::bigint FROM public.orders AS o WHERE o.at > now() - interval '1 day' GROUP BY o.x ORDER BY 1 LIMIT 5",
        "SELECT * FROM Public.ORDERS",
        "SELECT * FROM public.\"orders\" JOIN public.items USING (id)",
        "SELECT upper(name), pg_catalog.lower(name) FROM public.salaries_view WHERE id IN ($1, ?)",
        "WITH salaries AS (SELECT * FROM public.orders) SELECT * FROM salaries s(a, b), generate_series(1, 3) g(x)",
        "SELECT row_number() OVER (PARTITION BY x ORDER BY y) FROM public.orders /* mine */ -- yes",
        "SELECT 'hr.salaries', \"hr.salaries\" FROM (VALUES (1)) AS salaries(\"hr.salaries\")",
        "SELECT CASE WHEN x IS DISTINCT FROM y THEN extract(year FROM d) END FROM public.orders GROUP BY ROLLUP (x), GROUPING SETS ((y), (d))",
    ] {
        assert_eq!(desk.told(sql, None), format!("shop: {sql}"));
    }
    let told = desk.told("SELECT * FROM shop.public.orders", None);
    assert_eq!(told, "shop: SELECT * FROM public.orders");
}

#[test]
fn a_table_that_is_denied_and_one_that_is_not_there_are_refused_in_the_same_words() {
    let names = [
        "hr.salaries",
        "hr.nowhere",
        "salaries",
        "nowhere",
        "public.nowhere",
        "nowhere.nowhere",
        "shop.hr.salaries",
        "shop.hr.nowhere",
        "other.hr.salaries",
        "a.b.c.d",
        "orders",
        "\"Orders\"",
    ];
    for (desk, preferred) in [(Desk::shop(RULES), None), (Desk::all(RULES), None), (Desk::all(RULES), Some("shop"))] {
        for name in names {
            let sql = format!("SELECT * FROM {name} AS t");
            // In the shop, hr.Orders is another table than public.orders.
            if name == "orders" {
                assert_eq!(desk.told(&sql, preferred), format!("shop: {sql}"));
                continue;
            }
            let shown = name.trim_matches('"');
            let expected = format!(
                "denied: the table \"{shown}\" may not be read, if it exists; ask who runs the gateway for a rule that allows \
                 it; a table that was just made is known some seconds later"
            );
            assert_eq!(desk.told(&sql, preferred), expected, "{name}");
        }
    }
}

#[test]
fn an_unqualified_name_must_be_allowed_in_every_schema_that_has_it() {
    let told = |rules: &[&str], sql: &str| Desk::shop(rules).told(sql, None);
    assert!(told(&["allow shop.public"], "SELECT * FROM items").starts_with("denied: "), "twice.items too");
    assert!(told(&["allow shop.public", "allow shop.twice.items"], "SELECT * FROM items").starts_with("shop: "));
    assert!(told(&["allow shop.public"], "SELECT * FROM public.items").starts_with("shop: "));
    assert!(told(&["allow shop.public"], "SELECT * FROM both").starts_with("shop: "));
}

#[test]
fn a_known_default_schema_is_the_only_one_of_unqualified_names() {
    let desk = Desk::all(&["allow crm.crm"]);
    assert_eq!(desk.told("SELECT * FROM clients", None), "crm: SELECT * FROM clients");
    assert_eq!(desk.told("SELECT * FROM notes", None), "crm: SELECT * FROM notes");
    assert!(desk.told("SELECT * FROM user", None).starts_with("denied: "));
    assert!(desk.told("SELECT * FROM mysql.user", None).starts_with("denied: "));
}

#[test]
fn sources_that_no_rule_reaches_are_not_there() {
    let desk = Desk::all(RULES);
    assert_eq!(desk.told("SELECT * FROM both", None), "shop: SELECT * FROM both", "crm's is not known to this user");
    assert_eq!(desk.told("SELECT 1", Some("crm")), "error: no source is named \"crm\"; the sources are shop, lake");
    assert_eq!(desk.told("SELECT 1", Some("crm")).replace("crm", "x"), desk.told("SELECT 1", Some("x")));
    assert!(desk.told("SELECT * FROM crm.clients", None).starts_with("denied: the table \"crm.clients\""));
    assert!(desk.told("SELECT * FROM bowshot.queries", None).starts_with("denied: "));
    assert_eq!(desk.told("SELECT * FROM orders, events", None), "engine: shop.public.orders lake..events");
    assert!(desk.told("SELECT * FROM hr.salaries, events", None).starts_with("denied: "));
    assert!(Desk::all(&["allow other"]).told("SELECT 1", None).starts_with("error: there is no source"));
}

#[test]
fn system_catalogs_need_a_rule_that_names_them() {
    for sql in [
        "SELECT * FROM pg_class",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_shadow",
        "SELECT * FROM pg_stat_activity",
    ] {
        for rules in [&["deny shop.hr", "allow shop"][..], &["allow *"], &["allow shop.*.*"]] {
            assert!(Desk::shop(rules).told(sql, None).starts_with("denied: the table "), "{sql} {rules:?}");
        }
    }
    let desk = Desk::shop(&["allow shop.public", "allow shop.pg_catalog"]);
    assert_eq!(desk.told("SELECT * FROM pg_class", None), "shop: SELECT * FROM pg_class");
    assert!(desk.told("SELECT * FROM information_schema.tables", None).starts_with("denied: "));
}

#[test]
fn a_source_that_lists_nothing_is_asked_by_plain_names() {
    let odbc = |rules: &[&str], sql: &str| {
        let catalog = Catalog::new("odbc", Shelf::new(&[]), Dialect::Other);
        let desk = Desk::all(rules).with_source(Served::database("odbc", bowshot_sql::Dialect::Standard), catalog);
        desk.told(sql, Some("odbc"))
    };
    let rules = &["deny odbc.hr", "deny odbc.*.salaries", "allow odbc"];
    assert!(odbc(rules, "SELECT * FROM s.orders").starts_with("odbc: "));
    for sql in [
        "SELECT * FROM orders",
        "SELECT * FROM hr.orders",
        "SELECT * FROM HR.orders",
        "SELECT * FROM s.Salaries",
        "SELECT * FROM \"/etc/passwd\"",
        "SELECT * FROM s.\"salaries \"",
        "SELECT * FROM s.\"ſalaries\"",
        "SELECT * FROM s.pg_class AS x, information_schema.tables",
        "SELECT * FROM sys.tables",
        "SELECT * FROM db.s.orders",
    ] {
        assert!(odbc(rules, sql).starts_with("denied: the table "), "{sql}: {}", odbc(rules, sql));
    }
}

#[test]
fn refusals_say_the_way_out() {
    let desk = Desk::shop(RULES);
    for (sql, words, hint) in [
        ("SELECT query_to_xml('SELECT 1', true, true, '')", "the function \"query_to_xml\" may not be called", "view"),
        ("SELECT x::hr.salaries FROM public.orders", "may not cast to the type \"hr.salaries\"", "built-in type"),
        ("SELECT 'a\\' FROM public.orders", "the query has a backslash before a quote", "plain SQL"),
        ("SHOW search_path", "the query is not a SELECT; a user with rules", "plain SQL"),
    ] {
        let Err(Refused::PermissionDenied(error)) = desk.ask(sql, None) else { panic!("{sql}") };
        assert!(error.message().contains(words), "{sql}: {error}");
        assert!(error.hint().unwrap().contains(hint), "{sql}: {error}");
    }
}
