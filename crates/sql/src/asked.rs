//! How a request is divided where its user says so, the same for every source.

use bowshot_core::{Error, ErrorKind, Estimate, Options, Partitioning, Result, Value};

use crate::{Bounds, ByColumn, Dialect, Division, Prepared};

/// The division that the request itself decides; `None` where it is one query and the source may choose.
///
/// - `names`: the columns of the result.
/// - `obstacle`: why connections of this source cannot share a snapshot, as the end of a sentence that begins "because".
///   The result is then read over one connection, unless the user allows partitions to see different states
///   ([`Options::one_snapshot`]).
/// - `ends`: asks the database for the lowest and the highest key, rounded outwards to whole numbers, by this SQL and its
///   values; `None` where there is nothing but NULL.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) for what makes no sense, such as a column that the result does not have.
pub fn divide_as_asked(
    queries: &[Prepared],
    names: &[&str],
    options: &Options,
    dialect: Dialect,
    obstacle: Option<&str>,
    ends: impl FnOnce(&str, &[Value]) -> Result<Option<(i128, i128)>>,
) -> Result<Option<Division>> {
    let obstacle = obstacle.filter(|_| options.one_snapshot);
    match (queries, &options.partitioning) {
        ([], _) => Err(Error::new(ErrorKind::Config, "the request holds no query")),
        (_, Partitioning::Part(part)) => Ok(Some(Division::of(part))),
        ([query], Partitioning::Single) => Ok(Some(Division::whole(query, "the user asks for one"))),
        ([_], Partitioning::Auto) => Ok(None),
        ([query], Partitioning::Column { column, count, range }) => {
            let column = ByColumn::new(query, names, column, dialect)?;
            let reason = format!("the user splits it by {}", column.column);
            if let Some(obstacle) = obstacle {
                // What makes no sense is said all the same, and rows outside a given range are not read.
                let bounds = range.map_or(Bounds::Found(None), |(low, high)| Bounds::Given(low, high));
                let parts = column.parts(1.min(*count), bounds, |number| number.to_string())?;
                let mut division = Division::whole(query, obstacle);
                if range.is_some() {
                    division.parts = parts;
                }
                return Ok(Some(division));
            }
            let bounds = match range {
                Some((low, high)) => Bounds::Given(*low, *high),
                None => Bounds::Found(ends(&column.ends_sql(), &query.values)?),
            };
            let parts = column.parts(*count, bounds, |number| number.to_string())?;
            Ok(Some(Division { parts, reason, estimate: Estimate::default() }))
        }
        (_, Partitioning::Column { column, .. }) => {
            Err(Error::new(ErrorKind::Config, "a list of queries is already split, one partition a query")
                .with_column(column)
                .with_hint("give one query with a column to partition on, or a list of queries without"))
        }
        (list, _) => {
            let mut division = Division::list(list);
            if let Some(obstacle) = obstacle {
                division.reason =
                    format!("{}, read one after the other over one connection: {obstacle}", division.reason);
            }
            Ok(Some(division))
        }
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::Query;

    use super::*;

    fn divide(options: &Options, obstacle: Option<&str>) -> Division {
        let query = Prepared::new(&Query::new("SELECT k FROM t"), Dialect::Standard).unwrap();
        let ends = |sql: &str, _: &[Value]| {
            assert_eq!(sql, "SELECT min(\"k\"), max(\"k\") FROM (SELECT k FROM t\n) bowshot");
            Ok(Some((1, 10)))
        };
        divide_as_asked(&[query], &["k"], options, Dialect::Standard, obstacle, ends).unwrap().unwrap()
    }

    #[test]
    fn without_a_snapshot_there_is_one_partition_unless_torn_reads_are_allowed() {
        let partitioning = Partitioning::Column { column: "k".into(), count: 3, range: None };
        let mut options = Options { partitioning, ..Options::default() };
        assert_eq!(divide(&options, None).parts.len(), 4);
        let whole = divide(&options, Some("its connections share no snapshot"));
        assert_eq!(whole.parts.len(), 1);
        assert_eq!(whole.parts[0].sql, "SELECT k FROM t");
        assert_eq!(whole.reason, "its connections share no snapshot");
        options.one_snapshot = false;
        assert_eq!(divide(&options, Some("its connections share no snapshot")).parts.len(), 4);
    }

    #[test]
    fn a_given_range_holds_without_a_snapshot_too() {
        let partitioning = Partitioning::Column { column: "k".into(), count: 3, range: Some((2, 5)) };
        let whole = divide(&Options { partitioning, ..Options::default() }, Some("…"));
        assert_eq!(whole.parts.len(), 1);
        assert!(whole.parts[0].sql.ends_with("WHERE \"k\" >= 2 AND \"k\" <= 5"));
    }
}
