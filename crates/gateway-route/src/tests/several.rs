//! Several sources are served.

use bowshot_gateway_catalog::{Catalog, Dialect};

use crate::Served;
use crate::testing::{Desk, Shelf};

#[test]
fn a_query_goes_where_its_tables_are() {
    let desk = Desk::all(&[]);
    let cases: &[(&str, Option<&str>, &str)] = &[
        // All in one.
        ("SELECT * FROM orders", None, "shop: SELECT * FROM orders"),
        ("SELECT * FROM clients", None, "crm: SELECT * FROM clients"),
        ("SELECT * FROM `Clients` # mine", None, "crm: SELECT * FROM `Clients` # mine"),
        ("SELECT * FROM crm.clients", None, "crm: SELECT * FROM crm.clients"),
        ("SELECT * FROM crm.crm.clients c", None, "crm: SELECT * FROM crm.clients c"),
        (
            "SELECT * FROM shop.public.orders JOIN hr.staff USING (id)",
            None,
            "shop: SELECT * FROM public.orders JOIN hr.staff USING (id)",
        ),
        (
            "WITH clients AS (SELECT * FROM orders) SELECT * FROM clients",
            None,
            "shop: WITH clients AS (SELECT * FROM orders) SELECT * FROM clients",
        ),
        // Preferred first.
        ("SELECT * FROM both", Some("shop"), "shop: SELECT * FROM both"),
        ("SELECT * FROM both", Some("crm"), "crm: SELECT * FROM both"),
        ("SELECT * FROM orders", Some("crm"), "shop: SELECT * FROM orders"),
        ("SELECT * FROM nowhere", Some("crm"), "crm: SELECT * FROM nowhere"),
        ("SELECT 1", Some("crm"), "crm: SELECT 1"),
        ("SHOW TABLES", Some("crm"), "crm: SHOW TABLES"),
        ("SELECT * FROM both b JOIN clients c ON true", Some("shop"), "engine: shop.public.both crm.crm.clients"),
        // The engine's.
        ("SELECT 1", None, "engine: "),
        ("SELECT 1", Some("lake"), "engine: "),
        ("SELECT * FROM events", None, "engine: lake..events"),
        ("SELECT * FROM lake.events", None, "engine: lake..events"),
        ("SELECT * FROM lake.data", None, "engine: lake..events"),
        ("SELECT * FROM bowshot.bowshot.queries", None, "engine: bowshot.bowshot.queries"),
        ("SELECT * FROM bowshot.queries", None, "engine: bowshot.bowshot.queries"),
        ("SELECT * FROM orders, clients, lake.events", None, "engine: shop.public.orders crm.crm.clients lake..events"),
        (
            "SELECT * FROM shop.public.orders JOIN crm.clients ON true",
            None,
            "engine: shop.public.orders crm.crm.clients",
        ),
        ("TABLE events", None, "engine: lake..events"),
        // Errors.
        (
            "SELECT * FROM both",
            None,
            "error: \"both\" is a table of two sources, shop and crm; write crm.crm.both, or name one with the session option or the header \"catalog\"",
        ),
        (
            "SELECT * FROM both, lake.events",
            None,
            "error: \"both\" is a table of two sources, shop and crm; write crm.crm.both, or name one with the session option or the header \"catalog\"",
        ),
        (
            "SELECT * FROM hr.salaries",
            None,
            "error: \"hr.salaries\" is a table of two sources, shop and crm; write crm.hr.salaries, or name one with the session option or the header \"catalog\"",
        ),
        (
            "SELECT * FROM items, events",
            None,
            "error: \"items\" is a table of two schemas; write shop.public.items or shop.twice.items",
        ),
        (
            "SELECT * FROM nowhere",
            None,
            "error: no source has a table \"nowhere\"; write source.schema.table; the sources are shop, crm, lake, bowshot",
        ),
        (
            "SELECT * FROM queries",
            None,
            "error: no source has a table \"queries\"; write source.schema.table; the sources are shop, crm, lake, bowshot",
        ),
        ("SELECT * FROM shop.public.nowhere, events", None, "engine: shop.public.nowhere lake..events"),
        ("SELECT 1", Some("hr"), "error: no source is named \"hr\"; the sources are shop, crm, lake, bowshot"),
    ];
    for (sql, preferred, expected) in cases {
        assert_eq!(desk.told(sql, *preferred), *expected, "{sql} {preferred:?}");
    }
    let told = desk.told("SHOW TABLES", None);
    assert!(
        told.starts_with("error: the query is not a SELECT; so nobody can tell which source it is for; name one"),
        "{told}"
    );
}

#[test]
fn the_gateways_own_tables_join_the_only_database() {
    let desk = Desk::shop(&[]).with_source(
        Served::own("bowshot", ["queries".to_owned()]),
        Catalog::new("x", Shelf::new(&[]), Dialect::Other),
    );
    assert_eq!(desk.told("SELECT * FROM anything", None), "shop: SELECT * FROM anything");
    assert_eq!(desk.told("SELECT * FROM Bowshot.Queries", None), "engine: bowshot.bowshot.queries");
    assert_eq!(
        desk.told("SELECT * FROM bowshot.queries, orders", None),
        "engine: bowshot.bowshot.queries shop.public.orders"
    );
    assert_eq!(desk.told("SELECT * FROM bowshot.other", None), "shop: SELECT * FROM bowshot.other");
}

#[test]
fn a_source_that_does_not_answer_stops_only_queries_that_may_be_for_it() {
    let silent = Catalog::new("down", Shelf::silent(), Dialect::Postgres);
    let desk = Desk::all(&[]).with_source(Served::database("down", bowshot_sql::Dialect::Postgres), silent);
    assert_eq!(desk.told("SELECT * FROM orders", None), "shop: SELECT * FROM orders");
    assert_eq!(desk.told("SELECT * FROM nowhere", None), "error: the shelf is closed");
}

#[test]
fn a_source_that_lists_nothing_is_sent_what_names_it() {
    let odbc = Catalog::new("odbc", Shelf::new(&[]), Dialect::Other);
    let desk = Desk::all(&[]).with_source(Served::database("odbc", bowshot_sql::Dialect::Standard), odbc);
    assert_eq!(desk.told("SELECT * FROM odbc.s.t", None), "odbc: SELECT * FROM s.t");
    assert_eq!(desk.told("SELECT * FROM s.t", Some("odbc")), "odbc: SELECT * FROM s.t");
    assert_eq!(desk.told("SELECT * FROM orders, odbc.t", None), "engine: shop.public.orders odbc.t");
    assert!(desk.told("SELECT * FROM t", None).starts_with("error: no source has a table \"t\""));
}
