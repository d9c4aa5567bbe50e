//! Ranges of a table's clustered key, and the ends of a column's values.

use bowshot_core::{Error, ErrorKind, Estimate, Options, Partition, Result, Value};
use bowshot_sql::{Dialect, Division, KeyRange, Part, Prepared, balanced_ranges, quote_identifier, splice};

use crate::describe::{self, Described};
use crate::session::Session;
use crate::snapshot;

/// A table with fewer rows is read by one connection: starting others takes longer.
const LEAST_ROWS: u64 = 50_000;
/// No partition is smaller than this.
const LEAST_ROWS_A_PARTITION: u64 = 8_192;
/// Partitions a connection, so that one that is done early finds more to do.
const PARTITIONS_A_CONNECTION: u64 = 8;
/// More partitions than this only cost.
const MOST_PARTITIONS: u64 = 256;

/// Functions, and types that look like them (`decimal(9, 2)`), whose result depends on nothing but their arguments.
const PURE: &[&str] = &[
    "abs",
    "acos",
    "ascii",
    "asin",
    "atan",
    "atn2",
    "bigint",
    "binary",
    "bit",
    "cast",
    "ceiling",
    "char",
    "charindex",
    "checksum",
    "choose",
    "coalesce",
    "concat",
    "concat_ws",
    "convert",
    "cos",
    "cot",
    "datalength",
    "date",
    "dateadd",
    "datediff",
    "datediff_big",
    "datefromparts",
    "datepart",
    "datetime2",
    "datetime2fromparts",
    "datetimefromparts",
    "datetimeoffset",
    "day",
    "dec",
    "decimal",
    "degrees",
    "difference",
    "eomonth",
    "exp",
    "float",
    "floor",
    "hashbytes",
    "iif",
    "int",
    "isjson",
    "isnull",
    "isnumeric",
    "json_query",
    "json_value",
    "left",
    "len",
    "log",
    "log10",
    "lower",
    "ltrim",
    "month",
    "nchar",
    "nullif",
    "numeric",
    "nvarchar",
    "parsename",
    "patindex",
    "pi",
    "power",
    "quotename",
    "radians",
    "real",
    "replace",
    "replicate",
    "reverse",
    "right",
    "round",
    "rtrim",
    "sign",
    "sin",
    "smallint",
    "soundex",
    "space",
    "sqrt",
    "square",
    "str",
    "stuff",
    "substring",
    "tan",
    "time",
    "timefromparts",
    "tinyint",
    "todatetimeoffset",
    "translate",
    "trim",
    "try_cast",
    "try_convert",
    "unicode",
    "upper",
    "varbinary",
    "varchar",
    "year",
];

