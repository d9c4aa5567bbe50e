//! Pass 1: where the values of rows begin and end, before any of them is looked at.

use crate::cursor::{Cursor, Stop};
use crate::token::{NBC_ROW, ROW};
use crate::wire_type::Framing;

/// Rows of a block: enough that the loops over a column are long, few enough that their bytes are still in the cache.
const MOST_ROWS: usize = 8192;
/// Bytes of a block, unless one row has more.
const MOST_BYTES: usize = 256 << 10;
/// No value is longer (`varchar(max)` and its like).
const LONGEST: usize = i32::MAX as usize;

/// Where a value stands in the buffer. Of values in chunks, these are the chunks with their lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    start: usize,
    end: usize,
}

impl Cell {
    const NULL: Cell = Cell { start: usize::MAX, end: 0 };

    /// The bytes of the value; `None` for NULL.
    #[inline]
    pub(crate) fn bytes(self, buffer: &[u8]) -> Option<&[u8]> {
        buffer.get(self.start..self.end)
    }
}

/// What ended a walk over rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// The next byte begins another token.
    Token,
    /// The block is large enough.
    Full,
    /// Bytes are missing.
    Short,
}

/// A row that has not come to its end.
#[derive(Clone, Copy, Debug)]
struct Partial {
    /// Where it goes on: after the last value that came whole.
    at: usize,
    /// The bits of its NULLs, where they stand before its values.
    bitmap: Option<usize>,
    /// The value in chunks that came in part: where it begins, where its next chunk does, and its length so far.
    chunks: Option<(usize, usize, usize)>,
}

/// A block of rows.
#[derive(Debug)]
pub(crate) struct Rows {
    framings: Vec<Framing>,
    /// Row by row; behind the whole rows, what came of the next one.
    cells: Vec<Cell>,
    /// How many rows are whole.
    count: usize,
    partial: Option<Partial>,
}

impl Rows {
    pub(crate) fn new(framings: Vec<Framing>) -> Self {
        Rows { framings, cells: Vec::new(), count: 0, partial: None }
    }

    /// How many rows are whole.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The values of a column in all whole rows.
    pub(crate) fn column(&self, index: usize) -> impl ExactSizeIterator<Item = Cell> + Clone + '_ {
        let whole = self.cells.get(..self.count * self.framings.len()).unwrap_or_default();
        whole.get(index..).unwrap_or_default().iter().copied().step_by(self.framings.len().max(1))
    }

    /// Forgets the whole rows, after the first `drained` bytes of the buffer are gone.
    pub(crate) fn clear(&mut self, drained: usize) {
        self.cells.drain(..self.count * self.framings.len());
        self.count = 0;
        for cell in self.cells.iter_mut().filter(|cell| **cell != Cell::NULL) {
            cell.start -= drained;
            cell.end -= drained;
        }
        if let Some(partial) = &mut self.partial {
            partial.at -= drained;
            partial.bitmap = partial.bitmap.map(|at| at - drained);
            partial.chunks = partial.chunks.map(|(start, next, length)| (start - drained, next - drained, length));
        }
    }

    /// Walks over as many rows as there are from `at` on, which moves behind the last whole one.
    pub(crate) fn walk(&mut self, buffer: &[u8], at: &mut usize) -> Result<Walked, String> {
        loop {
            // The buffer begins with the block, or nearly so.
            if self.count == MOST_ROWS || (self.count > 0 && *at >= MOST_BYTES) {
                return Ok(Walked::Full);
            }
            if self.partial.is_none() {
                let mut cursor = Cursor::at(buffer, *at);
                let bitmap = match cursor.u8() {
                    Ok(ROW) => None,
                    Ok(NBC_ROW) => {
                        let start = cursor.position();
                        if cursor.take(self.framings.len().div_ceil(8)).is_err() {
                            return Ok(Walked::Short);
                        }
                        Some(start)
                    }
                    Ok(_) => return Ok(Walked::Token),
                    Err(_) => return Ok(Walked::Short),
                };
                self.partial = Some(Partial { at: cursor.position(), bitmap, chunks: None });
            }
            match self.row(buffer) {
                Ok(end) => {
                    *at = end;
                    self.partial = None;
                    self.count += 1;
                }
                Err(Stop::Short) => return Ok(Walked::Short),
                Err(Stop::Broken(what)) => return Err(what),
            }
        }
    }

    /// Goes on with the row that was begun; where it ends.
    fn row(&mut self, buffer: &[u8]) -> Result<usize, Stop> {
        let Some(partial) = &mut self.partial else { return Err(Stop::Short) };
        let known = self.cells.len() - self.count * self.framings.len();
        let mut cursor = Cursor::at(buffer, partial.at);
        for (index, framing) in self.framings.iter().enumerate().skip(known) {
            let is_null = partial
                .bitmap
                .and_then(|start| buffer.get(start + index / 8))
                .is_some_and(|bits| bits >> (index % 8) & 1 == 1);
            let cell = match framing {
                _ if is_null => Cell::NULL,
                // The type of NULL alone.
                Framing::Fixed(0) => Cell::NULL,
                Framing::Fixed(length) => plain(&mut cursor, *length)?,
                Framing::Byte => match cursor.u8()? {
                    0 => Cell::NULL,
                    length => plain(&mut cursor, usize::from(length))?,
                },
                Framing::Short => match cursor.u16()? {
                    0xFFFF => Cell::NULL,
                    length => plain(&mut cursor, usize::from(length))?,
                },
                Framing::Long => match cursor.u32()? {
                    0 => Cell::NULL,
                    length => plain(&mut cursor, bounded(length)?)?,
                },
                Framing::Pointer => match cursor.u8()? {
                    0 => Cell::NULL,
                    // The pointer and a time stamp say nothing to us.
                    length => {
                        cursor.take(usize::from(length) + 8)?;
                        let length = cursor.u32()?;
                        plain(&mut cursor, bounded(length)?)?
                    }
                },
                Framing::Chunks => chunks(buffer, &mut cursor, &mut partial.chunks)?,
            };
            self.cells.push(cell);
            partial.at = cursor.position();
            partial.chunks = None;
        }
        Ok(cursor.position())
    }
}

