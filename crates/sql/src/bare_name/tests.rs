use super::*;
use crate::Dialect;

fn names(text: &str, dialect: Dialect) -> Vec<String> {
    table_names(text, &dialect.naming()).into_iter().map(|name| name.quoted).collect()
}

#[test]
fn what_can_only_be_sql_is_sql() {
    for text in [
        "",
        "  ",
        "SELECT * FROM t",
        "select id from orders",
        "SELECT 1+1",
        "(SELECT 1)",
        "-- all\nSELECT x",
        "/* all */ select x",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "VALUES (1)",
        "INSERT INTO t VALUES (1)",
        "CALL p()",
        "PRAGMA table_info('t')",
        "SELECT\nx",
        "SELECT \"Order\"",
        "explain select 1; select 2",
    ] {
        assert_eq!(reading(text), Reading::Statement, "{text}");
    }
    assert_eq!(reading(&format!("a {}", "b".repeat(300))), Reading::Statement);
}

#[test]
fn what_may_be_both_is_asked_in_this_order() {
    for text in ["show tables", "SELECT 1", "Table of Contents", "with tax", "DESCRIBE t", "Values List", "TABLE t"] {
        assert_eq!(reading(text), Reading::StatementFirst, "{text}");
    }
    for text in [
        "Order Details",
        "select",
        "Values",
        "tab-x",
        "Update Log",
        "call p",
        "a \"b",
        "my.Order Details",
        "(draft) orders",
        "2024-01",
        "it's",
        "select-list",
        "x y.z",
        "Straße 1",
    ] {
        assert_eq!(reading(text), Reading::NameFirst, "{text}");
    }
    for text in
        ["orders", "shop.orders", "2024", "order", "my.schema.t", "\"Quoted Name\"", "[dbo].[t]", "`t`", "größe"]
    {
        assert_eq!(reading(text), Reading::Name, "{text}");
    }
}

#[test]
fn each_candidate_is_quoted_by_its_database() {
    assert_eq!(names("t", Dialect::Postgres), ["\"t\""]);
    assert_eq!(names("orders", Dialect::Oracle), ["\"orders\"", "\"ORDERS\""]);
    assert_eq!(names("ORDERS", Dialect::Oracle), ["\"ORDERS\""]);
    assert_eq!(names("shop.t", Dialect::MySql), ["`shop`.`t`", "`shop.t`"]);
    assert_eq!(names("`a``b`", Dialect::MySql), ["`a`b`".replace("a`b", "a``b"), "```a````b```".to_owned()]);
    assert_eq!(names("db..t", Dialect::SqlServer), ["[db]..[t]", "[db..t]", "[db].[.t]", "[db.].[t]"]);
    assert_eq!(names("Sales v1.2", Dialect::Sqlite), ["\"Sales v1.2\"", "\"Sales v1\".\"2\""]);
    assert_eq!(names("a\"b", Dialect::Standard), ["\"a\"\"b\""]);
    assert_eq!(names("a.b.c", Dialect::MySql), ["`a`.`b`.`c`", "`a.b.c`", "`a`.`b.c`", "`a.b`.`c`"]);
    assert_eq!(names(" t ", Dialect::Sqlite), ["\"t\"", "\" t \""]);
    assert_eq!(names("\"T x\".y", Dialect::Postgres), ["\"T x\".\"y\"", "\"\"\"T x\"\".y\""]);
}

#[test]
fn columns_stand_behind_their_table() {
    let naming = Dialect::MySql.naming();
    let names = table_names("shop.t", &naming);
    let columns = ["a b".to_owned(), "c`d".to_owned()];
    assert_eq!(names[0].select(&columns, &naming), "SELECT `t`.`a b`, `t`.`c``d` FROM `shop`.`t`");
    let plain = bowshot_core::Naming { qualified: false, ..bowshot_core::Naming::default() };
    assert_eq!(table_names("data", &plain)[0].select(&columns[..1], &plain), "SELECT \"a b\" FROM \"data\"");
}

proptest::proptest! {
    #[test]
    fn any_text_is_something(text in "\\PC{1,40}|[\"`\\[\\].a-c ]{1,12}") {
        let naming = Dialect::Postgres.naming();
        let _ = reading(&text);
        for name in table_names(&text, &naming) {
            proptest::prop_assert!(name.quoted.starts_with('"'));
        }
    }
}