/// How a query over one table is divided, on the server's own judgement of the table.
pub(crate) fn split(
    session: &mut Session,
    query: &Prepared,
    options: &Options,
    columns: &[Described],
) -> Result<Division> {
    let whole = |reason: String| Ok(Division::whole(query, reason));
    if options.workers() < 2 {
        return whole("only one connection is allowed".to_owned());
    }
    let (candidate, table) = match snapshot::table(query) {
        Ok(found) => found,
        Err(reason) => return whole(reason),
    };
    if let Some(function) = query
        .shape
        .functions
        .iter()
        .find(|function| function.0.len() > 1 || !PURE.contains(&function.last().to_ascii_lowercase().as_str()))
    {
        return whole(format!("{function} may not return the same each time"));
    }
    // Variables of the server, such as @@ROWCOUNT and @@SPID.
    if query.sql.contains("@@") {
        return whole("it reads a variable of the session".to_owned());
    }
    let Some(key) = Key::of(session, &table)? else {
        return whole(format!("{table} has no clustered index on whole numbers that are NOT NULL"));
    };
    if key.rows < LEAST_ROWS {
        return whole(format!("{table} has only about {} rows", key.rows));
    }
    let connections = u64::try_from(options.workers()).unwrap_or(1);
    let count = (connections * PARTITIONS_A_CONNECTION).min(MOST_PARTITIONS);
    let ranges =
        balanced_ranges(count, LEAST_ROWS_A_PARTITION, |from, offset| key.after(session, &table, from, offset))?;
    if ranges.len() < 2 {
        return whole(format!("the keys of {table} leave nothing to split"));
    }
    let part = |range: &KeyRange| {
        let slice = format!("(SELECT * FROM {table} WHERE {})", key.condition(range));
        Part {
            sql: splice(&query.sql, candidate, &slice),
            values: query.values.clone(),
            partition: Partition { label: key.label(range), rows: Some(range.rows) },
        }
    };
    let parts: Vec<Part> = ranges.iter().map(part).collect();
    // Hints behind the table's name, columns that `*` does not show: whatever it is, the server then says no.
    if let Some(part) = parts.first() {
        match describe::ask(session, &part.sql, &part.values) {
            Ok(found) if found == columns => {}
            Ok(_) => return whole(format!("a slice of {table} has other columns")),
            Err(error) if error.kind() == ErrorKind::Sql => {
                return whole(format!("a slice of {table} cannot stand for it ({})", error.message()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Division {
        parts,
        reason: format!("{table} is split by its clustered key {}", key.name),
        estimate: Estimate { rows: Some(key.rows), bytes: None },
    })
}

/// The first column of a table's clustered index.
struct Key {
    name: String,
    /// In quotes.
    quoted: String,
    /// The lowest and highest number that its type has.
    low: i64,
    high: i64,
    /// About how many rows the table has.
    rows: u64,
}

impl Key {
    fn of(session: &mut Session, table: &str) -> Result<Option<Key>> {
        const KEY: &str = "SELECT c.name, c.system_type_id, (SELECT SUM(p.rows) FROM sys.partitions p \
             WHERE p.object_id = i.object_id AND p.index_id = i.index_id) \
             FROM sys.indexes i \
             JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal = 1 \
             JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id \
             WHERE i.object_id = OBJECT_ID(@P1) AND i.type = 1 AND c.is_nullable = 0";
        let rows = session.rows(KEY, &[Value::Text(table.to_owned())])?;
        let Some([Value::Text(name), Value::Int(id), Value::Int(rows)]) = rows.first().map(Vec::as_slice) else {
            return Ok(None);
        };
        let (low, high) = match id {
            48 => (0, i64::from(u8::MAX)),
            52 => (i64::from(i16::MIN), i64::from(i16::MAX)),
            56 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            127 => (i64::MIN, i64::MAX),
            _ => return Ok(None),
        };
        let quoted = quote_identifier(name, Dialect::SqlServer);
        Ok(Some(Key { name: name.clone(), quoted, low, high, rows: u64::try_from(*rows).unwrap_or(0) }))
    }

    /// The key `offset` rows after the first one that is at least `from`.
    fn after(&self, session: &mut Session, table: &str, from: i64, offset: i64) -> Result<Option<i64>> {
        if from > self.high {
            return Ok(None);
        }
        // A literal has the smallest type that holds it, so that the index is used as it is.
        let (key, from) = (&self.quoted, from.max(self.low));
        let sql = format!(
            "SELECT {key} FROM {table} WHERE {key} >= {from} ORDER BY {key} OFFSET {offset} ROWS FETCH NEXT 1 ROWS ONLY"
        );
        match session.value(&sql, &[])? {
            Value::Int(key) => Ok(Some(key)),
            _ => Ok(None),
        }
    }

    /// What is true of the rows of a range; the first and the last one have no end.
    fn condition(&self, range: &KeyRange) -> String {
        let key = &self.quoted;
        match (range.first <= self.low, range.last >= self.high) {
            (true, _) => format!("{key} <= {}", range.last.min(self.high)),
            (false, true) => format!("{key} >= {}", range.first),
            (false, false) => format!("{key} >= {} AND {key} <= {}", range.first, range.last),
        }
    }

    fn label(&self, range: &KeyRange) -> String {
        let name = &self.name;
        match (range.first <= self.low, range.last >= self.high) {
            (true, _) => format!("{name} up to {}", range.last),
            (false, true) => format!("{name} from {}", range.first),
            (false, false) => format!("{name} from {} to {}", range.first, range.last),
        }
    }
}

/// The lowest and the highest value of a column, rounded outwards to whole numbers; `None` where there is but NULL.
pub(crate) fn ends(session: &mut Session, sql: &str, values: &[Value]) -> Result<Option<(i128, i128)>> {
    let rows = session.rows(sql, values)?;
    match rows.first().map(Vec::as_slice) {
        Some([Value::Null, _] | [_, Value::Null]) | None => Ok(None),
        Some([low, high]) => match (whole(low, false), whole(high, true)) {
            (Some(low), Some(high)) => Ok(Some((low, high))),
            _ => Err(Error::new(
                ErrorKind::Unsupported,
                "the column to partition on holds no numbers, or too great ones",
            )
            .with_hint("partition on a column of whole numbers")),
        },
        Some(_) => Err(crate::error::broken("the ends of a column are not two values")),
    }
}

/// A number, rounded to a whole one.
fn whole(value: &Value, up: bool) -> Option<i128> {
    let text = match value {
        Value::Int(number) => return Some(i128::from(*number)),
        Value::Text(text) => text,
        _ => return None,
    };
    if text.contains(['e', 'E']) {
        let number: f64 = text.parse().ok()?;
        let rounded = if up { number.ceil() } else { number.floor() };
        // 2^63 itself is the first double that is too large.
        let limit = 2_f64.powi(63);
        #[expect(clippy::cast_possible_truncation, reason = "a whole number within the range")]
        return (-limit..limit).contains(&rounded).then_some(rounded as i128);
    }
    let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: i128 = digits.parse().ok()?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exact = fraction.bytes().all(|byte| byte == b'0');
    let negative = digits.starts_with('-');
    Some(match (exact, negative, up) {
        (false, true, false) => number - 1,
        (false, false, true) => number + 1,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_outwards() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (value, low, high) in [
            (Value::Int(7), Some(7), Some(7)),
            (text("1.50"), Some(1), Some(2)),
            (text("-1.50"), Some(-2), Some(-1)),
            (text("-0.5"), Some(-1), Some(0)),
            (text("3.00"), Some(3), Some(3)),
            (text("1e3"), Some(1000), Some(1000)),
            (text("1e300"), None, None),
            (text("2024-01-01"), None, None),
            (text("inf"), None, None),
        ] {
            assert_eq!((whole(&value, false), whole(&value, true)), (low, high), "{value:?}");
        }
    }

    #[test]
    fn ranges_cover_every_key() {
        let key = Key { name: "k".into(), quoted: "[k]".into(), low: 0, high: 255, rows: 0 };
        let of = |first, last| key.condition(&KeyRange { first, last, rows: 0 });
        assert_eq!(of(i64::MIN, 9), "[k] <= 9");
        assert_eq!(of(10, 19), "[k] >= 10 AND [k] <= 19");
        assert_eq!(of(20, i64::MAX), "[k] >= 20");
        assert_eq!(of(i64::MIN, i64::MAX), "[k] <= 255");
    }
}
