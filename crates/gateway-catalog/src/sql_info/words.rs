//! Words of SQL, for tools that colour, complete or quote them.

/// Words with a meaning in one or more of the databases that SQL:2003 does not have.
pub(super) const KEYWORDS: &[&str] = &[
    "ANALYZE",
    "ANTI",
    "ASOF",
    "BIGINT",
    "DATABASE",
    "DATABASES",
    "DESCRIBE",
    "DUAL",
    "EXPLAIN",
    "FINAL",
    "FORMAT",
    "GLOB",
    "IF",
    "ILIKE",
    "INDEX",
    "INDEXED",
    "ISNULL",
    "JSON",
    "LIMIT",
    "LOCK",
    "MATERIALIZED",
    "MINUS",
    "NOTNULL",
    "OFFSET",
    "PIVOT",
    "PRAGMA",
    "PREWHERE",
    "QUALIFY",
    "REGEXP",
    "RENAME",
    "REPLACE",
    "RETURNING",
    "RLIKE",
    "ROWNUM",
    "SEMI",
    "SHOW",
    "STRAIGHT_JOIN",
    "TABLESAMPLE",
    "TEXT",
    "TOP",
    "TRUNCATE",
    "UNPIVOT",
    "UNSIGNED",
    "VACUUM",
    "VIEW",
    "ZEROFILL",
];

/// Functions that all databases have under these names.
pub(super) const NUMERIC_FUNCTIONS: &[&str] = &["ABS", "ROUND", "SIGN"];

/// Functions that all databases have under these names.
pub(super) const STRING_FUNCTIONS: &[&str] = &["LOWER", "LTRIM", "REPLACE", "RTRIM", "TRIM", "UPPER"];

/// Functions that all databases have under these names.
pub(super) const SYSTEM_FUNCTIONS: &[&str] = &["COALESCE", "NULLIF"];

/// Functions that all databases have under these names.
pub(super) const DATETIME_FUNCTIONS: &[&str] = &["CURRENT_TIMESTAMP"];
