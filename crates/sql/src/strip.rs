//! A query without what may follow it.

use crate::Dialect;
use crate::lex::{Token, lex};

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
    sql.get(..end_of(sql, &tokens)).unwrap_or(sql)
}

/// Behind the last piece that is neither white space, a comment nor a semicolon.
pub(crate) fn end_of(sql: &str, tokens: &[Token]) -> usize {
    let last = tokens.iter().rev().find(|token| !token.is_blank() && !token.is_symbol(sql, ";"));
    last.map_or(0, |token| token.range.end)
}
