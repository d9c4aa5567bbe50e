//! Every pair of types with extreme and random values: what comes out is the value that went in, or an error.
//!
//! The comparison shares nothing with the casts: numbers are compared by all their decimal digits, times by their
//! nanoseconds.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "any bits will do"
)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, StringArray, make_array,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use proptest::prelude::*;

use crate::casts::family::may_become;
use crate::casts::turn::{Writing, turn};

/// A value, by what it means.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    /// All digits of a number; `NaN` and `inf` too.
    Number(String),
    Text(String),
    Bytes(Vec<u8>),
    /// Nanoseconds since 1970, on whatever clock.
    Moment(i128),
    /// Nanoseconds of a day, or of a span.
    Span(i128),
    /// Months, days, nanoseconds.
    Interval(i32, i32, i64),
}

const UNITS: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

/// All scalar types, decimals with several scales.
fn types() -> Vec<DataType> {
    use DataType::*;
    let mut types = vec![
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(16),
        Date32,
        Date64,
    ];
    types.extend([Decimal32(9, 2), Decimal32(5, 0), Decimal64(18, 6), Decimal64(4, -2)]);
    types.extend([Decimal128(38, 10), Decimal128(15, 2), Decimal128(20, 0), Decimal256(76, 38), Decimal256(50, 0)]);
    types.extend([Time32(TimeUnit::Second), Time32(TimeUnit::Millisecond)]);
    types.extend([Time64(TimeUnit::Microsecond), Time64(TimeUnit::Nanosecond)]);
    types.extend(UNITS.map(|unit| Timestamp(unit, None)));
    types.extend(UNITS.map(|unit| Timestamp(unit, Some("UTC".into()))));
    types.push(Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into())));
    types.extend(UNITS.map(Duration));
    types.extend([IntervalUnit::YearMonth, IntervalUnit::DayTime, IntervalUnit::MonthDayNano].map(Interval));
    types
}

