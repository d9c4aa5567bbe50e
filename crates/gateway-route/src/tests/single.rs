//! One database is served.

use std::sync::atomic::Ordering;

use bowshot_core::Cancel;
use bowshot_gateway_access::Rights;
use bowshot_gateway_catalog::{Catalog, Dialect};

use crate::testing::{Desk, SHOP, Shelf};
use crate::{Route, Router, Served};

#[test]
fn everything_goes_to_the_only_database_as_it_was_written() {
    let desk = Desk::shop(&[]);
    for sql in [
        "SELECT 1",
        "SELECT * FROM public.orders -- as it is;\n",
        "  select\t* from nowhere, PUBLIC.Orders;",
        "TABLE hr.salaries",
        "SHOW search_path",
        "EXPLAIN ANALYZE SELECT 1",
        "SELECT /*! odd */ U&\"\\0061\" FROM ONLY x",
        "no SQL at all",
        "SELECT * FROM crm.orders",
        "",
    ] {
        assert_eq!(desk.told(sql, None), format!("shop: {sql}"));
        assert_eq!(desk.told(sql, Some("shop")), format!("shop: {sql}"));
    }
    assert_eq!(desk.shop.asked.load(Ordering::Relaxed), 0, "nobody had to be asked");
    assert_eq!(desk.told("SELECT 1", Some("crm")), "error: no source is named \"crm\"; the sources are shop");
}

#[test]
fn the_sources_name_is_cut_out_and_nothing_else_changes() {
    let desk = Desk::shop(&[]);
    for (sql, expected) in [
        ("SELECT * FROM shop.public.orders", "SELECT * FROM public.orders"),
        ("SELECT * FROM shop.orders o", "SELECT * FROM orders o"),
        (
            "SELECT 'shop.a' FROM /* shop.b */ \"shop\" . /* x */ public . orders",
            "SELECT 'shop.a' FROM /* shop.b */ public . orders",
        ),
        ("TABLE SHOP.public.orders", "TABLE public.orders"),
        (
            "SELECT shop.public.orders.id, o.x FROM shop.public.orders JOIN shop.hr.staff o ON o.id = shop . public.orders.id",
            "SELECT public.orders.id, o.x FROM public.orders JOIN hr.staff o ON o.id = public.orders.id",
        ),
        ("SELECT shop.id FROM shop.public.orders shop", "SELECT shop.id FROM public.orders shop"),
        ("SELECT * FROM shop", "SELECT * FROM shop"),
        ("SELECT x FROM t WHERE y IN (TABLE shop.public.orders)", "SELECT x FROM t WHERE y IN (TABLE public.orders)"),
        ("SELECT x FROM shop.a WHERE y = ? AND z = '%'", "SELECT x FROM a WHERE y = ? AND z = '%'"),
        ("SELECT \"Shop\".public.f(1) FROM \"Shop\".public.t", "SELECT \"Shop\".public.f(1) FROM \"Shop\".public.t"),
    ] {
        assert_eq!(desk.told(sql, None), format!("shop: {expected}"));
    }
}

#[test]
fn a_schema_of_the_sources_own_name_goes_before_the_source() {
    let catalog = || vec![Catalog::new("crm", Shelf::new(&["crm.clients", "crm.notes"]), Dialect::MySql)];
    let router = Router::new(vec![Served::database("crm", bowshot_sql::Dialect::MySql)]);
    let route = |sql: &str| match router.route(sql, None, &Rights::all(), &catalog(), &Cancel::new()) {
        Ok(Route::Source { sql, .. }) => sql,
        other => panic!("{other:?}"),
    };
    assert_eq!(route("SELECT * FROM crm.clients"), "SELECT * FROM crm.clients");
    assert_eq!(route("SELECT * FROM crm.unknown"), "SELECT * FROM unknown");
    assert_eq!(route("SELECT * FROM `crm`.crm.clients"), "SELECT * FROM crm.clients");
}

#[test]
fn a_cut_that_would_change_the_meaning_is_an_error() {
    let desk = Desk::shop(&[]);
    let told = desk.told("WITH nowhere AS (SELECT 1) SELECT * FROM shop.nowhere, nowhere", None);
    assert!(told.starts_with("error: without its source, \"shop.nowhere\" means something else"), "{told}");
}

#[test]
fn tables_and_order_are_told() {
    let desk = Desk::shop(&[]);
    let Ok(Route::Source { tables, ordered, .. }) =
        desk.ask("SELECT * FROM shop.public.orders, hr.staff ORDER BY 1", None)
    else {
        panic!()
    };
    let paths: Vec<String> = tables.iter().map(|table| table.path.to_string()).collect();
    assert_eq!((paths.join(" ").as_str(), ordered), ("shop.public.orders shop.hr.staff", true));
    assert_eq!(tables[0].range, 14..32);
    let Ok(Route::Source { ordered, .. }) = desk.ask("SHOW x", None) else { panic!() };
    assert!(ordered, "what is not known may be ordered");
}

#[test]
fn a_listing_is_remembered_for_rules_and_read_again_for_new_tables_without() {
    let desk = Desk::shop(&["deny shop.hr", "allow shop"]);
    for sql in [
        "SELECT * FROM public.orders",
        "SELECT * FROM hr.salaries",
        "SELECT * FROM public.nowhere",
        "SELECT * FROM nowhere",
    ] {
        let _ = desk.ask(sql, None);
    }
    assert_eq!(desk.shop.asked.load(Ordering::Relaxed), 1, "how often a source is asked tells nothing of tables");
    assert!(SHOP.contains(&"hr.salaries"));
}
