use proptest::prelude::*;

use super::*;

/// The bytes of a NUMBER, made in another way than they are read: from the decimal text, as Oracle's manual has it.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits = format!("{}{whole}", if whole.len() % 2 == 1 { "0" } else { "" });
    let mut leading = i16::try_from(digits.len() / 2).unwrap() - 1;
    digits += fraction;
    if digits.len() % 2 == 1 {
        digits.push('0');
    }
    let mut pairs: Vec<u8> = digits.as_bytes().chunks(2).map(|pair| (pair[0] - b'0') * 10 + pair[1] - b'0').collect();
    while pairs.first() == Some(&0) {
        pairs.remove(0);
        leading -= 1;
    }
    while pairs.last() == Some(&0) {
        pairs.pop();
    }
    if pairs.is_empty() {
        return vec![0x80];
    }
    let exponent = u8::try_from(leading + 193).unwrap();
    let mut bytes = vec![if negative { !exponent } else { exponent }];
    bytes.extend(pairs.iter().map(|pair| if negative { 101 - pair } else { pair + 1 }));
    if negative && pairs.len() < MOST {
        bytes.push(102);
    }
    bytes
}

fn text(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    Number::read(bytes).unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn known_numbers_are_read() {
    // As DUMP() shows them in Oracle's documentation.
    for (bytes, value) in [
        ([0x80].as_slice(), "0"),
        (&[193, 2], "1"),
        (&[194, 2, 24], "123"),
        (&[62, 100, 102], "-1"),
        (&[61, 78, 102], "-2300"),
        (&[195, 13, 35, 57, 79], "123456.78"),
        (&[192, 2], "0.01"),
        (&[192, 11], "0.1"),
        (&[193, 2, 51], "1.5"),
        (&[202, 2], "1000000000000000000"),
    ] {
        assert_eq!(text(bytes), value, "{bytes:?}");
        assert_eq!(encode(value), bytes, "{value}");
    }
}

#[test]
fn decimals_are_exact_or_refused() {
    let number = |text: &str| Number::read(&encode(text)).unwrap();
    assert_eq!(number("123.45").decimal128(5, 2), Ok(12345));
    assert_eq!(number("-123.4").decimal128(5, 2), Ok(-12340));
    assert_eq!(number("123.456").decimal128(5, 2), Err(Misfit::Digits));
    assert_eq!(number("1000").decimal128(5, 2), Err(Misfit::Digits));
    assert_eq!(number("0").decimal128(1, 0), Ok(0));
    let most = "9".repeat(38);
    assert_eq!(number(&most).decimal128(38, 0), Ok(10_i128.pow(38) - 1));
    assert_eq!(number(&format!("-0.{most}")).decimal128(38, 38), Ok(1 - 10_i128.pow(38)));
    // Twenty pairs of digits, of which the first and the last hold one digit each.
    let odd = format!("{}.{}", "9".repeat(21), "9".repeat(17));
    assert_eq!(number(&odd).decimal128(38, 17), Ok(10_i128.pow(38) - 1));
    assert_eq!(number(&most).decimal256(76, 38), Ok(POWERS[76].wrapping_sub(POWERS[38])));
    assert_eq!(number(&format!("1{}", "0".repeat(38))).decimal256(76, 38), Err(Misfit::Digits));
    assert_eq!(number(&format!("1{}", "0".repeat(125))).decimal256(76, 38), Err(Misfit::Digits));
    assert_eq!(number(&format!("0.{}1", "0".repeat(38))).decimal256(76, 38), Err(Misfit::Digits));
    assert_eq!(number("9223372036854775807").int64(), Ok(i64::MAX));
    assert_eq!(number("-9223372036854775808").int64(), Ok(i64::MIN));
    assert_eq!(number("9223372036854775808").int64(), Err(Misfit::Digits));
    assert_eq!(number("0.5").int64(), Err(Misfit::Digits));
}

#[test]
fn what_is_no_number_is_refused() {
    for bytes in [[].as_slice(), &[193], &[193, 0], &[193, 102], &[62, 102], &[62, 1, 0], &[193; 22], &[62; 23]] {
        assert_eq!(Number::read(bytes).err(), Some(Misfit::Malformed), "{bytes:?}");
    }
    assert_eq!(Number::read(&[0]).err(), Some(Misfit::Infinite));
    assert_eq!(Number::read(&[255, 101]).err(), Some(Misfit::Infinite));
}

proptest! {
    #[test]
    fn numbers_survive(negative: bool, whole in "[1-9][0-9]{0,18}|0", fraction in "([0-9]{0,17}[1-9])?") {
        let mut wanted = String::new();
        if negative && (whole != "0" || !fraction.is_empty()) {
            wanted.push('-');
        }
        wanted += &whole;
        if !fraction.is_empty() {
            wanted = format!("{wanted}.{fraction}");
        }
        let bytes = encode(&wanted);
        prop_assert_eq!(&text(&bytes), &wanted);
        let number = Number::read(&bytes).unwrap();
        prop_assert_eq!(number.double(), wanted.parse::<f64>().unwrap());
        let scaled: i128 = format!("{}{:0<18}", wanted.split('.').next().unwrap(), fraction).parse().unwrap();
        prop_assert_eq!(number.decimal128(38, 18), Ok(scaled));
        prop_assert_eq!(number.decimal256(76, 18), Ok(i256::from_i128(scaled)));
        if fraction.is_empty() {
            prop_assert_eq!(number.int64().ok(), wanted.parse::<i64>().ok());
        }
    }

    #[test]
    fn strange_bytes_are_numbers_or_not(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
        if let Ok(number) = Number::read(&bytes) {
            let _ = (number.int64(), number.decimal128(38, 127), number.decimal128(38, -128));
            let mut text = Vec::new();
            number.write(&mut text);
            let text = String::from_utf8(text).unwrap();
            prop_assert!(text.parse::<f64>().is_ok(), "{}", text);
            // Where it fits, the decimal is the text.
            if let Ok(value) = number.decimal128(38, 0) {
                prop_assert_eq!(text, value.to_string());
            }
        }
    }
}
