//! Trino: the `information_schema` of the session's catalog. It knows neither keys nor, there, comments.

use super::Listing;

pub(super) const LISTING: Listing =
    Listing { schemas: Some(SCHEMAS), tables: TABLES, columns: COLUMNS, primary_keys: None, foreign_keys: None };

const SCHEMAS: &str = r"
SELECT schema_name FROM information_schema.schemata
";

const TABLES: &str = r"
SELECT table_schema, table_name,
       CASE WHEN table_schema = 'information_schema' THEN 'SYSTEM TABLE'
            WHEN table_type = 'VIEW' THEN 'VIEW'
            ELSE 'TABLE' END
FROM information_schema.tables
";

const COLUMNS: &str = r"
SELECT table_schema, table_name, column_name, data_type, is_nullable
FROM information_schema.columns
";