fn plain(cursor: &mut Cursor<'_>, length: usize) -> Result<Cell, Stop> {
    let start = cursor.position();
    cursor.take(length)?;
    Ok(Cell { start, end: start + length })
}

fn bounded(length: u32) -> Result<usize, Stop> {
    usize::try_from(length)
        .ok()
        .filter(|length| *length <= LONGEST)
        .ok_or_else(|| Stop::broken("a value that is longer than values can be"))
}

/// A value in chunks ([MS-TDS] 2.2.5.2.3), which may be long: what was walked over once is not walked over again.
fn chunks<'a>(
    buffer: &'a [u8],
    cursor: &mut Cursor<'a>,
    begun: &mut Option<(usize, usize, usize)>,
) -> Result<Cell, Stop> {
    let (start, mut total) = match *begun {
        Some((start, next, total)) => {
            *cursor = Cursor::at(buffer, next);
            (start, total)
        }
        None => {
            if cursor.u64()? == u64::MAX {
                return Ok(Cell::NULL);
            }
            (cursor.position(), 0)
        }
    };
    loop {
        let next = cursor.position();
        *begun = Some((start, next, total));
        let length = bounded(cursor.u32()?)?;
        if length == 0 {
            return Ok(Cell { start, end: next });
        }
        total += length;
        if total > LONGEST {
            return Err(Stop::broken("a value that is longer than values can be"));
        }
        cursor.take(length)?;
    }
}

/// The chunks of a value, one after the other.
pub(crate) struct Chunks<'a>(pub(crate) &'a [u8]);

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let mut cursor = Cursor::new(self.0);
        let chunk = cursor.long_bytes().ok()?;
        self.0 = self.0.get(cursor.position()..)?;
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMINGS: [Framing; 3] = [Framing::Fixed(4), Framing::Chunks, Framing::Byte];

    /// A row, one without its NULLs, and the end of the result.
    fn message() -> Vec<u8> {
        let mut bytes = vec![ROW, 1, 0, 0, 0];
        bytes.extend(10_u64.to_le_bytes());
        bytes.extend([3, 0, 0, 0, b'a', b'b', b'c', 2, 0, 0, 0, b'd', b'e', 0, 0, 0, 0]);
        bytes.extend([2, 7, 8]);
        bytes.extend([NBC_ROW, 0b110, 2, 0, 0, 0, 0xFD]);
        bytes
    }

    fn values(rows: &Rows, buffer: &[u8], index: usize) -> Vec<Option<Vec<u8>>> {
        rows.column(index).map(|cell| cell.bytes(buffer).map(<[u8]>::to_vec)).collect()
    }

    fn check(rows: &Rows, buffer: &[u8]) {
        assert_eq!(rows.count(), 2);
        assert_eq!(values(rows, buffer, 0), [Some(vec![1, 0, 0, 0]), Some(vec![2, 0, 0, 0])]);
        assert_eq!(values(rows, buffer, 2), [Some(vec![7, 8]), None]);
        let texts: Vec<_> = rows
            .column(1)
            .map(|cell| cell.bytes(buffer).map(|bytes| Chunks(bytes).collect::<Vec<_>>().concat()))
            .collect();
        assert_eq!(texts, [Some(b"abcde".to_vec()), None]);
    }

    #[test]
    fn a_message_may_come_in_any_pieces() {
        let whole = message();
        for step in 1..whole.len() {
            let mut rows = Rows::new(FRAMINGS.to_vec());
            let mut at = 0;
            let mut length = 0;
            let walked = loop {
                length = (length + step).min(whole.len());
                match rows.walk(&whole[..length], &mut at).unwrap() {
                    Walked::Short if length < whole.len() => {}
                    walked => break walked,
                }
            };
            assert_eq!((walked, at), (Walked::Token, whole.len() - 1));
            check(&rows, &whole);
        }
    }

    #[test]
    fn what_is_done_is_forgotten_in_the_middle_of_a_row() {
        let whole = message();
        let mut buffer = whole[..whole.len() - 3].to_vec();
        let mut rows = Rows::new(FRAMINGS.to_vec());
        let mut at = 0;
        assert_eq!(rows.walk(&buffer, &mut at), Ok(Walked::Short));
        assert_eq!(rows.count(), 1);
        rows.clear(at);
        buffer.drain(..at);
        at = 0;
        buffer.extend(&whole[whole.len() - 3..]);
        assert_eq!(rows.walk(&buffer, &mut at), Ok(Walked::Token));
        assert_eq!(values(&rows, &buffer, 0), [Some(vec![2, 0, 0, 0])]);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        let mut bytes = vec![ROW];
        bytes.extend(u64::MAX.wrapping_sub(1).to_le_bytes());
        bytes.extend(u32::MAX.to_le_bytes());
        assert!(Rows::new(vec![Framing::Chunks]).walk(&bytes, &mut 0).is_err());
        let bytes = [ROW, 0xFF, 0xFF, 0xFF, 0xFF];
        assert!(Rows::new(vec![Framing::Long]).walk(&bytes, &mut 0).is_err());
    }
}
