//! A range of text as batches.

use std::io::Read;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, FieldRef};
use bowshot_core::{Error, ErrorKind, Result, format_type};

use super::decode::{Block, Misfit};
use super::ends::Ends;
use super::evidence::Evidence;
use super::records::{Fault, FaultKind, Records};
use super::{FileOfText, Rules, Table};
use crate::chunk::{Chunk, Piece};
use crate::error::damaged;
use crate::input::{fill, input, skip};
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
    let columns = columns.iter().map(|place| file.column(*place)).collect::<Option<Vec<_>>>().ok_or_else(missing)?;
    let Piece::Text { bytes, line } = &chunk.piece else { return Err(missing()) };
    let mut input = input(open, bytes.start, bytes.end)?;
    if file.compressed {
        skip(input.as_mut(), bytes.start, &open.file.name)?;
    }
    Ok(Box::new(Text {
        input,
        buffer: Vec::new(),
        ended: false,
        wanted: batch_bytes.max(4_096),
        batch_bytes: batch_bytes.max(4_096),
        line: *line,
        records: Records::new(&file.rules, Some(file.width)),
        rules: file.rules.clone(),
        width: file.width,
        columns,
        name: open.file.name.clone(),
    }))
}

struct Text {
    input: Box<dyn Read + Send>,
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
    /// How many fields a record has.
    width: usize,
    columns: Vec<Column>,
    name: String,
}

/// A column that is read.
struct Column {
    /// Where it stands in a record.
    place: usize,
    field: FieldRef,
    /// Whether its type was inferred: then a value must not change by it.
    inferred: bool,
}

impl FileOfText {
    fn column(&self, place: usize) -> Option<Column> {
        let at = match &self.places {
            None => place,
            Some(places) => places.iter().position(|known| *known == place)?,
        };
        let field = Arc::clone(self.schema.fields().get(at)?);
        Some(Column { place, field, inferred: self.inferred.get(at).copied()? })
    }
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
            let end = end.map_err(|found| fault(&self.name, &self.buffer, self.line, self.rules.ends(), &found))?;
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
        self.line += self.rules.ends().count(self.buffer.get(..end).unwrap_or_default());
        self.buffer.drain(..end);
    }

    fn block(&self) -> Block<'_> {
        Block {
            bytes: &self.buffer,
            fields: &self.records.fields,
            width: self.width,
            rows: self.records.rows,
            nulls: &self.rules.nulls,
            quote: self.rules.quote.unwrap_or(b'"'),
            escape: self.rules.escape,
        }
    }

    fn column(&self, column: &Column) -> Result<ArrayRef> {
        let read = self.block().column(column.place, column.field.data_type(), column.inferred);
        read.map_err(|misfit| self.misfit(column, &misfit))
    }

    fn misfit(&self, column: &Column, Misfit(row): &Misfit) -> Error {
        let Column { place: column_place, field, inferred } = column;
        let (name, of) = (field.name(), format_type(field.data_type()));
        let block = self.block();
        let at = block.fields.get(row * block.width + column_place).map_or(0, |field| field.start as usize);
        let line = self.line + self.rules.ends().count(self.buffer.get(..at).unwrap_or_default());
        let mut scratch = Vec::new();
        let text = block.value(*row, *column_place, &mut scratch).unwrap_or_default();
        let place = format!("line {line} of {}", self.name);
        let error = match std::str::from_utf8(text) {
            Ok(text) => {
                let shown: String = text.chars().take(60).collect();
                let why = if *inferred { ", as the values that planning saw" } else { "" };
                Error::new(ErrorKind::Value, format!("column \"{name}\" is {of}{why}, and {place} holds \"{shown}\""))
                    .with_hint(format!(
                        "settle its type: types={{\"{name}\": \"{}\"}}; what means NULL is told by ?null=…",
                        self.advice(column)
                    ))
            }
            Err(error) => {
                let byte = text.get(error.valid_up_to()).copied().unwrap_or_default();
                Error::new(ErrorKind::Value, format!("column \"{name}\" in {place} is not UTF-8 (byte 0x{byte:02x})"))
                    .with_hint(format!(
                        "read it as bytes: types={{\"{name}\": \"binary\"}}, or write the file again in UTF-8: \
                         iconv -f LATIN1 -t UTF-8"
                    ))
            }
        };
        error.with_column(name)
    }

    /// A type that holds what the column had so far and the values at hand; text in case of doubt.
    fn advice(&self, Column { place, field, inferred }: &Column) -> String {
        let settled = field.data_type();
        let block = self.block();
        let mut evidence = Evidence::of(settled);
        let mut scratch = Vec::new();
        for row in 0..block.rows {
            if let Some(text) = block.value(row, *place, &mut scratch) {
                evidence.see(text);
            }
        }
        let advised = evidence.data_type();
        // A type that the user chose did not come from what the values look like.
        format_type(if *inferred && advised != *settled { &advised } else { &DataType::Utf8 })
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
        let columns = self.columns.iter().map(|column| self.column(column)).collect::<Result<_>>()?;
        self.drop_front(end);
        Ok(Some(Columns { columns, rows }))
    }
}

/// What is wrong with the text, where, and the way out.
pub(super) fn fault(name: &str, bytes: &[u8], line: u64, ends: Ends, fault: &Fault) -> Error {
    let line = line + ends.count(bytes.get(..fault.at).unwrap_or_default());
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
        FaultKind::Return => (
            format!("{place} has a carriage return (CR) in a field without quotes, and lines before it end in LF"),
            "quote the field if the CR is data; if it ends a line, make all line ends alike: tr -s '\\r' '\\n' < old.csv > new.csv",
        ),
        FaultKind::Feed => (
            format!("{place} ends in LF, and lines before it end in a carriage return (CR) alone"),
            "make all line ends alike: tr -s '\\r' '\\n' < old.csv > new.csv; a line end that is data stands in quotes",
        ),
        FaultKind::Escape(Some(found)) => (
            format!("{place} has an escape before \"{found}\", which programs read in different ways"),
            "double the escape where it means itself; leave ?escape= out where nothing is escaped",
        ),
        FaultKind::Escape(None) => (
            format!("{place}, the last one, ends in an escape"),
            "the file may have been cut off; leave ?escape= out where nothing is escaped",
        ),
    };
    Error::new(ErrorKind::Value, what).with_hint(hint)
}
