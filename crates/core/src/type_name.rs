//! Arrow types by the names that people write: `int64`, `utf8`, `decimal128(15, 2)`, `timestamp[us, UTC]`.

use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};

use crate::{Error, ErrorKind, Result};

/// The names without parameters; the first name of a type is the one that is shown.
const NAMES: &[(&str, DataType)] = &[
    ("null", DataType::Null),
    ("bool", DataType::Boolean),
    ("boolean", DataType::Boolean),
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("int", DataType::Int64),
    ("uint8", DataType::UInt8),
    ("uint16", DataType::UInt16),
    ("uint32", DataType::UInt32),
    ("uint64", DataType::UInt64),
    ("float16", DataType::Float16),
    ("float32", DataType::Float32),
    ("float", DataType::Float32),
    ("float64", DataType::Float64),
    ("double", DataType::Float64),
    ("utf8", DataType::Utf8),
    ("text", DataType::Utf8),
    ("string", DataType::Utf8),
    ("str", DataType::Utf8),
    ("large_utf8", DataType::LargeUtf8),
    ("large_string", DataType::LargeUtf8),
    ("utf8_view", DataType::Utf8View),
    ("binary_view", DataType::BinaryView),
    ("binary", DataType::Binary),
    ("bytes", DataType::Binary),
    ("large_binary", DataType::LargeBinary),
    ("date32", DataType::Date32),
    ("date", DataType::Date32),
    ("date64", DataType::Date64),
    ("time32[s]", DataType::Time32(TimeUnit::Second)),
    ("time32[ms]", DataType::Time32(TimeUnit::Millisecond)),
    ("time64[us]", DataType::Time64(TimeUnit::Microsecond)),
    ("time", DataType::Time64(TimeUnit::Microsecond)),
    ("time64[ns]", DataType::Time64(TimeUnit::Nanosecond)),
    ("duration[s]", DataType::Duration(TimeUnit::Second)),
    ("duration[ms]", DataType::Duration(TimeUnit::Millisecond)),
    ("duration[us]", DataType::Duration(TimeUnit::Microsecond)),
    ("duration[ns]", DataType::Duration(TimeUnit::Nanosecond)),
    ("month_day_nano_interval", DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano)),
    ("interval", DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano)),
];

/// The units of timestamps and durations.
const UNITS: &[(&str, TimeUnit)] = &[
    ("s", TimeUnit::Second),
    ("ms", TimeUnit::Millisecond),
    ("us", TimeUnit::Microsecond),
    ("ns", TimeUnit::Nanosecond),
];

/// Types by column as their names, which tickets hold: a stranger's ticket nests none in another.
pub(crate) mod by_column {
    use std::collections::BTreeMap;

