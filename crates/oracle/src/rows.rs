//! Pass 1: where the fields of a block of rows begin and end.
//!
//! A row's fields follow each other, each behind its length; one that repeats the row above is left out. Nothing is
//! decoded here: pass 2 (`decode`) does that a column at a time.

use oracledb_protocol::ProtocolError;
use oracledb_protocol::wire::{BorrowedBytes, TtcReader};

use crate::pieces::{rowid, universal_rowid};

type Result<T> = std::result::Result<T, ProtocolError>;

/// How a column's values are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// A length and bytes.
    Bytes,
    /// The same, with an indicator behind it that says whether the value is NULL: LONG, and LOBs read as LONG.
    Long,
    /// The parts of a physical address.
    Rowid,
    /// A physical or a logical address.
    Urowid,
    /// Not there at all: the column is NULL by its description.
    Nothing,
}

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Null,
    /// In the response.
    Here {
        start: u32,
        end: u32,
    },
    /// Among the bytes that were put together from pieces.
    Aside {
        start: u32,
        end: u32,
    },
}

/// The fields of the rows that were found and not yet decoded.
pub(crate) struct Rows {
    framings: Box<[Framing]>,
    /// Row by row.
    fields: Vec<Field>,
    /// Bytes that are not in one piece in the response, and the last row of the block before.
    aside: Vec<u8>,
    count: usize,
    /// How many fields of the block before, its last row, stand at the beginning of `fields`.
    carried: bool,
}

/// A block of rows with the bytes that it points into.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    rows: &'a Rows,
    response: &'a [u8],
}

impl Rows {
    pub(crate) fn new(framings: Vec<Framing>) -> Self {
        Rows { framings: framings.into(), fields: Vec::new(), aside: Vec::new(), count: 0, carried: false }
    }

    /// How many columns a row has.
    pub(crate) fn width(&self) -> usize {
        self.framings.len()
    }

    /// How many rows wait to be decoded.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Finds the fields of one row, from `reader`'s position on; an error leaves what was found before untouched.
    /// `present` has a bit for each column that does not repeat the row above.
    pub(crate) fn find(&mut self, reader: &mut TtcReader<'_>, offset: usize, present: Option<&[u8]>) -> Result<()> {
        let (fields, aside) = (self.fields.len(), self.aside.len());
        let found = self.find_fields(reader, offset, present);
        match found {
            Ok(()) => self.count += 1,
            Err(_) => {
                self.fields.truncate(fields);
                self.aside.truncate(aside);
            }
        }
        found
    }

    fn find_fields(&mut self, reader: &mut TtcReader<'_>, offset: usize, present: Option<&[u8]>) -> Result<()> {
        let above = self.fields.len().checked_sub(self.framings.len());
        for (column, framing) in self.framings.iter().enumerate() {
            let repeats =
                present.is_some_and(|bits| bits.get(column / 8).is_none_or(|byte| byte & (1 << (column % 8)) == 0));
            let field = if repeats && *framing != Framing::Nothing {
                let field = above.and_then(|above| self.fields.get(above + column));
                *field.ok_or(ProtocolError::TtcDecode("a row that repeats no row"))?
            } else {
                field(*framing, reader, offset, &mut self.aside)?
            };
            self.fields.push(field);
        }
        Ok(())
    }

    /// The rows that wait.
    pub(crate) fn block<'a>(&'a self, response: &'a [u8]) -> Block<'a> {
        Block { rows: self, response }
    }

    /// Forgets the rows, which were decoded, but for the last one: the next may repeat it.
    pub(crate) fn decoded(&mut self, response: &[u8]) {
        let width = self.framings.len();
        if self.count == 0 {
            return;
        }
        let mut last = Vec::new();
        let mut kept = Vec::with_capacity(width);
        for field in self.fields.iter().rev().take(width).rev() {
            let bytes = match *field {
                Field::Null => None,
                Field::Here { start, end } => slice(response, start, end),
                Field::Aside { start, end } => slice(&self.aside, start, end),
            };
            kept.push(match bytes {
                None => Field::Null,
                Some(bytes) => {
                    let start = last.len();
                    last.extend_from_slice(bytes);
                    place(start, last.len()).map_or(Field::Null, |(start, end)| Field::Aside { start, end })
                }
            });
        }
        (self.fields, self.aside) = (kept, last);
        self.count = 0;
        self.carried = true;
    }
}

fn field(framing: Framing, reader: &mut TtcReader<'_>, offset: usize, aside: &mut Vec<u8>) -> Result<Field> {
    match framing {
        Framing::Bytes => bytes(reader, offset, aside),
        Framing::Long => {
            let value = bytes(reader, offset, aside)?;
            let indicator = reader.read_sb4()?;
            reader.read_ub4()?;
            // A LOB without content has no bytes either, but is not NULL.
            Ok(if value == Field::Null && indicator == 0 { put(aside, &[])? } else { value })
        }
        Framing::Rowid => match rowid(reader)? {
            None => Ok(Field::Null),
            Some(text) => put(aside, &text),
        },
        Framing::Urowid => match universal_rowid(reader)? {
            None => Ok(Field::Null),
            Some(text) => put(aside, &text),
        },
        Framing::Nothing => Ok(Field::Null),
    }
}

fn bytes(reader: &mut TtcReader<'_>, offset: usize, aside: &mut Vec<u8>) -> Result<Field> {
    match reader.read_bytes_borrowed()? {
        BorrowedBytes::Null => Ok(Field::Null),
        BorrowedBytes::Slice(bytes) => {
            let end = offset + reader.position();
            let (start, end) = place(end - bytes.len(), end)?;
            Ok(Field::Here { start, end })
        }
        BorrowedBytes::Chunked(bytes) => put(aside, &bytes),
    }
}

fn put(aside: &mut Vec<u8>, bytes: &[u8]) -> Result<Field> {
    let start = aside.len();
    aside.extend_from_slice(bytes);
    let (start, end) = place(start, aside.len())?;
    Ok(Field::Aside { start, end })
}

fn place(start: usize, end: usize) -> Result<(u32, u32)> {
    let long = |_| ProtocolError::TtcDecode("rows of more than 4 GiB");
    Ok((u32::try_from(start).map_err(long)?, u32::try_from(end).map_err(long)?))
}

fn slice(bytes: &[u8], start: u32, end: u32) -> Option<&[u8]> {
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

impl<'a> Block<'a> {
    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        self.rows.count
    }

    /// The values of a column.
    pub(crate) fn column(self, index: usize) -> impl Iterator<Item = Option<&'a [u8]>> {
        let width = self.rows.framings.len();
        // The row before the block's first one is only there to be repeated.
        let skipped = if self.rows.carried { width } else { 0 };
        self.rows.fields.get(skipped + index..).unwrap_or_default().iter().step_by(width.max(1)).map(move |field| {
            match *field {
                Field::Null => None,
                Field::Here { start, end } => slice(self.response, start, end),
                Field::Aside { start, end } => slice(&self.rows.aside, start, end),
            }
        })
    }
}

#[cfg(test)]
mod tests;
