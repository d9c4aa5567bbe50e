//! Which format a file has: by its name, else by its first bytes.

use bowshot_core::{Error, ErrorKind, Result};

use crate::open::Open;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Parquet,
    /// Text, a record a line.
    Csv,
    /// The same with tabs.
    Tsv,
    /// Arrow IPC, the file or the stream layout.
    Arrow,
}

impl Format {
    /// By the name that users give it, or the end of a file's name.
    pub(crate) fn named(name: &str) -> Option<Format> {
        match name.to_ascii_lowercase().as_str() {
            "parquet" | "parq" | "pq" => Some(Format::Parquet),
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "arrow" | "arrows" | "ipc" | "feather" => Some(Format::Arrow),
            _ => None,
        }
    }

    /// By a file's name; `None` where the name does not tell.
    pub(crate) fn of_name(name: &str) -> Option<Format> {
        let name = strip_compression(name);
        Format::named(name.rsplit_once('.')?.1)
    }

    /// By a file's first bytes.
    pub(crate) fn of_content(open: &Open, name: &str) -> Result<Format> {
        let head = open.read(0, 8.min(open.len()))?;
        match head.as_ref() {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Ok(Format::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [0xff, 0xff, 0xff, 0xff, ..] => Ok(Format::Arrow),
            _ => {
                Err(Error::new(ErrorKind::Config, format!("neither its name nor its first bytes tell what {name} is"))
                    .with_hint("say it in the URI: file:…?format=csv, or parquet, tsv, arrow"))
            }
        }
    }
}

/// Whether the file is compressed as a whole.
pub(crate) fn is_gzip(name: &str) -> bool {
    strip_compression(name).len() < name.len()
}

fn strip_compression(name: &str) -> &str {
    match name.len().checked_sub(3).and_then(|end| name.split_at_checked(end)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(".gz") => stem,
        _ => name,
    }
}