/// Values of a type made of raw bits, which are also what is near the ends of other types.
fn column(data_type: &DataType, raw: &[i128]) -> ArrayRef {
    macro_rules! of {
        ($kind:ty, $from:expr) => {{
            let values: Vec<<$kind as ArrowPrimitiveType>::Native> = raw.iter().map($from).collect();
            Arc::new(PrimitiveArray::<$kind>::from_iter_values(values).with_data_type(data_type.clone())) as ArrayRef
        }};
    }
    let text = |raw: &i128| match raw % 7 {
        0 => format!("{}.{:02}", raw / 100, (raw % 100).abs()),
        1 => raw.to_string(),
        2 => format!("{}e{}", raw / 1_000_000_000_000, raw % 30),
        3 => format!("{:04}-{:02}-{:02}", (raw / 7).rem_euclid(9999), raw.rem_euclid(13), raw.rem_euclid(31)),
        4 => format!("2024-02-{:02} {:02}:00:00.{}", raw.rem_euclid(29), raw.rem_euclid(24), raw.unsigned_abs()),
        5 => format!("{:02}:{:02}:{:02}", raw.rem_euclid(25), raw.rem_euclid(61), raw.rem_euclid(60)),
        _ => ["true", "f", "NaN", "-Infinity", "1.50", "2024-01-01T00:00:00+05:30", "ü"][raw.rem_euclid(7) as usize]
            .into(),
    };
    let bytes = |raw: &i128| if raw % 2 == 0 { text(raw).into_bytes() } else { raw.to_le_bytes().to_vec() };
    match data_type {
        DataType::Boolean => Arc::new(raw.iter().map(|raw| Some(raw & 1 == 1)).collect::<BooleanArray>()),
        DataType::Int8 => of!(Int8Type, |raw| *raw as i8),
        DataType::Int16 => of!(Int16Type, |raw| *raw as i16),
        DataType::Int32 => of!(Int32Type, |raw| *raw as i32),
        DataType::Int64 => of!(Int64Type, |raw| *raw as i64),
        DataType::UInt8 => of!(UInt8Type, |raw| *raw as u8),
        DataType::UInt16 => of!(UInt16Type, |raw| *raw as u16),
        DataType::UInt32 => of!(UInt32Type, |raw| *raw as u32),
        DataType::UInt64 => of!(UInt64Type, |raw| *raw as u64),
        DataType::Float16 => {
            let wide = column(&DataType::Float32, raw);
            arrow_cast::cast(&wide, &DataType::Float16).unwrap()
        }
        // Numbers and their hundredths, and any bits.
        DataType::Float32 => of!(Float32Type, |raw| match raw % 3 {
            0 => *raw as f32,
            1 => *raw as i32 as f32 / 100.0,
            _ => f32::from_bits(*raw as u32),
        }),
        DataType::Float64 => of!(Float64Type, |raw| match raw % 3 {
            0 => *raw as f64,
            1 => *raw as i64 as f64 / 100.0,
            _ => f64::from_bits(*raw as u64),
        }),
        DataType::Utf8 => Arc::new(StringArray::from_iter_values(raw.iter().map(text))),
        DataType::LargeUtf8 | DataType::Utf8View => arrow_cast::cast(&column(&DataType::Utf8, raw), data_type).unwrap(),
        DataType::Binary => Arc::new(BinaryArray::from_iter_values(raw.iter().map(bytes))),
        DataType::LargeBinary | DataType::BinaryView => {
            arrow_cast::cast(&column(&DataType::Binary, raw), data_type).unwrap()
        }
        DataType::FixedSizeBinary(_) => {
            Arc::new(FixedSizeBinaryArray::try_from_iter(raw.iter().map(|raw| raw.to_be_bytes())).unwrap())
        }
        // Also values that have more digits than their precision.
        DataType::Decimal32(..) => of!(Decimal32Type, |raw| *raw as i32),
        DataType::Decimal64(..) => of!(Decimal64Type, |raw| *raw as i64),
        DataType::Decimal128(..) => of!(Decimal128Type, |raw| *raw),
        DataType::Decimal256(..) => of!(Decimal256Type, |raw| match raw % 2 {
            0 => i256::from_i128(*raw),
            _ => i256::from_i128(*raw).wrapping_mul(i256::from_i128(10).wrapping_pow(38)),
        }),
        DataType::Date32 => of!(Date32Type, |raw| *raw as i32),
        DataType::Date64 => of!(Date64Type, |raw| (*raw as i64).checked_mul(86_400_000).unwrap_or(*raw as i64)),
        DataType::Time32(TimeUnit::Second) => of!(Time32SecondType, |raw| raw.rem_euclid(86_400) as i32),
        DataType::Time32(_) => of!(Time32MillisecondType, |raw| raw.rem_euclid(86_400_000) as i32),
        DataType::Time64(TimeUnit::Microsecond) => {
            of!(Time64MicrosecondType, |raw| raw.rem_euclid(86_400_000_000) as i64)
        }
        DataType::Time64(_) => of!(Time64NanosecondType, |raw| raw.rem_euclid(86_400_000_000_000) as i64),
        DataType::Timestamp(..) | DataType::Duration(_) => {
            // Round ones too, such as midnights.
            let round = |raw: &i128| match raw % 3 {
                0 => *raw as i64,
                1 => (*raw as i64).wrapping_mul(1_000_000),
                _ => (raw % 20_000) as i64 * 86_400_000_000,
            };
            let counts = of_counts(raw.iter().map(round).collect());
            make_array(counts.to_data().into_builder().data_type(data_type.clone()).build().unwrap())
        }
        DataType::Interval(IntervalUnit::YearMonth) => of!(IntervalYearMonthType, |raw| *raw as i32),
        DataType::Interval(IntervalUnit::DayTime) => {
            of!(IntervalDayTimeType, |raw| IntervalDayTime { days: *raw as i32, milliseconds: (*raw >> 32) as i32 })
        }
        DataType::Interval(_) => of!(IntervalMonthDayNanoType, |raw| match raw % 2 {
            0 => IntervalMonthDayNano::new(0, 0, *raw as i64),
            _ => IntervalMonthDayNano::new(*raw as i32, (*raw >> 40) as i32, *raw as i64),
        }),
        other => panic!("{other}"),
    }
}

fn of_counts(counts: Vec<i64>) -> ArrayRef {
    Arc::new(PrimitiveArray::<Int64Type>::from(counts))
}

