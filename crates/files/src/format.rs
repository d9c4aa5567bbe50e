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
    /// Text, an object of JSON a line.
    Json,
}

impl Format {
    /// By the name that users give it, or the end of a file's name.
    pub(crate) fn named(name: &str) -> Option<Format> {
        match name.to_ascii_lowercase().as_str() {
            "parquet" | "parq" | "pq" => Some(Format::Parquet),
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "arrow" | "arrows" | "ipc" | "feather" => Some(Format::Arrow),
            "jsonl" | "ndjson" | "json" => Some(Format::Json),
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
            [b'{', ..] => Ok(Format::Json),
            [b'O', b'R', b'C', ..] => Err(orc(name)),
            _ => {
                Err(Error::new(ErrorKind::Config, format!("neither its name nor its first bytes tell what {name} is"))
                    .with_hint("say it in the URI: file:…?format=csv, or parquet, tsv, jsonl, arrow"))
            }
        }
    }
}

/// Why a file of ORC is not read, and what to do with it.
pub(crate) fn orc(name: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{name} is an ORC file, which is not read"))
        .with_hint("make it Parquet: pyarrow.parquet.write_table(pyarrow.orc.read_table(\"old.orc\"), \"new.parquet\")")
}

/// Whether a file's name is that of an ORC file.
pub(crate) fn is_orc(name: &str) -> bool {
    ending(name, ".orc").is_some()
}

/// Whether a file may well be a document beside the data, as its name says: `.json` is what both are called.
pub(crate) fn may_be_document(name: &str) -> bool {
    ending(strip_compression(name), ".json").is_some()
}

/// How a file of text is compressed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

/// By a file's name; `None` where it is not compressed.
pub(crate) fn compression(name: &str) -> Option<Compression> {
    let all = [(".gz", Compression::Gzip), (".zst", Compression::Zstd)];
    all.into_iter().find_map(|(end, compression)| ending(name, end).map(|_| compression))
}

fn strip_compression(name: &str) -> &str {
    ending(name, ".gz").or_else(|| ending(name, ".zst")).unwrap_or(name)
}

/// What stands before an end of a name, in letters of any case.
fn ending<'a>(name: &'a str, end: &str) -> Option<&'a str> {
    let (stem, found) = name.len().checked_sub(end.len()).and_then(|at| name.split_at_checked(at))?;
    found.eq_ignore_ascii_case(end).then_some(stem)
}
