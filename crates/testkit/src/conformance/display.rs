//! Arrow values as the cases write them: one exact text for each value, easy to produce in any language.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, DurationMicrosecondType, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalMonthDayNanoType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

/// A cell as the cases write it.
pub fn display(array: &ArrayRef, row: usize) -> String {
    match text(array, row) {
        // Text that could be taken for something else.
        Some(text) if text == "null" || text.starts_with('"') => quoted(text),
        Some(text) => text.to_owned(),
        None => nested(array, row),
    }
}

/// The text in a cell of text.
fn text(array: &ArrayRef, row: usize) -> Option<&str> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            text(dictionary.values(), dictionary.normalized_keys().get(row).copied()?)
        }
        _ => None,
    }
}

/// A cell as it stands inside others.
fn nested(array: &ArrayRef, row: usize) -> String {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return "null".into();
    }
    macro_rules! number {
        ($arrow:ty) => {
            array.as_primitive::<$arrow>().value(row)
        };
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int8 => number!(Int8Type).to_string(),
        DataType::Int16 => number!(Int16Type).to_string(),
        DataType::Int32 => number!(Int32Type).to_string(),
        DataType::Int64 => number!(Int64Type).to_string(),
        DataType::UInt8 => number!(UInt8Type).to_string(),
        DataType::UInt16 => number!(UInt16Type).to_string(),
        DataType::UInt32 => number!(UInt32Type).to_string(),
        DataType::UInt64 => number!(UInt64Type).to_string(),
        // The shortest digits that stand for the value, always with a point or an exponent.
        DataType::Float32 => format!("{:?}", number!(Float32Type)),
        DataType::Float64 => format!("{:?}", number!(Float64Type)),
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().value_as_string(row),
        DataType::Decimal256(..) => array.as_primitive::<Decimal256Type>().value_as_string(row),
        DataType::Binary => hexadecimal(array.as_binary::<i32>().value(row)),
        DataType::FixedSizeBinary(_) => hexadecimal(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => date(number!(Date32Type).into()),
        DataType::Time32(unit) | DataType::Time64(unit) => time(count(array, row), unit),
        DataType::Timestamp(unit, zone) => {
            let (count, day) = (count(array, row), 86_400 * a_second(unit));
            let (day, rest) = (count.div_euclid(day), count.rem_euclid(day));
            format!("{} {}{}", date(day), time(rest, unit), if zone.is_some() { "Z" } else { "" })
        }
        DataType::Duration(TimeUnit::Microsecond) => format!("{} us", number!(DurationMicrosecondType)),
        DataType::Interval(_) => {
            let interval = number!(IntervalMonthDayNanoType);
            format!("{} months {} days {} ns", interval.months, interval.days, interval.nanoseconds)
        }
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let member = |(name, column): (&str, &ArrayRef)| format!("{name}: {}", nested(column, row));
            let names = fields.iter().map(|field| field.name().as_str());
            format!("{{{}}}", names.zip(columns).map(member).collect::<Vec<_>>().join(", "))
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let (keys, values) = (entries.column(0), entries.column(1));
            let entry = |row| format!("{}: {}", nested(keys, row), nested(values, row));
            format!("{{{}}}", (0..entries.len()).map(entry).collect::<Vec<_>>().join(", "))
        }
        other => text(array, row).map_or_else(|| format!("a value of {other}"), quoted),
    }
}

fn list(items: &ArrayRef) -> String {
    let items: Vec<String> = (0..items.len()).map(|item| nested(items, item)).collect();
    format!("[{}]", items.join(", "))
}

/// As JSON quotes it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Microseconds of a day.
/// The date of a count of days since 1970-01-01; the year before year 1 is 0.
fn date(days: i64) -> String {
    // Years begin in March here, so that the leap day comes last; an era is 400 years.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let year = year + 400 * era;
    format!("{}{:04}-{month:02}-{day:02}", if year < 0 { "-" } else { "" }, year.abs())
}

/// The time of a count of units since midnight, without zeros at its end.
fn time(count: i64, unit: &TimeUnit) -> String {
    let (seconds, fraction) = (count / a_second(unit), count % a_second(unit));
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let nanoseconds = fraction * (1_000_000_000 / a_second(unit));
    if fraction == 0 { whole } else { format!("{whole}.{nanoseconds:09}").trim_end_matches('0').to_owned() }
}

/// How many units a second has.
fn a_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// The number under a time or a timestamp.
fn count(array: &ArrayRef, row: usize) -> i64 {
    let data = array.to_data();
    let row = data.offset() + row;
    let narrow = matches!(array.data_type(), DataType::Time32(_));
    data.buffers().first().map_or(0, |buffer| match narrow {
        true => buffer.typed_data::<i32>().get(row).map_or(0, |count| (*count).into()),
        false => buffer.typed_data::<i64>().get(row).copied().unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_at_the_ends() {
        for (days, text) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (-719_528, "0000-01-01"), (-719_529, "-0001-12-31")]
        {
            assert_eq!(date(days), text);
        }
    }
}
