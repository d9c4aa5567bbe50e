use arrow_array::types::{Float64Type, Int8Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, cast::AsArray};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::Impossible;
use proptest::prelude::*;

use super::*;
use crate::packet::put_length;

/// Values as they lie in received bytes, with their length in front if they have one.
fn decode(decoder: &dyn Decode, values: &[Option<&[u8]>], with_length: bool) -> Result<ArrayRef, Reject> {
    let mut bytes = vec![0xEE];
    let mut offsets = Vec::new();
    for value in values {
        let Some(value) = value else {
            offsets.push(NULL);
            continue;
        };
        offsets.push(u32::try_from(bytes.len()).unwrap());
        if with_length {
            put_length(&mut bytes, value.len());
        }
        bytes.extend_from_slice(value);
    }
    bytes.extend([0xEE; bowshot_net::SLACK]);
    let has_nulls = values.iter().any(Option::is_none);
    let array = decoder.decode(Cells { bytes: &bytes, offsets: &offsets, has_nulls })?;
    assert_eq!(array.len(), values.len());
    Ok(array)
}

/// The text of every value; "" for NULL.
fn texts(decoder: &dyn Decode, values: &[Option<&[u8]>]) -> Vec<String> {
    let array = decode(decoder, values, true).unwrap();
    (0..array.len()).map(|row| array_value_to_string(&array, row).unwrap()).collect()
}

fn one(decoder: &dyn Decode, value: &[u8]) -> Result<String, Reject> {
    let array = decode(decoder, &[Some(value)], true)?;
    Ok(array_value_to_string(&array, 0).unwrap())
}

fn timestamps(form: Form) -> Timestamp {
    Timestamp(form, Impossible::Error, DataType::Timestamp(TimeUnit::Microsecond, None))
}

/// A moment in binary form, of so many bytes.
fn moment(year: u16, rest: [u8; 5], micros: u32, length: usize) -> Vec<u8> {
    let mut bytes = year.to_le_bytes().to_vec();
    bytes.extend(rest);
    bytes.extend(micros.to_le_bytes());
    bytes.truncate(length);
    bytes
}

#[test]
fn whole_numbers_are_exact_or_refused() {
    let signed = TextNumber::<Int64Type>::new();
    for text in ["0", "-1", "9223372036854775807", "-9223372036854775808", "123456789", "-12345678", "1234567890123456"]
    {
        assert_eq!(one(&signed, text.as_bytes()).unwrap(), text);
    }
    assert_eq!(one(&TextNumber::<UInt64Type>::new(), b"18446744073709551615").unwrap(), "18446744073709551615");
    assert_eq!(one(&TextNumber::<UInt32Type>::new(), b"0000000042").unwrap(), "42");
    assert_eq!(one(&TextNumber::<UInt64Type>::new(), "0".repeat(255).as_bytes()).unwrap(), "0");
    for text in [
        "",
        "-",
        "1a",
        "a1",
        "12345678x",
        "x12345678",
        "9223372036854775808",
        "1.0",
        " 1",
        "--1",
        "+1",
        "18446744073709551616",
    ] {
        assert!(one(&signed, text.as_bytes()).is_err(), "{text}");
    }
    assert!(one(&TextNumber::<Int8Type>::new(), b"128").is_err());
    assert!(one(&TextNumber::<UInt32Type>::new(), b"-1").is_err());
    let array = decode(&Binary::<Int64Type>::new(), &[Some(&i64::MIN.to_le_bytes()), None], false).unwrap();
    assert_eq!((array.as_primitive::<Int64Type>().value(0), array.null_count()), (i64::MIN, 1));
}

