use super::*;

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

#[test]
fn every_arrow_type_that_can_be_wished_for_has_a_decoder() {
    for name in [
        "bool",
        "int16",
        "int32",
        "int64",
        "float32",
        "float64",
        "decimal128(15, 2)",
        "decimal256(60, 30)",
        "binary",
        "date32",
        "time64[us]",
        "timestamp[us]",
        "timestamp[us, UTC]",
        "interval",
    ] {
        let wanted = bowshot_core::parse_type(name).unwrap();
        let (_, builtin) = cast_to(&wanted).unwrap();
        let native = scalar(&builtin, -1, Impossible::Error, None).unwrap();
        assert!(native.data_type == wanted || Decimal::new(&wanted).is_some(), "{name}");
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
