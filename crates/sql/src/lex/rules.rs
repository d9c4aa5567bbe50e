//! What a server's lexer takes for a literal, a quoted name or a comment.

use crate::Dialect;

/// How text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `--` begins a comment only before a blank.
    pub(crate) dash_needs_blank: bool,
    /// `//` begins one.
    pub(crate) slashes: bool,
    /// Whether `#` begins one.
    pub(crate) hash: Hash,
    /// A carriage return ends one, not only a line feed.
    pub(crate) return_ends_line: bool,
    /// `/* /* */ */` is one comment.
    pub(crate) nested: bool,
    /// A `/*` may end with the text.
    pub(crate) open_end: bool,
    /// Which comments are code.
    pub(crate) executable: Executable,
    /// Where a backslash escapes what follows it in a literal.
    pub(crate) backslash: Backslash,
    /// A backslash escapes in quoted names, too.
    pub(crate) escaped_names: bool,
    /// `"…"` is a literal, not a name.
    pub(crate) double_is_text: bool,
    /// Names in backticks.
    pub(crate) backticks: bool,
    /// Names in brackets.
    pub(crate) brackets: Brackets,
    /// `q'[…]'` of Oracle.
    pub(crate) own_quotes: bool,
    /// `$tag$…$tag$` of PostgreSQL.
    pub(crate) dollar_quotes: bool,
    /// Names may hold a `#`.
    pub(crate) hash_in_names: bool,
}

/// Whether `#` begins a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Never,
    Comment,
    /// Before a blank or a `!`.
    BeforeBlank,
}

/// Where a backslash escapes what follows it in a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backslash {
    Never,
    /// In literals with the prefix `E`.
    AfterE,
    Always,
}

/// Names in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brackets {
    None,
    /// To the first `]`.
    Plain,
    /// `]]` is a `]` of the name.
    Doubled,
}

/// Which of the comments `/*! … */` and `/*M! … */` are code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Executable {
    /// None: they are comments like others.
    Never,
    /// All, with their delimiters.
    Always,
    /// Those that a MySQL of this version runs.
    MySql(u32),
    /// Those that a MariaDB of this version runs.
    MariaDb(u32),
}

impl Executable {
    /// Whether a comment that names a version, or none, is run.
    pub(super) fn runs(self, of_mariadb: bool, version: Option<u32>) -> bool {
        match self {
            Executable::Never => false,
            Executable::Always => true,
            Executable::MySql(own) => !of_mariadb && version.is_none_or(|version| version <= own),
            // What MySQL has had since 5.7, MariaDB may not know.
            Executable::MariaDb(own) => {
                let foreign = !of_mariadb && version.is_some_and(|version| (50_700..=99_999).contains(&version));
                !foreign && version.is_none_or(|version| version <= own)
            }
        }
    }
}

impl Rules {
    /// Those of the standard.
    pub(crate) const STANDARD: Rules = Rules {
        dash_needs_blank: false,
        slashes: false,
        hash: Hash::Never,
        return_ends_line: false,
        nested: false,
        open_end: false,
        executable: Executable::Never,
        backslash: Backslash::Never,
        escaped_names: false,
        double_is_text: false,
        backticks: false,
        brackets: Brackets::None,
        own_quotes: false,
        dollar_quotes: false,
        hash_in_names: false,
    };

    /// PostgreSQL's and DuckDB's.
    pub(crate) const POSTGRES: Rules = Rules {
        return_ends_line: true,
        nested: true,
        backslash: Backslash::AfterE,
        dollar_quotes: true,
        ..Rules::STANDARD
    };

    /// MySQL's and MariaDB's, by default.
    pub(crate) const MYSQL: Rules = Rules {
        dash_needs_blank: true,
        hash: Hash::Comment,
        executable: Executable::Always,
        backslash: Backslash::Always,
        double_is_text: true,
        backticks: true,
        ..Rules::STANDARD
    };

    /// SQLite's.
    pub(crate) const SQLITE: Rules =
        Rules { open_end: true, backticks: true, brackets: Brackets::Plain, ..Rules::STANDARD };

    /// SQL Server's.
    pub(crate) const SQL_SERVER: Rules =
        Rules { nested: true, brackets: Brackets::Doubled, hash_in_names: true, ..Rules::STANDARD };

    /// Oracle's.
    pub(crate) const ORACLE: Rules = Rules { own_quotes: true, hash_in_names: true, ..Rules::STANDARD };

    /// ClickHouse's.
    pub(crate) const CLICKHOUSE: Rules = Rules {
        hash: Hash::BeforeBlank,
        backslash: Backslash::Always,
        escaped_names: true,
        backticks: true,
        dollar_quotes: true,
        ..Rules::STANDARD
    };

    /// Trino's.
    pub(crate) const TRINO: Rules = Rules { return_ends_line: true, ..Rules::STANDARD };

    /// Snowflake's.
    pub(crate) const SNOWFLAKE: Rules =
        Rules { slashes: true, backslash: Backslash::Always, dollar_quotes: true, ..Rules::STANDARD };

    /// Those of a dialect, with its defaults.
    pub(crate) fn of(dialect: Dialect) -> Rules {
        match dialect {
            Dialect::Postgres => Rules::POSTGRES,
            Dialect::Sqlite => Rules::SQLITE,
            Dialect::MySql => Rules::MYSQL,
            Dialect::SqlServer => Rules::SQL_SERVER,
            Dialect::Oracle => Rules::ORACLE,
            Dialect::Standard => Rules::STANDARD,
        }
    }
}
