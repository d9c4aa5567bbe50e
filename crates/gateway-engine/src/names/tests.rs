use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use bowshot_core::testing::Numbers;
use bowshot_gateway_catalog::{Catalog, Dialect};

use super::*;

fn member(name: &str, tables: &[&str], kind: Kind) -> Member {
    let source = Arc::new(Numbers { partitions: 1, rows: 1 });
    let tables = tables.iter().map(|table| (*table).to_owned());
    let catalog = Catalog::new(name, source.clone(), Dialect::Other).with_tables(tables);
    Member { name: name.into(), source, kind, catalog }
}

fn members() -> Vec<Member> {
    vec![
        member("shop", &["orders", "People", "people"], Kind::Database(Dialect::Other)),
        member("lake", &["orders"], Kind::Files("lake".into())),
    ]
}

fn system() -> System {
    let columns = Arc::new(Schema::empty());
    System {
        schema: "bowshot".into(),
        name: "queries".into(),
        columns: columns.clone(),
        batches: Arc::new(move || Ok(RecordBatch::new_empty(columns.clone()))),
    }
}

/// What a name means, or the error.
fn meant(name: &str, default_member: Option<&str>, visible: Visible<'_>) -> String {
    let (members, system, directory) = (members(), [system()], Directory::default());
    let cancel = Cancel::new();
    let names =
        Names { members: &members, system: &system, directory: &directory, default_member, visible, cancel: &cancel };
    match names.resolve(&TableReference::parse_str(name)) {
        Ok(Found::Member(_, path)) => path.to_string(),
        Ok(Found::System(system)) => format!("{system:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_name_means_one_table() {
    let all = |_: &TablePath| true;
    for (name, default, path) in [
        ("shop.orders", None, "shop.orders"),
        ("SHOP.Orders", None, "shop.orders"),
        ("lake.orders", Some("shop"), "lake.orders"),
        ("lake.data", None, "lake.orders"),
        ("orders", Some("shop"), "shop.orders"),
        ("orders", Some("lake"), "lake.orders"),
        ("people", None, "shop.people"),
        ("\"People\"", None, "shop.People"),
        ("data", None, "lake.orders"),
        ("bowshot.queries", None, "System(bowshot.queries)"),
        ("bowshot.bowshot.queries", None, "System(bowshot.queries)"),
    ] {
        assert_eq!(meant(name, default, &all), path, "{name}");
    }
}

#[test]
fn a_name_that_means_several_tables_lists_them() {
    let error = meant("orders", None, &|_| true);
    assert!(error.contains("may mean lake.orders or shop.orders"), "{error}");
    let error = meant("shop.\"PEOPLE\"", None, &|_| true);
    assert!(error.contains("may mean shop.People or shop.people"), "{error}");
}

#[test]
fn a_name_that_means_nothing_says_how_tables_are_named() {
    for name in ["nothing", "shop.nothing", "nobody.orders.x", "shop.public.orders", "bowshot.secrets", "shop.data"] {
        let error = meant(name, None, &|_| true);
        assert!(error.contains("there is no table") && error.contains("shop, lake"), "{name}: {error}");
    }
}

#[test]
fn what_the_user_may_not_read_is_not_there() {
    let visible = |path: &TablePath| path.catalog == "lake";
    assert_eq!(meant("orders", None, &visible), "lake.orders");
    for name in ["shop.orders", "people", "bowshot.queries"] {
        let error = meant(name, Some("shop"), &visible);
        assert!(error.contains("there is no table"), "{name}: {error}");
        assert!(!error.contains("shop.orders or"), "{error}");
    }
}
