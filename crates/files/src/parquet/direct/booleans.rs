//! Truth values: packed bits, and runs in the second version of the format.

use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use bytes::Bytes;
use parquet::errors::ParquetError;

use super::column::{Chunk, Column, Decoder, Plain};
use super::hybrid::{Runs, Sink};
use super::levels::Levels;
use super::pages::Pages;
use super::{shared, wrong};

/// Reads truth values.
pub(super) fn column(pages: Pages) -> Box<dyn Column> {
    Box::new(Chunk::new(pages, Booleans(Vec::new())))
}

struct Booleans(Vec<bool>);

impl Decoder for Booleans {
    const TAKES_RUNS: bool = true;

    fn start(&mut self, rows: usize) {
        self.0 = Vec::with_capacity(rows);
    }

    fn dictionary(&mut self, _: Bytes, _: usize) -> Result<(), ParquetError> {
        Err(wrong("truth values have no dictionary"))
    }

    fn plain(&mut self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        let start = page.at;
        self.pass(page, count)?;
        let bit = |at: usize| page.bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
        self.0.extend((start..page.at).map(bit));
        Ok(())
    }

    /// Where a value begins is told in bits here.
    fn pass(&self, page: &mut Plain, count: usize) -> Result<(), ParquetError> {
        let end = page.at.checked_add(count).filter(|end| *end <= page.bytes.len().saturating_mul(8));
        page.at = end.ok_or_else(|| wrong("a page has fewer values than it says"))?;
        Ok(())
    }

    fn indexed(&mut self, runs: &mut Runs, count: usize) -> Result<(), ParquetError> {
        runs.read(count, self)
    }

    fn spread(&mut self, levels: &Levels) {
        levels.spread(&mut self.0, |_| false);
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ParquetError> {
        let values = std::mem::take(&mut self.0);
        if nulls.as_ref().is_some_and(|nulls| nulls.len() != values.len()) {
            return Err(wrong("a column has fewer values than levels"));
        }
        Ok(shared(BooleanArray::new(BooleanBuffer::from(values), nulls)))
    }
}

impl Sink for Booleans {
    fn same(&mut self, number: u32, count: usize) -> Result<(), ParquetError> {
        self.0.extend(std::iter::repeat_n(number != 0, count));
        Ok(())
    }

    fn many(&mut self, numbers: &[u32]) -> Result<(), ParquetError> {
        self.0.extend(numbers.iter().map(|number| *number != 0));
        Ok(())
    }
}
