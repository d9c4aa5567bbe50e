use bowshot_core::format_type;

use super::*;

fn definition(kind: u8, flags: u16, length: u32, decimals: u8) -> Definition {
    Definition { name: "c".into(), kind, flags, length, decimals, charset: 45, ..Definition::default() }
}

fn read_as(definition: &Definition, protocol: Protocol) -> (String, String) {
    let types = Types { protocol, zero_dates: Impossible::Error, wanted: &BTreeMap::new() };
    let column = types.column(definition, true).unwrap();
    (format_type(column.field.data_type()), column.type_name)
}

#[test]
fn both_protocols_have_the_same_types() {
    let binary = |kind| Definition { charset: NO_TEXT, ..definition(kind, 0, 0, 0) };
    let named = |name: &str| Definition { extended: Some(name.into()), ..binary(kind::STRING) };
    for (definition, arrow, name) in [
        (definition(kind::TINY, 0, 4, 0), "int8", "tinyint"),
        (definition(kind::TINY, flag::UNSIGNED, 3, 0), "uint8", "tinyint unsigned"),
        (definition(kind::INT24, flag::UNSIGNED, 8, 0), "uint32", "mediumint unsigned"),
        (definition(kind::LONGLONG, flag::UNSIGNED, 20, 0), "uint64", "bigint unsigned"),
        (definition(kind::YEAR, flag::UNSIGNED, 4, 0), "uint16", "year"),
        (definition(kind::DOUBLE, 0, 22, 31), "float64", "double"),
        (definition(kind::NEWDECIMAL, 0, 17, 2), "decimal128(15, 2)", "decimal"),
        (definition(kind::NEWDECIMAL, flag::UNSIGNED, 16, 2), "decimal128(15, 2)", "decimal unsigned"),
        (definition(kind::NEWDECIMAL, 0, 11, 0), "decimal128(10, 0)", "decimal"),
        (definition(kind::NEWDECIMAL, 0, 67, 30), "decimal256(65, 30)", "decimal"),
        (definition(kind::BIT, flag::UNSIGNED, 1, 0), "bool", "bit"),
        (definition(kind::BIT, flag::UNSIGNED, 64, 0), "uint64", "bit"),
        (definition(kind::DATE, 0, 10, 0), "date32", "date"),
        (definition(kind::DATETIME, 0, 26, 6), "timestamp[us]", "datetime"),
        (definition(kind::TIMESTAMP, 0, 19, 0), "timestamp[us, UTC]", "timestamp"),
        (definition(kind::TIME, 0, 10, 0), "duration[us]", "time"),
        (definition(kind::STRING, flag::ENUM, 4, 0), "utf8", "enum"),
        (definition(kind::STRING, flag::SET, 4, 0), "utf8", "set"),
        (definition(kind::VAR_STRING, 0, 4, 0), "utf8", "varchar"),
        (definition(kind::JSON, 0, 4, 0), "utf8", "json"),
        (definition(kind::NULL, 0, 0, 0), "null", "null"),
        (binary(kind::BLOB), "binary", "blob"),
        (binary(kind::STRING), "binary", "binary"),
        (binary(kind::GEOMETRY), "binary", "geometry"),
        (named("uuid"), "utf8", "uuid"),
        (named("inet6"), "utf8", "inet6"),
        (definition(99, 0, 0, 0), "utf8", "type 99"),
    ] {
        for protocol in [Protocol::Text, Protocol::Binary] {
            assert_eq!(read_as(&definition, protocol), (arrow.to_owned(), name.to_owned()));
        }
    }
}

#[test]
fn text_of_a_float_is_refused() {
    let types = Types { protocol: Protocol::Text, zero_dates: Impossible::Error, wanted: &BTreeMap::new() };
    let Err(error) = types.column(&definition(kind::FLOAT, 0, 12, 31), true) else { panic!("it was read") };
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("c")));
    assert_eq!(read_as(&definition(kind::FLOAT, 0, 12, 31), Protocol::Binary).0, "float32");
}
