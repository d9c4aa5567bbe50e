use arrow_array::RecordBatch;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{IntervalUnit, TimeUnit};
use proptest::prelude::*;

use super::*;
use crate::number::tests::encode;

fn column(source: &str, data_type: &DataType, decoder: Decoder) -> Column {
    Column::new("C", source, data_type, decoder)
}

#[track_caller]
fn decoded(data_type: &DataType, decoder: Decoder, values: &[Option<&[u8]>]) -> Vec<String> {
    let mut column = column("T", data_type, decoder);
    column.extend(values.iter().copied()).unwrap();
    let array = column.finish().unwrap();
    assert_eq!(array.data_type(), data_type);
    assert_eq!(array.len(), values.len());
    assert_eq!(column.finish().unwrap().len(), 0, "a batch begins empty");
    // Shown without its zone, whose name only a larger library knows.
    let array = match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => arrow_cast::cast(&array, &DataType::Timestamp(*unit, None)).unwrap(),
        _ => array,
    };
    (0..array.len())
        .map(|row| if array.is_null(row) { "NULL".into() } else { array_value_to_string(&array, row).unwrap() })
        .collect()
}

#[track_caller]
fn refused(source: &str, data_type: &DataType, decoder: Decoder, value: &[u8]) -> Error {
    let mut column = column(source, data_type, decoder);
    let error = column.extend([Some(value)].into_iter()).and_then(|()| column.finish().map(|_| ())).unwrap_err();
    assert_eq!(error.column(), Some("C"));
    error
}

#[test]
fn numbers() {
    let [a, b] = ["12.50", "-3"].map(encode);
    let values = [Some(a.as_slice()), None, Some(b.as_slice())];
    assert_eq!(decoded(&DataType::Decimal128(10, 2), Decoder::Number128(10, 2), &values), ["12.50", "NULL", "-3.00"]);
    assert_eq!(decoded(&DataType::Float64, Decoder::NumberDouble, &values), ["12.5", "NULL", "-3.0"]);
    assert_eq!(decoded(&DataType::Utf8, Decoder::NumberText, &values), ["12.5", "NULL", "-3"]);
    assert_eq!(decoded(&DataType::Int64, Decoder::NumberInt64, &values[1..]), ["NULL", "-3"]);
    let wide = decoded(&DataType::Decimal256(76, 38), Decoder::Number256(76, 38), &values);
    assert_eq!(wide[0], format!("12.5{}", "0".repeat(37)));
    let error = refused("NUMBER", &DataType::Int64, Decoder::NumberInt64, &a);
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(error.message(), "column \"C\" (NUMBER) holds 12.5, which int64 cannot");
    let error = refused("NUMBER", &DataType::Decimal256(76, 38), Decoder::Number256(76, 38), &[0]);
    assert!(error.to_string().contains("infinite"), "{error}");
    assert_eq!(refused("NUMBER", &DataType::Int64, Decoder::NumberInt64, &[1]).kind(), ErrorKind::Protocol);
}

#[test]
fn binary_floats() {
    let double = |value: f64| {
        let bits = value.to_bits();
        (if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }).to_be_bytes()
    };
    let values: Vec<[u8; 8]> = [1.5, -0.25, f64::INFINITY].map(double).to_vec();
    let values: Vec<Option<&[u8]>> = values.iter().map(|value| Some(value.as_slice())).collect();
    assert_eq!(decoded(&DataType::Float64, Decoder::Double, &values), ["1.5", "-0.25", "inf"]);
    // As DUMP(1.5f) shows it.
    assert_eq!(decoded(&DataType::Float32, Decoder::Float, &[Some(&[191, 192, 0, 0]), None]), ["1.5", "NULL"]);
    assert_eq!(refused("BINARY_FLOAT", &DataType::Float32, Decoder::Float, &[1, 2]).kind(), ErrorKind::Protocol);
}

