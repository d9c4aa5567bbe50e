//! Whose statements they are: finer than a dialect, which is about quotes and placeholders.

use crate::Dialect;
use crate::lex::{Backslash, Executable, Rules};

/// Whose statements a source takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Database {
    /// PostgreSQL and what speaks its protocol.
    Postgres,
    /// MySQL and MariaDB.
    MySql,
    /// SQLite 3.
    Sqlite,
    /// DuckDB.
    DuckDb,
    /// SQL Server, and Sybase, from which it comes.
    SqlServer,
    /// Oracle Database.
    Oracle,
    /// ClickHouse.
    ClickHouse,
    /// Trino, and Presto, from which it comes.
    Trino,
    /// A Flight SQL server of any kind, Bowshot's gateway among them.
    FlightSql,
    /// One of which nothing is known.
    Unknown,
}

/// Databases by what drivers and servers call them; the first that fits counts.
const NAMES: &[(&str, Database)] = &[
    ("postgres", Database::Postgres),
    ("psqlodbc", Database::Postgres),
    ("redshift", Database::Postgres),
    ("mariadb", Database::MySql),
    ("mysql", Database::MySql),
    ("sqlite", Database::Sqlite),
    ("duckdb", Database::DuckDb),
    ("sql server", Database::SqlServer),
    ("sqlserver", Database::SqlServer),
    ("sql_server", Database::SqlServer),
    ("mssql", Database::SqlServer),
    ("adaptive server", Database::SqlServer),
    ("sybase", Database::SqlServer),
    ("oracle", Database::Oracle),
    ("clickhouse", Database::ClickHouse),
    ("trino", Database::Trino),
    ("presto", Database::Trino),
    ("flightsql", Database::FlightSql),
    ("flight_sql", Database::FlightSql),
];

/// How servers cut text of which it is not known whose it is.
const KNOWN: &[Rules] = &[
    Rules::STANDARD,
    Rules::POSTGRES,
    Rules::SQLITE,
    Rules::SQL_SERVER,
    Rules::ORACLE,
    Rules::CLICKHOUSE,
    Rules::SNOWFLAKE,
];

/// How a session reads text, where that is a setting of the server or the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// MySQL's `ANSI_QUOTES`: `"…"` is a name.
    pub ansi_quotes: bool,
    /// MySQL's `NO_BACKSLASH_ESCAPES`.
    pub no_backslash_escapes: bool,
    /// PostgreSQL with `standard_conforming_strings` off: a backslash escapes in every literal.
    pub escaping_literals: bool,
}

impl Modes {
    /// By MySQL's `sql_mode`.
    ///
    /// ```
    /// use bowshot_sql::Modes;
    ///
    /// assert!(Modes::of_mysql("REAL_AS_FLOAT,ANSI_QUOTES").ansi_quotes);
    /// assert_eq!(Modes::of_mysql("STRICT_TRANS_TABLES"), Modes::default());
    /// ```
    pub fn of_mysql(mode: &str) -> Self {
        let has = |wanted: &str| mode.split(',').any(|mode| mode.trim().eq_ignore_ascii_case(wanted));
        Modes { ansi_quotes: has("ANSI_QUOTES"), no_backslash_escapes: has("NO_BACKSLASH_ESCAPES"), ..Modes::default() }
    }
}

impl Database {
    /// By the name that a driver, its file or a server gives.
    ///
    /// ```
    /// use bowshot_sql::Database;
    ///
    /// assert_eq!(Database::named("Microsoft SQL Server"), Database::SqlServer);
    /// assert_eq!(Database::named("adbc_driver_duckdb"), Database::DuckDb);
    /// assert_eq!(Database::named("DB2/LINUXX8664"), Database::Unknown);
    /// ```
    pub fn named(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        NAMES.iter().find(|(part, _)| name.contains(part)).map_or(Database::Unknown, |(_, database)| *database)
    }

