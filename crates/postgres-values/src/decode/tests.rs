use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use bowshot_cells::SLACK;
use bowshot_core::Impossible;
use proptest::prelude::*;

use super::*;
use crate::cells::NULL;

/// Lays values out as they arrive, each with its length in front, and decodes them.
fn decode(decoder: &dyn Decode, values: &[Option<Vec<u8>>]) -> Result<ArrayRef, Reject> {
    let mut bytes = vec![0; 7];
    let mut offsets = Vec::new();
    for value in values {
        let Some(value) = value else {
            offsets.push(NULL);
            continue;
        };
        bytes.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
        offsets.push(u32::try_from(bytes.len()).unwrap());
        bytes.extend(value);
    }
    bytes.extend([0xAA; SLACK]);
    let has_nulls = offsets.contains(&NULL);
    decoder.decode(Cells { bytes: &bytes, offsets: &offsets, has_nulls })
}

fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("item", data_type, true))
}

fn list_of(data_type: DataType) -> DataType {
    DataType::List(item(data_type))
}

fn int4() -> Box<dyn Decode> {
    Box::new(Fixed::<Int32Type, _, 4>::new(DataType::Int32, |bytes| Ok(i32::from_be_bytes(bytes))))
}

fn range_of(bound: Box<dyn Decode>, data_type: DataType) -> Range {
    let bounds = ["lower", "upper"].map(|name| Field::new(name, data_type.clone(), true));
    let flags = ["lower_inclusive", "upper_inclusive", "empty"].map(|name| Field::new(name, DataType::Boolean, false));
    Range { fields: bounds.into_iter().chain(flags).collect(), bound }
}

fn composite(parts: Vec<(DataType, Box<dyn Decode>)>) -> Composite {
    let (types, attributes): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Composite { fields: types.into_iter().map(|data_type| Field::new("a", data_type, true)).collect(), attributes }
}

/// Every decoder, the nested ones at several depths.
fn decoders() -> Vec<Box<dyn Decode>> {
    let int2 = Fixed::<Int16Type, _, 2>::new(DataType::Int16, |bytes| Ok(i16::from_be_bytes(bytes)));
    let int8 = Fixed::<Int64Type, _, 8>::new(DataType::Int64, |bytes| Ok(i64::from_be_bytes(bytes)));
    let decimal = |precision, scale| -> Box<dyn Decode> {
        let wide = precision > 38;
        let data_type =
            if wide { DataType::Decimal256(precision, scale) } else { DataType::Decimal128(precision, scale) };
        Box::new(Decimal::new(&data_type).unwrap())
    };
    let timestamp = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let pairs = Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)]);
    let grid = List { fields: vec![item(list_of(DataType::Int32)), item(DataType::Int32)], element: int4() };
    let cube_fields = vec![item(list_of(list_of(DataType::Utf8))), item(list_of(DataType::Utf8)), item(DataType::Utf8)];
    let ranges = range_of(decimal(76, 38), DataType::Decimal256(76, 38));
    let range_type = DataType::Struct(ranges.fields.clone());
    let inner = composite(vec![
        (list_of(DataType::Int32), Box::new(List { fields: vec![item(DataType::Int32)], element: int4() })),
        (range_type.clone(), Box::new(ranges)),
    ]);
    let inner_type = DataType::Struct(inner.fields.clone());
    let small_range = range_of(int4(), DataType::Int32);
    let small_range_type = DataType::Struct(small_range.fields.clone());
    vec![
        Box::new(Boolean),
        Box::new(int2),
        int4(),
        Box::new(int8),
        Box::new(Uuid),
        Box::new(Money { scale: 2 }),
        decimal(5, 0),
        decimal(15, 2),
        decimal(19, 3),
        decimal(38, 38),
        decimal(76, 38),
        Box::new(Text { skip: 0 }),
        Box::new(Text { skip: 1 }),
        Box::new(Binary),
        Box::new(Date(Impossible::Error)),
        Box::new(Date(Impossible::Null)),
        Box::new(Time),
        Box::new(Timestamp(timestamp.clone(), Impossible::Error)),
        Box::new(Timestamp(timestamp, Impossible::Null)),
        Box::new(Interval),
        Box::new(Formatted(time_with_zone)),
        Box::new(Formatted(bit_string)),
        Box::new(Formatted(address)),
        Box::new(Formatted(hardware_address)),
        Box::new(Enumeration::new(&["sad".into(), String::new()])),
        Box::new(Hstore { entries: Arc::new(Field::new("entries", DataType::Struct(pairs), false)) }),
        Box::new(List { fields: vec![item(DataType::Int32)], element: int4() }),
        Box::new(grid),
        Box::new(List { fields: cube_fields, element: Box::new(Text { skip: 0 }) }),
        Box::new(composite(vec![])),
        Box::new(List { fields: vec![item(inner_type)], element: Box::new(inner) }),
        Box::new(Multirange { field: item(small_range_type), range: small_range }),
        Box::new(range_of(Box::new(Text { skip: 0 }), DataType::Utf8)),
    ]
}

