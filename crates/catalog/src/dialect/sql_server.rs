//! SQL Server: the views of `sys`, which show only what the login has a right to.

use super::Listing;

pub(super) const LISTING: Listing = Listing {
    schemas: Some(SCHEMAS),
    tables: TABLES,
    columns: COLUMNS,
    primary_keys: Some(PRIMARY_KEYS),
    foreign_keys: Some(FOREIGN_KEYS),
};

/// The schemas of the fixed roles have numbers from 16384 on, and nothing in them.
const SCHEMAS: &str = r"
SELECT name FROM sys.schemas WHERE schema_id < 16384
";

const TABLES: &str = r"
SELECT s.name, o.name,
       CASE WHEN o.is_ms_shipped = 1 THEN 'SYSTEM TABLE' WHEN o.type = 'V' THEN 'VIEW' ELSE 'TABLE' END,
       CAST(p.value AS nvarchar(4000))
FROM sys.all_objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id
LEFT JOIN sys.extended_properties p
  ON p.class = 1 AND p.major_id = o.object_id AND p.minor_id = 0 AND p.name = N'MS_Description'
WHERE o.type IN ('U', 'V')
";

/// The length of a column of two-byte characters is counted in bytes.
const COLUMNS: &str = r"
SELECT s.name, o.name, c.name, t.name, c.is_nullable,
       CASE WHEN c.precision > 0 THEN c.precision
            WHEN c.max_length < 0 THEN NULL
            WHEN t.name IN (N'nchar', N'nvarchar') THEN c.max_length / 2
            WHEN t.name IN (N'char', N'varchar', N'binary', N'varbinary') THEN c.max_length END,
       CASE WHEN c.precision > 0 THEN c.scale END,
       CAST(p.value AS nvarchar(4000)),
       c.is_identity
FROM sys.all_columns c
JOIN sys.all_objects o ON o.object_id = c.object_id
JOIN sys.schemas s ON s.schema_id = o.schema_id
JOIN sys.types t ON t.user_type_id = c.user_type_id
LEFT JOIN sys.extended_properties p
  ON p.class = 1 AND p.major_id = c.object_id AND p.minor_id = c.column_id AND p.name = N'MS_Description'
WHERE o.type IN ('U', 'V')
";

const PRIMARY_KEYS: &str = r"
SELECT s.name, o.name, c.name, k.name, i.key_ordinal
FROM sys.key_constraints k
JOIN sys.objects o ON o.object_id = k.parent_object_id
JOIN sys.schemas s ON s.schema_id = o.schema_id
JOIN sys.index_columns i ON i.object_id = k.parent_object_id AND i.index_id = k.unique_index_id
JOIN sys.columns c ON c.object_id = i.object_id AND c.column_id = i.column_id
WHERE k.type = 'PK' AND i.key_ordinal > 0
";

const FOREIGN_KEYS: &str = r"
SELECT ps.name, po.name, pc.name, i.name, fs.name, fo.name, fc.name, k.name,
       l.constraint_column_id,
       REPLACE(k.update_referential_action_desc, N'_', N' '),
       REPLACE(k.delete_referential_action_desc, N'_', N' ')
FROM sys.foreign_keys k
JOIN sys.foreign_key_columns l ON l.constraint_object_id = k.object_id
JOIN sys.objects po ON po.object_id = k.referenced_object_id
JOIN sys.schemas ps ON ps.schema_id = po.schema_id
JOIN sys.columns pc ON pc.object_id = l.referenced_object_id AND pc.column_id = l.referenced_column_id
LEFT JOIN sys.indexes i ON i.object_id = k.referenced_object_id AND i.index_id = k.key_index_id
JOIN sys.objects fo ON fo.object_id = k.parent_object_id
JOIN sys.schemas fs ON fs.schema_id = fo.schema_id
JOIN sys.columns fc ON fc.object_id = l.parent_object_id AND fc.column_id = l.parent_column_id
";
