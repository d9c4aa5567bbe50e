//! Which text DataFusion may compare: it compares bytes, and databases compare by collations.

use bowshot_core::{Cancel, ErrorKind, Result, Source};
use bowshot_gateway_catalog::{Dialect, TablePath};
use bowshot_sql::quote_literal;

use crate::ask::ask;

/// How a database compares the text of a column, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Byte by byte, as DataFusion does.
    Bytes,
    /// Equal are equal bytes only, the order is the collation's.
    EqualBytes(String),
    /// Otherwise, or nobody knows; the reason is the end of a sentence that begins with the column.
    Other(String),
}

/// How the columns of a table compare their text, by the columns' names; columns that are missing here are not known.
///
/// A catalog that does not answer is no error: then nothing is known.
pub(crate) fn texts(
    source: &dyn Source,
    dialect: Dialect,
    path: &TablePath,
    cancel: &Cancel,
) -> Result<Vec<(String, Text)>> {
    let Some(sql) = question(dialect, path) else { return Ok(Vec::new()) };
    let rows = match ask(source, &sql, cancel) {
        Ok(rows) => rows,
        Err(error) if matches!(error.kind(), ErrorKind::Sql | ErrorKind::Unsupported) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let cell = |row: &Vec<Option<String>>, at: usize| row.get(at).cloned().flatten().unwrap_or_default();
    let text = |row: &Vec<Option<String>>| {
        (cell(row, 0), decide(dialect, &cell(row, 1), &cell(row, 2), cell(row, 3).starts_with('t')))
    };
    Ok(rows.iter().map(text).collect())
}

/// The table of what is known. `strict` is PostgreSQL's "deterministic", SQLite's "no collation is named".
fn decide(dialect: Dialect, type_name: &str, collation: &str, strict: bool) -> Text {
    let other = |why: &str| Text::Other(why.to_owned());
    match (dialect, type_name) {
        (Dialect::Postgres, "character" | "char(n)") => other("is char(n), which ignores blanks at its end"),
        (Dialect::Postgres, "text" | "character varying" | "name") if strict => match collation {
            "C" | "POSIX" | "C.UTF-8" | "C.utf8" => Text::Bytes,
            collation => Text::EqualBytes(format!("is sorted by the collation \"{collation}\"")),
        },
        (Dialect::Postgres, "text" | "character varying" | "name") => {
            other("has a collation for which different texts may be equal")
        }
        (Dialect::Postgres, type_name) => {
            Text::Other(format!("is {type_name}, whose values are compared by its own rules"))
        }
        // utf8mb4_bin and latin1_bin ignore blanks at the end, those with "nopad" and of Unicode 9 do not.
        (Dialect::MySql, "varchar" | "text" | "tinytext" | "mediumtext" | "longtext")
            if collation == "utf8mb4_0900_bin" || is_nopad_bin(collation) =>
        {
            Text::Bytes
        }
        (Dialect::MySql, _) => {
            Text::Other(format!("has the collation {collation}, for which different texts may be equal"))
        }
        (Dialect::Sqlite, _) if strict && collation == "UTF-8" => Text::Bytes,
        (Dialect::Sqlite, _) if strict => {
            Text::EqualBytes("is stored in UTF-16, whose bytes have another order".into())
        }
        (Dialect::Sqlite, _) => other("is of a table or view for which a collation is named"),
        _ => other("is compared by a collation that is not known"),
    }
}

/// MariaDB's `utf8mb4_nopad_bin`, `utf8mb3_nopad_bin`; in other character sets the order of bytes is another one.
fn is_nopad_bin(collation: &str) -> bool {
    collation.starts_with("utf8") && collation.ends_with("_nopad_bin")
}

/// SQL whose rows are column, type, collation, whether it is strict; `None` where no question is known.
fn question(dialect: Dialect, path: &TablePath) -> Option<String> {
    let schema = path.schema.as_deref().unwrap_or_default();
    match dialect {
        Dialect::Postgres => {
            let quoted = |name: &str| quote_literal(name, bowshot_sql::Dialect::Postgres);
            Some(POSTGRES.replace("$schema", &quoted(schema)).replace("$table", &quoted(&path.table)))
        }
        Dialect::MySql => {
            let quoted = |name: &str| quote_literal(name, bowshot_sql::Dialect::MySql);
            Some(MYSQL.replace("$schema", &quoted(schema)).replace("$table", &quoted(&path.table)))
        }
        Dialect::Sqlite => Some(SQLITE.replace("$table", &quote_literal(&path.table, bowshot_sql::Dialect::Sqlite))),
        _ => None,
    }
}

/// `pg_collation`, PostgreSQL's chapter "Collation Support"; columns that only newer servers have are asked for by way of
/// JSON. A domain is compared by the type beneath it.
const POSTGRES: &str = r"
SELECT a.attname::text,
       pg_catalog.format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END, NULL),
       CASE COALESCE(CASE WHEN c.collprovider = 'd' THEN to_jsonb(d)->>'datlocprovider' ELSE c.collprovider::text END, 'c')
            WHEN 'c' THEN CASE WHEN c.collprovider = 'd' THEN d.datcollate::text ELSE c.collcollate::text END
            WHEN 'b' THEN CASE WHEN c.collprovider = 'd' THEN to_jsonb(d)->>'datlocale' ELSE to_jsonb(c)->>'colllocale' END
            ELSE c.collname::text || ' (ICU)' END,
       CASE WHEN c.collisdeterministic THEN 't' ELSE 'f' END
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class r ON r.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation
JOIN pg_catalog.pg_database d ON d.datname = current_database()
WHERE n.nspname = $schema AND r.relname = $table AND a.attnum > 0 AND NOT a.attisdropped
";

