//! Text, a record a line: its dialect, its columns, and the pieces to read.

mod decode;
mod ends;
mod evidence;
mod head;
mod held;
mod read;
mod records;
mod separator;
mod split;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE};
use serde::{Deserialize, Serialize};

use crate::chunk::{Chunk, Piece};
use crate::format::Format;
use crate::snapshot::File;
use evidence::Evidence;

pub(crate) use ends::Ends;
pub(crate) use head::Head;
pub(crate) use held::HeldText;
pub(crate) use read::read;
pub(crate) use split::{Goal, split};

/// What the user says of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dialect {
    /// `None`: a comma, or a tab in .tsv.
    pub(crate) delimiter: Option<u8>,
    /// `None`: quotes mean themselves.
    pub(crate) quote: Option<u8>,
    /// What takes the special meaning of the character behind it.
    pub(crate) escape: Option<u8>,
    /// Whether the first line has the names.
    pub(crate) header: bool,
    /// What means NULL, besides a field without anything in it.
    pub(crate) nulls: Vec<Vec<u8>>,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect { delimiter: None, quote: Some(b'"'), escape: None, header: true, nulls: Vec::new() }
    }
}

/// A dialect in which nothing is open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rules {
    delimiter: u8,
    /// Whether the user named it.
    named: bool,
    quote: Option<u8>,
    escape: Option<u8>,
    header: bool,
    nulls: Vec<Vec<u8>>,
    /// `None`: the first line of the file tells.
    ends: Option<Ends>,
}

impl Rules {
    fn ends(&self) -> Ends {
        self.ends.unwrap_or(Ends::Feed)
    }
}

impl Dialect {
    pub(crate) fn completed(&self, format: Format) -> Rules {
        let usual = if format == Format::Tsv { b'\t' } else { b',' };
        Rules {
            delimiter: self.delimiter.unwrap_or(usual),
            named: self.delimiter.is_some(),
            quote: self.quote,
            // A quote that escapes is a doubled one.
            escape: self.escape.filter(|escape| Some(*escape) != self.quote),
            header: self.header,
            nulls: self.nulls.clone(),
            ends: None,
        }
    }
}

/// All files of text.
pub(crate) struct Table {
    files: Vec<FileOfText>,
}

struct FileOfText {
    /// With what its first lines have settled.
    rules: Rules,
    /// How many fields a record has.
    width: usize,
    /// The columns that are known: all of them, or those that a ticket needs.
    schema: SchemaRef,
    /// Where these stand in a record; `None`: one after the other.
    places: Option<Vec<usize>>,
    /// For each of these, whether its type was inferred: then a value must not change by it.
    inferred: Vec<bool>,
    pieces: Vec<(Range<u64>, u64)>,
    /// Whether the piece is of a compressed file: places in it are those of its text.
    compressed: bool,
}

impl Table {
    /// Settles the types from what all files have shown.
    pub(crate) fn new(heads: Vec<Head>, types: &BTreeMap<String, DataType>, files: &[Arc<File>]) -> Result<Self> {
        let mut all: BTreeMap<String, Evidence> = BTreeMap::new();
        for head in &heads {
            for (name, evidence) in head.names.iter().zip(&head.evidence) {
                all.entry(name.clone()).or_default().merge(evidence);
            }
        }
        let field = |name: &String| -> (Field, bool) {
            let wish = types.get(name).filter(|wish| decode::is_native(wish));
            let data_type = match (wish, types.contains_key(name)) {
                (Some(wish), _) => wish.clone(),
                // What is not parsed here is cast from its text.
                (None, true) if types.get(name).is_some_and(crate::text::holds_bytes) => DataType::Binary,
                (None, true) => DataType::Utf8,
                (None, false) => all.get(name).map_or(DataType::Utf8, Evidence::data_type),
            };
            let metadata = [(SOURCE_TYPE.to_owned(), "text".to_owned())].into();
            (Field::new(name, data_type, true).with_metadata(metadata), wish.is_none())
        };
        let mut known = Vec::new();
        for (head, file) in heads.into_iter().zip(files) {
            if head.names.is_empty() {
                return Err(Error::new(ErrorKind::Config, format!("{} is empty: it has not even a header", file.name)));
            }
            let (fields, inferred): (Vec<Field>, Vec<bool>) = head.names.iter().map(field).unzip();
            let schema = Arc::new(Schema::new(fields));
            let Head { rules, pieces, compressed, .. } = head;
            let width = schema.fields().len();
            known.push(FileOfText { rules, width, schema, places: None, inferred, pieces, compressed });
        }
        Ok(Table { files: known })
    }

    pub(crate) fn schemas(&self) -> Vec<SchemaRef> {
        self.files.iter().map(|file| Arc::clone(&file.schema)).collect()
    }

    pub(crate) fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            for (bytes, line) in &file.pieces {
                let piece = Piece::Text { bytes: bytes.clone(), line: *line };
                chunks.push(Chunk { file: number, piece, rows: None, bytes: bytes.end - bytes.start, held: 0 });
            }
        }
        chunks
    }
}
