use super::*;
use crate::catalog::CatalogType;

/// The modifier of numeric(precision, scale), as PostgreSQL packs it.
fn modifier(precision: i32, scale: i32) -> i32 {
    (precision << 16 | scale & 0x7FF) + 4
}

#[test]
fn numerics_become_the_decimal_that_holds_all_their_values() {
    for (precision, scale, expected) in [
        (1, 0, Some(DataType::Decimal128(1, 0))),
        (15, 2, Some(DataType::Decimal128(15, 2))),
        (38, 0, Some(DataType::Decimal128(38, 0))),
        (38, 38, Some(DataType::Decimal128(38, 38))),
        (39, 0, Some(DataType::Decimal256(39, 0))),
        (50, 10, Some(DataType::Decimal256(50, 10))),
        (76, 76, Some(DataType::Decimal256(76, 76))),
        (77, 0, None),
        (100, 50, None),
        (1000, 1000, None),
        // More decimal places than digits: 0.00999.
        (3, 5, Some(DataType::Decimal128(5, 5))),
        (3, 60, Some(DataType::Decimal256(60, 60))),
        (3, 77, None),
        // Rounded before the point: 99900.
        (3, -2, Some(DataType::Decimal128(5, 0))),
        (30, -20, Some(DataType::Decimal256(50, 0))),
        (3, -1000, None),
    ] {
        assert_eq!(numeric(modifier(precision, scale)), expected, "numeric({precision}, {scale})");
    }
}

#[test]
fn an_unconstrained_numeric_has_38_digits_on_either_side() {
    assert_eq!(numeric(-1), Some(DataType::Decimal256(76, 38)));
}

#[test]
fn hostile_modifiers_are_a_type_or_none() {
    for modifier in [i32::MIN, -2, 0, 3, 4, 5, 0x7FF, 0x800, 0xFFFF, 0x10004, i32::MAX - 1, i32::MAX] {
        if let Some(data_type) = numeric(modifier) {
            assert!(Decimal::new(&data_type).is_some(), "{modifier}: {data_type}");
        }
    }
}

/// What is read of a built-in type so that the wished one can be made of it: its type, whether the server writes text, and
/// whether only Bowshot's own decoder can read it.
fn read(builtin: &Type, wish: &str) -> Result<(DataType, bool, bool)> {
    let mut catalog = Catalog::default();
    catalog.insert(builtin.oid(), CatalogType::builtin(builtin.oid()));
    let types = Types { catalog: &catalog, infinity: Impossible::Error };
    let described = Described { name: "x".into(), oid: builtin.oid(), modifier: -1, origin: None };
    let column = types.column(&described, Some(&bowshot_core::parse_type(wish)?), 0, true)?;
    Ok((column.field.data_type().clone(), column.cast.is_some(), column.decoded_here))
}

#[test]
fn a_wish_is_made_of_the_natural_type_and_of_text() {
    let (utf8, float64) = (DataType::Utf8, DataType::Float64);
    for (builtin, wish, expected) in [
        (Type::FLOAT8, "int64", (float64.clone(), false, false)),
        (Type::FLOAT8, "decimal128(15, 2)", (float64, false, false)),
        (Type::INT4, "uint64", (DataType::Int32, false, false)),
        (Type::INT4, "large_utf8", (utf8.clone(), true, false)),
        (Type::NUMERIC, "float64", (utf8.clone(), true, false)),
        (Type::NUMERIC, "int64", (utf8.clone(), true, false)),
        (Type::NUMERIC, "decimal128(15, 2)", (DataType::Decimal128(15, 2), false, true)),
        (Type::TEXT, "binary", (DataType::Binary, false, true)),
        (Type::TEXT, "date32", (utf8.clone(), false, false)),
        (Type::TIMETZ, "time64[us]", (utf8, false, false)),
        (Type::TIMESTAMP, "date32", (DataType::Timestamp(TimeUnit::Microsecond, None), false, false)),
    ] {
        assert_eq!(read(&builtin, wish).unwrap(), expected, "{builtin} as {wish}");
    }
}

#[test]
fn wishes_that_no_value_can_fulfil_are_refused_before_the_first() {
    for (builtin, wish, hint) in [
        (Type::TIMESTAMP, "time64[us]", "date would be lost"),
        (Type::TIMESTAMPTZ, "timestamp[us]", "zone would be lost"),
        (Type::TIMESTAMPTZ, "date32", "zone would be lost"),
        (Type::TIMESTAMP, "timestamp[us, Europe/Berlin]", "timestamp[us, UTC]"),
        (Type::INT4, "date32", "utf8"),
        (Type::INT8, "timestamp[us]", "utf8"),
        // Five is written 101.
        (Type::BIT, "int32", "utf8"),
    ] {
        let error = read(&builtin, wish).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("x")));
        assert!(error.hint().unwrap().contains(hint), "{error}");
    }
}

#[test]
fn only_types_that_need_no_catalogue_are_builtin() {
    assert!(is_builtin(Type::INT4.oid(), -1));
    assert!(is_builtin(Type::NUMERIC.oid(), modifier(15, 2)));
    // Read as text, by the output function that the catalogue names.
    assert!(!is_builtin(Type::NUMERIC.oid(), modifier(100, 50)));
    for builtin in [Type::INT4_ARRAY, Type::INT4_RANGE, Type::POINT, Type::RECORD] {
        assert!(!is_builtin(builtin.oid(), -1), "{builtin}");
    }
}
