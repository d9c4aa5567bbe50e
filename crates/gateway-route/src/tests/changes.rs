//! Statements that change something.

use bowshot_core::{Cancel, ErrorKind};
use bowshot_gateway_access::TablePath;

use crate::testing::Desk;
use crate::{Refused, Router};

/// The desk with its shop writable.
fn writable(mut desk: Desk) -> Desk {
    let mut served = desk.router.served().to_vec();
    served[0] = served[0].clone().writable();
    desk.router = Router::new(served);
    desk
}

/// Where it goes, in short.
fn told(desk: &Desk, sql: &str, preferred: Option<&str>) -> String {
    match desk.router.route_change(sql, preferred, &desk.rights, &desk.catalogs, &Cancel::new()) {
        Ok(route) => format!("{}: {}", desk.router.served()[route.index].name(), route.sql),
        Err(Refused::PermissionDenied(error)) => format!("denied: {error}"),
        Err(Refused::Error(error)) => format!("{:?}: {error}", error.kind()),
    }
}

#[test]
fn a_change_goes_to_the_source_that_it_names() {
    for desk in [writable(Desk::shop(&[])), writable(Desk::all(&[]))] {
        for (sql, expected) in [
            ("INSERT INTO orders VALUES ($1, ?)", "shop: INSERT INTO orders VALUES ($1, ?)"),
            (
                "INSERT INTO shop.public.orders SELECT * FROM items",
                "shop: INSERT INTO public.orders SELECT * FROM items",
            ),
            ("UPDATE shop.hr.staff s SET pay = 1", "shop: UPDATE hr.staff s SET pay = 1"),
            ("DELETE FROM /* all */ shop.public.orders", "shop: DELETE FROM /* all */ public.orders"),
            ("CREATE TABLE made (id int)", "shop: CREATE TABLE made (id int)"),
            ("DROP TABLE shop.public.made", "shop: DROP TABLE public.made"),
            ("GRANT SELECT ON orders TO ann", "shop: GRANT SELECT ON orders TO ann"),
            ("CREATE WHATEVER", "shop: CREATE WHATEVER"),
        ] {
            assert_eq!(told(&desk, sql, None), expected);
        }
        let returning = told(&desk, "DELETE FROM orders RETURNING id", None);
        assert!(returning.starts_with("Unsupported: the statement returns rows"), "{returning}");
    }
}

#[test]
fn a_preferred_source_has_all_names_that_do_not_say_another() {
    let mut desk = writable(Desk::all(&[]));
    let served = desk.router.served().iter().map(|served| served.clone().writable());
    desk.router = Router::new(served.collect());
    for (sql, preferred, expected) in [
        ("DELETE FROM orders", "crm", "crm: DELETE FROM orders"),
        ("DELETE FROM shop.public.orders", "crm", "shop: DELETE FROM public.orders"),
        ("INSERT INTO clients VALUES (?)", "shop", "shop: INSERT INTO clients VALUES (?)"),
        ("INSERT INTO crm.crm.clients VALUES (?)", "shop", "crm: INSERT INTO crm.clients VALUES (?)"),
    ] {
        assert_eq!(told(&desk, sql, Some(preferred)), expected);
    }
    let two = told(&desk, "INSERT INTO shop.public.orders SELECT * FROM clients", Some("crm"));
    assert!(two.contains("tables of two sources"), "{two}");
}

#[test]
fn what_is_not_writable_says_the_way_out() {
    let (read, one) = (Desk::shop(&[]), writable(Desk::all(&[])));
    for (desk, sql, preferred, source) in [
        (&read, "INSERT INTO orders VALUES (1)", None, "shop"),
        (&read, "CREATE WHATEVER", None, "shop"),
        (&one, "DELETE FROM clients", None, "crm"),
        (&one, "DELETE FROM crm.clients", Some("shop"), "crm"),
        (&one, "CREATE TABLE made (id int)", Some("crm"), "crm"),
        (&one, "INSERT INTO lake.events VALUES (1)", None, "lake"),
        (&one, "DELETE FROM bowshot.queries", None, "bowshot"),
    ] {
        let refused = told(desk, sql, preferred);
        let start = format!("Unsupported: the source \"{source}\" is read through this gateway, and not changed");
        assert!(refused.starts_with(&start) && refused.contains("writable = true"), "{sql}: {refused}");
    }
}