    /// The ways in which its servers may cut a text; it is sent only if none of them sees anything but a read.
    pub(super) fn readings(self, sql: &str, modes: Modes) -> Option<Vec<Rules>> {
        // A line's comment may end at a carriage return or not: nobody says.
        let both = |rules: Rules| {
            let mut readings = vec![rules];
            if sql.replace("\r\n", "").contains('\r') {
                readings.push(Rules { return_ends_line: !rules.return_ends_line, ..rules });
            }
            readings
        };
        Some(match self {
            Database::Postgres if modes.escaping_literals => {
                vec![Rules { backslash: Backslash::Always, ..Rules::POSTGRES }]
            }
            Database::Postgres | Database::DuckDb => vec![Rules::POSTGRES],
            Database::MySql => return mysql(sql, modes),
            Database::Sqlite => vec![Rules::SQLITE],
            Database::SqlServer => both(Rules::SQL_SERVER),
            Database::Oracle => both(Rules::ORACLE),
            Database::ClickHouse => vec![Rules::CLICKHOUSE],
            Database::Trino => vec![Rules::TRINO],
            Database::FlightSql | Database::Unknown => {
                let mut readings: Vec<Rules> = KNOWN.iter().copied().flat_map(both).collect();
                readings.extend(mysql(sql, modes)?);
                readings
            }
        })
    }

    /// The same ways, but with MySQL's `/*! … */` as code with its delimiters, so that nothing is cut out of the middle of one.
    pub(super) fn plain(self, modes: Modes) -> Vec<Rules> {
        match self {
            Database::MySql => vec![base_of_mysql(modes)],
            Database::FlightSql | Database::Unknown => {
                let mut rules = KNOWN.to_vec();
                rules.push(base_of_mysql(modes));
                rules
            }
            // Nothing in the text, so that nothing in it makes a difference.
            _ => self.readings("", modes).unwrap_or_default(),
        }
    }

    /// Whether its language is known.
    pub(super) fn is_known(self) -> bool {
        !matches!(self, Database::FlightSql | Database::Unknown)
    }
}

impl From<Dialect> for Database {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Postgres => Database::Postgres,
            Dialect::Sqlite => Database::Sqlite,
            Dialect::MySql => Database::MySql,
            Dialect::SqlServer => Database::SqlServer,
            Dialect::Oracle => Database::Oracle,
            Dialect::Standard => Database::Unknown,
        }
    }
}

fn base_of_mysql(modes: Modes) -> Rules {
    Rules {
        double_is_text: !modes.ansi_quotes,
        backslash: if modes.no_backslash_escapes { Backslash::Never } else { Backslash::Always },
        ..Rules::MYSQL
    }
}

/// More versions than this in one text are nobody's query.
const MOST_VERSIONS: usize = 32;

/// MySQL and MariaDB run the comments `/*!50000 … */` up to their own version: a reading for each version that makes a difference.
/// `None`: too many.
fn mysql(sql: &str, modes: Modes) -> Option<Vec<Rules>> {
    let base = base_of_mysql(modes);
    let mut versions = vec![0, u32::MAX];
    for (place, _) in sql.match_indices("!").filter(|_| sql.contains("/*")) {
        let digits: String = sql.get(place + 1..).unwrap_or_default().chars().take(6).collect();
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        for length in (5..=6).take_while(|wanted| *wanted <= length) {
            versions.extend(digits.get(..length).and_then(|digits| digits.parse::<u32>().ok()));
        }
    }
    versions.sort_unstable();
    versions.dedup();
    if versions.len() > MOST_VERSIONS {
        return None;
    }
    if versions.len() == 2 && !sql.contains("/*!") && !sql.contains("/*M!") {
        return Some(vec![base]);
    }
    let readings = versions.into_iter().flat_map(|version| [Executable::MySql(version), Executable::MariaDb(version)]);
    Some(readings.map(|executable| Rules { executable, ..base }).collect())
}