#[test]
fn decimals_keep_every_digit() {
    let narrow = Decimal::new(&DataType::Decimal128(15, 2)).unwrap();
    for text in
        ["0.00", "-0.01", "17.00", "21168.23", "-21168.23", "9999999999999.99", "-9999999999999.99", "123456.78"]
    {
        assert_eq!(one(&narrow, text.as_bytes()).unwrap(), text);
    }
    assert_eq!(texts(&narrow, &[Some(b"1"), None, Some(b"1.5"), Some(b".5")]), ["1.00", "", "1.50", "0.50"]);
    for text in
        ["1.001", "10000000000000.00", "1.0.0", "1..0", "", "-", ".", "x.00", "1x.00", "1.0x", "1e5", "12345678x.00"]
    {
        assert!(one(&narrow, text.as_bytes()).is_err(), "{text}");
    }
    let wide = format!("-{}.{}", "9".repeat(35), "9".repeat(30));
    assert_eq!(one(&Decimal::new(&DataType::Decimal256(65, 30)).unwrap(), wide.as_bytes()).unwrap(), wide);
    let whole = "9".repeat(38);
    assert_eq!(one(&Decimal::new(&DataType::Decimal128(38, 0)).unwrap(), whole.as_bytes()).unwrap(), whole);
    assert!(one(&Decimal::new(&DataType::Decimal128(3, 0)).unwrap(), b"1000").is_err());
    assert_eq!(one(&Decimal::new(&DataType::Decimal128(2, 2)).unwrap(), b"-0.99").unwrap(), "-0.99");
}

#[test]
fn dates_and_times_are_those_of_the_calendar() {
    let (date, stamp, time) = (Date(Form::Text, Impossible::Error), timestamps(Form::Text), Duration(Form::Text));
    for text in ["1970-01-01", "2024-02-29", "0001-01-01", "9999-12-31", "1900-02-28", "2000-03-01"] {
        assert_eq!(one(&date, text.as_bytes()).unwrap(), text);
    }
    for text in ["0000-00-00", "2024-00-00", "2023-02-29", "1900-02-29", "2024-13-01", "2024-04-31", "2024-01-00"] {
        assert_eq!(one(&date, text.as_bytes()), Err(Reject::ZeroDate(text.into())));
        let midnight = format!("{text} 00:00:00");
        assert_eq!(one(&stamp, midnight.as_bytes()), Err(Reject::ZeroDate(midnight)));
    }
    for text in ["", "2024-1-01", "20240101", "2024-01-0x", "2024/01/01", "x024-01-01", "2024-01-01 ", "2024-01-011"] {
        assert!(matches!(one(&date, text.as_bytes()), Err(Reject::Broken(_) | Reject::ZeroDate(_))), "{text}");
    }
    assert_eq!(one(&stamp, b"2024-02-29 23:59:59").unwrap(), "2024-02-29T23:59:59");
    assert_eq!(one(&stamp, b"1969-12-31 23:59:59.999999").unwrap(), "1969-12-31T23:59:59.999999");
    assert_eq!(one(&stamp, b"2024-01-01 00:00:00.5").unwrap(), "2024-01-01T00:00:00.500");
    for text in [
        "2024-01-01 24:00:00",
        "2024-01-01 00:60:00",
        "2024-01-01x00:00:00",
        "2024-01-01 00:00:00.",
        "2024-01-01 00:00",
        "2024-01-01 00:00:00.1234567",
    ] {
        assert!(one(&stamp, text.as_bytes()).is_err(), "{text}");
    }
    let micros = |text: &str| {
        decode(&time, &[Some(text.as_bytes())], true)
            .map(|array| array.as_primitive::<arrow_array::types::DurationMicrosecondType>().value(0))
    };
    assert_eq!(micros("838:59:59").unwrap(), 3_020_399_000_000);
    assert_eq!(micros("-838:59:59.999999").unwrap(), -3_020_399_999_999);
    assert_eq!(micros("-00:00:00.000001").unwrap(), -1);
    assert_eq!(micros("00:00:00.5").unwrap(), 500_000);
    for text in ["", "1:00:00", "00:60:00", "00:00:61", "00:00:00.", "x38:59:59", "8385:59:59", "00-00-00"] {
        assert!(micros(text).is_err(), "{text}");
    }
}

