//! MySQL and MariaDB: `information_schema`, which shows only what the login has a right to. A database is a schema here.

use super::Listing;

pub(super) const LISTING: Listing = Listing {
    schemas: Some(SCHEMAS),
    tables: TABLES,
    columns: COLUMNS,
    primary_keys: Some(PRIMARY_KEYS),
    foreign_keys: Some(FOREIGN_KEYS),
};

const SCHEMAS: &str = r"
SELECT SCHEMA_NAME FROM information_schema.SCHEMATA
";

/// The comment of a view is the word `VIEW`. MariaDB's sequences are left out: they are read by functions.
const TABLES: &str = r"
SELECT TABLE_SCHEMA, TABLE_NAME,
       CASE WHEN TABLE_SCHEMA IN ('information_schema', 'mysql', 'performance_schema', 'sys') THEN 'SYSTEM TABLE'
            WHEN TABLE_TYPE = 'VIEW' THEN 'VIEW'
            WHEN TABLE_TYPE = 'SYSTEM VIEW' THEN 'SYSTEM TABLE'
            ELSE 'TABLE' END,
       CASE WHEN TABLE_TYPE = 'VIEW' THEN NULL ELSE TABLE_COMMENT END
FROM information_schema.TABLES
WHERE TABLE_TYPE <> 'SEQUENCE'
";

const COLUMNS: &str = r"
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME,
       CONCAT(DATA_TYPE, CASE WHEN COLUMN_TYPE LIKE '% unsigned%' THEN ' unsigned' ELSE '' END),
       IS_NULLABLE,
       COALESCE(NUMERIC_PRECISION, CHARACTER_MAXIMUM_LENGTH),
       NUMERIC_SCALE,
       COLUMN_COMMENT,
       CASE WHEN EXTRA LIKE '%auto_increment%' THEN 1 ELSE 0 END
FROM information_schema.COLUMNS
";

const PRIMARY_KEYS: &str = r"
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
FROM information_schema.KEY_COLUMN_USAGE
WHERE CONSTRAINT_NAME = 'PRIMARY'
";

const FOREIGN_KEYS: &str = r"
SELECT k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.UNIQUE_CONSTRAINT_NAME,
       k.TABLE_SCHEMA, k.TABLE_NAME, k.COLUMN_NAME, k.CONSTRAINT_NAME,
       k.ORDINAL_POSITION, r.UPDATE_RULE, r.DELETE_RULE
FROM information_schema.KEY_COLUMN_USAGE k
JOIN information_schema.REFERENTIAL_CONSTRAINTS r
  ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
 AND r.TABLE_NAME = k.TABLE_NAME
WHERE k.REFERENCED_TABLE_NAME IS NOT NULL
";
