//! SQLite: its table-valued pragmas, from 3.37 on. A file is one schema, `main`.

use super::Listing;

pub(super) const LISTING: Listing = Listing {
    schemas: Some(SCHEMAS),
    tables: TABLES,
    columns: COLUMNS,
    primary_keys: Some(PRIMARY_KEYS),
    foreign_keys: Some(FOREIGN_KEYS),
};

const SCHEMAS: &str = r"
SELECT 'main'
";

/// `shadow` tables hold the data of virtual ones.
const TABLES: &str = r"
SELECT t.schema, t.name,
       CASE WHEN t.name LIKE 'sqlite\_%' ESCAPE '\' OR t.type = 'shadow' THEN 'SYSTEM TABLE'
            WHEN t.type = 'view' THEN 'VIEW'
            ELSE 'TABLE' END
FROM pragma_table_list t
WHERE t.schema = 'main'
";

/// Views are left out: a view whose table is gone would fail the whole listing. What stands between brackets behind a
/// declared type is its precision and scale. A lone `INTEGER PRIMARY KEY` is the row's id, which SQLite counts up.
const COLUMNS: &str = r#"
SELECT t.schema, t.name, c.name,
       NULLIF(trim(substr(c.type, 1, instr(c.type || '(', '(') - 1)), ''),
       CASE WHEN c."notnull" <> 0 OR (t.wr = 0 AND c.pk = 1 AND upper(c.type) = 'INTEGER' AND k.size = 1)
            THEN 'NO' ELSE 'YES' END,
       CASE WHEN instr(c.type, '(') > 0 THEN CAST(substr(c.type, instr(c.type, '(') + 1) AS INTEGER) END,
       CASE WHEN instr(c.type, ',') > 0 THEN CAST(substr(c.type, instr(c.type, ',') + 1) AS INTEGER) END,
       NULL,
       CASE WHEN t.wr = 0 AND c.pk = 1 AND upper(c.type) = 'INTEGER' AND k.size = 1 THEN 'YES' ELSE 'NO' END
FROM pragma_table_list t
JOIN pragma_table_xinfo(t.name, t.schema) c
JOIN (SELECT l.name, sum(i.pk > 0) AS size FROM pragma_table_list l JOIN pragma_table_xinfo(l.name, l.schema) i
      WHERE l.schema = 'main' AND l.type IN ('table', 'virtual') GROUP BY l.name) k ON k.name = t.name
WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND c.hidden <> 1
"#;

const PRIMARY_KEYS: &str = r"
SELECT t.schema, t.name, c.name, NULL, c.pk
FROM pragma_table_list t JOIN pragma_table_info(t.name, t.schema) c
WHERE t.schema = 'main' AND t.type = 'table' AND c.pk > 0
";

/// SQLite keeps no names of constraints; a name of the key's number keeps the columns of two keys apart. A key may name
/// its table in letters of another case, and no columns at all: it then refers to the primary key.
const FOREIGN_KEYS: &str = r#"
SELECT p.schema, p.name,
       COALESCE(f."to", (SELECT i.name FROM pragma_table_info(p.name, p.schema) i WHERE i.pk = f.seq + 1)),
       NULL,
       t.schema, t.name, f."from", 'FK_' || t.name || '_' || f.id,
       f.seq + 1, f.on_update, f.on_delete
FROM pragma_table_list t
JOIN pragma_foreign_key_list(t.name, t.schema) f
JOIN pragma_table_list p ON p.schema = 'main' AND p.name = f."table" COLLATE NOCASE
WHERE t.schema = 'main' AND t.type = 'table'
"#;