#[test]
fn a_change_of_two_sources_is_refused() {
    let desk = writable(Desk::all(&[]));
    for sql in
        ["INSERT INTO orders SELECT * FROM crm.clients", "DELETE FROM orders WHERE id IN (SELECT id FROM clients)"]
    {
        let refused = told(&desk, sql, None);
        assert!(refused.contains("tables of two sources") && refused.contains("shop"), "{sql}: {refused}");
    }
}

#[test]
fn a_user_with_rules_changes_what_they_say_and_no_more() {
    for desk in
        [Desk::shop, Desk::all].map(|desk| writable(desk(&["deny shop.hr", "write shop.public.orders", "allow shop"])))
    {
        for allowed in [
            "INSERT INTO orders (id) VALUES ($1)",
            "INSERT INTO public.orders SELECT id FROM public.items",
            "UPDATE orders SET id = abs(id) WHERE id < 3",
            "DELETE FROM orders",
        ] {
            assert_eq!(told(&desk, allowed, None), format!("shop: {allowed}"));
        }
        for denied in [
            "INSERT INTO public.items VALUES (1)",
            "INSERT INTO orders SELECT id FROM hr.salaries",
            "UPDATE orders SET id = (SELECT max(id) FROM hr.salaries)",
            "DELETE FROM hr.staff",
            "DELETE FROM nobody",
            "INSERT INTO orders SELECT * FROM query_to_xml('SELECT 1', true, true, '')",
            "INSERT INTO orders VALUES (pg_read_file('x'))",
            "DROP TABLE orders",
            "CREATE TABLE orders2 AS SELECT * FROM orders",
            "TRUNCATE orders",
            "DELETE FROM orders /*! x */",
            "CREATE WHATEVER",
        ] {
            let told = told(&desk, denied, None);
            assert!(told.starts_with("denied: "), "{denied}: {told}");
        }
    }
    let reader = writable(Desk::shop(&["allow *"]));
    assert!(told(&reader, "DELETE FROM orders", None).starts_with("denied: the table \"orders\" may not be changed"));
}

#[test]
fn rows_go_to_a_source_that_takes_them() {
    let ingest = |desk: &Desk, path: &TablePath, preferred: Option<&str>| {
        desk.router.route_ingest(path, preferred, &desk.rights, &desk.catalogs, &Cancel::new())
    };
    let path = |source: &str| TablePath::new(source, "public", "made");
    let desk = writable(Desk::all(&[]));
    assert_eq!(ingest(&desk, &path(""), None).unwrap(), 0, "the only one that is writable");
    assert_eq!(ingest(&desk, &path("shop"), Some("crm")).unwrap(), 0);
    for (source, preferred) in [("crm", None), ("", Some("crm")), ("lake", None)] {
        let error = ingest(&desk, &path(source), preferred).unwrap_err();
        assert_eq!(error.error().kind(), ErrorKind::Unsupported, "{error}");
    }
    let ruled = writable(Desk::shop(&["write shop.public.m*", "allow shop"]));
    assert_eq!(ingest(&ruled, &path(""), None).unwrap(), 0);
    for (schema, table) in [(Some("public"), "orders"), (Some("hr"), "made"), (None, "made")] {
        let path = TablePath { source: String::new(), schema: schema.map(str::to_owned), table: table.to_owned() };
        assert!(matches!(ingest(&ruled, &path, None), Err(Refused::PermissionDenied(_))), "{path}");
    }
}
