//! Names and text, written so that the database reads back exactly them.

use crate::Dialect;

/// A name in the dialect's quotes.
///
/// ```
/// use bowshot_sql::{Dialect, quote_identifier};
///
/// assert_eq!(quote_identifier("a \"b\"", Dialect::Postgres), "\"a \"\"b\"\"\"");
/// assert_eq!(quote_identifier("order", Dialect::MySql), "`order`");
/// assert_eq!(quote_identifier("a]b", Dialect::SqlServer), "[a]]b]");
/// ```
pub fn quote_identifier(name: &str, dialect: Dialect) -> String {
    dialect.naming().quote(name)
}

/// A string literal in the dialect's quotes. PostgreSQL and SQLite have no literal for text that holds a NUL.
///
/// ```
/// use bowshot_sql::{Dialect, quote_literal};
///
/// assert_eq!(quote_literal("it's", Dialect::Sqlite), "'it''s'");
/// assert_eq!(quote_literal("C:\\", Dialect::Postgres), "E'C:\\\\'");
/// ```
pub fn quote_literal(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite | Dialect::Oracle | Dialect::Standard => doubled(text, '\''),
        // Without the N, characters that the database's code page lacks would become question marks.
        Dialect::SqlServer => format!("N{}", doubled(text, '\'')),
        Dialect::MySql => doubled(&text.replace('\\', "\\\\"), '\''),
        // With the E, the literal means the same whatever `standard_conforming_strings` says.
        Dialect::Postgres if text.contains('\\') => format!("E{}", doubled(&text.replace('\\', "\\\\"), '\'')),
        Dialect::Postgres => doubled(text, '\''),
    }
}

/// The text between quotes, with the quotes inside doubled.
fn doubled(text: &str, quote: char) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for character in text.chars() {
        if character == quote {
            quoted.push(quote);
        }
        quoted.push(character);
    }
    quoted.push(quote);
    quoted
}
