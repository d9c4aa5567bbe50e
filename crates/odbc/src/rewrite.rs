//! Lets PostgreSQL itself turn into text or numbers what its ODBC driver converts wrongly.
//!
//! psqlODBC reads dates and timestamps with C's `sscanf`: infinity becomes today or 9999-12-31, years before Christ or
//! beyond 9999 become others, and an instant loses its offset. Text it passes on as it is. So the query becomes a
//! subquery whose columns are cast; PostgreSQL pulls it up, and the order of its rows stays.

use bowshot_sql::{Dialect, quote_identifier};

use crate::types::{Cast, Rule};

/// The query with its casts; `None` where no column needs one.
pub(crate) fn rewrite<'a>(sql: &str, rules: impl Iterator<Item = &'a Rule> + Clone) -> Option<String> {
    rules.clone().find_map(|rule| rule.cast)?;
    // Names of our own: the query's may be missing or come twice.
    let name = |number: usize| quote_identifier(&format!("c{number}"), Dialect::Postgres);
    let column = |(number, rule): (usize, &Rule)| match rule.cast {
        None => name(number),
        Some(Cast::Days) => days(&name(number)),
        Some(Cast::Text) => format!("{}::text", name(number)),
        Some(Cast::Utc) => format!("({} AT TIME ZONE 'UTC')::text", name(number)),
    };
    let columns: Vec<String> = (1..).zip(rules.clone()).map(column).collect();
    let names: Vec<String> = (1..).zip(rules).map(|(number, _)| name(number)).collect();
    // On a line of its own, should the query end in a comment.
    Some(format!("SELECT {} FROM ({sql}\n) AS bowshot({})", columns.join(", "), names.join(", ")))
}

/// A date as days since 1970-01-01. Infinite dates, of which nothing can be subtracted, become the ends of the range,
/// which no date reaches.
fn days(date: &str) -> String {
    let (first, last) = (i32::MIN, i32::MAX);
    format!(
        "CASE WHEN NOT isfinite({date}) THEN CASE WHEN {date} < DATE '1970-01-01' THEN {first} ELSE {last} END \
         ELSE {date} - DATE '1970-01-01' END"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Family;
    use crate::statement::Description;
    use crate::types::rule;

    #[test]
    fn only_what_the_driver_spoils_is_cast() {
        let rules = |names: &[&str]| -> Vec<Rule> {
            let column = |name: &&str| Description { type_name: (*name).into(), ..Description::default() };
            names.iter().map(column).map(|column| rule(&column, Family::Postgres)).collect()
        };
        assert_eq!(rewrite("SELECT 1", rules(&["int4", "text"]).iter()), None);
        assert_eq!(
            rewrite("SELECT a", rules(&["date"]).iter()).as_deref(),
            Some(
                "SELECT CASE WHEN NOT isfinite(\"c1\") THEN CASE WHEN \"c1\" < DATE '1970-01-01' THEN -2147483648 ELSE \
                 2147483647 END ELSE \"c1\" - DATE '1970-01-01' END FROM (SELECT a\n) AS bowshot(\"c1\")"
            ),
        );
        assert_eq!(
            rewrite("SELECT a, b, c FROM t -- x", rules(&["int4", "timestamp", "timestamptz"]).iter()).as_deref(),
            Some(
                "SELECT \"c1\", \"c2\"::text, (\"c3\" AT TIME ZONE 'UTC')::text FROM (SELECT a, b, c FROM t -- x\n) \
                 AS bowshot(\"c1\", \"c2\", \"c3\")"
            ),
        );
    }
}
