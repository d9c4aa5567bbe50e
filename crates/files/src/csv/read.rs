//! A range of text as batches.

use std::io::Read;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Result, format_type};

use super::decode::{Block, Misfit};
use super::head::lines;
use super::input::{fill, input};
use super::records::{Fault, FaultKind, Records};
use super::{Rules, Table};
use crate::chunk::{Chunk, Piece};
use crate::error::damaged;
use crate::open::Open;
use crate::read::{Batches, Columns};

/// No record is longer: it would be a quote that nobody closed.
const LONGEST: usize = 1 << 30;

/// Reads some columns, in their order in the file.
pub(crate) fn read(
    open: &Arc<Open>,
    table: &Table,
    chunk: &Chunk,
    columns: &[usize],
    batch_bytes: usize,
) -> Result<Box<dyn Batches>> {
    let missing = || Error::new(ErrorKind::Internal, format!("{} has no such piece", open.file.name));
    let file = table.files.get(chunk.file).ok_or_else(missing)?;
    let (start, end, line) = match &chunk.piece {
        Piece::Text { bytes, line } => (bytes.start, bytes.end, *line),
        Piece::Whole => (0, open.len(), 1),
        _ => return Err(missing()),
    };
    let mut text = Text {
        input: input(open, start, end),
        buffer: Vec::new(),
        ended: false,
        wanted: batch_bytes.max(4_096),
        batch_bytes: batch_bytes.max(4_096),
        line,
        records: Records::new(&table.rules, Some(file.schema.fields().len())),
        rules: table.rules.clone(),
        schema: Arc::clone(&file.schema),
        inferred: file.inferred.clone(),
        columns: columns.to_vec(),
        name: open.file.name.clone(),
    };
    if matches!(chunk.piece, Piece::Whole) {
        text.skip_header()?;
    }
    Ok(Box::new(text))
}

struct Text {
    input: Box<dyn Read>,
    /// From the first record that was not handed out.
    buffer: Vec<u8>,
    /// Whether the buffer holds the rest.
    ended: bool,
    /// How much to have in the buffer before it is taken apart.
    wanted: usize,
    batch_bytes: usize,
    /// The number of the buffer's first line.
    line: u64,
    records: Records,
    rules: Rules,
    schema: SchemaRef,
    inferred: Vec<bool>,
    columns: Vec<usize>,
    name: String,
}

impl Text {
    /// Reads on, up to the wanted size.
    fn fill(&mut self) -> Result<()> {
        let more = self.wanted.saturating_sub(self.buffer.len());
        if !self.ended && more > 0 {
            self.ended = fill(self.input.as_mut(), &mut self.buffer, more, &self.name)? < more;
        }
        Ok(())
    }

    /// Whole records into `self.records`, at most `most`; how many bytes they take. 0 at the end.
    fn split(&mut self, most: usize) -> Result<usize> {
        loop {
            self.fill()?;
            let end = self.records.split(&self.buffer, self.ended, most);
            let end = end.map_err(|found| fault(&self.name, &self.buffer, self.line, &found))?;
            if self.records.rows > 0 || self.ended {
                return Ok(end);
            }
            // Blank lines alone, or a record that is longer than the buffer.
            self.drop_front(end);
            self.wanted = self.wanted.max(self.buffer.len()).saturating_mul(2);
            if self.wanted > LONGEST {
                return Err(damaged(&self.name, format!("the record in line {} does not end", self.line)));
            }
        }
    }

    fn drop_front(&mut self, end: usize) {
        self.line += lines(self.buffer.get(..end).unwrap_or_default());
        self.buffer.drain(..end);
    }

    /// Of a compressed file, what stands in front of the records.
    fn skip_header(&mut self) -> Result<()> {
        self.fill()?;
        if self.buffer.starts_with(&[0xef, 0xbb, 0xbf]) {
            self.buffer.drain(..3);
        }
        if self.rules.header {
            let end = self.split(1)?;
            self.drop_front(end);
        }
        Ok(())
    }

    fn block(&self) -> Block<'_> {
        Block {
            bytes: &self.buffer,
            fields: &self.records.fields,
            width: self.schema.fields().len(),
            rows: self.records.rows,
            nulls: &self.rules.nulls,
            quote: self.rules.quote.unwrap_or(b'"'),
        }
    }

    fn column(&self, column: usize) -> Result<ArrayRef> {
        let data_type = self.schema.field(column).data_type();
        let strict = self.inferred.get(column).copied().unwrap_or(true);
        self.block().column(column, data_type, strict).map_err(|misfit| self.misfit(column, &misfit))
    }

    fn misfit(&self, column: usize, Misfit(row): &Misfit) -> Error {
        let field = self.schema.field(column);
        let (name, of) = (field.name(), format_type(field.data_type()));
        let block = self.block();
        let at = block.fields.get(row * block.width + column).map_or(0, |field| field.start as usize);
        let line = self.line + lines(self.buffer.get(..at).unwrap_or_default());
        let mut scratch = Vec::new();
        let text = block.value(*row, column, &mut scratch).unwrap_or_default();
        let place = format!("line {line} of {}", self.name);
        let error = match std::str::from_utf8(text) {
            Ok(text) => {
                let shown: String = text.chars().take(60).collect();
                let inferred = self.inferred.get(column) == Some(&true);
                let why = if inferred { ", as the values that planning saw" } else { "" };
                Error::new(ErrorKind::Value, format!("column \"{name}\" is {of}{why}, and {place} holds \"{shown}\""))
                    .with_hint(format!(
                        "settle its type: types={{\"{name}\": \"utf8\"}}; what means NULL is told by ?null=…"
                    ))
            }
            Err(error) => {
                let byte = text.get(error.valid_up_to()).copied().unwrap_or_default();
                Error::new(ErrorKind::Value, format!("column \"{name}\" in {place} is not UTF-8 (byte 0x{byte:02x})"))
                    .with_hint("write the file again in UTF-8: iconv -f LATIN1 -t UTF-8")
            }
        };
        error.with_column(name)
    }
}

impl Batches for Text {
    fn next(&mut self) -> Result<Option<Columns>> {
        self.wanted = self.batch_bytes;
        let end = self.split(usize::MAX)?;
        let rows = self.records.rows;
        if rows == 0 {
            return Ok(None);
        }
        let columns = self.columns.iter().map(|column| self.column(*column)).collect::<Result<_>>()?;
        self.drop_front(end);
        Ok(Some(Columns { columns, rows }))
    }
}

/// What is wrong with the text, where, and the way out.
pub(super) fn fault(name: &str, bytes: &[u8], line: u64, fault: &Fault) -> Error {
    let line = line + lines(bytes.get(..fault.at).unwrap_or_default());
    let place = format!("line {line} of {name}");
    let (what, hint) = match fault.kind {
        FaultKind::Quote => (
            format!("{place} has a quote in the middle of a field"),
            "a field with quotes in it is quoted, and they are doubled; ?quote= in the URI says that quotes mean themselves",
        ),
        FaultKind::Open => (
            format!("a quoted field that begins in {place} has no end"),
            "?quote= in the URI says that quotes mean themselves",
        ),
        FaultKind::Width(fields) => (
            format!("{place} has {fields} fields, and not as many as the lines before it"),
            "?delimiter=… in the URI says what stands between fields",
        ),
    };
    Error::new(ErrorKind::Value, what).with_hint(hint)
}
