use proptest::prelude::*;

use super::*;

/// A number as PostgreSQL keeps it: in the short form where that holds it, unless the long one is wished for.
fn disk(negative: bool, weight: i16, display_scale: u16, digits: &[u16], long: bool) -> Vec<u8> {
    let fits = display_scale <= 0x3F && (-64..=63).contains(&weight);
    let sign = |bit: u16| if negative { bit } else { 0 };
    let header = if fits && !long {
        vec![SHORT | sign(0x2000) | display_scale << 7 | weight.cast_unsigned() & 0x7F]
    } else {
        vec![sign(NEGATIVE) | display_scale, weight.cast_unsigned()]
    };
    header.iter().chain(digits).flat_map(|word| word.to_ne_bytes()).collect()
}

fn narrow(precision: u8, scale: i8, disk: &[u8]) -> Result<i128, Reject> {
    Digits::new(&DataType::Decimal128(precision, scale)).unwrap().narrow(disk)
}

fn wide(precision: u8, scale: i8, disk: &[u8]) -> Result<i256, Reject> {
    Digits::new(&DataType::Decimal256(precision, scale)).unwrap().wide(disk)
}

#[test]
fn prices_are_read() {
    // 17954.55, -0.07, 100, 0
    assert_eq!(narrow(15, 2, &disk(false, 1, 2, &[1, 7954, 5500], false)), Ok(1_795_455));
    assert_eq!(narrow(15, 2, &disk(true, -1, 2, &[700], false)), Ok(-7));
    assert_eq!(narrow(15, 2, &disk(false, 0, 2, &[100], false)), Ok(10_000));
    assert_eq!(narrow(15, 2, &disk(false, 0, 2, &[], false)), Ok(0));
    assert_eq!(narrow(15, 2, &disk(false, 1, 2, &[1, 7954, 5500], true)), Ok(1_795_455));
}

#[test]
fn what_is_not_finite_is_named() {
    for (word, name) in [(0xC000u16, "NaN"), (0xD000, "Infinity"), (0xF000, "-Infinity")] {
        let expected = Reject::Value { holds: name.into(), way_out: "float64" };
        assert_eq!(narrow(15, 2, &word.to_ne_bytes()), Err(expected));
        assert!(wide(76, 38, &word.to_ne_bytes()).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever the number, the quick way and the client's decoder agree.
    #[test]
    fn both_ways_agree(
        negative: bool,
        long: bool,
        weight in -14i16..12,
        digits in proptest::collection::vec(prop_oneof![2 => Just(0u16), 1 => Just(100), 5 => 0..10_000u16], 0..12),
        display_scale in 0..60u16,
        (precision, scale) in (1..=38u8).prop_flat_map(|precision| (Just(precision), 0..=precision)),
    ) {
        let disk = disk(negative, weight, display_scale, &digits, long);
        let scale = i8::try_from(scale).unwrap();
        let decimal = Decimal::new(&DataType::Decimal128(precision, scale)).unwrap();
        prop_assert_eq!(narrow(precision, scale, &disk), decimal.narrow_value(&wire(&disk)));
        for (precision, scale) in [(76, 38), (precision + 38, scale), (76, 0)] {
            let decimal = Decimal::new(&DataType::Decimal256(precision, scale)).unwrap();
            prop_assert_eq!(wide(precision, scale, &disk), decimal.wide_value(&wire(&disk)));
        }
    }

    #[test]
    fn any_bytes_are_a_number_or_an_error(disk in proptest::collection::vec(any::<u8>(), 0..40)) {
        let _ = narrow(15, 2, &disk);
        let _ = wide(76, 38, &disk);
    }
}
