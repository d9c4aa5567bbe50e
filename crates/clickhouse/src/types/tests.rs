use bowshot_core::format_type;
use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Column {
    column("c", text, "Europe/Berlin").unwrap()
}

#[test]
fn every_type_has_its_arrow_type() {
    for (text, arrow) in [
        ("UInt64", "uint64"),
        ("Int128", "decimal256(39, 0)"),
        ("UInt128", "decimal256(39, 0)"),
        ("Decimal(9, 2)", "decimal128(9, 2)"),
        ("Decimal(18, 4)", "decimal128(18, 4)"),
        ("Decimal(38, 10)", "decimal128(38, 10)"),
        ("Decimal(76, 10)", "decimal256(76, 10)"),
        ("BFloat16", "float32"),
        ("FixedString(3)", "fixed_size_binary[3]"),
        ("Date", "date32"),
        ("DateTime", "timestamp[s, Europe/Berlin]"),
        ("DateTime('UTC')", "timestamp[s, UTC]"),
        ("DateTime64(2, 'UTC')", "timestamp[ms, UTC]"),
        ("DateTime64(9)", "timestamp[ns, Europe/Berlin]"),
        ("Time64(6)", "duration[us]"),
        ("IntervalDay", "int64"),
        ("Enum8('a' = -1, 'b,\\'(x' = 2)", "dictionary<utf8>"),
        ("IPv6", "utf8"),
        ("Nullable(Nothing)", "null"),
        ("LowCardinality(Nullable(String))", "utf8"),
        ("SimpleAggregateFunction(sum, UInt64)", "uint64"),
    ] {
        let column = read(text);
        assert_eq!(format_type(&column.kind.arrow()), arrow, "{text}");
        assert_eq!(column.cast, None, "{text}");
    }
}

#[test]
fn types_lie_in_each_other() {
    let kind = read("Map(String, Array(Tuple(a Nullable(Int8), `b c` LowCardinality(String), Date)))").kind;
    let DataType::Map(entries, _) = kind.arrow() else { panic!("{kind:?}") };
    let DataType::Struct(fields) = entries.data_type() else { panic!("{entries:?}") };
    let DataType::List(item) = fields[1].data_type() else { panic!("{fields:?}") };
    let DataType::Struct(members) = item.data_type() else { panic!("{item:?}") };
    let names: Vec<(&str, bool)> = members.iter().map(|field| (field.name().as_str(), field.is_nullable())).collect();
    assert_eq!(names, [("a", true), ("b c", false), ("3", false)]);
}

#[test]
fn what_has_no_row_is_cast_to_text() {
    for (text, cast) in [
        ("UInt256", "String"),
        ("JSON(max_dynamic_paths=8)", "String"),
        ("Variant(Int8, String)", "Nullable(String)"),
        ("Nullable(Int256)", "Nullable(String)"),
        ("Array(Dynamic)", "Array(Nullable(String))"),
        ("Tuple(a UInt256, `b c` Int8)", "Tuple(a String, `b c` Int8)"),
        ("Tuple()", "String"),
        ("TypeOfTomorrow(1, 'x')", "String"),
    ] {
        assert_eq!(read(text).cast.as_deref(), Some(cast), "{text}");
    }
}

#[test]
fn states_of_aggregates_are_refused_with_the_way_out() {
    let error = column("s", "AggregateFunction(uniq, UInt64)", "UTC").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.column(), Some("s"));
    assert!(error.hint().unwrap().contains("uniqMerge(s)"), "{error}");
}

#[test]
fn endless_types_are_refused() {
    let deep = format!("{}Int8{}", "Array(".repeat(100_000), ")".repeat(100_000));
    assert!(column("c", &deep, "UTC").is_err());
}

proptest! {
    #[test]
    fn no_text_panics(text in "(Array|Tuple|Enum8|Nullable|Map|Decimal|DateTime64|[a-z]|[(),'`\\\\ =0-9-]){0,30}") {
        let _ = column("c", &text, "UTC");
    }
}