/// What the value of the only row means.
fn meaning(column: &ArrayRef) -> Meaning {
    let count = || {
        let counts = match column.data_type() {
            DataType::Date32 | DataType::Time32(_) => DataType::Int32,
            _ => DataType::Int64,
        };
        let bits = make_array(column.to_data().into_builder().data_type(counts.clone()).build().unwrap());
        match counts {
            DataType::Int32 => i128::from(bits.as_primitive::<Int32Type>().value(0)),
            _ => i128::from(bits.as_primitive::<Int64Type>().value(0)),
        }
    };
    let per = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    macro_rules! number {
        ($kind:ty) => {
            Meaning::Number(digits(&column.as_primitive::<$kind>().value(0).to_string(), 0))
        };
        ($kind:ty, $scale:expr) => {
            Meaning::Number(digits(&column.as_primitive::<$kind>().value(0).to_string(), i32::from(*$scale)))
        };
    }
    match column.data_type() {
        DataType::Boolean => Meaning::Number(u8::from(column.as_boolean().value(0)).to_string()),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        // Rust prints all digits that a float has.
        DataType::Float16 => Meaning::Number(all(f64::from(column.as_primitive::<Float16Type>().value(0)))),
        DataType::Float32 => Meaning::Number(all(f64::from(column.as_primitive::<Float32Type>().value(0)))),
        DataType::Float64 => Meaning::Number(all(column.as_primitive::<Float64Type>().value(0))),
        DataType::Decimal32(_, scale) => number!(Decimal32Type, scale),
        DataType::Decimal64(_, scale) => number!(Decimal64Type, scale),
        DataType::Decimal128(_, scale) => number!(Decimal128Type, scale),
        DataType::Decimal256(_, scale) => number!(Decimal256Type, scale),
        DataType::Utf8 => Meaning::Text(column.as_string::<i32>().value(0).to_owned()),
        DataType::LargeUtf8 => Meaning::Text(column.as_string::<i64>().value(0).to_owned()),
        DataType::Utf8View => Meaning::Text(column.as_string_view().value(0).to_owned()),
        DataType::Binary => Meaning::Bytes(column.as_binary::<i32>().value(0).to_owned()),
        DataType::LargeBinary => Meaning::Bytes(column.as_binary::<i64>().value(0).to_owned()),
        DataType::BinaryView => Meaning::Bytes(column.as_binary_view().value(0).to_owned()),
        DataType::FixedSizeBinary(_) => Meaning::Bytes(column.as_fixed_size_binary().value(0).to_owned()),
        DataType::Date32 => Meaning::Moment(count() * 86_400_000_000_000),
        DataType::Date64 => Meaning::Moment(count() * 1_000_000),
        DataType::Timestamp(unit, _) => Meaning::Moment(count() * per(unit)),
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Duration(unit) => {
            Meaning::Span(count() * per(unit))
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            Meaning::Interval(column.as_primitive::<IntervalYearMonthType>().value(0), 0, 0)
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let value = column.as_primitive::<IntervalDayTimeType>().value(0);
            Meaning::Interval(0, value.days, i64::from(value.milliseconds) * 1_000_000)
        }
        DataType::Interval(_) => {
            let value = column.as_primitive::<IntervalMonthDayNanoType>().value(0);
            Meaning::Interval(value.months, value.days, value.nanoseconds)
        }
        other => panic!("{other}"),
    }
}

/// All decimal digits of a float.
fn all(value: f64) -> String {
    if value.is_finite() { digits(&format!("{value:.1080}"), 0) } else { value.to_string() }
}

/// A number without zeros at its ends; `text` counts 10^-`scale`.
fn digits(text: &str, scale: i32) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let text = match usize::try_from(scale) {
        Ok(0) => text.to_owned(),
        Ok(places) => {
            let text = format!("{text:0>width$}", width = places + 1);
            let (whole, fraction) = text.split_at(text.len() - places);
            format!("{whole}.{fraction}")
        }
        Err(_) => format!("{text}{}", "0".repeat(scale.unsigned_abs() as usize)),
    };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let text = text.trim_start_matches('0');
    let text = if text.starts_with('.') || text.is_empty() { format!("0{text}") } else { text.to_owned() };
    if text == "0" { text } else { format!("{sign}{text}") }
}

/// The digits of a number in text with an exponent; `None` where it is no number.
fn written(text: &str) -> Option<String> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let places = i32::try_from(fraction.len()).ok()? - exponent;
    Some(digits(&format!("{}{fraction}", whole.trim_start_matches('+')), places))
}

