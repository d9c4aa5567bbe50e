//! The differences between databases that the text of a query shows.

use bowshot_core::{Case, Naming};

/// Whose SQL it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// PostgreSQL 12 and later, with `standard_conforming_strings` on.
    Postgres,
    /// SQLite 3.
    Sqlite,
    /// MySQL and MariaDB, without `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES`.
    MySql,
    /// SQL Server, with `QUOTED_IDENTIFIER` on.
    SqlServer,
    /// Oracle Database.
    Oracle,
    /// A database that is known only through a standard interface: ODBC, ADBC, Flight SQL.
    Standard,
}

impl Dialect {
    /// How it writes names.
    pub fn naming(self) -> Naming {
        let quotes = match self {
            Dialect::Postgres | Dialect::Sqlite | Dialect::Oracle | Dialect::Standard => ('"', '"'),
            Dialect::SqlServer => ('[', ']'),
            Dialect::MySql => ('`', '`'),
        };
        let case = match self {
            Dialect::Postgres => Case::Lower,
            Dialect::Oracle => Case::Upper,
            Dialect::Sqlite | Dialect::MySql | Dialect::SqlServer | Dialect::Standard => Case::Kept,
        };
        Naming { quotes: Some(quotes), backslashes: false, case, qualified: true }
    }

    /// An unquoted name as the database keeps it: PostgreSQL and Oracle fold ASCII letters, each its own way; the others
    /// keep what was written.
    pub(crate) fn fold(self, name: &str) -> String {
        match self {
            Dialect::Postgres => name.to_ascii_lowercase(),
            Dialect::Oracle => name.to_ascii_uppercase(),
            Dialect::Sqlite | Dialect::MySql | Dialect::SqlServer | Dialect::Standard => name.to_owned(),
        }
    }

    /// A folded name in the form in which names that mean the same are equal. Tables of MySQL and of SQL Server may
    /// or may not tell cases apart: here they do not, since every use of this only makes Bowshot more careful.
    pub(crate) fn key(self, name: &str) -> String {
        match self {
            Dialect::Postgres | Dialect::Oracle => name.to_owned(),
            Dialect::Sqlite | Dialect::MySql | Dialect::SqlServer | Dialect::Standard => name.to_ascii_lowercase(),
        }
    }
}
