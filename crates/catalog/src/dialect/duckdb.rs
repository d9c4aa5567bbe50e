//! DuckDB: its table functions for the tables of the current database, its `information_schema` for keys.

use super::Listing;

pub(super) const LISTING: Listing = Listing {
    schemas: Some(SCHEMAS),
    tables: TABLES,
    columns: COLUMNS,
    primary_keys: Some(PRIMARY_KEYS),
    foreign_keys: Some(FOREIGN_KEYS),
};

const SCHEMAS: &str = r"
SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() AND NOT internal
";

const TABLES: &str = r"
SELECT schema_name, table_name, 'TABLE', comment FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal
UNION ALL
SELECT schema_name, view_name, 'VIEW', comment FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal
";

const COLUMNS: &str = r"
SELECT schema_name, table_name, column_name,
       CASE WHEN data_type LIKE 'DECIMAL%' THEN 'DECIMAL' ELSE data_type END,
       CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END,
       CASE WHEN data_type LIKE 'DECIMAL%' THEN numeric_precision END, numeric_scale, comment,
       CASE WHEN column_default LIKE 'nextval(%' THEN 'YES' ELSE 'NO' END
FROM duckdb_columns()
WHERE database_name = current_database() AND NOT internal
";

const PRIMARY_KEYS: &str = r"
SELECT k.table_schema, k.table_name, k.column_name, k.constraint_name, k.ordinal_position
FROM information_schema.table_constraints c
JOIN information_schema.key_column_usage k
  ON k.constraint_schema = c.constraint_schema AND k.constraint_name = c.constraint_name
 AND k.table_name = c.table_name
WHERE c.constraint_type = 'PRIMARY KEY' AND c.constraint_catalog = current_database()
";

const FOREIGN_KEYS: &str = r"
SELECT p.table_schema, p.table_name, p.column_name, p.constraint_name,
       f.table_schema, f.table_name, f.column_name, f.constraint_name,
       f.ordinal_position, r.update_rule, r.delete_rule
FROM information_schema.referential_constraints r
JOIN information_schema.key_column_usage f
  ON f.constraint_schema = r.constraint_schema AND f.constraint_name = r.constraint_name
JOIN information_schema.key_column_usage p
  ON p.constraint_schema = r.unique_constraint_schema AND p.constraint_name = r.unique_constraint_name
 AND p.ordinal_position = f.ordinal_position
WHERE r.constraint_catalog = current_database()
";
