//! JSON lines: text with an object a line, its columns, and the pieces to read.
//!
//! The decoder is this crate's own. That of arrow-json keeps the last one of two equal keys, makes whole numbers of fractions and of
//! text, cuts digits off timestamps, and names neither line nor column; it would have to be preceded by one that reads all of JSON.

mod builder;
mod evidence;
mod fault;
mod head;
mod held;
mod keys;
mod lines;
mod list;
mod map;
mod message;
mod object;
mod read;
mod scan;
mod wish;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE};

use crate::chunk::{Chunk, Piece};
use crate::snapshot::File;
use builder::Builder;
use evidence::{Fields, MOST_KEYS};

pub(crate) use head::{Head, Looking};
pub(crate) use held::HeldLines;
pub(crate) use read::read;

/// All files of JSON lines.
pub(crate) struct Table {
    files: Vec<FileOfLines>,
    /// What planning saw.
    fields: Fields,
    /// The places of columns that have no type, since values of several kinds are in them.
    unsettled: BTreeSet<usize>,
}

struct FileOfLines {
    /// How many columns the files have.
    width: usize,
    /// The columns that are known: all of them, or those that a ticket needs.
    schema: SchemaRef,
    /// Which columns these are; `None`: all of them.
    places: Option<Vec<usize>>,
    /// For each of these, whether its type was inferred: then a value must be of it, and not only become it.
    inferred: Vec<bool>,
    pieces: Vec<(Range<u64>, u64)>,
    /// Whether the piece is of a compressed file: places in it are those of its text.
    compressed: bool,
}

/// The columns of the user's types that JSON is read as; others are left to the casts of the core.
pub(crate) fn settled(types: &BTreeMap<String, DataType>) -> BTreeSet<String> {
    let possible = types.iter().filter(|(_, wanted)| Builder::new(wanted, false).is_some());
    possible.map(|(name, _)| name.clone()).collect()
}

impl Table {
    /// Settles the columns and their types from what all files have shown: a file may lack keys that others have, and a record too.
    ///
    /// `all` says that every record was looked at.
    pub(crate) fn new(
        heads: Vec<Head>,
        types: &BTreeMap<String, DataType>,
        files: &[Arc<File>],
        all: bool,
    ) -> Result<Self> {
        let mut fields = Fields::default();
        let mut found = Vec::with_capacity(heads.len());
        for Head { fields: shown, pieces, compressed } in heads {
            fields.merge(shown);
            found.push((pieces, compressed));
        }
        if fields.count() > MOST_KEYS {
            let message = format!("the files have more than {MOST_KEYS} different keys: they seem to be data");
            return Err(Error::new(ErrorKind::Unsupported, message)
                .with_hint("read columns with such keys as JSON text: types={\"…\": \"utf8\"}"));
        }
        let settled = settled(types);
        let mut columns: Vec<(Field, bool)> = Vec::new();
        let mut unsettled = BTreeSet::new();
        for (place, name) in fields.names().enumerate() {
            let wanted = types.get(name).filter(|_| settled.contains(name));
            let data_type = wanted.map_or_else(|| fields.type_of(place), |wanted| Ok(wanted.clone()));
            if data_type.is_err() {
                unsettled.insert(place);
            }
            columns.push((field(name, data_type.unwrap_or(DataType::Utf8)), wanted.is_none()));
        }
        // What the sample did not show, the user may know of.
        let is_key = |name: &String| files.iter().any(|file| file.keys.iter().any(|(key, _)| key == name));
        let is_new = |name: &String| fields.names().all(|known| known != name) && !is_key(name);
        if !all || columns.is_empty() {
            for (name, wanted) in types.iter().filter(|(name, _)| settled.contains(*name) && is_new(name)) {
                columns.push((field(name, wanted.clone()), false));
            }
        }
        if columns.is_empty() {
            let name = files.first().map_or("", |file| file.name.as_str());
            let more = if files.len() > 1 { " and the files beside it have" } else { " has" };
            return Err(Error::new(
                ErrorKind::Config,
                format!("{name}{more} no record with a key: there is no column"),
            )
            .with_hint("say what the columns are: types={\"id\": \"int64\"}"));
        }
        let (columns, inferred): (Vec<Field>, Vec<bool>) = columns.into_iter().unzip();
        let schema = Arc::new(Schema::new(columns));
        let of = |(pieces, compressed)| FileOfLines {
            width: inferred.len(),
            schema: Arc::clone(&schema),
            places: None,
            inferred: inferred.clone(),
            pieces,
            compressed,
        };
        Ok(Table { files: found.into_iter().map(of).collect(), fields, unsettled })
    }

    /// An error where one of the columns that are read has no type; others are none of the query's business.
    pub(crate) fn check(&self, columns: &[usize]) -> Result<()> {
        let mut unsettled = columns.iter().filter(|place| self.unsettled.contains(place));
        unsettled.try_for_each(|place| self.fields.type_of(*place).map(|_| ()))
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

impl FileOfLines {
    /// A column, and whether its type was inferred.
    fn column(&self, place: usize) -> Option<(FieldRef, bool)> {
        let at = match &self.places {
            None => place,
            Some(places) => places.iter().position(|known| *known == place)?,
        };
        Some((Arc::clone(self.schema.fields().get(at)?), self.inferred.get(at).copied()?))
    }
}

fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true).with_metadata([(SOURCE_TYPE.to_owned(), "json".to_owned())].into())
}