#[test]
fn moments() {
    let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    // 2024-02-29 13:14:15.123456 UTC, and the bytes of +02:00 behind it.
    let moment = [120, 124, 2, 29, 14, 15, 16, 0x07, 0x5b, 0xca, 0x00, 22, 60];
    assert_eq!(decoded(&utc, Decoder::Micros, &[Some(&moment)]), ["2024-02-29T13:14:15.123456"]);
    let date = DataType::Timestamp(TimeUnit::Second, None);
    assert_eq!(
        decoded(
            &date,
            Decoder::Seconds,
            &[Some(&moment[..7]), None, Some(&[100, 101, 1, 1, 1, 1, 1]), Some(&[199, 199, 12, 31, 24, 60, 60])]
        ),
        ["2024-02-29T13:14:15", "NULL", "0001-01-01T00:00:00", "9999-12-31T23:59:59"]
    );
    let nanos = DataType::Timestamp(TimeUnit::Nanosecond, None);
    assert_eq!(decoded(&nanos, Decoder::Nanos, &[Some(&moment[..11])]), ["2024-02-29T13:14:15.123456"]);
    // The first and the last moment of 64 bits of nanoseconds.
    let first = [116, 177, 9, 21, 1, 13, 44, 0x08, 0xa7, 0xf2, 0x00];
    let last = [122, 162, 4, 11, 24, 48, 17, 0x32, 0xf2, 0xd7, 0xff];
    let ends = decoded(&nanos, Decoder::Nanos, &[Some(&first), Some(&last)]);
    assert_eq!(ends, ["1677-09-21T00:12:43.145224192", "2262-04-11T23:47:16.854775807"]);
    let error = refused("TIMESTAMP(9)", &nanos, Decoder::Nanos, &[122, 163, 1, 1, 1, 1, 1]);
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(error.to_string().contains("2263-01-01 00:00:00"), "{error}");
    assert!(error.to_string().contains("TO_CHAR"), "{error}");
}

#[test]
fn days_that_no_calendar_of_ours_has() {
    let date = DataType::Timestamp(TimeUnit::Second, None);
    // 44 before Christ, and 29 February 1500.
    for (bytes, shown) in [([100, 56, 3, 15, 1, 1, 1], "-044-03-15"), ([115, 100, 2, 29, 1, 1, 1], "1500-02-29")] {
        let error = refused("DATE", &date, Decoder::Seconds, &bytes);
        assert_eq!(error.kind(), ErrorKind::Value, "{error}");
        assert!(error.to_string().contains(shown), "{error}");
    }
    for bytes in
        [[].as_slice(), &[120; 7], &[120, 124, 2, 29, 14, 15, 62], &[120, 124, 2, 29, 14, 15, 16, 255, 255, 255, 255]]
    {
        assert_eq!(refused("DATE", &date, Decoder::Seconds, bytes).kind(), ErrorKind::Protocol, "{bytes:?}");
    }
}

#[test]
fn intervals() {
    let interval = DataType::Interval(IntervalUnit::MonthDayNano);
    let show = |decoder, bytes: &[u8]| decoded(&interval, decoder, &[Some(bytes)]).remove(0);
    assert_eq!(show(Decoder::YearMonth, &[0x80, 0, 0, 2, 63]), "27 mons");
    assert_eq!(show(Decoder::YearMonth, &[0x7f, 0xff, 0xff, 0xfe, 57]), "-27 mons");
    assert_eq!(
        show(Decoder::DaySecond, &[0x80, 0, 0, 3, 64, 65, 66, 0x87, 0x5b, 0xca, 0x00]),
        "3 days 4 hours 5 mins 6.123456000 secs"
    );
    let error = refused("INTERVAL YEAR TO MONTH", &interval, Decoder::YearMonth, &[0xbb, 0x9a, 0xc9, 0xff, 60]);
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(
        refused("INTERVAL DAY TO SECOND", &interval, Decoder::DaySecond, &[0x80, 0, 0, 3, 99, 65, 66, 0x80, 0, 0, 0])
            .kind(),
        ErrorKind::Protocol
    );
}

