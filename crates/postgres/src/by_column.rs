//! Splits a query as its user says: equal ranges of one column.

use bowshot_core::{Error, ErrorKind, Estimate, Partition, Result};
use bowshot_sql::{Dialect, quote_identifier};
use postgres_types::Type;

use crate::catalog::cell;
use crate::connect::Session;
use crate::division::Division;
use crate::prepared::Prepared;
use crate::types::Described;

/// Values beyond this belong to the open-ended ranges; so far from `i128`'s ends that no cut overflows.
const FARTHEST: i128 = 1 << 96;

/// More ranges than this would burden the plan.
const MOST_RANGES: i128 = 1 << 16;

/// How a column's values are counted, so that ranges of them can be of equal length.
enum Scale {
    /// By their own value.
    Number,
    /// By this SQL expression of a whole number (`{}` stands for the value), and back by the other one.
    Counted(&'static str, &'static str),
}

impl Scale {
    fn of(column: &Described) -> Option<Self> {
        let builtin = Type::from_oid(column.oid)?;
        Some(match builtin {
            Type::INT2 | Type::INT4 | Type::INT8 | Type::OID | Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC => {
                Scale::Number
            }
            Type::DATE => Scale::Counted("({} - date '1970-01-01')", "(date '1970-01-01' + ({})::int4)"),
            // From the year 2000 on, so that the seconds up to the last timestamp fit an interval.
            Type::TIMESTAMP => Scale::Counted(
                "extract(epoch FROM {})",
                "(timestamp '2000-01-01' + (({}) - 946684800) * interval '1 second')",
            ),
            Type::TIMESTAMPTZ => Scale::Counted("extract(epoch FROM {})", "pg_catalog.to_timestamp({})"),
            _ => return None,
        })
    }

    /// A value as a whole number, in SQL.
    fn count(&self, value: &str) -> String {
        match self {
            Scale::Number => value.to_owned(),
            Scale::Counted(count, _) => count.replace("{}", value),
        }
    }

    /// The value of a whole number, in SQL.
    fn value(&self, number: i128) -> String {
        match self {
            Scale::Number => format!("({number})::pg_catalog.numeric"),
            Scale::Counted(_, value) => value.replace("{}", &number.to_string()),
        }
    }
}

/// Divides the result into `count` ranges of `column`.
///
/// Without a range the first and the last one are open-ended and NULLs have a partition of their own, so that no row
/// is lost. With a range only the rows within it are read, both ends included, as in ConnectorX.
pub(crate) fn divide(
    session: &mut Session,
    query: &Prepared,
    described: &[Described],
    column: &str,
    count: usize,
    range: Option<(i64, i64)>,
) -> Result<Division> {
    let sql = &query.sql;
    let found = described.iter().filter(|candidate| candidate.name == column).collect::<Vec<_>>();
    let [described] = found.as_slice() else {
        let what = if found.is_empty() { "is not in the result" } else { "is in the result more than once" };
        return Err(config(column, format!("the partition column \"{column}\" {what}")));
    };
    if !query.params.is_empty() || !query.shape.read {
        return Err(config(column, "a query with parameters cannot be split by a column".into())
            .with_hint("leave partition_on out; Bowshot splits by itself where it can"));
    }
    let scale = Scale::of(described).ok_or_else(|| {
        config(column, format!("the partition column \"{column}\" is neither a number nor a date or timestamp"))
            .with_hint("leave partition_on out: Bowshot splits by itself, by pages, whatever the types")
    })?;
    let name = quote_identifier(column, Dialect::Postgres);
    let from = format!("FROM ({sql}\n) AS bowshot");
    let (low, high) = match range {
        Some((low, high)) => (i128::from(low), i128::from(high)),
        None => match bounds(session, &scale, &name, &from)? {
            Some(bounds) => bounds,
            None => return Ok(Division::whole(sql, format!("{column} is NULL in every row or has no finite range"))),
        },
    };
    if low > high {
        return Err(config(column, format!("the range of \"{column}\" begins at {low}, after its end at {high}")));
    }
    let count = i128::try_from(count.max(1)).unwrap_or(MOST_RANGES).min(MOST_RANGES).min(high - low + 1);
    let cut = |index: i128| low + (high - low + 1) * index / count;
    let mut parts = Vec::new();
    for index in 0..count {
        let mut conditions = Vec::new();
        if index > 0 || range.is_some() {
            conditions.push(format!("{name} >= {}", scale.value(cut(index))));
        }
        if index + 1 < count {
            conditions.push(format!("{name} < {}", scale.value(cut(index + 1))));
        } else if range.is_some() {
            conditions.push(format!("{name} <= {}", scale.value(high)));
        }
        // A single open range still leaves out the NULLs, which come in their own part.
        let condition = if conditions.is_empty() { format!("{name} IS NOT NULL") } else { conditions.join(" AND ") };
        let label =
            format!("{column} from {} to {}", cut(index), if index + 1 < count { cut(index + 1) - 1 } else { high });
        parts.push((format!("SELECT * {from} WHERE {condition}"), Partition { label, rows: None }));
    }
    if range.is_none() {
        let label = format!("{column} is NULL");
        parts.push((format!("SELECT * {from} WHERE {name} IS NULL"), Partition { label, rows: None }));
    }
    Ok(Division { parts, reason: format!("it was asked to be split by {column}"), estimate: Estimate::default() })
}

/// The whole numbers around the column's finite values; `None` where there are none.
fn bounds(session: &mut Session, scale: &Scale, name: &str, from: &str) -> Result<Option<(i128, i128)>> {
    let edge = |function: &str, rounding: &str| {
        let value = scale.count(&format!("{function}({name})"));
        format!("{rounding}(({value})::pg_catalog.numeric)")
    };
    // Infinite dates and NaN have no place on a scale; they belong to the open-ended ranges.
    let finite = match scale {
        Scale::Number => format!("{name}::text NOT IN ('NaN', 'Infinity', '-Infinity')"),
        Scale::Counted(..) => format!("isfinite({name})"),
    };
    let rows =
        session.query(&format!("SELECT {}, {} {from} WHERE {finite}", edge("min", "floor"), edge("max", "floor")))?;
    let row = rows.first().map(Vec::as_slice).unwrap_or_default();
    let bound = |column| cell(row, column).parse::<i128>().ok().map(|number| number.clamp(-FARTHEST, FARTHEST));
    Ok(bound(0).zip(bound(1)))
}

fn config(column: &str, message: String) -> Error {
    Error::new(ErrorKind::Config, message).with_column(column)
}
