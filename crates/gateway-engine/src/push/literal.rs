//! Values as literals that a database reads back exactly.

use arrow_array::temporal_conversions::{
    date32_to_datetime, timestamp_ms_to_datetime, timestamp_s_to_datetime, timestamp_us_to_datetime,
};
use bowshot_gateway_catalog::Dialect;
use datafusion::common::ScalarValue;

/// A whole number.
pub(super) fn whole(value: &ScalarValue) -> Option<String> {
    Some(match value {
        ScalarValue::Int8(value) => (*value)?.to_string(),
        ScalarValue::Int16(value) => (*value)?.to_string(),
        ScalarValue::Int32(value) => (*value)?.to_string(),
        ScalarValue::Int64(value) => (*value)?.to_string(),
        ScalarValue::UInt8(value) => (*value)?.to_string(),
        ScalarValue::UInt16(value) => (*value)?.to_string(),
        ScalarValue::UInt32(value) => (*value)?.to_string(),
        ScalarValue::UInt64(value) => (*value)?.to_string(),
        _ => return None,
    })
}

/// A decimal, with all of its digits.
pub(super) fn decimal(value: &ScalarValue) -> Option<String> {
    match value {
        ScalarValue::Decimal128(value, _, scale) => Some(placed(&(*value)?.to_string(), *scale)?),
        ScalarValue::Decimal256(value, _, scale) => Some(placed(&(*value)?.to_string(), *scale)?),
        _ => None,
    }
}

/// The digits with a point before the last `scale` of them.
fn placed(digits: &str, scale: i8) -> Option<String> {
    let scale = usize::try_from(scale).ok()?;
    if scale == 0 {
        return Some(digits.to_owned());
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at_checked(padded.len() - scale)?;
    Some(format!("{sign}{whole}.{fraction}"))
}

/// A date of the years 1 to 9999, which all databases write alike.
pub(super) fn date(value: &ScalarValue) -> Option<String> {
    let ScalarValue::Date32(Some(days)) = value else { return None };
    let text = date32_to_datetime(*days)?.date().to_string();
    usual(&text).then(|| format!("DATE '{text}'"))
}

/// A timestamp without a time zone, to the microsecond.
pub(super) fn timestamp(value: &ScalarValue) -> Option<String> {
    let (text, zone) = instant(value)?;
    zone.is_none().then(|| format!("TIMESTAMP '{text}'"))
}

/// An instant, as PostgreSQL's `timestamptz`.
pub(super) fn timestamp_with_zone(value: &ScalarValue) -> Option<String> {
    let (text, zone) = instant(value)?;
    zone.is_some().then(|| format!("TIMESTAMPTZ '{text}+00'"))
}

/// The instant in UTC, and the zone that it is shown in.
fn instant(value: &ScalarValue) -> Option<(String, Option<&str>)> {
    let (time, zone) = match value {
        ScalarValue::TimestampSecond(value, zone) => (timestamp_s_to_datetime((*value)?), zone),
        ScalarValue::TimestampMillisecond(value, zone) => (timestamp_ms_to_datetime((*value)?), zone),
        ScalarValue::TimestampMicrosecond(value, zone) => (timestamp_us_to_datetime((*value)?), zone),
        // Databases would round what is finer.
        ScalarValue::TimestampNanosecond(value, zone) if (*value)? % 1000 == 0 => {
            (timestamp_us_to_datetime((*value)? / 1000), zone)
        }
        _ => return None,
    };
    let text = time?.to_string();
    usual(&text).then_some((text, zone.as_deref()))
}

/// Whether it begins with a year from 0001 to 9999.
fn usual(text: &str) -> bool {
    text.as_bytes().get(4) == Some(&b'-') && text.get(..4).is_some_and(|year| year > "0000" && year <= "9999")
}

/// A text, for PostgreSQL.
pub(super) fn text(value: &ScalarValue, dialect: Dialect) -> Option<String> {
    let (ScalarValue::Utf8(Some(text)) | ScalarValue::LargeUtf8(Some(text)) | ScalarValue::Utf8View(Some(text))) =
        value
    else {
        return None;
    };
    let plain = dialect == Dialect::Postgres && !text.contains('\0');
    plain.then(|| bowshot_sql::quote_literal(text, bowshot_sql::Dialect::Postgres))
}

/// A truth value.
pub(super) fn truth(value: &ScalarValue) -> Option<String> {
    match value {
        ScalarValue::Boolean(Some(value)) => Some(if *value { "TRUE" } else { "FALSE" }.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        for (value, scale, text) in [(1250, 2, "12.50"), (-5, 2, "-0.05"), (7, 0, "7"), (-123, 3, "-0.123")] {
            assert_eq!(decimal(&ScalarValue::Decimal128(Some(value), 20, scale)).as_deref(), Some(text));
        }
        assert_eq!(decimal(&ScalarValue::Decimal128(Some(5), 5, -2)), None);
    }

    #[test]
    fn times_beyond_the_usual_years_are_not_written() {
        let second = |value| ScalarValue::TimestampSecond(Some(value), None);
        assert_eq!(timestamp(&second(0)).as_deref(), Some("TIMESTAMP '1970-01-01 00:00:00'"));
        assert_eq!(timestamp(&second(253_402_300_800)), None);
        assert_eq!(timestamp(&second(-62_135_596_801)), None);
        assert_eq!(date(&ScalarValue::Date32(Some(10471))).as_deref(), Some("DATE '1998-09-02'"));
        assert_eq!(date(&ScalarValue::Date32(Some(i32::MAX))), None);
        let fine = ScalarValue::TimestampNanosecond(Some(1), None);
        assert_eq!(timestamp(&fine), None);
        let zoned = ScalarValue::TimestampMicrosecond(Some(1_500_000), Some("Europe/Berlin".into()));
        assert_eq!(timestamp_with_zone(&zoned).as_deref(), Some("TIMESTAMPTZ '1970-01-01 00:00:01.500+00'"));
        assert_eq!(timestamp(&zoned), None);
    }

    proptest! {
        #[test]
        fn no_value_is_too_odd_to_be_looked_at(value: i64, days: i32, digits: i128, scale: i8) {
            let _ = timestamp(&ScalarValue::TimestampMillisecond(Some(value), None));
            let _ = timestamp(&ScalarValue::TimestampNanosecond(Some(value), None));
            let _ = date(&ScalarValue::Date32(Some(days)));
            let _ = decimal(&ScalarValue::Decimal128(Some(digits), 38, scale));
        }
    }
}
