//! Folders whose files are only a part of the truth: tables of Delta Lake, Hudi and Iceberg, whose logs say which of them count. What was
//! deleted or rewritten still lies there.

use bowshot_core::{Address, Error, ErrorKind};

/// A format of tables that has a log of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lake {
    Delta,
    Hudi,
    Iceberg,
}

impl Lake {
    /// The format that a path below a folder is a sign of.
    pub(crate) fn of(below: &str) -> Option<Lake> {
        let mut parts = below.split('/').rev();
        let name = parts.next()?;
        if name.ends_with(".metadata.json") && parts.next() == Some("metadata") {
            return Some(Lake::Iceberg);
        }
        below.split('/').find_map(|part| match part {
            "_delta_log" => Some(Lake::Delta),
            ".hoodie" => Some(Lake::Hudi),
            _ => None,
        })
    }

    /// Why the folder is not read.
    pub(crate) fn refusal(self, folder: &str) -> Error {
        let (table, reader) = match self {
            Lake::Delta => ("a Delta Lake table", "the package deltalake, or DuckDB's extension delta"),
            Lake::Hudi => ("a Hudi table", "the package hudi"),
            Lake::Iceberg => ("an Iceberg table", "the package pyiceberg, or DuckDB's extension iceberg"),
        };
        let place = Address::new(folder.trim_end_matches('/'));
        Error::new(ErrorKind::Unsupported, format!("{place} holds {table}: its log says which of its files count"))
            .with_hint(format!(
                "read it with {reader}; or name the files, if each of them counts: {place}/**/*.parquet"
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_a_sign_and_nothing_else_is() {
        for (below, found) in [
            ("_delta_log", Some(Lake::Delta)),
            ("_delta_log/00000000000000000000.json", Some(Lake::Delta)),
            ("sales/_delta_log/_last_checkpoint", Some(Lake::Delta)),
            (".hoodie/hoodie.properties", Some(Lake::Hudi)),
            ("metadata/v1.metadata.json", Some(Lake::Iceberg)),
            ("shop/orders/metadata/00000-1f.metadata.json", Some(Lake::Iceberg)),
            ("metadata/part-0.parquet", None),
            ("v1.metadata.json", None),
            ("_delta_logs/x.json", None),
            ("day=1/part-0.parquet", None),
            ("", None),
        ] {
            assert_eq!(Lake::of(below), found, "{below}");
        }
    }
}