const MYSQL: &str = r"
SELECT column_name, data_type, collation_name, 'f'
FROM information_schema.columns
WHERE table_schema = $schema AND table_name = $table AND collation_name IS NOT NULL
";

/// The pragmas name no collations, the definitions do; those of a view come from any table.
const SQLITE: &str = r"
SELECT c.name, c.type, (SELECT encoding FROM pragma_encoding),
       CASE WHEN EXISTS (SELECT 1 FROM sqlite_schema s WHERE lower(s.sql) LIKE '%collate%'
                         AND (lower(s.name) = lower($table) OR m.type <> 'table')) THEN 'f' ELSE 't' END
FROM pragma_table_xinfo($table) c, (SELECT max(type) AS type FROM sqlite_schema WHERE lower(name) = lower($table)
                                    AND type IN ('table', 'view')) m
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_compare_bytes_may_be_compared_here() {
        use Dialect::{ClickHouse, DuckDb, MySql, Oracle, Other, Postgres, SqlServer, Sqlite, Trino};
        for (dialect, type_name, collation, strict) in [
            (Postgres, "text", "C", true),
            (Postgres, "character varying", "POSIX", true),
            (MySql, "varchar", "utf8mb4_0900_bin", false),
            (MySql, "text", "utf8mb4_nopad_bin", false),
            (Sqlite, "TEXT", "UTF-8", true),
        ] {
            assert_eq!(decide(dialect, type_name, collation, strict), Text::Bytes, "{dialect:?} {collation}");
        }
        let equal = decide(Postgres, "text", "en_US.UTF-8", true);
        assert_eq!(equal, Text::EqualBytes("is sorted by the collation \"en_US.UTF-8\"".into()));
        for (dialect, type_name, collation, strict) in [
            (Postgres, "character", "C", true),
            (Postgres, "citext", "C", true),
            (Postgres, "text", "und (ICU)", false),
            (MySql, "varchar", "utf8mb4_bin", false),
            (MySql, "varchar", "utf8mb4_general_ci", false),
            (MySql, "varchar", "latin1_nopad_bin", false),
            (MySql, "char", "utf8mb4_0900_bin", false),
            (Sqlite, "TEXT", "UTF-8", false),
            (SqlServer, "nvarchar", "Latin1_General_BIN2", true),
            (Oracle, "VARCHAR2", "BINARY", true),
            (ClickHouse, "String", "", true),
            (Trino, "varchar", "", true),
            (DuckDb, "VARCHAR", "", true),
            (Other, "", "", true),
        ] {
            let text = decide(dialect, type_name, collation, strict);
            assert!(matches!(text, Text::Other(_)), "{dialect:?} {type_name} {collation}: {text:?}");
        }
    }
}
