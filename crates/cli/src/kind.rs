//! What kind of source an address names: the gateway must know how it writes SQL before it connects.

use std::path::Path;

use bowshot_gateway_catalog::Dialect;

/// The kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Parquet, CSV, JSON lines or Arrow files.
    Files,
    /// A database with this dialect.
    Database(Dialect),
}

/// Endings of SQLite's files, as `bowshot_connect` knows them.
const SQLITE: &[&str] = &[".db", ".db3", ".sqlite", ".sqlite3", ".s3db", ".sdb"];

/// Endings of data's files.
const DATA: &[&str] = &[
    ".parquet",
    ".parq",
    ".pq",
    ".csv",
    ".csv.gz",
    ".csv.zst",
    ".tsv",
    ".tsv.gz",
    ".tsv.zst",
    ".tab",
    ".jsonl",
    ".jsonl.gz",
    ".jsonl.zst",
    ".ndjson",
    ".ndjson.gz",
    ".ndjson.zst",
    ".json",
    ".json.gz",
    ".json.zst",
    ".arrow",
    ".arrows",
    ".ipc",
    ".feather",
    ".orc",
];

impl Kind {
    /// The kind of what an address names.
    pub(crate) fn of(uri: &str) -> Kind {
        let uri = uri.trim();
        let lower = uri.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
        match uri.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()) {
            // One letter is a drive.
            Some(scheme) if scheme.len() > 1 && !scheme.contains(['/', '=', '.']) => match scheme.as_str() {
                "file" if ends(SQLITE) => Kind::Database(Dialect::Sqlite),
                "file" | "s3" | "s3a" | "gs" | "gcs" | "az" | "abfs" | "abfss" | "azure" | "adl" | "http" | "https" => {
                    Kind::Files
                }
                scheme => Kind::Database(Dialect::of_scheme(scheme)),
            },
            // What is there decides: a folder may be called anything.
            // A plain path has no options: a question mark in it is a pattern's.
            _ if ends(DATA)
                || DATA.iter().any(|ending| uri.to_ascii_lowercase().ends_with(ending))
                || uri.ends_with(['/', '\\'])
                || uri.contains('*')
                || Path::new(uri).is_dir() =>
            {
                Kind::Files
            }
            _ if uri.contains('=') => Kind::Database(Dialect::Postgres),
            _ => Kind::Database(Dialect::Sqlite),
        }
    }

    /// How it writes SQL.
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Kind::Files => Dialect::Other,
            Kind::Database(dialect) => dialect,
        }
    }

    /// A query that costs nothing, for who only wants an answer.
    pub(crate) fn smallest_query(self) -> &'static str {
        match self {
            Kind::Files => "SELECT * FROM data LIMIT 1",
            // Before version 23, every query of Oracle has a table.
            Kind::Database(Dialect::Oracle) => "SELECT 1 FROM dual",
            Kind::Database(_) => "SELECT 1",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_what_it_names() {
        for (uri, kind) in [
            ("postgresql://h/db", Kind::Database(Dialect::Postgres)),
            ("host=/tmp dbname=shop", Kind::Database(Dialect::Postgres)),
            ("MYSQL://h/db", Kind::Database(Dialect::MySql)),
            ("mysql+tls://h/db", Kind::Database(Dialect::MySql)),
            ("sqlite:shop.db", Kind::Database(Dialect::Sqlite)),
            ("./shop.db", Kind::Database(Dialect::Sqlite)),
            ("/data/shop", Kind::Database(Dialect::Sqlite)),
            ("file:shop.sqlite?mode=ro", Kind::Database(Dialect::Sqlite)),
            ("file:///lake/", Kind::Files),
            ("s3://lake/orders.parquet?region=eu", Kind::Files),
            ("./lake/", Kind::Files),
            ("/data/*.csv", Kind::Files),
            ("orders.parquet", Kind::Files),
            ("orders.jsonl", Kind::Files),
            ("log.ndjson.zst", Kind::Files),
            ("lake/part-?.parquet", Kind::Files),
            ("/tmp", Kind::Files),
            ("odbc:DSN=shop", Kind::Database(Dialect::Other)),
            ("duckdb:shop.db", Kind::Database(Dialect::DuckDb)),
        ] {
            assert_eq!(Kind::of(uri), kind, "{uri}");
        }
    }
}
