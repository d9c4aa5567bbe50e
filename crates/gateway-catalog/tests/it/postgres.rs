//! PostgreSQL.

use std::sync::OnceLock;

use arrow_array::cast::AsArray;
use arrow_flight::sql::{
    CommandGetCrossReference, CommandGetDbSchemas, CommandGetExportedKeys, CommandGetImportedKeys, CommandGetTables,
};
use bowshot_core::{Cancel, ErrorKind};
use bowshot_gateway_catalog::{
    Catalog, Dialect, Limits, Reachable, TablePath, UNREADABLE, catalogs, cross_reference, db_schemas, exported_keys,
    imported_keys, tables,
};
use bowshot_testkit::Postgres;

use crate::common::{all, catalog, decode, everywhere, facts, keys, lines, list, of_query, own_tables, plain, schema};

const SHOP: &str = r#"
CREATE SCHEMA shop; CREATE SCHEMA empty; CREATE SCHEMA "odd ""schema""%";
CREATE DOMAIN shop.price AS numeric(8, 3) NOT NULL;
CREATE TABLE shop.customers (
    id bigint GENERATED ALWAYS AS IDENTITY, tenant int NOT NULL, name varchar(40) NOT NULL, balance numeric(12, 2),
    born date, discount shop.price, dropped int, tags text[], weight real,
    CONSTRAINT customers_key PRIMARY KEY (tenant, id), CONSTRAINT customers_name UNIQUE (name));
ALTER TABLE shop.customers DROP COLUMN dropped;
COMMENT ON TABLE shop.customers IS 'who buys';
COMMENT ON COLUMN shop.customers.name IS 'as on the invoice: it''s "quoted" – ß';
CREATE TABLE shop.orders (
    id serial PRIMARY KEY, customer_tenant int, customer_id bigint, parent int,
    by_name varchar(40) REFERENCES shop.customers (name) ON UPDATE CASCADE ON DELETE SET DEFAULT,
    CONSTRAINT orders_customer FOREIGN KEY (customer_tenant, customer_id) REFERENCES shop.customers
        ON UPDATE RESTRICT ON DELETE CASCADE,
    CONSTRAINT orders_parent FOREIGN KEY (parent) REFERENCES shop.orders ON DELETE SET NULL);
CREATE TABLE shop.events (day date PRIMARY KEY, n int) PARTITION BY RANGE (day);
CREATE TABLE shop.events_2024 PARTITION OF shop.events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE shop.notes (day date CONSTRAINT notes_day REFERENCES shop.events);
CREATE VIEW shop.rich AS SELECT name, balance FROM shop.customers WHERE balance > 1000;
CREATE MATERIALIZED VIEW shop.totals AS SELECT tenant, sum(balance) AS total FROM shop.customers GROUP BY tenant;
CREATE TABLE "odd ""schema""%"."täble ""1""_%\x" ("a ""b""" int PRIMARY KEY, "100%" text, "Ünïcode $1 :x ?" text[]);
CREATE TABLE public.plain (n int);
CREATE TABLE public.none ();
CREATE ROLE reader LOGIN PASSWORD 'reader';
GRANT USAGE ON SCHEMA shop TO reader; GRANT SELECT ON shop.orders TO reader;
"#;

fn server() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| {
        let server = Postgres::start().unwrap();
        server.psql(SHOP).unwrap();
        server
    })
}

fn shop() -> [Catalog; 1] {
    [catalog("pg", &server().uri(), Dialect::Postgres)]
}

#[test]
fn tables_have_their_types_and_come_in_order() {
    let expected = [
        r#"pg|odd "schema"%|täble "1"_%\x|TABLE"#,
        "pg|public|none|TABLE",
        "pg|public|plain|TABLE",
        "pg|shop|customers|TABLE",
        "pg|shop|events|TABLE",
        "pg|shop|events_2024|TABLE",
        "pg|shop|notes|TABLE",
        "pg|shop|orders|TABLE",
        "pg|shop|rich|VIEW",
        "pg|shop|totals|MATERIALIZED VIEW",
    ];
    // Other tests make tables of their own, in schemas of their own.
    let listed: Vec<_> = list(&shop(), &own_tables()).into_iter().filter(|line| !line.contains("|own_")).collect();
    assert_eq!(listed, expected);
    let system = CommandGetTables { table_types: vec!["SYSTEM TABLE".into()], ..CommandGetTables::default() };
    let system = list(&shop(), &system);
    assert!(system.contains(&"pg|pg_catalog|pg_class|SYSTEM TABLE".to_owned()));
    assert!(system.contains(&"pg|information_schema|tables|SYSTEM TABLE".to_owned()));
    assert!(!system.iter().any(|line| line.contains("pg_toast")));
}