#[test]
fn binary_dates_are_the_same() {
    let (date, stamp) = (Date(Form::Binary, Impossible::Error), timestamps(Form::Binary));
    assert_eq!(one(&date, &moment(2024, [2, 29, 0, 0, 0], 0, 4)).unwrap(), "2024-02-29");
    assert_eq!(one(&date, &moment(2024, [2, 29, 0, 0, 0], 0, 7)).unwrap(), "2024-02-29");
    assert_eq!(one(&stamp, &moment(1969, [12, 31, 23, 59, 59], 999_999, 11)).unwrap(), "1969-12-31T23:59:59.999999");
    assert_eq!(one(&stamp, &moment(2024, [1, 1, 0, 0, 0], 0, 4)).unwrap(), "2024-01-01T00:00:00");
    assert_eq!(one(&date, b""), Err(Reject::ZeroDate("0000-00-00".into())));
    assert_eq!(one(&date, &moment(2024, [0, 0, 0, 0, 0], 0, 4)), Err(Reject::ZeroDate("2024-00-00".into())));
    assert_eq!(one(&stamp, &moment(2024, [0, 0, 1, 2, 3], 0, 7)), Err(Reject::ZeroDate("2024-00-00 01:02:03".into())));
    for broken in [&moment(2024, [1, 1, 0, 0, 0], 0, 5), &moment(2024, [1, 1, 25, 0, 0], 0, 7)] {
        assert!(one(&stamp, broken).is_err());
    }
    assert!(one(&date, &moment(2024, [1, 1, 5, 0, 0], 0, 7)).is_err());
    // 34 days and 22 hours.
    let longest = [1, 34, 0, 0, 0, 22, 59, 59];
    let array = decode(&Duration(Form::Binary), &[Some(&longest), Some(b""), None], true).unwrap();
    let array = array.as_primitive::<arrow_array::types::DurationMicrosecondType>();
    assert_eq!((array.value(0), array.value(1), array.null_count()), (-3_020_399_000_000, 0, 1));
    assert_eq!(one(&Written(WrittenKind::Duration(0)), &longest).unwrap(), "-838:59:59");
    assert_eq!(
        one(&Written(WrittenKind::Moment(3)), &moment(2024, [1, 2, 3, 4, 5], 678_900, 11)).unwrap(),
        "2024-01-02 03:04:05.678"
    );
    assert_eq!(one(&Written(WrittenKind::Date), b"").unwrap(), "0000-00-00");
}

#[test]
fn dates_that_are_none_become_null_where_that_is_asked_for() {
    let date = Date(Form::Text, Impossible::Null);
    assert_eq!(texts(&date, &[Some(b"0000-00-00"), Some(b"2024-01-02"), None]), ["", "2024-01-02", ""]);
    assert!(decode(&date, &[Some(b"0000-00-00"), Some(b"nonsense")], true).is_err());
    let stamp = Timestamp(Form::Binary, Impossible::Null, DataType::Timestamp(TimeUnit::Microsecond, None));
    assert_eq!(texts(&stamp, &[Some(b""), None]), ["", ""]);
}

