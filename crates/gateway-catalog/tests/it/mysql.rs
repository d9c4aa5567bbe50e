//! MariaDB.

use std::sync::OnceLock;

use arrow_flight::sql::{CommandGetDbSchemas, CommandGetExportedKeys, CommandGetImportedKeys, CommandGetTables};
use bowshot_core::Cancel;
use bowshot_gateway_catalog::{Catalog, Dialect, db_schemas, exported_keys, imported_keys};
use bowshot_testkit::MariaDb;

use crate::common::{all, catalog, everywhere, facts, keys, lines, list, of_query, own_tables, plain, schema};

const SHOP: &str = r"
CREATE DATABASE shop; CREATE DATABASE empty; CREATE DATABASE `odd ``%`;
CREATE TABLE shop.customers (
    tenant INT NOT NULL, id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(40) NOT NULL COMMENT 'on the invoice: ß',
    balance DECIMAL(12, 2), notes LONGTEXT, kind ENUM('a', 'b'),
    PRIMARY KEY (tenant, id), UNIQUE KEY by_id (id)) COMMENT 'who buys';
CREATE TABLE shop.orders (
    id INT PRIMARY KEY, customer_tenant INT, customer_id BIGINT UNSIGNED, parent INT,
    CONSTRAINT orders_customer FOREIGN KEY (customer_tenant, customer_id) REFERENCES shop.customers (tenant, id)
        ON UPDATE CASCADE ON DELETE SET NULL,
    CONSTRAINT orders_parent FOREIGN KEY (parent) REFERENCES shop.orders (id) ON UPDATE RESTRICT ON DELETE CASCADE);
CREATE VIEW shop.rich AS SELECT name, balance FROM shop.customers WHERE balance > 1000;
CREATE TABLE `odd ``%`.`täble ``1``_%` (`a ``b``?` INT PRIMARY KEY, `100%` TEXT, `:x` DATE);
CREATE SEQUENCE shop.counter;
";

fn server() -> &'static MariaDb {
    static SERVER: OnceLock<MariaDb> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = MariaDb::start().unwrap();
        server.sql(SHOP).unwrap();
        server
    })
}

fn shop() -> [Catalog; 1] {
    [catalog("maria", &server().uri(), Dialect::MySql)]
}

#[test]
fn databases_are_schemas_and_tables_have_their_types() {
    let expected = [
        "maria|odd `%|täble `1`_%|TABLE",
        "maria|shop|customers|TABLE",
        "maria|shop|orders|TABLE",
        "maria|shop|rich|VIEW",
    ];
    assert_eq!(list(&shop(), &own_tables()), expected);
    let system = CommandGetTables { table_types: vec!["SYSTEM TABLE".into()], ..CommandGetTables::default() };
    assert!(list(&shop(), &system).contains(&"maria|information_schema|TABLES|SYSTEM TABLE".to_owned()));
    let command = CommandGetDbSchemas::default();
    let schemas = lines(&db_schemas(&shop(), &command, &all, &everywhere, &Cancel::new()).unwrap());
    assert!(schemas.contains(&"maria|shop".to_owned()) && schemas.contains(&"maria|empty".to_owned()));
}

#[test]
fn a_tables_schema_is_that_of_a_query_of_it() {
    let uri = server().uri();
    for (place, table, sql) in [
        ("shop", "customers", "SELECT * FROM shop.customers"),
        ("shop", "rich", "SELECT * FROM shop.rich"),
        ("odd `%", "täble `1`_%", "SELECT * FROM `odd ``%`.`täble ``1``_%`"),
    ] {
        assert_eq!(plain(&schema(&shop(), place, table)), of_query(&uri, sql), "{table}");
    }
}

#[test]
fn columns_carry_what_the_catalog_says_of_them() {
    let customers = schema(&shop(), "shop", "customers");
    let of = |column: &str| {
        let kept = ["IS_AUTO", "PRECISION", "SCALE", "REMARKS", "TYPE_NAME"];
        let mut facts = facts(&customers, column);
        facts.retain(|fact| kept.iter().any(|kept| fact.starts_with(kept)));
        facts
    };
    assert_eq!(of("id"), ["IS_AUTO_INCREMENT=1", "PRECISION=20", "SCALE=0", "TYPE_NAME=bigint unsigned"]);
    assert_eq!(of("name"), ["IS_AUTO_INCREMENT=0", "PRECISION=40", "REMARKS=on the invoice: ß", "TYPE_NAME=varchar"]);
    assert_eq!(of("balance"), ["IS_AUTO_INCREMENT=0", "PRECISION=12", "SCALE=2", "TYPE_NAME=decimal"]);
    // Its four billion characters are more than clients can count.
    assert_eq!(of("notes"), ["IS_AUTO_INCREMENT=0", "TYPE_NAME=longtext"]);
    assert_eq!(of("kind"), ["IS_AUTO_INCREMENT=0", "PRECISION=1", "TYPE_NAME=enum"]);
    assert_eq!(customers.metadata()["ARROW:FLIGHT:SQL:REMARKS"], "who buys");
    assert!(schema(&shop(), "shop", "rich").metadata().is_empty());
}

#[test]
fn keys_have_their_columns_in_their_own_order() {
    assert_eq!(
        keys(&shop(), Some("shop"), "customers"),
        ["maria|shop|customers|tenant|PRIMARY|1", "maria|shop|customers|id|PRIMARY|2"]
    );
    assert_eq!(keys(&shop(), None, "täble `1`_%"), ["maria|odd `%|täble `1`_%|a `b`?|PRIMARY|1"]);
    let to_customers = [
        "maria|shop|customers|tenant|maria|shop|orders|customer_tenant|1|orders_customer|PRIMARY|0|2",
        "maria|shop|customers|id|maria|shop|orders|customer_id|2|orders_customer|PRIMARY|0|2",
    ];
    let to_itself = "maria|shop|orders|id|maria|shop|orders|parent|1|orders_parent|PRIMARY|1|0";
    let command = CommandGetImportedKeys { table: "orders".into(), ..CommandGetImportedKeys::default() };
    let imported = lines(&imported_keys(&shop(), &command, &all, &Cancel::new()).unwrap());
    assert_eq!(imported, [&to_customers[..], &[to_itself]].concat());
    let command = CommandGetExportedKeys { table: "customers".into(), ..CommandGetExportedKeys::default() };
    assert_eq!(lines(&exported_keys(&shop(), &command, &all, &Cancel::new()).unwrap()), to_customers);
}
