//! Between which numbers the values of a column lie that the user splits by.

use bowshot_core::{Error, ErrorKind, Result, Value};

use crate::handle::Database;

/// The ends of the keys, rounded outwards, by SQL that asks for the lowest and the highest; `None` where there are none
/// but NULL.
pub(crate) fn ends(database: &Database, sql: &str, values: &[Value], name: &str) -> Result<Option<(i128, i128)>> {
    let rows = database.rows(sql, values)?;
    let (low, high) = match rows.first().map(Vec::as_slice) {
        Some([low, high]) => (low, high),
        _ => return Ok(None),
    };
    match (whole(low, f64::floor), whole(high, f64::ceil)) {
        _ if *low == Value::Null => Ok(None),
        (Some(low), Some(high)) => Ok(Some((low.into(), high.into()))),
        // In SQLite's order, text and BLOBs come after all numbers: one of them anywhere is the highest.
        _ => Err(Error::new(
            ErrorKind::Unsupported,
            format!("column \"{name}\" holds other values than numbers, or greater ones than 64 bits"),
        )
        .with_column(name)
        .with_hint("partition on a column of whole numbers")),
    }
}

fn whole(value: &Value, rounded: fn(f64) -> f64) -> Option<i64> {
    // 2^63 itself is the first double that is too large.
    let limit = 2_f64.powi(63);
    match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) if (-limit..limit).contains(&rounded(*value)) =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number within the range")]
            Some(rounded(*value) as i64)
        }
        _ => None,
    }
}
