//! SQLite.

use arrow_flight::sql::{CommandGetExportedKeys, CommandGetImportedKeys, CommandGetTables};
use arrow_schema::DataType;
use bowshot_core::Cancel;
use bowshot_gateway_catalog::{Catalog, Dialect, UNREADABLE, exported_keys, imported_keys};
use tempfile::TempDir;

use crate::common::{all, catalog, facts, keys, lines, list, of_query, own_tables, plain, schema};

const SHOP: &str = r#"
CREATE TABLE customers (tenant INT NOT NULL, id INT, name VARCHAR(40) NOT NULL, balance DECIMAL(12, 2), any_thing,
    PRIMARY KEY (id, tenant));
CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, parent INT REFERENCES Orders ON DELETE SET NULL, customer_id INT,
    customer_tenant INT, FOREIGN KEY (customer_id, customer_tenant) REFERENCES customers ON UPDATE CASCADE);
CREATE TABLE words (word TEXT PRIMARY KEY, length INT GENERATED ALWAYS AS (length(word))) WITHOUT ROWID;
CREATE VIEW rich AS SELECT name, balance FROM customers WHERE balance > 1000;
CREATE TABLE gone (a INT); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone;
CREATE TABLE "täble ""1""_%\x" ("a ""b""" INT, "100%" TEXT, "?1 :x" BLOB);
INSERT INTO customers VALUES (1, 1, 'Ada', 10.25, 1);
INSERT INTO orders VALUES (1, NULL, 1, 1);
"#;

struct Shop {
    _folder: TempDir,
    uri: String,
    catalogs: [Catalog; 1],
}

fn shop() -> Shop {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(SHOP).unwrap();
    let uri = format!("sqlite:///{}", path.display());
    let catalogs = [catalog("lite", &uri, Dialect::Sqlite)];
    Shop { _folder: folder, uri, catalogs }
}

#[test]
fn a_file_is_one_schema_whose_tables_have_their_types() {
    let shop = shop();
    let expected = [
        "lite|main|broken|VIEW",
        "lite|main|customers|TABLE",
        "lite|main|orders|TABLE",
        "lite|main|rich|VIEW",
        "lite|main|täble \"1\"_%\\x|TABLE",
        "lite|main|words|TABLE",
    ];
    assert_eq!(list(&shop.catalogs, &own_tables()), expected);
    let system = CommandGetTables { table_types: vec!["SYSTEM TABLE".into()], ..CommandGetTables::default() };
    assert_eq!(
        list(&shop.catalogs, &system),
        ["lite|main|sqlite_schema|SYSTEM TABLE", "lite|main|sqlite_sequence|SYSTEM TABLE"]
    );
}

#[test]
fn a_tables_schema_is_that_of_a_query_of_it() {
    let shop = shop();
    for (table, sql) in [
        ("customers", "SELECT * FROM customers"),
        ("orders", "SELECT * FROM orders"),
        ("words", "SELECT * FROM words"),
        ("rich", "SELECT * FROM rich"),
        ("täble \"1\"_%\\x", r#"SELECT * FROM "täble ""1""_%\x""#),
    ] {
        assert_eq!(plain(&schema(&shop.catalogs, "main", table)), of_query(&shop.uri, sql), "{table}");
    }
}

#[test]
fn a_view_of_a_table_that_is_gone_hides_nothing_else() {
    let shop = shop();
    let broken = schema(&shop.catalogs, "main", "broken");
    assert!(broken.fields().is_empty() && broken.metadata()[UNREADABLE].contains("gone"));
    let command = CommandGetTables { include_schema: true, ..own_tables() };
    assert_eq!(list(&shop.catalogs, &command).len(), 6);
}

#[test]
fn columns_carry_what_their_declarations_say() {
    let shop = shop();
    let of = |table: &str, column: &str| {
        let mut facts = facts(&schema(&shop.catalogs, "main", table), column);
        facts.retain(|fact| !fact.contains("_NAME=") || fact.starts_with("TYPE_NAME"));
        facts
    };
    let read_only = "IS_READ_ONLY=1";
    assert_eq!(of("customers", "name"), ["IS_AUTO_INCREMENT=0", read_only, "PRECISION=40", "TYPE_NAME=VARCHAR"]);
    assert_eq!(
        of("customers", "balance"),
        ["IS_AUTO_INCREMENT=0", read_only, "PRECISION=12", "SCALE=2", "TYPE_NAME=DECIMAL"]
    );
    assert_eq!(of("customers", "id")[0], "IS_AUTO_INCREMENT=0");
    assert_eq!(of("orders", "id"), ["IS_AUTO_INCREMENT=1", read_only, "TYPE_NAME=INTEGER"]);
    assert_eq!(of("words", "length"), ["IS_AUTO_INCREMENT=0", read_only, "TYPE_NAME=INT"]);
    // A view's columns are not declared.
    assert!(!of("rich", "name").iter().any(|fact| fact.starts_with("IS_AUTO")));
}

#[test]
fn keys_have_their_columns_in_their_own_order() {
    let shop = shop();
    assert_eq!(
        keys(&shop.catalogs, None, "customers"),
        ["lite|main|customers|id|NULL|1", "lite|main|customers|tenant|NULL|2"]
    );
    assert_eq!(keys(&shop.catalogs, Some("main"), "words"), ["lite|main|words|word|NULL|1"]);
    let to_customers = [
        "lite|main|customers|id|lite|main|orders|customer_id|1|FK_orders_0|NULL|0|3",
        "lite|main|customers|tenant|lite|main|orders|customer_tenant|2|FK_orders_0|NULL|0|3",
    ];
    let to_itself = "lite|main|orders|id|lite|main|orders|parent|1|FK_orders_1|NULL|3|2";
    let command = CommandGetImportedKeys { table: "orders".into(), ..CommandGetImportedKeys::default() };
    let imported = lines(&imported_keys(&shop.catalogs, &command, &all, &Cancel::new()).unwrap());
    assert_eq!(imported, [&to_customers[..], &[to_itself]].concat());
    let command = CommandGetExportedKeys { table: "orders".into(), ..CommandGetExportedKeys::default() };
    assert_eq!(lines(&exported_keys(&shop.catalogs, &command, &all, &Cancel::new()).unwrap()), [to_itself]);
}

#[test]
fn values_that_change_a_columns_type_change_its_schema_once_it_is_forgotten() {
    let shop = shop();
    let uri = &shop.uri;
    let limits = bowshot_gateway_catalog::Limits { age: std::time::Duration::ZERO, ..Default::default() };
    let fresh = [catalog("lite", uri, Dialect::Sqlite).with_limits(limits)];
    let before = schema(&fresh, "main", "customers").field_with_name("any_thing").unwrap().data_type().clone();
    assert_eq!(before, DataType::Int64);
    let path = uri.trim_start_matches("sqlite:///");
    let update = "UPDATE customers SET any_thing = 'text'";
    rusqlite::Connection::open(path).unwrap().execute_batch(update).unwrap();
    let after = schema(&fresh, "main", "customers");
    assert_eq!(after.field_with_name("any_thing").unwrap().data_type(), &DataType::Utf8);
    assert_eq!(plain(&after), of_query(uri, "SELECT * FROM customers"));
}
