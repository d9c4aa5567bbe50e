//! The first rows of a result, looked at to settle types and kept, so that nothing is read twice.

use std::ffi::c_int;
use std::ops::Range;

use bowshot_core::Result;

use crate::handle::{Cell, Database};
use crate::types::Seen;

/// How many rows are looked at.
const ROWS: usize = 1_000;
/// How many, while a column has shown nothing but NULL.
const ROWS_OF_NULLS: usize = 100_000;
/// How many bytes of text and BLOBs, lest a few huge values fill the memory.
const BYTES: usize = 4 << 20;
/// How many bytes in all, while a column has shown nothing but NULL.
const BYTES_OF_NULLS: usize = 32 << 20;

/// The first rows of a result.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// What each column has shown.
    pub(crate) seen: Vec<Seen>,
    /// There are no other rows.
    pub(crate) whole: bool,
    /// Row after row.
    cells: Vec<Stored>,
    /// What text and BLOBs consist of.
    bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Stored {
    Null,
    Integer(i64),
    Real(f64),
    Text(Range<usize>),
    Blob(Range<usize>),
}

impl Sample {
    /// Steps through the first rows of the statement that runs, until what they show in the `unsettled` columns suffices.
    pub(crate) fn take(database: &mut Database, unsettled: &[bool]) -> Result<Self> {
        let columns = unsettled.len();
        let mut sample = Sample { seen: vec![Seen::default(); columns], ..Sample::default() };
        let mut rows = 0;
        while sample.wants_more(rows, unsettled) {
            let Some(row) = database.step()? else {
                sample.whole = true;
                break;
            };
            for (index, seen) in (0..).zip(&mut sample.seen) {
                let cell = row.cell(index);
                seen.note(cell);
                sample.cells.push(match cell {
                    Cell::Null => Stored::Null,
                    Cell::Integer(value) => Stored::Integer(value),
                    Cell::Real(value) => Stored::Real(value),
                    Cell::Text(text) => Stored::Text(keep(&mut sample.bytes, text)),
                    Cell::Blob(blob) => Stored::Blob(keep(&mut sample.bytes, blob)),
                });
            }
            rows += 1;
        }
        let more = !sample.whole;
        sample.seen.iter_mut().for_each(|seen| seen.more = more);
        Ok(sample)
    }

    fn wants_more(&self, rows: usize, unsettled: &[bool]) -> bool {
        let open = |(seen, unsettled): (&Seen, &bool)| *unsettled && seen.only_nulls();
        let goes_on = || {
            rows < ROWS_OF_NULLS
                && self.cells.len() * size_of::<Stored>() < BYTES_OF_NULLS
                && self.seen.iter().zip(unsettled).any(open)
        };
        self.bytes.len() < BYTES && (rows < ROWS || goes_on())
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.cells.len().checked_div(self.seen.len()).unwrap_or(0)
    }

    /// A cell of a row.
    pub(crate) fn cell(&self, row: usize, column: c_int) -> Cell<'_> {
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let index = usize::try_from(column).ok().map(|column| row * self.seen.len() + column);
        match index.and_then(|index| self.cells.get(index)) {
            None | Some(Stored::Null) => Cell::Null,
            Some(Stored::Integer(value)) => Cell::Integer(*value),
            Some(Stored::Real(value)) => Cell::Real(*value),
            Some(Stored::Text(range)) => Cell::Text(bytes(range)),
            Some(Stored::Blob(range)) => Cell::Blob(bytes(range)),
        }
    }
}

fn keep(bytes: &mut Vec<u8>, value: &[u8]) -> Range<usize> {
    let start = bytes.len();
    bytes.extend_from_slice(value);
    start..bytes.len()
}
