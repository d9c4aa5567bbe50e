//! Flat columns of the usual encodings, decoded from the pages straight into what becomes the array.
//!
//! The crate's reader puts an array in between, zeroed before it is written, and makes decimals of integers in a second
//! pass. Here each column keeps the page that it is in, and yields as many rows as a batch has: a few thousand of them for
//! a consumer that takes them one by one, a whole row group for one that keeps them all. Files with a column of another
//! kind are left to the crate's reader, whose results these are: the tests compare them.

mod booleans;
mod byte_array;
mod column;
mod decimals;
mod fixed;
mod hybrid;
mod kind;
mod levels;
mod pages;
mod snappy;
mod texts;
mod unpack;
mod views;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use bowshot_core::{Result, bytes_of_array};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use super::window::Window;
use super::{Meta, failed, rows};
use crate::error::damaged;
use crate::guard::contained;
use crate::read::{Batches, Columns};
use crate::text::not_text;
use byte_array::NOT_TEXT;
use column::Column;
use kind::kind;
use snappy::Spare;

/// Batches have at least and at most so many rows, whatever their bytes.
const ROWS: Range<usize> = 1_024..131_072;

/// A batch of everything has at most so many, which are more than a row group usually has.
const ALL: usize = 1 << 23;

/// A column may have so many times the bytes of a batch, before this is ended without its other rows.
const SKEW: usize = 4;

/// Row groups of fewer rows in the mean are small.
const LEAST_ROWS: u64 = 4_096;

/// Rows of row groups, as batches of about the same size.
pub(super) struct Direct {
    meta: Arc<Meta>,
    window: Window,
    /// Memory of pages, which columns leave to each other.
    spare: Spare,
    /// In their order in the file.
    columns: Vec<usize>,
    /// What comes next.
    parts: VecDeque<Wanted>,
    place: String,
    /// About so many bytes a batch; `usize::MAX`: a row group.
    batch_bytes: usize,
    /// About so many rows are those bytes.
    batch_rows: usize,
    current: Option<Part>,
}

/// Rows of a row group that are to be read.
pub(super) struct Wanted {
    group: usize,
    rows: Range<usize>,
    /// For each column, how many rows its pages have before the first one of the row group; nothing where they begin and end with it.
    pub(super) before: Vec<usize>,
}

/// A row group that is being read.
struct Part {
    columns: Vec<Box<dyn Column>>,
    /// Rows that a column has yielded, and that no batch has.
    ahead: Vec<Option<ArrayRef>>,
    /// How many rows no batch has.
    left: usize,
    /// Whether they are the last ones of the row group.
    to_the_end: bool,
}

/// Whether all of these columns are read so.
pub(super) fn serves(meta: &Meta, columns: &[usize], groups: &Range<usize>) -> bool {
    let fields = meta.reader.schema().fields();
    let all = meta.reader.metadata().row_groups().get(groups.clone()).unwrap_or_default();
    // Small ones the crate's reader puts together.
    if groups.len() > 1 && all.iter().map(rows).fold(0, u64::saturating_add) / (groups.len() as u64) < LEAST_ROWS {
        return false;
    }
    columns.iter().all(|column| {
        let Some(leaf) = leaf(meta, *column) else { return false };
        let known = fields
            .get(*column)
            .is_some_and(|field| kind(meta.reader.parquet_schema().column(leaf).as_ref(), field.data_type()).is_some());
        known && groups.clone().all(|group| chunk(meta, group, leaf).is_some_and(is_usual))
    })
}

/// All rows of these row groups, or those of the range in each.
pub(super) fn parts(meta: &Meta, groups: Range<usize>, within: Option<Range<usize>>) -> VecDeque<Wanted> {
    let all = |group: usize| {
        let all = meta.reader.metadata().row_groups().get(group).map_or(0, rows);
        0..usize::try_from(all).unwrap_or(usize::MAX)
    };
    let wanted = |group| Wanted { group, rows: within.clone().unwrap_or_else(|| all(group)), before: Vec::new() };
    groups.map(wanted).collect()
}

impl Direct {
    /// Reads these rows of row groups as batches of about so many bytes; before the first one, a row is taken to have `row_bytes`.
    pub(super) fn new(
        meta: Arc<Meta>,
        window: Window,
        columns: &[usize],
        parts: VecDeque<Wanted>,
        place: &str,
        batch_bytes: usize,
        row_bytes: usize,
    ) -> Self {
        let (columns, place, spare) = (columns.to_vec(), place.to_owned(), Spare::default());
        let mut direct =
            Direct { meta, window, spare, columns, parts, place, batch_bytes, batch_rows: ALL, current: None };
        direct.aim(1, row_bytes);
        direct
    }

    /// Decides how many rows the next batches have, if so many take so many bytes.
    fn aim(&mut self, rows: usize, bytes: usize) {
        if self.batch_bytes != usize::MAX {
            let wanted = self.batch_bytes as u128 * rows as u128 / bytes.max(1) as u128;
            self.batch_rows = usize::try_from(wanted).unwrap_or(ROWS.end).clamp(ROWS.start, ROWS.end);
        }
    }

