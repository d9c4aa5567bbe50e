//! Partitions as the user asks for them: ranges of a column of the result.

use bowshot_core::{Error, ErrorKind, Result, Value};
use bowshot_sql::{Dialect, quote_identifier};

use crate::describe::Column;
use crate::handle::Database;
use crate::plan::{Bound, Part};

/// The partitions of a query by `count` equal ranges of `name`.
///
/// With a `range`, rows outside it are not read, as in ConnectorX. Without one, the ranges reach from the lowest key to
/// the highest, and rows whose key is NULL are a partition of their own, the last.
pub(crate) fn split(
    database: &Database,
    bound: &Bound,
    columns: &[Column],
    name: &str,
    count: usize,
    range: Option<(i64, i64)>,
) -> Result<Vec<Part>> {
    let Some(column) = columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)) else {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        return Err(Error::new(ErrorKind::Config, format!("the result has no column \"{name}\" to partition on"))
            .with_column(name)
            .with_hint(format!("its columns are {}", names.join(", "))));
    };
    if count == 0 {
        return Err(Error::new(ErrorKind::Config, "a result cannot be split into 0 partitions")
            .with_column(name)
            .with_hint("ask for at least 1"));
    }
    let key = quote_identifier(&column.name, Dialect::Sqlite);
    let query = &bound.sql;
    let part = |condition: String, label: String| Part {
        sql: format!("SELECT * FROM ({query}) WHERE {condition}"),
        label,
        rows: None,
    };
    let bounds = match range {
        Some((low, high)) if low > high => {
            return Err(Error::new(ErrorKind::Config, format!("the range from {low} to {high} is empty"))
                .with_column(name)
                .with_hint("give the lower end first"));
        }
        Some(bounds) => Some(bounds),
        None => lowest_and_highest(database, bound, &key, name)?,
    };
    let mut parts = Vec::new();
    if let Some((low, high)) = bounds {
        for (from, to) in cuts(low, high, count) {
            // The last range includes its end, so that the highest number there is has a place.
            let (less, end) = if to == i128::from(high) + 1 { ("<=", i128::from(high)) } else { ("<", to) };
            parts.push(part(
                format!("{key} >= {from} AND {key} {less} {end}"),
                format!("{} from {from} to {less} {end}", column.name),
            ));
        }
    }
    if range.is_none() {
        parts.push(part(format!("{key} IS NULL"), format!("{} is NULL", column.name)));
    }
    Ok(parts)
}

/// The ends of the keys; `None` where there are none but NULL.
fn lowest_and_highest(database: &Database, bound: &Bound, key: &str, name: &str) -> Result<Option<(i64, i64)>> {
    let sql = format!("SELECT min({key}), max({key}) FROM ({})", bound.sql);
    let rows = database.rows(&sql, &bound.values)?;
    let (low, high) = match rows.first().map(Vec::as_slice) {
        Some([low, high]) => (low, high),
        _ => return Ok(None),
    };
    match (whole(low, f64::floor), whole(high, f64::ceil)) {
        _ if *low == Value::Null => Ok(None),
        (Some(low), Some(high)) => Ok(Some((low, high))),
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

/// At most `count` ranges from `low` to `high`, each from its first number to the one after its last.
fn cuts(low: i64, high: i64, count: usize) -> Vec<(i128, i128)> {
    let (low, end) = (i128::from(low), i128::from(high) + 1);
    let count = i128::try_from(count).unwrap_or(i128::MAX).min(end - low);
    let cut = |index: i128| low + (end - low) * index / count;
    (0..count).map(|index| (cut(index), cut(index + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_cover_every_number_once() {
        for (low, high, count) in [(0, 9, 3), (5, 5, 4), (i64::MIN, i64::MAX, 7), (-3, 3, 7), (1, 2, 1)] {
            let cuts = cuts(low, high, count);
            assert!(cuts.len() <= count);
            assert_eq!(cuts[0].0, i128::from(low));
            assert_eq!(cuts[cuts.len() - 1].1, i128::from(high) + 1);
            assert!(cuts.windows(2).all(|pair| pair[0].1 == pair[1].0));
            assert!(cuts.iter().all(|(from, to)| from < to));
        }
    }
}
