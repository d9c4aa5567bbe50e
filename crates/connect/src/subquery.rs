//! A query that a longer one may be written around.

use bowshot_sql::{Dialect, analyse, is_ordered, strip_end};

use crate::address::{self, Address};
use crate::sources::Entry;

/// A query that may stand in parentheses, as a table of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subquery {
    /// The first scheme of the database's kind: `postgresql`, `mysql`, `sqlite`, `mssql`, `oracle`.
    pub scheme: &'static str,
    /// Without what may follow the statement.
    pub sql: String,
    /// What opens and what closes a quoted name.
    pub quotes: (char, char),
    /// All that looks like a call, in small letters.
    pub functions: Vec<String>,
}

/// The query as one that may be a subquery: one statement that reads, in no order that it would lose, for a database whose SQL
/// is known. Placeholders stay as they are. What a database makes of it, only the database can say.
///
/// ```
/// use bowshot_connect::subquery;
///
/// assert_eq!(subquery("shop.db", "SELECT 1; -- one").map(|inner| inner.sql), Some("SELECT 1".into()));
/// assert_eq!(subquery("shop.db", "SELECT a FROM t ORDER BY a"), None);
/// assert_eq!(subquery("postgresql://host/db", "SHOW server_version"), None);
/// ```
pub fn subquery(uri: &str, sql: &str) -> Option<Subquery> {
    let scheme = scheme(uri)?;
    let dialect = of_scheme(scheme)?;
    let sql = strip_end(sql, dialect);
    let shape = analyse(sql, dialect);
    if !shape.read || is_ordered(sql, dialect) {
        return None;
    }
    let functions = shape.functions.iter().map(|name| name.last().to_ascii_lowercase()).collect();
    Some(Subquery { scheme, sql: sql.to_owned(), quotes: dialect.naming().quotes?, functions })
}

/// The first scheme of the kind of source that the address names.
pub fn scheme(uri: &str) -> Option<&'static str> {
    let first = |scheme: &str| Entry::of(scheme)?.schemes.first().copied();
    match Address::of(uri) {
        Address::Scheme { scheme, rest, .. } if scheme == "file" && address::is_sqlite(&rest) => first("sqlite"),
        Address::Scheme { scheme, .. } => first(&scheme),
        Address::Keywords => first("postgresql"),
        Address::Folder => first("file"),
        Address::Path => first("sqlite"),
        Address::Malformed(_) | Address::Sql => None,
    }
}

/// How the database that the address names writes SQL, as far as its address tells; [`Dialect::Standard`] where it does not.
///
/// ```
/// use bowshot_connect::dialect;
/// use bowshot_sql::Dialect;
///
/// assert_eq!(dialect("mariadb://host/shop"), Dialect::MySql);
/// assert_eq!(dialect("odbc:DSN=shop"), Dialect::Standard);
/// ```
pub fn dialect(uri: &str) -> Dialect {
    scheme(uri).and_then(of_scheme).unwrap_or(Dialect::Standard)
}

/// The dialect of the first scheme of a kind of database whose SQL is known.
fn of_scheme(scheme: &str) -> Option<Dialect> {
    Some(match scheme {
        "postgresql" => Dialect::Postgres,
        "mysql" => Dialect::MySql,
        "sqlite" => Dialect::Sqlite,
        "mssql" => Dialect::SqlServer,
        "oracle" => Dialect::Oracle,
        _ => return None,
    })
}