    /// Begins with the next row group; `None` after the last one.
    fn open(&mut self) -> Result<Option<Part>> {
        let Some(Wanted { group, rows: wanted, before }) = self.parts.pop_front() else { return Ok(None) };
        let missing = || damaged(&self.place, "a column is not where the footer says");
        let all = self.meta.reader.metadata().row_groups().get(group).map(rows).ok_or_else(missing)?;
        let all = usize::try_from(all).map_err(|_| missing())?;
        let open = |(place, column): (usize, &usize)| -> Result<Box<dyn Column>> {
            let leaf = leaf(&self.meta, *column).ok_or_else(missing)?;
            let descriptor = self.meta.reader.parquet_schema().column(leaf);
            let field = self.meta.reader.schema().fields().get(*column).ok_or_else(missing)?;
            let make = kind(descriptor.as_ref(), field.data_type()).ok_or_else(missing)?;
            let chunk = chunk(&self.meta, group, leaf).ok_or_else(missing)?;
            let (before, values) = match before.get(place) {
                Some(before) => (*before, usize::try_from(chunk.num_values()).map_err(|_| missing())?),
                None => (0, all),
            };
            let pages = pages::Pages::new(
                &self.window,
                &self.spare,
                chunk,
                self.meta.writer,
                values,
                descriptor.max_def_level() > 0,
            );
            let mut column = pages.map(|pages| make(pages, field.data_type()));
            if let Ok(column) = &mut column {
                column.skip(before.saturating_add(wanted.start)).map_err(|error| failed(&self.place, error))?;
            }
            column.map_err(|error| failed(&self.place, error))
        };
        let columns = self.columns.iter().enumerate().map(open).collect::<Result<Vec<_>>>()?;
        let ahead = columns.iter().map(|_| None).collect();
        Ok(Some(Part { columns, ahead, left: wanted.len(), to_the_end: wanted.end == all }))
    }

    fn batch(&mut self) -> Result<Option<Columns>> {
        loop {
            let Some(part) = &mut self.current else {
                self.current = self.open()?;
                if self.current.is_none() {
                    return Ok(None);
                }
                continue;
            };
            if part.left == 0 {
                part.end().map_err(|error| failed(&self.place, error))?;
                self.current = None;
                continue;
            }
            // The last batch is not much smaller than the others.
            let rows = part.left.div_ceil(part.left.div_ceil(self.batch_rows));
            let bytes = self.batch_bytes.saturating_mul(SKEW).min(i32::MAX.unsigned_abs() as usize);
            let batch = part.next(rows, bytes).map_err(|(place, error)| {
                let column = place.and_then(|place| self.columns.get(place));
                let field = column.and_then(|column| self.meta.reader.schema().fields().get(*column));
                match (field, &error) {
                    (Some(field), ParquetError::General(what)) if what == NOT_TEXT => {
                        not_text(field.name(), &self.place)
                    }
                    (Some(field), _) => failed(&self.place, error).with_column(field.name()),
                    (None, _) => failed(&self.place, error),
                }
            })?;
            let taken = batch.columns.iter().map(|array| bytes_of_array(array.as_ref())).fold(0, usize::saturating_add);
            self.aim(batch.rows, taken);
            return Ok(Some(batch));
        }
    }
}

impl Batches for Direct {
    fn next(&mut self) -> Result<Option<Columns>> {
        let place = self.place.clone();
        contained(|| place.clone(), || self.batch())
    }
}

impl Part {
    /// A batch of so many rows, or of fewer where a column has too many bytes. An error comes with the place of its column.
    fn next(&mut self, rows: usize, bytes: usize) -> Result<Columns, (Option<usize>, ParquetError)> {
        let rows = self.ahead.iter().flatten().map(|array| array.len()).fold(rows, usize::min);
        for (place, (column, ahead)) in self.columns.iter_mut().zip(&mut self.ahead).enumerate() {
            if ahead.is_none() {
                *ahead = Some(column.read(rows, bytes).map_err(|error| (Some(place), error))?);
            }
        }
        let rows = self.ahead.iter().flatten().map(|array| array.len()).fold(rows, usize::min);
        if rows == 0 {
            return Err((None, wrong("a column yields no rows")));
        }
        let take = |ahead: &mut Option<ArrayRef>| -> Option<ArrayRef> {
            let array = ahead.take()?;
            if array.len() > rows {
                *ahead = Some(array.slice(rows, array.len() - rows));
                return Some(array.slice(0, rows));
            }
            Some(array)
        };
        self.left = self.left.saturating_sub(rows);
        Ok(Columns { columns: self.ahead.iter_mut().filter_map(take).collect(), rows })
    }

    fn end(&mut self) -> Result<(), ParquetError> {
        let columns = if self.to_the_end { self.columns.as_mut_slice() } else { &mut [] };
        columns.iter_mut().try_for_each(|column| column.end())
    }
}

/// The one leaf of a column that is flat.
pub(super) fn leaf(meta: &Meta, column: usize) -> Option<usize> {
    let descriptor = meta.reader.parquet_schema();
    let mut leaves = (0..descriptor.num_columns()).filter(|leaf| descriptor.get_column_root_idx(*leaf) == column);
    let leaf = leaves.next()?;
    let flat = descriptor.column(leaf).max_rep_level() == 0 && descriptor.column(leaf).path().parts().len() == 1;
    (flat && leaves.next().is_none()).then_some(leaf)
}

fn chunk(meta: &Meta, group: usize, leaf: usize) -> Option<&ColumnChunkMetaData> {
    meta.reader.metadata().row_groups().get(group).and_then(|group: &RowGroupMetaData| group.columns().get(leaf))
}

fn is_usual(chunk: &ColumnChunkMetaData) -> bool {
    let usual = [Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
    chunk.encodings().all(|encoding| usual.contains(&encoding))
}

/// The error of bytes that are not what the format says.
pub(super) fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// An array that others may share.
fn shared(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}
