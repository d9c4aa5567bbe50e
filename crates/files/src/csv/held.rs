//! What a ticket says of a file of text: all that planning settled, so that nothing is inferred again from another beginning.

use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Schema};
use serde::{Deserialize, Serialize};

use super::decode::is_native;
use super::{FileOfText, Rules, Table};
use crate::chunk::{Chunk, Piece};
use crate::format::compression;
use crate::snapshot::File;

/// A file of text as it is to be read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeldText {
    rules: Rules,
    width: usize,
    /// For each column that is read, whether its type was inferred.
    inferred: Vec<bool>,
    compressed: bool,
}

/// A file of a ticket, what it says of the text, and the columns that are read with their places.
pub(crate) type Known = (Arc<File>, HeldText, Vec<usize>, Vec<FieldRef>);

impl Table {
    /// What a ticket says of a file of which the columns at these places are read.
    pub(crate) fn held(&self, file: usize, places: &[usize]) -> Option<HeldText> {
        let FileOfText { rules, width, inferred, compressed, .. } = self.files.get(file)?;
        let inferred = places.iter().map(|place| inferred.get(*place).copied()).collect::<Option<_>>()?;
        Some(HeldText { rules: rules.clone(), width: *width, inferred, compressed: *compressed })
    }

    /// The files of a ticket, each with the columns that are read of it and their places; or why they cannot be those.
    pub(crate) fn join(files: Vec<Known>) -> Result<Self, &'static str> {
        let one = |(file, held, places, fields): Known| {
            let HeldText { rules, width, inferred, compressed } = held;
            if places.len() != fields.len() || inferred.len() != fields.len() {
                return Err("the columns of a file are not as many as those that are read");
            }
            if places.iter().any(|place| *place >= width) {
                return Err("a column stands behind the end of the records");
            }
            // What is not parsed here is text or bytes.
            if !fields.iter().all(|field| is_native(field.data_type())) {
                return Err("a column of text has a type that text is not parsed as");
            }
            let exact = |field: &FieldRef| match field.data_type() {
                DataType::Decimal128(digits, scale) => {
                    (1..=38).contains(digits) && i16::from(*scale) <= i16::from(*digits)
                }
                _ => true,
            };
            if !fields.iter().all(exact) {
                return Err("a decimal has no digits, or more than there are");
            }
            if compressed != compression(&file.name).is_some() {
                return Err("the file is compressed where it was not, or the other way round");
            }
            let schema = Arc::new(Schema::new(fields));
            Ok(FileOfText { rules, width, schema, places: Some(places), inferred, pieces: Vec::new(), compressed })
        };
        Ok(Table { files: files.into_iter().map(one).collect::<Result<_, _>>()? })
    }

    /// A piece as a chunk, if the file has it.
    pub(crate) fn chunk(&self, number: usize, file: &File, piece: Piece) -> Option<Chunk> {
        let known = self.files.get(number)?;
        let Piece::Text { bytes, line } = &piece else { return None };
        // A line takes a byte at least; the first one has the number 1.
        if *line > bytes.start.saturating_add(2) {
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