/// Whether the value that came out is the one that went in.
fn same(from: &ArrayRef, to: &ArrayRef) -> bool {
    use Meaning::{Bytes, Interval, Moment, Number, Span, Text};
    let (before, after) = (meaning(from), meaning(to));
    let float = |data_type: &DataType| data_type.is_floating();
    // What a float of this width is nearest to a number in decimal digits.
    let near = |digits: &str, width: &DataType| match width {
        // A half is shown as the single that it is.
        DataType::Float16 | DataType::Float32 => all(f64::from(digits.parse::<f32>().unwrap())),
        _ => all(digits.parse::<f64>().unwrap()),
    };
    match (&before, &after) {
        // A decimal and a float: each is what the other one stands for.
        (Number(a), Number(b)) if from.data_type().is_decimal() && float(to.data_type()) => {
            *to.data_type() == DataType::Float16 || near(a, to.data_type()) == *b
        }
        (Number(a), Number(b)) if float(from.data_type()) && to.data_type().is_decimal() => {
            near(b, from.data_type()) == *a
        }
        (Number(a), Text(b)) if float(from.data_type()) => near(b, from.data_type()) == *a,
        (Number(a), Text(b)) => match b.as_str() {
            "true" => a == "1",
            "false" => a == "0",
            _ => written(b).as_ref() == Some(a),
        },
        (Text(a), Number(b)) if float(to.data_type()) => {
            *to.data_type() == DataType::Float16 || near(a, to.data_type()) == *b
        }
        (Text(a), Number(b)) => match a.as_str() {
            "true" => b == "1",
            "f" => b == "0",
            _ => written(a).as_ref() == Some(b),
        },
        (Text(a), Bytes(b)) | (Bytes(b), Text(a)) => a.as_bytes() == b,
        (Moment(_) | Span(_) | Interval(..), Text(text)) => {
            // Read again, it is the same.
            let text: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
            let back = turn(&text, from.data_type(), Writing::Text);
            // Years before 0 and after 9999, spans and intervals are not read from text.
            back.map_or(true, |back| meaning(&back) == before)
        }
        (Text(text), Moment(_) | Span(_)) => {
            let text: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
            let shown = arrow_cast::cast(&text, to.data_type());
            // Arrow knows no zones by name here, and refuses some forms.
            shown.map_or(true, |shown| meaning(&shown) == after)
        }
        (Span(a), Interval(months, days, nanoseconds)) => (*months, *days, i128::from(*nanoseconds)) == (0, 0, *a),
        (Interval(months, days, nanoseconds), Span(b)) => (*months, *days, i128::from(*nanoseconds)) == (0, 0, *b),
        _ => before == after,
    }
}

/// What lies at the ends of types, or at the ends of what floats hold exactly.
fn extremes() -> Vec<i128> {
    let mut raw = vec![0, 1, -1, 2, 10, 100, 128, 255, 150, 65_504, 65_536, 86_400, 20_240_229, i128::MAX, i128::MIN];
    for bits in [7_u32, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64, 100] {
        raw.extend([(1_i128 << bits) - 1, 1 << bits, (1 << bits) + 1, -(1 << bits), -(1 << bits) - 1]);
    }
    raw.extend([10_i128.pow(9), 10_i128.pow(18), 10_i128.pow(37), 10_i128.pow(15) - 1, -10_i128.pow(12)]);
    raw
}

fn check(raw: &[i128]) -> (usize, usize) {
    let (types, mut exact, mut refused) = (types(), 0, 0);
    for from in &types {
        let whole = column(from, raw);
        for to in types.iter().filter(|to| *to != from && may_become(from, to)) {
            let mut fits = true;
            for row in 0..whole.len() {
                let one = arrow_cast::cast(&whole.slice(row, 1), from).unwrap();
                match turn(&one, to, Writing::Text) {
                    Ok(turned) => {
                        assert_eq!((turned.data_type(), turned.null_count()), (to, 0));
                        let [a, b] = [&one, &turned].map(meaning);
                        assert!(same(&one, &turned), "{from} {a:?} became {to} {b:?}");
                        exact += 1;
                    }
                    Err(_) => {
                        fits = false;
                        refused += 1;
                    }
                }
            }
            assert_eq!(turn(&whole, to, Writing::Text).is_ok(), fits, "{from} to {to}, all at once");
        }
    }
    (exact, refused)
}

#[test]
fn extreme_values_stay_or_are_refused() {
    let (exact, refused) = check(&extremes());
    assert!(exact > 10_000 && refused > 10_000, "{exact} exact, {refused} refused");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn random_values_stay_or_are_refused(raw in prop::collection::vec(prop_oneof![any::<i128>(), any::<i64>().prop_map(i128::from), any::<i16>().prop_map(i128::from)], 12)) {
        check(&raw);
    }
}
