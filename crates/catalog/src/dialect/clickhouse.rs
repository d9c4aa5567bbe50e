//! ClickHouse: its `system` tables. Its primary keys are not listed, for they are not unique, which clients take a
//! primary key to be; foreign keys it has none.

use super::Listing;

pub(super) const LISTING: Listing =
    Listing { schemas: Some(SCHEMAS), tables: TABLES, columns: COLUMNS, primary_keys: None, foreign_keys: None };

const SCHEMAS: &str = r"
SELECT name FROM system.databases
";

const TABLES: &str = r"
SELECT database, name,
       multiIf(database IN ('system', 'information_schema', 'INFORMATION_SCHEMA'), 'SYSTEM TABLE',
               engine = 'View', 'VIEW',
               engine = 'MaterializedView', 'MATERIALIZED VIEW',
               'TABLE'),
       comment
FROM system.tables
WHERE NOT is_temporary
";

const COLUMNS: &str = r"
SELECT database, table, name, type,
       if(startsWith(type, 'Nullable(') OR startsWith(type, 'LowCardinality(Nullable('), 'YES', 'NO'),
       coalesce(numeric_precision, character_octet_length), numeric_scale, comment, 'NO'
FROM system.columns
";
