//! What is known of the drivers: which settings they need, and what they convert wrongly.

use bowshot_sql::Database;

use crate::uri::Location;

/// How long psqlODBC says that a `varchar` without a length is: a number that nobody declares.
pub(crate) const UNKNOWN_VARCHAR: usize = 8189;

/// Whose driver it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// psqlODBC with W functions.
    Postgres,
    /// psqlODBC without them, which cannot give UTF-16 either.
    PostgresAnsi,
    /// MariaDB Connector/ODBC.
    MariaDb,
    /// FreeTDS, for SQL Server and Sybase.
    FreeTds,
    /// One that is trusted to do what ODBC says, and to be no worse than it must.
    Other,
}

/// The driver of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Driver {
    pub(crate) family: Family,
    /// Whose statements it takes, as it says itself.
    pub(crate) database: Database,
    /// Its file, its version and the database's name, for messages.
    pub(crate) label: String,
    /// SQLGetData serves every column, wherever the bound ones are.
    pub(crate) any_column: bool,
}

impl Family {
    /// By the name of the driver's file, or by what the user calls it.
    pub(crate) fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if has(&["psqlodbca", "postgresql ansi"]) {
            Family::PostgresAnsi
        } else if has(&["psqlodbc", "postgresql"]) {
            Family::Postgres
        } else if has(&["libmaodbc", "maodbc", "mariadb"]) {
            Family::MariaDb
        } else if has(&["tdsodbc", "freetds"]) {
            Family::FreeTds
        } else {
            Family::Other
        }
    }

    /// Whose statements its servers take, where they do not say it.
    pub(crate) fn database(self) -> Database {
        match self {
            Family::Postgres | Family::PostgresAnsi => Database::Postgres,
            Family::MariaDb => Database::MySql,
            Family::FreeTds => Database::SqlServer,
            Family::Other => Database::Unknown,
        }
    }

    /// The keywords that make the driver stream and tell types apart, without those that the user set.
    pub(crate) fn keywords(self, location: &Location) -> Vec<(&'static str, String)> {
        let mut keywords = Vec::new();
        let mut unless = |names: &[&str], name: &'static str, value: String| {
            if !location.has(names) {
                keywords.push((name, value));
            }
        };
        match self {
            Family::Postgres | Family::PostgresAnsi => {
                // After an error the driver shall undo nothing: the user's transaction is not its own.
                unless(&["Protocol", "A1"], "Protocol", "7.4-0".into());
                // The values of placeholders have their own types, not those that the server would take them for.
                unless(&["UseServerSidePrepare", "C8"], "UseServerSidePrepare", "0".into());
                unless(&["BoolsAsChar", "B9"], "BoolsAsChar", "0".into());
                unless(&["MaxVarcharSize", "B0"], "MaxVarcharSize", UNKNOWN_VARCHAR.to_string());
                // Tells a numeric without precision from numeric(28, 6).
                unless(&["NumericAs", "D6"], "NumericAs", "-1".into());
                unless(&["ByteaAsLongVarBinary", "B7"], "ByteaAsLongVarBinary", "1".into());
            }
            Family::MariaDb => {
                // Both, so that the driver does not keep the whole result.
                if !location.has(&["OPTION", "OPTIONS"]) {
                    unless(&["NO_CACHE"], "NO_CACHE", "1".into());
                    unless(&["FORWARDONLY"], "FORWARDONLY", "1".into());
                }
                unless(&["CHARSET"], "CHARSET", "utf8mb4".into());
            }
            Family::FreeTds => unless(&["ClientCharset"], "ClientCharset", "UTF-8".into()),
            Family::Other => {}
        }
        keywords
    }

    /// What every connection runs before the user's own statements.
    pub(crate) fn first(self) -> &'static [&'static str] {
        match self {
            // TIMESTAMP is an instant: so it comes as UTC, whatever the server's zone.
            Family::MariaDb => &["SET time_zone = '+00:00'"],
            // Longer values would be cut in silence.
            Family::FreeTds => &["SET TEXTSIZE 2147483647"],
            // Else the process's locale decides.
            Family::PostgresAnsi => &["SET client_encoding TO 'UTF8'"],
            Family::Postgres | Family::Other => &[],
        }
    }

    /// What every connection runs after them: from here on it only reads.
    pub(crate) fn last(self) -> &'static [&'static str] {
        match self {
            Family::Postgres | Family::PostgresAnsi => &["SET default_transaction_read_only = on"],
            Family::MariaDb => &["SET SESSION TRANSACTION READ ONLY"],
            Family::FreeTds | Family::Other => &[],
        }
    }

    /// The same for a driver of which nothing is known: what its database may understand.
    pub(crate) fn perhaps_last(self, database: Database) -> Option<&'static str> {
        match (self, database) {
            (Family::Other, Database::Postgres) => Some("SET default_transaction_read_only = on"),
            (Family::Other, Database::MySql) => Some("SET SESSION TRANSACTION READ ONLY"),
            _ => None,
        }
    }

    /// Whether the driver keeps whole results, and its database has cursors that serve portions instead.
    pub(crate) fn needs_cursor(self) -> bool {
        matches!(self, Family::Postgres | Family::PostgresAnsi)
    }

    /// Whether a column that the driver calls NOT NULL holds no NULL. MariaDB's calls a constant so even where an outer
    /// join makes it NULL; PostgreSQL's does not know.
    pub(crate) fn knows_nulls(self) -> bool {
        self == Family::FreeTds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_known_by_their_files_and_names() {
        for (name, family) in [
            ("psqlodbcw.so", Family::Postgres),
            ("PostgreSQL Unicode", Family::Postgres),
            ("psqlodbca.so", Family::PostgresAnsi),
            ("/usr/lib/libmaodbc.so", Family::MariaDb),
            ("MariaDB Unicode", Family::MariaDb),
            ("libtdsodbc.so", Family::FreeTds),
            ("libmyodbc9w.so", Family::Other),
            ("libmsodbcsql-18.so", Family::Other),
        ] {
            assert_eq!(Family::of(name), family, "{name}");
        }
    }

    #[test]
    fn what_the_user_set_stays() {
        let location = Location::parse("odbc:DSN=a;useserversideprepare=1;D6=2").unwrap();
        let names: Vec<&str> = Family::Postgres.keywords(&location).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["Protocol", "BoolsAsChar", "MaxVarcharSize", "ByteaAsLongVarBinary"]);
        let location = Location::parse("odbc:DSN=a;OPTION=3").unwrap();
        assert_eq!(Family::MariaDb.keywords(&location), [("CHARSET", "utf8mb4".to_owned())]);
    }
}
