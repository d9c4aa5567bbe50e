//! Tables of any name, in any schema.

use bowshot_core::Options;

use super::{DATA, splits, stays_whole};
use crate::reading::{over, read};

#[test]
fn names_that_need_quotes() {
    let table = r#""Sch.ema ""ü"."Ta.ble""#;
    splits(&format!(r#"SELECT "I d", "from" FROM {table}"#));
    splits(&format!(r#"SELECT "Ta.ble"."I d" FROM {table} WHERE "Ta.ble"."from" LIKE '%9x%'"#));
    splits(&format!(r#"SELECT t."I d" FROM {table} t"#));
    splits(&format!(r#"SELECT"t"."I d"FROM{table} "t"WHERE"t"."from">''"#));
    stays_whole("SELECT \"größe\" FROM größe", "größe has only 1 pages");
    splits("SELECT /* ä */ BIG.ID FROM Public.Big /* FROM x */ WHERE Big.Note <> 'ä FROM big'");
}

#[test]
fn the_search_path_decides_whose_table_it_is() {
    splits("SELECT id, whose FROM one.twin");
    splits("SELECT twin.id, whose FROM two.twin");
    stays_whole("SELECT id, whose FROM twin", "twin has only 1 pages");
    for schema in ["one", "two"] {
        let options = Options { before: vec![format!("SET search_path = {schema}, public")], ..over(4) };
        let read = read(&DATA.uri(), "SELECT id, whose FROM twin", &options).unwrap();
        assert!(read.partitions > 1, "{}", read.reason);
        super::same(schema, &read, &super::plain(&format!("SELECT id, whose FROM {schema}.twin")));
    }
    let mixed = super::splits_in_any_order("SELECT a.id, a.whose, b.whose FROM one.twin a, twin b");
    assert_eq!(mixed.count(), 20_000);
    super::unsplit("SELECT one.twin.id FROM one.twin", "it names columns with their table's schema");
}