#[test]
fn bytes_text_bits_and_shapes() {
    let long = vec![b'y'; 300];
    assert_eq!(texts(&Text, &[Some(b"a"), None, Some(b""), Some(&long), Some("\u{1F980}".as_bytes())])[3].len(), 300);
    assert!(matches!(one(&Text, b"\xFF"), Err(Reject::Value { way_out: "binary", .. })));
    // Two halves of a character in two values are not text either.
    assert!(decode(&Text, &[Some(b"\xC3"), Some(b"\xA9")], true).is_err());
    assert_eq!(one(&Bytes, b"\xFF\x00").unwrap(), "ff00");
    assert_eq!(texts(&Bit, &[Some(b"\x01"), Some(b"\x00"), None]), ["true", "false", ""]);
    assert!(one(&Bit, b"\x02").is_err());
    assert_eq!(one(&Bits, &[0xFF; 8]).unwrap(), "18446744073709551615");
    assert_eq!(one(&Bits, &[1, 0]).unwrap(), "256");
    assert!(one(&Bits, &[0; 9]).is_err());
    let point = [1, 1, 0, 0, 0, 9, 9];
    let shape = |srid: [u8; 4]| [&srid[..], &point].concat();
    assert_eq!(one(&Geometry, &shape([0; 4])).unwrap(), "01010000000909");
    assert_eq!(one(&Geometry, &shape([0xE6, 0x10, 0, 0])).unwrap(), "0101000020e61000000909");
    assert!(one(&Geometry, b"\x01").is_err());
    assert_eq!(one(&Vector, &[0, 0, 128, 63, 0, 0, 0, 64]).unwrap(), "[1.0, 2.0]");
    assert!(one(&Vector, &[0; 5]).is_err());
    assert_eq!(one(&TextNumber::<Float64Type>::new(), b"1.7976931348623157e308").unwrap(), "1.7976931348623157e308");
    assert_eq!(decode(&Nothing, &[None, None], true).unwrap().len(), 2);
    assert!(decode(&Nothing, &[Some(b"x")], true).is_err());
}

proptest! {
    #[test]
    fn numbers_come_back(number: i64, unsigned: u64) {
        prop_assert_eq!(one(&TextNumber::<Int64Type>::new(), number.to_string().as_bytes()).unwrap(), number.to_string());
        prop_assert_eq!(one(&TextNumber::<UInt64Type>::new(), unsigned.to_string().as_bytes()).unwrap(), unsigned.to_string());
    }

    #[test]
    fn decimals_come_back(number in -999_999_999_999_999_i64..=999_999_999_999_999, places in 0_usize..8) {
        let (sign, digits) = (if number < 0 { "-" } else { "" }, format!("{:0>1$}", number.abs(), places + 1));
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let text = if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
        let decimal = Decimal::new(&DataType::Decimal128(16, i8::try_from(places).unwrap())).unwrap();
        prop_assert_eq!(one(&decimal, text.as_bytes()).unwrap(), text);
    }

    #[test]
    fn days_come_back(day in -719_162_i32..=2_932_896) {
        use arrow_array::temporal_conversions::date32_to_datetime;
        let text = date32_to_datetime(day).unwrap().format("%Y-%m-%d").to_string();
        let array = decode(&Date(Form::Text, Impossible::Error), &[Some(text.as_bytes())], true).unwrap();
        prop_assert_eq!(array.as_primitive::<arrow_array::types::Date32Type>().value(0), day);
    }

    #[test]
    fn arbitrary_bytes_never_panic(values in prop::collection::vec(prop::option::of(prop::collection::vec(any::<u8>(), 0..24)), 0..8)) {
        let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        let decimal = |precision, scale| Decimal::new(&DataType::Decimal128(precision, scale)).unwrap();
        let decoders: [&dyn Decode; 20] = [
            &TextNumber::<Int8Type>::new(), &TextNumber::<Int64Type>::new(), &TextNumber::<UInt64Type>::new(),
            &TextNumber::<Float64Type>::new(), &decimal(15, 2), &decimal(18, 0), &decimal(38, 10),
            &Decimal::new(&DataType::Decimal256(65, 30)).unwrap(),
            &Date(Form::Text, Impossible::Null), &Date(Form::Binary, Impossible::Null), &timestamps(Form::Text),
            &timestamps(Form::Binary), &Duration(Form::Text), &Duration(Form::Binary), &Bit, &Bits, &Geometry, &Vector,
            &Written(WrittenKind::Moment(6)), &Text,
        ];
        for decoder in decoders {
            let _ = decode(decoder, &values, true);
        }
    }
}