#[test]
fn tables_are_narrowed_by_catalog_pattern_and_type() {
    let narrowed = |change: fn(&mut CommandGetTables)| {
        let mut command = own_tables();
        change(&mut command);
        list(&shop(), &command)
    };
    let orders = ["pg|shop|orders|TABLE"];
    assert_eq!(narrowed(|command| command.table_name_filter_pattern = Some("orders".into())), orders);
    assert_eq!(narrowed(|command| command.table_name_filter_pattern = Some("o_d%s".into())), orders);
    assert_eq!(
        narrowed(|command| {
            command.db_schema_filter_pattern = Some("sh_p".into());
            command.table_types = vec!["VIEW".into(), "MATERIALIZED VIEW".into()];
        }),
        ["pg|shop|rich|VIEW", "pg|shop|totals|MATERIALIZED VIEW"]
    );
    // Names with wildcards and backslashes are patterns of themselves.
    let odd = [r#"pg|odd "schema"%|täble "1"_%\x|TABLE"#];
    assert_eq!(narrowed(|command| command.table_name_filter_pattern = Some(r#"täble "1"_%\x"#.into())), odd);
    let none: [&str; 0] = [];
    assert_eq!(narrowed(|command| command.catalog = Some("p_".into())), none);
    assert_eq!(narrowed(|command| command.catalog = Some(String::new())), none);
    assert_eq!(narrowed(|command| command.db_schema_filter_pattern = Some(String::new())), none);
    assert_eq!(narrowed(|command| command.table_types = vec!["table".into()]), none);
    assert_eq!(narrowed(|command| command.catalog = Some("pg".into())), narrowed(|_| ()));
}

#[test]
fn schemas_are_listed_with_tables_and_without() {
    let schemas = |pattern: Option<&str>| {
        let command = CommandGetDbSchemas { catalog: None, db_schema_filter_pattern: pattern.map(str::to_owned) };
        lines(&db_schemas(&shop(), &command, &all, &everywhere, &Cancel::new()).unwrap())
    };
    let own: Vec<_> = schemas(None).into_iter().filter(|line| !line.contains("|own_")).collect();
    assert_eq!(
        own,
        ["pg|empty", "pg|information_schema", "pg|odd \"schema\"%", "pg|pg_catalog", "pg|public", "pg|shop"]
    );
    assert_eq!(schemas(Some("s%p")), ["pg|shop"]);
    assert_eq!(lines(&catalogs(&shop(), &all, &everywhere, &Cancel::new()).unwrap()), ["pg"]);
}

#[test]
fn a_users_rules_hide_tables_and_what_they_were_in() {
    let visible = |path: &TablePath| path.schema.as_deref() == Some("shop") && path.table != "orders";
    let command = CommandGetDbSchemas::default();
    let schemas =
        |reachable: Reachable<'_>| lines(&db_schemas(&shop(), &command, &visible, reachable, &Cancel::new()).unwrap());
    assert_eq!(schemas(&|_, _| false), ["pg|shop"]);
    // Only a schema without tables is asked for by itself: `public` has some, and none of them is visible.
    assert_eq!(schemas(&|catalog, schema| catalog == "pg" && !schema.starts_with("own_")), ["pg|empty", "pg|shop"]);
    let command = CommandGetExportedKeys { table: "customers".into(), ..CommandGetExportedKeys::default() };
    assert!(lines(&exported_keys(&shop(), &command, &visible, &Cancel::new()).unwrap()).is_empty());
    let nothing = |_: &TablePath| false;
    assert!(lines(&catalogs(&shop(), &nothing, &|_, _| false, &Cancel::new()).unwrap()).is_empty());
    let command = CommandGetTables { include_schema: true, ..CommandGetTables::default() };
    assert!(lines(&tables(&shop(), &command, &nothing, &Cancel::new()).unwrap()).is_empty());
}

#[test]
fn what_the_sources_login_may_not_select_is_not_listed() {
    let uri = server().uri_of("reader", "reader", "postgres");
    let listed = list(&[catalog("pg", &uri, Dialect::Postgres)], &own_tables());
    assert!(listed.contains(&"pg|shop|orders|TABLE".to_owned()));
    assert!(!listed.iter().any(|line| line.contains("customers") || line.contains("odd")));
}

#[test]
fn a_tables_schema_is_that_of_a_query_of_it() {
    for (place, table, sql) in [
        ("shop", "customers", "SELECT * FROM shop.customers"),
        ("shop", "rich", "SELECT * FROM shop.rich"),
        ("shop", "events", "SELECT * FROM shop.events"),
        ("odd \"schema\"%", "täble \"1\"_%\\x", r#"SELECT * FROM "odd ""schema""%"."täble ""1""_%\x""#),
    ] {
        assert_eq!(plain(&schema(&shop(), place, table)), of_query(&server().uri(), sql), "{table}");
    }
    let customers = schema(&shop(), "shop", "customers");
    let null: Vec<_> = customers.fields().iter().map(|field| (field.name().as_str(), field.is_nullable())).collect();
    assert_eq!(null[..4], [("id", false), ("tenant", false), ("name", false), ("balance", true)]);
    assert_eq!(customers.metadata()["ARROW:FLIGHT:SQL:REMARKS"], "who buys");
}

#[test]
fn columns_carry_what_the_catalog_says_of_them() {
    let customers = schema(&shop(), "shop", "customers");
    let common = |more: &[&str]| {
        let mut facts = vec![
            "CATALOG_NAME=pg".to_owned(),
            "DB_SCHEMA_NAME=shop".to_owned(),
            "IS_READ_ONLY=1".to_owned(),
            "SCHEMA_NAME=shop".to_owned(),
            "TABLE_NAME=customers".to_owned(),
        ];
        facts.extend(more.iter().map(|fact| (*fact).to_owned()));
        facts.sort();
        facts
    };
    let expected: [(&str, &[&str]); 8] = [
        ("id", &["IS_AUTO_INCREMENT=1", "PRECISION=19", "SCALE=0", "TYPE_NAME=bigint"]),
        ("tenant", &["IS_AUTO_INCREMENT=0", "PRECISION=10", "SCALE=0", "TYPE_NAME=integer"]),
        (
            "name",
            &[
                "IS_AUTO_INCREMENT=0",
                "PRECISION=40",
                "REMARKS=as on the invoice: it's \"quoted\" – ß",
                "TYPE_NAME=character varying",
            ],
        ),
        ("balance", &["IS_AUTO_INCREMENT=0", "PRECISION=12", "SCALE=2", "TYPE_NAME=numeric"]),
        ("born", &["IS_AUTO_INCREMENT=0", "TYPE_NAME=date"]),
        ("discount", &["IS_AUTO_INCREMENT=0", "PRECISION=8", "SCALE=3", "TYPE_NAME=shop.price"]),
        ("tags", &["IS_AUTO_INCREMENT=0", "TYPE_NAME=text[]"]),
        ("weight", &["IS_AUTO_INCREMENT=0", "PRECISION=8", "TYPE_NAME=real"]),
    ];
    for (column, more) in expected {
        assert_eq!(facts(&customers, column), common(more), "{column}");
    }
    let id = facts(&schema(&shop(), "shop", "orders"), "id");
    assert!(id.contains(&"IS_AUTO_INCREMENT=1".to_owned()), "a serial counts up: {id:?}");
}

#[test]
fn every_table_of_the_server_itself_has_a_schema() {
    let command = CommandGetTables { include_schema: true, ..CommandGetTables::default() };
    let answer = tables(&shop(), &command, &all, &Cancel::new()).unwrap();
    assert!(answer.missing.is_empty() && answer.batch.num_rows() > 150);
    let (names, messages) = (answer.batch.column(2).as_string::<i32>(), answer.batch.column(4).as_binary::<i32>());
    for (name, message) in names.iter().zip(messages) {
        let (name, schema) = (name.unwrap(), decode(message.unwrap()));
        assert!(!schema.metadata().contains_key(UNREADABLE), "{name}: {:?}", schema.metadata());
        assert_eq!(schema.fields().is_empty(), name == "none", "{name}");
    }
}

#[test]
fn a_primary_key_has_its_columns_in_its_own_order() {
    let expected = ["pg|shop|customers|tenant|customers_key|1", "pg|shop|customers|id|customers_key|2"];
    assert_eq!(keys(&shop(), Some("shop"), "customers"), expected);
    assert_eq!(keys(&shop(), None, "customers"), expected);
    assert_eq!(keys(&shop(), None, "orders"), ["pg|shop|orders|id|orders_pkey|1"]);
    let odd = "täble \"1\"_%\\x";
    assert_eq!(keys(&shop(), None, odd), [format!("pg|odd \"schema\"%|{odd}|a \"b\"|{odd}_pkey|1")]);
    assert!(keys(&shop(), Some(""), "customers").is_empty());
    assert!(keys(&shop(), Some("public"), "customers").is_empty());
    assert!(keys(&shop(), None, "rich").is_empty() && keys(&shop(), None, "cust%").is_empty());
}

const TO_CUSTOMERS: [&str; 3] = [
    "pg|shop|customers|tenant|pg|shop|orders|customer_tenant|1|orders_customer|customers_key|1|0",
    "pg|shop|customers|id|pg|shop|orders|customer_id|2|orders_customer|customers_key|1|0",
    "pg|shop|customers|name|pg|shop|orders|by_name|1|orders_by_name_fkey|customers_name|0|4",
];
const TO_ITSELF: &str = "pg|shop|orders|id|pg|shop|orders|parent|1|orders_parent|orders_pkey|3|2";

#[test]
fn imported_keys_are_a_tables_own_foreign_keys() {
    let command = CommandGetImportedKeys { catalog: Some("pg".into()), db_schema: None, table: "orders".into() };
    let answer = lines(&imported_keys(&shop(), &command, &all, &Cancel::new()).unwrap());
    assert_eq!(answer, [&TO_CUSTOMERS[..], &[TO_ITSELF]].concat());
}

#[test]
fn exported_keys_are_those_that_refer_to_a_table() {
    let exported = |table: &str| {
        let command = CommandGetExportedKeys { catalog: None, db_schema: Some("shop".into()), table: table.into() };
        lines(&exported_keys(&shop(), &command, &all, &Cancel::new()).unwrap())
    };
    // In the order of the foreign keys' names.
    assert_eq!(exported("customers"), [TO_CUSTOMERS[2], TO_CUSTOMERS[0], TO_CUSTOMERS[1]]);
    assert_eq!(exported("orders"), [TO_ITSELF]);
    assert_eq!(exported("events"), ["pg|shop|events|day|pg|shop|notes|day|1|notes_day|events_pkey|3|3"]);
    assert!(exported("events_2024").is_empty() && exported("rich").is_empty());
}

#[test]
fn a_cross_reference_is_what_two_tables_have_in_common() {
    let between = |primary: &str, foreign: &str| {
        let command = CommandGetCrossReference {
            pk_catalog: Some("pg".into()),
            pk_db_schema: Some("shop".into()),
            pk_table: primary.into(),
            fk_catalog: None,
            fk_db_schema: None,
            fk_table: foreign.into(),
        };
        lines(&cross_reference(&shop(), &command, &all, &Cancel::new()).unwrap())
    };
    assert_eq!(between("customers", "orders"), TO_CUSTOMERS);
    assert_eq!(between("orders", "orders"), [TO_ITSELF]);
    assert!(between("orders", "customers").is_empty());
}

#[test]
fn a_remembered_schema_follows_an_alteration_at_once() {
    server().psql("CREATE SCHEMA own_altered; CREATE TABLE own_altered.t (a int, b text)").unwrap();
    let catalogs = shop();
    let names = || {
        let schema = schema(&catalogs, "own_altered", "t");
        schema.fields().iter().map(|field| format!("{}:{}", field.name(), field.data_type())).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["a:Int32", "b:Utf8"]);
    assert_eq!(names(), ["a:Int32", "b:Utf8"]);
    server().psql("ALTER TABLE own_altered.t ALTER a TYPE bigint, ADD c date").unwrap();
    assert_eq!(names(), ["a:Int64", "b:Utf8", "c:Date32"]);
}

#[test]
fn more_schemas_than_the_limit_are_an_error_with_a_way_out() {
    let limits = Limits { tables: 3, ..Limits::default() };
    let [shop] = shop();
    let catalogs = [shop.with_limits(limits)];
    let mut command = CommandGetTables {
        db_schema_filter_pattern: Some("shop".into()),
        include_schema: true,
        ..CommandGetTables::default()
    };
    let error = tables(&catalogs, &command, &all, &Cancel::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("\"pg\"") && error.hint().unwrap().contains("narrow"));
    command.table_name_filter_pattern = Some("events%".into());
    assert_eq!(tables(&catalogs, &command, &all, &Cancel::new()).unwrap().batch.num_rows(), 2);
}

#[test]
fn a_cancelled_listing_is_an_error() {
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(catalogs(&shop(), &all, &everywhere, &cancel).unwrap_err().kind(), ErrorKind::Cancelled);
}