#[test]
fn text_bytes_and_truth() {
    assert_eq!(decoded(&DataType::Utf8, Decoder::Text, &[Some("é".as_bytes()), None, Some(b"")]), ["é", "NULL", ""]);
    assert_eq!(decoded(&DataType::Utf8, Decoder::Utf16, &[Some(&[0x20, 0xac, 0xd8, 0x3d, 0xde, 0x00])]), ["€😀"]);
    assert_eq!(decoded(&DataType::Binary, Decoder::Binary, &[Some(&[0xff, 0])]), ["ff00"]);
    assert_eq!(
        decoded(&DataType::Boolean, Decoder::Boolean, &[Some(&[1, 1]), None, Some(&[0])]),
        ["true", "NULL", "false"]
    );
    assert_eq!(refused("VARCHAR2", &DataType::Utf8, Decoder::Text, b"\xff").kind(), ErrorKind::Value);
    assert_eq!(refused("NVARCHAR2", &DataType::Utf8, Decoder::Utf16, &[0xd8, 0x3d]).kind(), ErrorKind::Value);
    assert_eq!(refused("NVARCHAR2", &DataType::Utf8, Decoder::Utf16, &[0]).kind(), ErrorKind::Value);
    assert_eq!(refused("BOOLEAN", &DataType::Boolean, Decoder::Boolean, &[7]).kind(), ErrorKind::Protocol);
}

/// Every decoder with a type that it fills.
fn decoders() -> Vec<(DataType, Decoder)> {
    let interval = DataType::Interval(IntervalUnit::MonthDayNano);
    vec![
        (DataType::Int64, Decoder::NumberInt64),
        (DataType::Decimal128(38, 38), Decoder::Number128(38, 38)),
        (DataType::Decimal256(76, 0), Decoder::Number256(76, 0)),
        (DataType::Float64, Decoder::NumberDouble),
        (DataType::Utf8, Decoder::NumberText),
        (DataType::Float32, Decoder::Float),
        (DataType::Float64, Decoder::Double),
        (DataType::Boolean, Decoder::Boolean),
        (DataType::Utf8, Decoder::Text),
        (DataType::Utf8, Decoder::Utf16),
        (DataType::Binary, Decoder::Binary),
        (DataType::Timestamp(TimeUnit::Second, None), Decoder::Seconds),
        (DataType::Timestamp(TimeUnit::Microsecond, None), Decoder::Micros),
        (DataType::Timestamp(TimeUnit::Nanosecond, None), Decoder::Nanos),
        (interval.clone(), Decoder::YearMonth),
        (interval, Decoder::DaySecond),
    ]
}

proptest! {
    #[test]
    fn strange_bytes_are_values_or_errors(values in prop::collection::vec(prop::option::of(prop::collection::vec(any::<u8>(), 0..24)), 0..4)) {
        for (data_type, decoder) in decoders() {
            let mut column = column("NUMBER", &data_type, decoder);
            let found = values.iter().map(Option::as_deref);
            if column.extend(found).is_ok() && let Ok(array) = column.finish() {
                prop_assert_eq!(array.len(), values.len());
                let field = arrow_schema::Field::new("c", data_type, true);
                let schema = Arc::new(arrow_schema::Schema::new(vec![field]));
                prop_assert!(RecordBatch::try_new(schema, vec![array]).is_ok());
            }
        }
    }

    #[test]
    fn every_day_is_the_day_after_the_one_before(year in 1_u16..=9998, month in 1_u8..=12, day in 1_u8..=31) {
        let bytes = |year: u16, month: u8, day: u8| {
            let part = |value: u16| u8::try_from(value + 100).unwrap();
            [part(year / 100), part(year % 100), month, day, 1, 1, 1]
        };
        match (moment::seconds(&bytes(year, month, day)), moment::seconds(&bytes(year, month, day + 1))) {
            (Ok(today), Ok(tomorrow)) => prop_assert_eq!(today + 86_400, tomorrow),
            (Ok(today), Err(_)) => {
                let next = if month == 12 { bytes(year + 1, 1, 1) } else { bytes(year, month + 1, 1) };
                prop_assert_eq!(Ok(today + 86_400), moment::seconds(&next));
            }
            (Err(misfit), _) => prop_assert_eq!(misfit, Misfit::Calendar),
        }
    }
}
