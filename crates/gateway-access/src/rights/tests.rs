use proptest::prelude::*;

use super::*;

fn rights(rules: &[&str]) -> Rights {
    Rights::parse(rules).unwrap()
}

fn table(source: &str, schema: &str, table: &str) -> TablePath {
    TablePath::new(source, schema, table)
}

#[test]
fn a_user_without_rules_may_read_everything() {
    let all = rights(&[]);
    assert_eq!(all, Rights::all());
    assert!(all.may_read(&table("a", "b", "c")) && all.may_see_source("a") && all.may_see_schema("a", "b"));
}

#[test]
fn the_first_rule_that_fits_decides() {
    let one = rights(&["allow shop.public.orders", "deny shop", "allow *"]);
    assert!(one.may_read(&table("shop", "public", "orders")));
    assert!(!one.may_read(&table("shop", "public", "customers")));
    assert!(one.may_read(&table("files", "x", "y")));
    let turned = rights(&["deny shop", "allow shop.public.orders", "allow *"]);
    assert!(!turned.may_read(&table("shop", "public", "orders")));
}

#[test]
fn who_reads_writes_only_what_a_rule_says() {
    let one = rights(&["deny shop.hr", "allow shop.public.orders", "write shop.public", "allow shop"]);
    let orders = table("shop", "public", "orders");
    assert!(one.may_read(&orders) && !one.may_write(&orders), "the first rule that fits decides");
    assert!(one.may_write(&table("shop", "public", "staging")) && one.may_read(&table("shop", "public", "staging")));
    assert!(!one.may_write(&table("shop", "hr", "salaries")) && !one.may_write(&table("shop", "store", "staging")));
    assert!(!one.may_write(&table("shop", "PUBLIC", "staging")), "capital letters");
    assert!(!one.may_write(&TablePath { schema: None, ..table("shop", "public", "staging") }), "an unknown schema");
    assert!(one.may_write_source("shop") && !one.may_write_source("files"));
    let reader = rights(&["allow *"]);
    assert!(!reader.may_write(&orders) && !reader.may_write_source("shop"));
    assert!(rights(&[]).may_write(&orders) && rights(&[]).may_write_source("shop"));
    assert!(rights(&["write shop"]).may_write(&TablePath { schema: None, ..orders }));
}

#[test]
fn what_no_rule_names_is_denied() {
    let one = rights(&["allow shop.public.orders"]);
    assert!(!one.may_read(&table("shop", "public", "orders2")));
    assert!(!one.may_read(&table("shop", "private", "orders")));
    assert!(!one.may_read(&table("Shop", "public", "orders")));
}

#[test]
fn rules_that_allow_nothing_are_a_mistake_of_configuration() {
    let error = Rights::parse(&["deny hr.*"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.hint().unwrap().contains("allow *"));
}

#[test]
fn rules_that_are_not_understood_are_a_mistake_of_configuration() {
    for bad in ["", "allow", "deny ", "permit a.b.c", "ALLOW *", "allow a.b.c.d", "allow a b", "allowa"] {
        // "allow a b" is a source with a space in its name, which nobody has to quote.
        assert_eq!(Rights::parse(&[bad]).is_ok(), bad == "allow a b", "{bad}");
    }
}

#[test]
fn doubt_about_capital_letters_counts_against_the_user() {
    let one = rights(&["deny shop.public.salaries", "allow shop.public"]);
    for name in ["salaries", "Salaries", "SALARIES"] {
        assert!(!one.may_read(&table("shop", "public", name)), "{name}");
        assert!(!one.may_read(&table("shop", "PUBLIC", name)), "{name}");
    }
    assert!(!one.may_read(&table("shop", "PUBLIC", "orders")));
    let rest = rights(&["deny shop.hr", "allow *"]);
    assert!(!rest.may_read(&table("SHOP", "Hr", "orders")) && !rest.may_see_schema("SHOP", "Hr"));
    assert!(rest.may_read(&table("SHOP", "public", "orders")));
}

#[test]
fn doubt_about_the_schema_counts_against_the_user() {
    let nowhere = |name: &str| TablePath { source: "shop".into(), schema: None, table: name.into() };
    let one = rights(&["deny shop.hr.salaries", "allow shop.*.s*", "allow shop.public.orders"]);
    assert!(!one.may_read(&nowhere("salaries")));
    assert!(one.may_read(&nowhere("sales")));
    assert!(!one.may_read(&nowhere("orders")));
}

#[test]
fn metadata_show_only_where_something_may_be_read() {
    let one = rights(&[
        "deny shop.hr",
        "deny shop.*.salaries",
        "allow shop.hr",
        "allow shop.public.salaries",
        "allow files.a.b",
    ]);
    assert!(!one.may_see_schema("shop", "hr"));
    assert!(!one.may_see_schema("shop", "public"));
    assert!(!one.may_see_source("shop"), "both allowing rules are void");
    assert!(one.may_see_source("files") && one.may_see_schema("files", "a") && !one.may_see_schema("files", "b"));
    assert!(!one.may_see_source("elsewhere"));
}

#[test]
fn the_refusal_does_not_say_whether_the_table_exists() {
    let one = rights(&["allow shop"]);
    let tables = [table("shop", "a", "b"), table("hr", "a", "b")];
    let refusal = one.check(&tables).unwrap_err();
    assert_eq!(refusal.kind(), RefusalKind::PermissionDenied);
    assert!(refusal.to_string().contains("hr.a.b"));
    assert!(refusal.to_string().contains("if it exists"));
    one.check(&tables[..1]).unwrap();
}

fn pattern() -> impl Strategy<Value = String> {
    ("[ab*]{1,3}", "[ab*]{1,3}", "[abB*]{1,3}").prop_map(|(a, b, c)| format!("{a}.{b}.{c}"))
}

fn rules() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec((any::<bool>(), pattern()), 0..6).prop_map(|rules| {
        rules.into_iter().map(|(allow, text)| format!("{} {text}", if allow { "allow" } else { "deny" })).collect()
    })
}

proptest! {
    #[test]
    fn what_may_be_read_may_be_seen(rules in rules(), a in "[ab]{1,3}", b in "[ab]{1,3}", c in "[abB]{1,3}") {
        if let Ok(rights) = Rights::parse(&rules) {
            if rights.may_read(&table(&a, &b, &c)) {
                prop_assert!(rights.may_see_source(&a) && rights.may_see_schema(&a, &b));
            }
            if rights.may_see_schema(&a, &b) {
                prop_assert!(rights.may_see_source(&a));
            }
            let nowhere = TablePath { source: a.clone(), schema: None, table: c.clone() };
            if rights.may_read(&nowhere) {
                prop_assert!(rights.may_read(&table(&a, &b, &c)), "more is allowed when less is known");
            }
        }
    }
}
