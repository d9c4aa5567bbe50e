//! A range of lines as batches.

use std::sync::Arc;

use arrow_schema::Fields;
use bowshot_core::{Error, ErrorKind, Result};

use super::Table;
use super::builder::Work;
use super::fault::Fault;
use super::lines::Lines;
use super::message;
use super::object::Object;
use super::scan::Scanner;
use crate::chunk::{Chunk, Piece};
use crate::input::{input, skip};
use crate::open::Open;
use crate::read::{Batches, Columns};

/// Batches are never larger: with the largest record behind them, places of texts stay within 31 bits.
const LARGEST_BATCH: usize = 512 << 20;

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
    // Where all columns are read, a key of another name would be lost.
    let is_open = columns.len() < file.width;
    let (fields, inferred): (Vec<_>, Vec<bool>) = columns.into_iter().unzip();
    let record = Object::record(Fields::from(fields), &inferred, is_open).ok_or_else(missing)?;
    Ok(Box::new(Json {
        lines: Lines::new(input, *line, &open.file.name),
        record,
        work: Work::default(),
        batch_bytes: batch_bytes.clamp(4_096, LARGEST_BATCH),
        name: open.file.name.clone(),
    }))
}

struct Json {
    lines: Lines,
    record: Object,
    work: Work,
    batch_bytes: usize,
    name: String,
}

impl Batches for Json {
    fn next(&mut self) -> Result<Option<Columns>> {
        self.work.weight = 0;
        let mut rows = 0;
        while rows == 0 {
            if self.lines.fill(self.batch_bytes)?.is_empty() {
                return Ok(None);
            }
            while self.work.weight < self.batch_bytes {
                let Some((line, number)) = self.lines.next() else { break };
                self.work.line = number;
                let taken = record(&mut self.record, line, &mut self.work);
                rows += usize::from(taken.map_err(|fault| message::error(&self.name, line, number, &fault))?);
            }
        }
        let columns = self.record.columns().map_err(|(column, unfit)| message::unfit(&self.name, &column, unfit))?;
        Ok(Some(Columns { columns, rows }))
    }
}

/// Takes the record of a line; false where the line is blank.
fn record(object: &mut Object, line: &[u8], work: &mut Work) -> std::result::Result<bool, Fault> {
    let mut scanner = Scanner::new(line);
    if scanner.is_done() {
        return Ok(false);
    }
    scanner.record()?;
    // An empty record takes memory too, if none of the batch's own.
    work.weight += 1;
    object.append(&mut scanner, work)?;
    scanner.end()?;
    work.check(line.len())?;
    Ok(true)
}