    use arrow_schema::DataType;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(types: &BTreeMap<String, DataType>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(types.iter().map(|(column, kind)| (column, super::format_type(kind))))
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<BTreeMap<String, DataType>, D::Error> {
        let names = BTreeMap::<String, String>::deserialize(from)?;
        let named = |(column, name): (String, String)| {
            super::parse_type(&name).map(|kind| (column, kind)).map_err(D::Error::custom)
        };
        names.into_iter().map(named).collect()
    }
}

/// The Arrow type of a name as people write it.
///
/// ```
/// use arrow_schema::{DataType, TimeUnit};
/// use bowshot_core::parse_type;
///
/// assert_eq!(parse_type("decimal128(15, 2)")?, DataType::Decimal128(15, 2));
/// assert_eq!(parse_type("timestamp[us]")?, DataType::Timestamp(TimeUnit::Microsecond, None));
/// assert!(parse_type("dezimal").is_err());
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn parse_type(name: &str) -> Result<DataType> {
    let compact: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    let lower = compact.to_ascii_lowercase();
    if let Some((_, data_type)) = NAMES.iter().find(|(known, _)| *known == lower) {
        return Ok(data_type.clone());
    }
    let unknown = || {
        Error::new(ErrorKind::Config, format!("there is no Arrow type \"{name}\"")).with_hint(
            "write one of bool, int8 to int64, uint8 to uint64, float32, float64, utf8, binary, date32, time64[us], \
             timestamp[us], timestamp[us, UTC], decimal128(precision, scale), decimal256(precision, scale)",
        )
    };
    if let Some(inside) = parameters(&lower, "decimal128", '(', ')').or_else(|| parameters(&lower, "decimal", '(', ')'))
    {
        let (precision, scale) = decimal(inside, 38).ok_or_else(unknown)?;
        return Ok(DataType::Decimal128(precision, scale));
    }
    if let Some(inside) = parameters(&lower, "decimal256", '(', ')') {
        let (precision, scale) = decimal(inside, 76).ok_or_else(unknown)?;
        return Ok(DataType::Decimal256(precision, scale));
    }
    // The zone keeps its letters' case: `Europe/Berlin`.
    let timestamp = parameters(&lower, "timestamp", '[', ']').and_then(|_| compact.get("timestamp[".len()..));
    if let Some(inside) = timestamp.and_then(|rest| rest.strip_suffix(']')) {
        let (unit, zone) = inside.split_once(',').map_or((inside, None), |(unit, zone)| (unit, Some(zone)));
        let zone = zone.map(|zone| zone.strip_prefix("tz=").unwrap_or(zone));
        let unit = UNITS.iter().find(|(known, _)| *known == unit).ok_or_else(unknown)?.1;
        return Ok(DataType::Timestamp(unit, zone.map(Arc::from)));
    }
    Err(unknown())
}

/// The name of an Arrow type, as [`parse_type`] reads it where it can.
pub fn format_type(data_type: &DataType) -> String {
    if let Some((name, _)) = NAMES.iter().find(|(_, known)| known == data_type) {
        return (*name).to_owned();
    }
    let unit_name = |unit: &TimeUnit| UNITS.iter().find(|(_, known)| known == unit).map_or("", |(name, _)| name);
    match data_type {
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, {zone}]", unit_name(unit)),
        DataType::Decimal128(precision, scale) => format!("decimal128({precision}, {scale})"),
        DataType::Decimal256(precision, scale) => format!("decimal256({precision}, {scale})"),
        DataType::FixedSizeBinary(length) => format!("fixed_size_binary[{length}]"),
        DataType::List(item) => format!("list<{}>", format_type(item.data_type())),
        DataType::Dictionary(_, value) => format!("dictionary<{}>", format_type(value)),
        DataType::Map(..) => "map".to_owned(),
        DataType::Struct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!("{}: {}", field.name(), format_type(field.data_type()))).collect();
            format!("struct<{}>", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// What stands between `open` and `close` after `name`.
fn parameters<'a>(text: &'a str, name: &str, open: char, close: char) -> Option<&'a str> {
    text.strip_prefix(name)?.strip_prefix(open)?.strip_suffix(close)
}

fn decimal(inside: &str, most: u8) -> Option<(u8, i8)> {
    let (precision, scale) = inside.split_once(',').unwrap_or((inside, "0"));
    let (precision, scale) = (precision.parse::<u8>().ok()?, scale.parse::<i8>().ok()?);
    let fits = (1..=most).contains(&precision) && u8::try_from(scale).is_ok_and(|scale| scale <= precision);
    fits.then_some((precision, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["int64", "utf8", "decimal128(38, 10)", "decimal256(76, 38)", "timestamp[us]", "time64[us]"] {
            assert_eq!(format_type(&parse_type(name).unwrap()), name);
        }
        assert_eq!(
            format_type(&parse_type("timestamp[ns, tz=Europe/Berlin]").unwrap()),
            "timestamp[ns, Europe/Berlin]"
        );
    }

    #[test]
    fn nonsense_is_refused_with_the_names_that_exist() {
        for name in ["", "decimal128(39, 0)", "decimal128(2, 3)", "timestamp[h]", "decimal256(,)", "int63"] {
            let error = parse_type(name).unwrap_err();
            assert!(error.hint().unwrap().contains("decimal128"), "{error}");
        }
    }
}
