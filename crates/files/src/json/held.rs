//! What a ticket says of a file of JSON lines: all that planning settled, so that nothing is inferred again from another beginning.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{FieldRef, Schema};
use serde::{Deserialize, Serialize};

use super::builder::Builder;
use super::evidence::Fields;
use super::{FileOfLines, Table};
use crate::chunk::{Chunk, Piece};
use crate::format::compression;
use crate::snapshot::File;

/// A file of JSON lines as it is to be read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeldLines {
    /// How many columns the files have, read or not.
    width: usize,
    /// For each column that is read, its key, which the query may call otherwise, and whether its type was inferred.
    names: Vec<String>,
    inferred: Vec<bool>,
    compressed: bool,
}

/// A file of a ticket, what it says of the lines, and the columns that are read with their places.
pub(crate) type Known = (Arc<File>, HeldLines, Vec<usize>, Vec<FieldRef>);

impl Table {
    /// What a ticket says of a file of which the columns at these places are read.
    pub(crate) fn held(&self, file: usize, places: &[usize]) -> Option<HeldLines> {
        let known = self.files.get(file)?;
        let columns = places.iter().map(|place| known.column(*place)).collect::<Option<Vec<_>>>()?;
        let (names, inferred) = columns.into_iter().map(|(field, inferred)| (field.name().clone(), inferred)).unzip();
        Some(HeldLines { width: known.width, names, inferred, compressed: known.compressed })
    }

    /// The files of a ticket, each with the columns that are read of it and their places; or why they cannot be those.
    pub(crate) fn join(files: Vec<Known>) -> Result<Self, &'static str> {
        let one = |(file, held, places, fields): Known| {
            let HeldLines { width, names, inferred, compressed } = held;
            if [places.len(), names.len(), inferred.len()] != [fields.len(); 3] {
                return Err("the columns of a file are not as many as those that are read");
            }
            if places.iter().any(|place| *place >= width) {
                return Err("a column stands behind the last one");
            }
            let mut columns = fields.iter().zip(&inferred);
            if !columns.all(|(field, inferred)| Builder::new(field.data_type(), *inferred).is_some()) {
                return Err("a column of JSON has a type that JSON is not read as");
            }
            if compressed != compression(&file.name).is_some() {
                return Err("the file is compressed where it was not, or the other way round");
            }
            let mut once = BTreeSet::new();
            if !names.iter().all(|name| once.insert(name)) {
                return Err("two columns have one key");
            }
            let named = fields.iter().zip(&names).map(|(field, name)| field.as_ref().clone().with_name(name));
            let schema = Arc::new(Schema::new(named.collect::<Vec<_>>()));
            Ok(FileOfLines { width, schema, places: Some(places), inferred, pieces: Vec::new(), compressed })
        };
        let files = files.into_iter().map(one).collect::<Result<_, _>>()?;
        Ok(Table { files, fields: Fields::default(), unsettled: BTreeSet::new() })
    }

    /// A piece as a chunk, if the file has it.
    pub(crate) fn chunk(&self, number: usize, file: &File, piece: Piece) -> Option<Chunk> {
        let known = self.files.get(number)?;
        let Piece::Text { bytes, line } = &piece else { return None };
        // A line takes a byte at least; the first one has the number 1.
        if *line > bytes.start.saturating_add(1) {
            return None;
        }
        let length = bytes.end.checked_sub(bytes.start)?;
        // Places in a compressed file are those of its text, whose length nobody knows.
        if !known.compressed && bytes.end > file.size {
            return None;
        }
        Some(Chunk { file: number, piece, rows: None, bytes: length, held: 0 })
    }
}
