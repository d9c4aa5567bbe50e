//! A query without what may follow it.

use crate::Dialect;
use crate::lex::lex;

/// The query without trailing semicolons, white space and comments, so that it can stand inside other SQL.
///
/// Text that ends inside a string or a comment comes back as it is: the database shall complain about it.
///
/// ```
/// use bowshot_sql::{Dialect, strip_end};
///
/// assert_eq!(strip_end("SELECT ';'; -- done", Dialect::Postgres), "SELECT ';'");
/// ```
pub fn strip_end(sql: &str, dialect: Dialect) -> &str {
    let Ok(tokens) = lex(sql, dialect) else { return sql };
    let last = tokens.iter().rev().find(|token| !token.is_blank() && !token.is_symbol(sql, ";"));
    sql.get(..last.map_or(0, |token| token.range.end)).unwrap_or(sql)
}
