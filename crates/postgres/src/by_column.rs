//! Splits a query as its user says: equal ranges of one column.

use bowshot_core::{Error, ErrorKind, Estimate, Result};
use bowshot_sql::{Bounds, ByColumn, Dialect, Division, Prepared, quote_identifier};
use postgres_types::Type;

use crate::catalog::cell;
use crate::connect::Session;
use bowshot_postgres_values::Described;

/// Values beyond this belong to the open-ended ranges; so far from `i128`'s ends that no cut overflows.
const FARTHEST: i128 = 1 << 96;

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
    let names: Vec<&str> = described.iter().map(|candidate| candidate.name.as_str()).collect();
    let by = ByColumn::new(query, &names, column, Dialect::Postgres)?;
    let column = by.column;
    if !query.values.is_empty() || !query.shape.read {
        return Err(config(column, "a query with parameters cannot be split by a column".into())
            .with_hint("leave partition_on out; Bowshot splits by itself where it can"));
    }
    let scale = described.iter().find(|candidate| candidate.name == column).and_then(Scale::of).ok_or_else(|| {
        config(column, format!("the partition column \"{column}\" is neither a number nor a date or timestamp"))
            .with_hint("leave partition_on out: Bowshot splits by itself, by pages, whatever the types")
    })?;
    let bounds = match range {
        Some((low, high)) => Bounds::Given(low, high),
        None => match ends(session, &scale, column, &query.sql)? {
            Some(ends) => Bounds::Found(Some(ends)),
            None => return Ok(Division::whole(query, format!("{column} is NULL in every row or has no finite range"))),
        },
    };
    let parts = by.parts(count, bounds, |number| scale.value(number))?;
    Ok(Division { parts, reason: format!("the user splits it by {column}"), estimate: Estimate::default() })
}

/// The whole numbers around the column's finite values; `None` where there are none.
fn ends(session: &mut Session, scale: &Scale, column: &str, sql: &str) -> Result<Option<(i128, i128)>> {
    let name = quote_identifier(column, Dialect::Postgres);
    let edge = |function: &str, rounding: &str| {
        let value = scale.count(&format!("{function}({name})"));
        format!("{rounding}(({value})::pg_catalog.numeric)")
    };
    // Infinite dates and NaN have no place on a scale; they belong to the open-ended ranges.
    let finite = match scale {
        Scale::Number => format!("{name}::text NOT IN ('NaN', 'Infinity', '-Infinity')"),
        Scale::Counted(..) => format!("isfinite({name})"),
    };
    let (low, high) = (edge("min", "floor"), edge("max", "floor"));
    let rows = session.query(&format!("SELECT {low}, {high} FROM ({sql}\n) AS bowshot WHERE {finite}"))?;
    let row = rows.first().map(Vec::as_slice).unwrap_or_default();
    let bound = |column| cell(row, column).parse::<i128>().ok().map(|number| number.clamp(-FARTHEST, FARTHEST));
    Ok(bound(0).zip(bound(1)))
}

fn config(column: &str, message: String) -> Error {
    Error::new(ErrorKind::Config, message).with_column(column)
}
