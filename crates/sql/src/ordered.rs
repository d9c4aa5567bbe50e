//! Whether a query says in which order its rows come.

use crate::Dialect;
use crate::lex::{Kind, lex};

/// Whether the word ORDER stands in the text, outside of quotes and comments; also where it only orders a window, and wherever
/// the text cannot be told apart.
///
/// As a subquery, a statement loses its order: databases may leave out what the outer one does not ask for.
///
/// ```
/// use bowshot_sql::{Dialect, is_ordered};
///
/// assert!(is_ordered("SELECT a FROM t ORDER /* so */ BY a", Dialect::Postgres));
/// assert!(!is_ordered("SELECT 'order by' FROM \"order by\" -- order by", Dialect::Postgres));
/// ```
pub fn is_ordered(sql: &str, dialect: Dialect) -> bool {
    let Ok(tokens) = lex(sql, dialect) else { return true };
    tokens.iter().any(|token| token.kind == Kind::Word && token.text(sql).eq_ignore_ascii_case("order"))
}