/// Bytes as nested types have them: small counts and lengths, some of them wrong, and anything else.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => (-1..6i32).prop_map(|count| count.to_be_bytes().to_vec()),
        1 => any::<i32>().prop_map(|count| count.to_be_bytes().to_vec()),
        2 => any::<u8>().prop_map(|byte| vec![byte]),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_bytes_are_an_array_or_an_error(values in proptest::collection::vec(proptest::option::weighted(0.8, value()), 0..4)) {
        let received: usize = values.iter().flatten().map(|value| value.len() + 64).sum();
        for decoder in decoders() {
            match decode(decoder.as_ref(), &values) {
                Ok(array) => {
                    prop_assert_eq!(array.len(), values.len());
                    array.to_data().validate_full().unwrap();
                    prop_assert!(array.get_buffer_memory_size() <= 16_384 + 64 * received);
                }
                Err(Reject::Value { holds, .. }) => prop_assert!(holds.len() < 1_000),
                Err(Reject::Broken(_)) => {}
            }
        }
    }

    #[test]
    fn numerics_keep_every_digit(
        (precision, scale) in (1..=76u8).prop_flat_map(|precision| (Just(precision), 0..=precision)),
        digits in proptest::collection::vec(prop_oneof![Just(0), 0..10u8], 76),
        negative: bool,
    ) {
        let digits: String = digits.iter().take(precision.into()).map(|digit| char::from(b'0' + digit)).collect();
        let (whole, fraction) = digits.split_at((precision - scale).into());
        let sign = if negative { "-" } else { "" };
        let wire = wire(&format!("{sign}{whole}.{fraction}"));
        let expected = i256::from_string(&format!("{sign}{digits}")).unwrap();
        let scale = i8::try_from(scale).unwrap();
        prop_assert_eq!(decoded(DataType::Decimal256(precision, scale), &wire), Ok(expected));
        if precision <= 38 {
            prop_assert_eq!(decoded(DataType::Decimal128(precision, scale), &wire), Ok(expected));
        }
    }

    #[test]
    fn numerics_that_do_not_fit_are_refused(
        precision in 1..=38u8,
        lead in 1..10u8,
        places in 1..=40usize,
        last in 1..10u8,
        wide: bool,
    ) {
        let data_type = |scale| if wide { DataType::Decimal256(precision, scale) } else { DataType::Decimal128(precision, scale) };
        // One digit more than the type has; one decimal place more than the type has.
        let large = wire(&format!("{lead}{}", "0".repeat(precision.into())));
        let fine = wire(&format!("0.{}{last}", "0".repeat(usize::from(precision).min(places))));
        let scale = i8::try_from(usize::from(precision).min(places)).unwrap();
        for outcome in [decoded(data_type(0), &large), decoded(data_type(scale), &fine)] {
            let refused = matches!(outcome, Err(Reject::Value { way_out: "utf8", .. }));
            prop_assert!(refused, "{:?}", outcome);
        }
    }
}

/// The unscaled value of one numeric.
fn decoded(data_type: DataType, wire: &[u8]) -> Result<i256, Reject> {
    let array = decode(&Decimal::new(&data_type).unwrap(), &[None, Some(wire.to_vec())])?;
    assert_eq!(array.data_type(), &data_type);
    assert!(array.is_null(0));
    Ok(match array.as_primitive_opt::<Decimal128Type>() {
        Some(array) => i256::from_i128(array.value(1)),
        None => array.as_primitive::<Decimal256Type>().value(1),
    })
}

/// A number as PostgreSQL sends it: digits to the base 10,000, without zeros at either end.
fn wire(text: &str) -> Vec<u8> {
    let (sign, digits) = text.strip_prefix('-').map_or((0u16, text), |digits| (0x4000, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let scale = u16::try_from(fraction.len()).unwrap();
    let whole = format!("{}{whole}", "0".repeat(whole.len().next_multiple_of(4) - whole.len()));
    let fraction = format!("{fraction}{}", "0".repeat(fraction.len().next_multiple_of(4) - fraction.len()));
    let mut weight = i16::try_from(whole.len() / 4).unwrap() - 1;
    let all = format!("{whole}{fraction}");
    let mut digits: Vec<u16> = (0..all.len() / 4).map(|place| all[4 * place..4 * place + 4].parse().unwrap()).collect();
    while digits.last() == Some(&0) {
        digits.pop();
    }
    while digits.first() == Some(&0) {
        digits.remove(0);
        weight -= 1;
    }
    if digits.is_empty() {
        weight = 0;
    }
    // PostgreSQL knows no negative zero.
    let sign = if digits.is_empty() { 0 } else { sign };
    let header = [u16::try_from(digits.len()).unwrap(), weight.cast_unsigned(), sign, scale];
    header.iter().chain(&digits).flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn numerics_that_are_no_numbers_name_float64() {
    for (sign, holds) in [(0xC000u16, "NaN"), (0xD000, "Infinity"), (0xF000, "-Infinity")] {
        let wire: Vec<u8> = [0, 0, sign, 0].iter().flat_map(|word: &u16| word.to_be_bytes()).collect();
        for data_type in [DataType::Decimal128(15, 2), DataType::Decimal256(76, 38)] {
            let expected = Reject::Value { holds: holds.into(), way_out: "float64" };
            assert_eq!(decoded(data_type, &wire), Err(expected));
        }
    }
}

#[test]
fn a_numeric_of_the_greatest_weight_is_refused_at_once() {
    // 10^131068, the largest power that a numeric reaches, and zero with that weight.
    let words =
        |digit: u16| [1u16, 32_767, 0, 0, digit].iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let refused = decoded(DataType::Decimal256(76, 0), &words(1));
    assert!(matches!(&refused, Err(Reject::Value { holds, .. }) if holds.len() < 200), "{refused:?}");
    assert_eq!(decoded(DataType::Decimal256(76, 0), &words(0)), Ok(i256::ZERO));
}

#[test]
fn an_array_that_says_more_elements_than_it_has_is_refused() {
    let header = [2i32, 0, 23, i32::MAX, 1, i32::MAX, 1];
    let value = header.iter().flat_map(|word| word.to_be_bytes()).collect();
    let list = List { fields: vec![item(list_of(DataType::Int32)), item(DataType::Int32)], element: int4() };
    assert!(matches!(decode(&list, &[Some(value)]), Err(Reject::Broken(_))));
}
