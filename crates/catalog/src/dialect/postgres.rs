//! PostgreSQL: `pg_catalog`, of which everybody may read everything; what the login may not select is left out here.

use super::Listing;

pub(super) const LISTING: Listing = Listing {
    schemas: Some(SCHEMAS),
    tables: TABLES,
    columns: COLUMNS,
    primary_keys: Some(PRIMARY_KEYS),
    foreign_keys: Some(FOREIGN_KEYS),
};

const SCHEMAS: &str = r"
SELECT n.nspname::text
FROM pg_catalog.pg_namespace n
WHERE n.nspname <> 'pg_toast' AND left(n.nspname, 8) <> 'pg_temp_' AND left(n.nspname, 14) <> 'pg_toast_temp_'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
";

/// Of the server's own schemas, those with tables that nobody reads by name are left out.
const TABLES: &str = r"
SELECT n.nspname::text, c.relname::text,
       CASE WHEN n.nspname IN ('pg_catalog', 'information_schema') THEN 'SYSTEM TABLE'
            WHEN c.relkind = 'v' THEN 'VIEW'
            WHEN c.relkind = 'm' THEN 'MATERIALIZED VIEW'
            WHEN c.relkind = 'f' THEN 'FOREIGN TABLE'
            ELSE 'TABLE' END,
       pg_catalog.obj_description(c.oid, 'pg_class')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname <> 'pg_toast' AND left(n.nspname, 8) <> 'pg_temp_'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
";

/// A domain is described by the type beneath it. Numbers are measured in decimal digits, as JDBC does.
const COLUMNS: &str = r"
SELECT n.nspname::text, c.relname::text, a.attname::text,
       pg_catalog.format_type(a.atttypid, NULL),
       NOT (a.attnotnull OR t.typnotnull),
       CASE b.type_id
            WHEN 21 THEN 5 WHEN 23 THEN 10 WHEN 20 THEN 19 WHEN 700 THEN 8 WHEN 701 THEN 17
            WHEN 1700 THEN CASE WHEN b.modifier >= 4 THEN ((b.modifier - 4) >> 16) & 65535 END
            WHEN 1042 THEN CASE WHEN b.modifier >= 4 THEN b.modifier - 4 END
            WHEN 1043 THEN CASE WHEN b.modifier >= 4 THEN b.modifier - 4 END
            WHEN 1560 THEN NULLIF(b.modifier, -1) WHEN 1562 THEN NULLIF(b.modifier, -1) END,
       CASE WHEN b.type_id IN (20, 21, 23) THEN 0
            WHEN b.type_id = 1700 AND b.modifier >= 4 THEN (((b.modifier - 4) & 2047) # 1024) - 1024 END,
       pg_catalog.col_description(c.oid, a.attnum),
       a.attidentity <> '' OR COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END AS type_id,
                           CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS modifier) b
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname <> 'pg_toast' AND left(n.nspname, 8) <> 'pg_temp_'
";

const PRIMARY_KEYS: &str = r"
SELECT n.nspname::text, c.relname::text, a.attname::text, k.conname::text, u.place
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS u(number, place)
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.number
WHERE k.contype = 'p'
";

/// What a partition of the referred table repeats of its parent is left out.
const FOREIGN_KEYS: &str = r"
SELECT pn.nspname::text, pc.relname::text, pa.attname::text,
       (SELECT p.conname::text FROM pg_catalog.pg_constraint p
        WHERE p.conrelid = k.confrelid AND p.conindid = k.conindid AND p.contype IN ('p', 'u')
        ORDER BY p.contype, p.conname LIMIT 1),
       fn.nspname::text, fc.relname::text, fa.attname::text, k.conname::text,
       u.place,
       CASE k.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'r' THEN 'RESTRICT' WHEN 'n' THEN 'SET NULL'
                          WHEN 'd' THEN 'SET DEFAULT' ELSE 'NO ACTION' END,
       CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'r' THEN 'RESTRICT' WHEN 'n' THEN 'SET NULL'
                          WHEN 'd' THEN 'SET DEFAULT' ELSE 'NO ACTION' END
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class fc ON fc.oid = k.conrelid
JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
JOIN pg_catalog.pg_class pc ON pc.oid = k.confrelid
JOIN pg_catalog.pg_namespace pn ON pn.oid = pc.relnamespace
CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS u(foreign_number, primary_number, place)
JOIN pg_catalog.pg_attribute fa ON fa.attrelid = fc.oid AND fa.attnum = u.foreign_number
JOIN pg_catalog.pg_attribute pa ON pa.attrelid = pc.oid AND pa.attnum = u.primary_number
WHERE k.contype = 'f'
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint q WHERE q.oid = k.conparentid AND q.conrelid = k.conrelid)
";
