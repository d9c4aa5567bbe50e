//! A query in ranges of one of its columns, as its user says.

use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Part, Partition, Result};

use crate::{Dialect, Prepared, quote_identifier};

/// More ranges than this would burden the plan.
const MOST_RANGES: i128 = 1 << 16;

/// A query, and the column of its result by whose ranges it is read.
#[derive(Clone, Copy, Debug)]
pub struct ByColumn<'a> {
    /// The query.
    pub query: &'a Prepared,
    /// The column's name, exactly as the result has it.
    pub column: &'a str,
    /// Whose SQL it is.
    pub dialect: Dialect,
}

/// Between which numbers the column's values lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// The database was asked, `None`: there is nothing but NULL. Whatever lies outside is read all the same, by the first
    /// and the last range, which have no end, and NULLs are a partition of their own: no row is lost.
    Found(Option<(i128, i128)>),
    /// The user says so: only what lies within is read, both ends included, as in ConnectorX.
    Given(i64, i64),
}

impl<'a> ByColumn<'a> {
    /// The column that the user names, among those of the result.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where there is none, or more than one.
    pub fn new(query: &'a Prepared, names: &[&'a str], wanted: &str, dialect: Dialect) -> Result<Self> {
        let exact: Vec<&str> = names.iter().copied().filter(|name| *name == wanted).collect();
        let folded: Vec<&str> = names.iter().copied().filter(|name| name.eq_ignore_ascii_case(wanted)).collect();
        let found = if exact.is_empty() { &folded } else { &exact };
        match found.as_slice() {
            [column] => Ok(ByColumn { query, column, dialect }),
            _ => {
                let what = if found.is_empty() { "is not in the result" } else { "is in the result more than once" };
                Err(Error::new(ErrorKind::Config, format!("the partition column \"{wanted}\" {what}"))
                    .with_column(wanted)
                    .with_hint(format!("its columns are {}", names.join(", "))))
            }
        }
    }

    /// What stands before a condition: `SELECT * FROM (query) bowshot`.
    fn from(&self) -> String {
        // A comment at the query's end must not swallow the parenthesis.
        format!("FROM ({}\n) bowshot", self.query.sql)
    }

    /// The SQL that asks for the lowest and the highest value; it takes the query's values.
    pub fn ends_sql(&self) -> String {
        let name = quote_identifier(self.column, self.dialect);
        format!("SELECT min({name}), max({name}) {}", self.from())
    }

    /// At most `count` ranges of equal length; `literal` writes a number as a value of the column.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): a range that ends before it begins, or no ranges at all.
    pub fn parts(&self, count: usize, bounds: Bounds, literal: impl Fn(i128) -> String) -> Result<Vec<Part>> {
        let config = |message: String| Error::new(ErrorKind::Config, message).with_column(self.column);
        if count == 0 {
            return Err(config("a result cannot be split into 0 partitions".into()).with_hint("ask for at least 1"));
        }
        let (name, column) = (quote_identifier(self.column, self.dialect), self.column);
        let (ends, given) = match bounds {
            Bounds::Found(ends) => (ends, false),
            Bounds::Given(low, high) => (Some((i128::from(low), i128::from(high))), true),
        };
        let mut parts = Vec::new();
        if let Some((low, high)) = ends {
            if low > high {
                return Err(config(format!("the range of \"{column}\" begins at {low}, after its end at {high}"))
                    .with_hint("give the lower end first"));
            }
            let count = i128::try_from(count).unwrap_or(MOST_RANGES).min(MOST_RANGES).min(high - low + 1);
            let cut = |index: i128| low + (high - low + 1) * index / count;
            for index in 0..count {
                let mut conditions = Vec::new();
                if index > 0 || given {
                    conditions.push(format!("{name} >= {}", literal(cut(index))));
                }
                if index + 1 < count {
                    conditions.push(format!("{name} < {}", literal(cut(index + 1))));
                } else if given {
                    conditions.push(format!("{name} <= {}", literal(high)));
                }
                // A single range without ends still leaves out the NULLs, which come in a partition of their own.
                let condition =
                    if conditions.is_empty() { format!("{name} IS NOT NULL") } else { conditions.join(" AND ") };
                let last = if index + 1 < count { cut(index + 1) - 1 } else { high };
                parts.push(self.part(&condition, format!("{column} from {} to {last}", cut(index))));
            }
        }
        if !given {
            parts.push(self.part(&format!("{name} IS NULL"), format!("{column} is NULL")));
        }
        Ok(parts)
    }

    fn part(&self, condition: &str, label: String) -> Part {
        Part {
            sql: format!("SELECT * {} WHERE {condition}", self.from()),
            values: Arc::clone(&self.query.values),
            partition: Partition { label, rows: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::Query;

    use super::*;

    fn conditions(count: usize, bounds: Bounds) -> Vec<String> {
        let query = Prepared::new(&Query::new("SELECT k FROM t -- all"), Dialect::Standard).unwrap();
        let column = ByColumn::new(&query, &["k", "v"], "K", Dialect::Standard).unwrap();
        let parts = column.parts(count, bounds, |number| number.to_string()).unwrap();
        let condition =
            |part: &Part| part.sql.strip_prefix("SELECT * FROM (SELECT k FROM t\n) bowshot WHERE ").unwrap().to_owned();
        parts.iter().map(condition).collect()
    }

    #[test]
    fn found_ranges_lose_no_row() {
        assert_eq!(
            conditions(3, Bounds::Found(Some((0, 8)))),
            [r#""k" < 3"#, r#""k" >= 3 AND "k" < 6"#, r#""k" >= 6"#, r#""k" IS NULL"#]
        );
        assert_eq!(conditions(3, Bounds::Found(Some((5, 5)))), [r#""k" IS NOT NULL"#, r#""k" IS NULL"#]);
        assert_eq!(conditions(3, Bounds::Found(None)), [r#""k" IS NULL"#]);
    }

    #[test]
    fn given_ranges_have_both_their_ends() {
        assert_eq!(conditions(2, Bounds::Given(0, 9)), [r#""k" >= 0 AND "k" < 5"#, r#""k" >= 5 AND "k" <= 9"#]);
        let all = conditions(7, Bounds::Given(i64::MIN, i64::MAX));
        assert!(all[0].starts_with(&format!(r#""k" >= {} AND"#, i64::MIN)) && all[6].ends_with(&i64::MAX.to_string()));
    }

    #[test]
    fn what_makes_no_ranges_is_refused() {
        let query = Prepared::new(&Query::new("SELECT 1 a, 2 a, 3 b"), Dialect::Standard).unwrap();
        let named = |name: &str| ByColumn::new(&query, &["a", "a", "b"], name, Dialect::Standard);
        assert!(named("a").unwrap_err().message().contains("more than once"));
        assert!(named("c").unwrap_err().hint().unwrap().contains("a, a, b"));
        let column = named("b").unwrap();
        for (count, bounds, words) in
            [(0, Bounds::Found(None), "0 partitions"), (2, Bounds::Given(2, 1), "begins at 2, after its end at 1")]
        {
            let error = column.parts(count, bounds, |number| number.to_string()).unwrap_err();
            assert!(error.message().contains(words), "{error}");
        }
    }
}
