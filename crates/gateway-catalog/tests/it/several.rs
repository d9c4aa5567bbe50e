//! A gateway with several sources, some of them not there.

use arrow_flight::sql::{CommandGetDbSchemas, CommandGetTables};
use bowshot_core::{Cancel, ErrorKind};
use bowshot_gateway_catalog::{Catalog, Dialect, TablePath, catalogs, db_schemas, table_of_files, tables};
use tempfile::TempDir;

use crate::common::{all, catalog, cells, decode, everywhere, lines, list, of_query, own_tables, plain, schema};

struct Sources {
    _folder: TempDir,
    lake: String,
    catalogs: Vec<Catalog>,
}

/// A folder of files and an SQLite file.
fn sources() -> Sources {
    let folder = tempfile::tempdir().unwrap();
    let orders = folder.path().join("orders");
    std::fs::create_dir(&orders).unwrap();
    std::fs::write(orders.join("2024.csv"), "id,price\n1,9.5\n2,12.25\n").unwrap();
    let lake = format!("file://{}/", orders.display());
    let path = folder.path().join("shop.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE a (n INT); CREATE TABLE b (n INT)").unwrap();
    let files = catalog("lake", &lake, Dialect::Other).with_tables([table_of_files(&lake)]);
    let sqlite = catalog("a shop", &format!("sqlite:///{}", path.display()), Dialect::Sqlite);
    Sources { _folder: folder, lake, catalogs: vec![files, sqlite] }
}

/// A database that nobody can reach.
fn down() -> Catalog {
    catalog("down", "postgresql://user:secret@127.0.0.1:1/shop?connect_timeout=2", Dialect::Postgres)
}

#[test]
fn catalogs_come_in_the_order_of_their_names() {
    let sources = sources();
    assert_eq!(lines(&catalogs(&sources.catalogs, &all, &everywhere, &Cancel::new()).unwrap()), ["a shop", "lake"]);
    let visible = |path: &TablePath| path.catalog != "lake";
    assert_eq!(lines(&catalogs(&sources.catalogs, &visible, &everywhere, &Cancel::new()).unwrap()), ["a shop"]);
    let nothing = |_: &TablePath| false;
    assert!(lines(&catalogs(&sources.catalogs, &nothing, &everywhere, &Cancel::new()).unwrap()).is_empty());
}

#[test]
fn files_are_one_table_without_a_schema() {
    let sources = sources();
    assert_eq!(
        list(&sources.catalogs, &own_tables()),
        ["a shop|main|a|TABLE", "a shop|main|b|TABLE", "lake|NULL|orders|TABLE"]
    );
    let without = CommandGetTables { db_schema_filter_pattern: Some(String::new()), ..own_tables() };
    assert_eq!(list(&sources.catalogs, &without), ["lake|NULL|orders|TABLE"]);
    let command = CommandGetDbSchemas::default();
    let schemas = cells(&db_schemas(&sources.catalogs, &command, &all, &everywhere, &Cancel::new()).unwrap().batch);
    let rows: Vec<_> = schemas.iter().map(|row| row.join("|")).collect();
    assert!(rows.contains(&"lake|".to_owned()) && rows.contains(&"a shop|main".to_owned()) && rows.len() == 2);
    let orders = schema(&sources.catalogs, "", "orders");
    assert_eq!(plain(&orders), of_query(&sources.lake, "SELECT * FROM orders"));
    assert_eq!(orders.field(0).metadata()["ARROW:FLIGHT:SQL:CATALOG_NAME"], "lake");
    assert!(!orders.field(0).metadata().contains_key("ARROW:FLIGHT:SQL:SCHEMA_NAME"));
}

#[test]
fn a_source_that_is_down_does_not_hide_the_others() {
    let mut sources = sources();
    sources.catalogs.push(down());
    let command = CommandGetTables { include_schema: true, ..own_tables() };
    let answer = tables(&sources.catalogs, &command, &all, &Cancel::new()).unwrap();
    assert_eq!(answer.batch.num_rows(), 3);
    for message in arrow_array::cast::AsArray::as_binary::<i32>(answer.batch.column(4)).iter() {
        assert!(!decode(message.unwrap()).fields().is_empty());
    }
    let missing: Vec<_> = answer.missing.iter().map(|missing| missing.catalog.as_str()).collect();
    assert_eq!(missing, ["down"]);
    assert!(!format!("{:?}", answer.missing).contains("secret"));
}

#[test]
fn who_asks_only_for_a_source_that_is_down_gets_its_error() {
    let mut sources = sources();
    sources.catalogs.push(down());
    let command = CommandGetTables { catalog: Some("down".into()), ..CommandGetTables::default() };
    let error = tables(&sources.catalogs, &command, &all, &Cancel::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(catalogs(&[down()], &all, &everywhere, &Cancel::new()).is_err());
    // A source that is up answers for itself.
    let command = CommandGetDbSchemas { catalog: Some("a shop".into()), ..CommandGetDbSchemas::default() };
    assert_eq!(
        lines(&db_schemas(&sources.catalogs, &command, &all, &everywhere, &Cancel::new()).unwrap()),
        ["a shop|main"]
    );
}

#[test]
fn a_gateway_without_sources_has_empty_answers() {
    let command = CommandGetTables { include_schema: true, ..CommandGetTables::default() };
    let answer = tables(&[], &command, &all, &Cancel::new()).unwrap();
    assert_eq!((answer.batch.num_rows(), answer.batch.num_columns()), (0, 5));
    assert_eq!(catalogs(&[], &all, &everywhere, &Cancel::new()).unwrap().batch.num_rows(), 0);
}
