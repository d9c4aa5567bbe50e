//! Times as text, whatever they count.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType};
use arrow_array::{ArrayRef, StringArray, new_null_array};
use arrow_schema::{DataType, TimeUnit};

/// A column of times as text.
pub(super) fn text(column: &ArrayRef) -> ArrayRef {
    macro_rules! of {
        ($kind:ty, $unit:expr) => {
            Arc::new(
                column
                    .as_primitive::<$kind>()
                    .iter()
                    .map(|count| Some(time(i64::from(count?), $unit)))
                    .collect::<StringArray>(),
            )
        };
    }
    match column.data_type() {
        DataType::Time32(TimeUnit::Second) => of!(Time32SecondType, TimeUnit::Second),
        DataType::Time32(_) => of!(Time32MillisecondType, TimeUnit::Millisecond),
        DataType::Time64(TimeUnit::Nanosecond) => of!(Time64NanosecondType, TimeUnit::Nanosecond),
        DataType::Time64(_) => of!(Time64MicrosecondType, TimeUnit::Microsecond),
        _ => new_null_array(&DataType::Utf8, column.len()),
    }
}

/// A time that counts so many of a unit: 24:00:00, -00:00:01.500.
pub(super) fn time(count: i64, unit: TimeUnit) -> String {
    let per_second: u64 = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let size = count.unsigned_abs();
    let (seconds, fraction) = (size / per_second, size % per_second * (1_000_000_000 / per_second));
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let mut text = if count < 0 { "-".to_owned() } else { String::new() };
    // As many digits as chrono gives the other times: none, 3, 6 or 9.
    let written = match fraction {
        0 => write!(text, "{hours:02}:{minutes:02}:{seconds:02}"),
        _ if fraction % 1_000_000 == 0 => {
            write!(text, "{hours:02}:{minutes:02}:{seconds:02}.{:03}", fraction / 1_000_000)
        }
        _ if fraction % 1_000 == 0 => write!(text, "{hours:02}:{minutes:02}:{seconds:02}.{:06}", fraction / 1_000),
        _ => write!(text, "{hours:02}:{minutes:02}:{seconds:02}.{fraction:09}"),
    };
    debug_assert!(written.is_ok());
    text
}
