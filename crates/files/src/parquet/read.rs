//! A piece of a Parquet file as batches.

use std::sync::Arc;

use arrow_schema::ArrowError;
use bowshot_core::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use super::int96::Companion;
use super::whole::{self, Whole};
use super::window::Window;
use super::{Meta, failed};
use crate::chunk::{Chunk, Piece};
use crate::error::damaged;
use crate::guard::contained;
use crate::open::Open;
use crate::read::{Batches, Columns};

/// Batches of these many rows at least and at most.
const ROWS: std::ops::RangeInclusive<u64> = 1_024..=131_072;

/// Reads some columns, in their order in the file.
pub(crate) fn read<'a>(
    open: &Arc<Open>,
    meta: &'a Meta,
    columns: &[usize],
    chunk: &Chunk,
    batch_bytes: usize,
) -> Result<Box<dyn Batches + 'a>> {
    let name = &open.file.name;
    let (groups, rows, place) = match &chunk.piece {
        Piece::Rows { group, rows } => {
            let place = format!("row group {group} of {name}");
            (*group..*group + 1, Some((rows.start, rows.end - rows.start)), place)
        }
        Piece::Groups(groups) if groups.len() == 1 => {
            (groups.clone(), None, format!("row group {} of {name}", groups.start))
        }
        Piece::Groups(groups) => {
            let last = groups.end.saturating_sub(1);
            (groups.clone(), None, format!("a row group of {} to {last} of {name}", groups.start))
        }
        _ => return Err(Error::new(bowshot_core::ErrorKind::Internal, format!("{name} has no such piece"))),
    };
    let expected = chunk.rows.unwrap_or(0);
    let row_bytes = chunk.bytes.checked_div(expected).unwrap_or(1).max(1);
    let batch_rows = (batch_bytes as u64 / row_bytes).clamp(*ROWS.start(), *ROWS.end());
    // The crate makes room for a whole batch at once.
    let batch_rows = batch_rows.min(expected.max(*ROWS.start()));
    let batch_rows = usize::try_from(batch_rows).unwrap_or(usize::MAX);
    contained(
        || place.clone(),
        || {
            let leaves = meta.leaves(columns);
            let groups: Vec<usize> = groups.clone().collect();
            let metas = groups.iter().filter_map(|group| meta.reader.metadata().row_groups().get(*group));
            let chunks = metas.flat_map(|group| leaves.iter().filter_map(|leaf| group.columns().get(*leaf)));
            let window = Window::new(open, chunks.map(|column| column.byte_range()).collect())?;
            if let Piece::Groups(groups) = &chunk.piece
                && batch_bytes == usize::MAX
                && whole::serves(meta, columns, groups)
            {
                let (columns, groups, place) = (columns.to_vec(), groups.clone(), place.clone());
                return Ok(Box::new(Whole { meta, window, columns, groups, place }) as Box<dyn Batches>);
            }
            let start = |reader: &ArrowReaderMetadata, columns: &[usize]| -> Result<ParquetRecordBatchReader> {
                let mask = ProjectionMask::roots(reader.parquet_schema(), columns.iter().copied());
                let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(window.clone(), reader.clone())
                    .with_projection(mask)
                    .with_row_groups(groups.clone())
                    .with_batch_size(batch_rows);
                if let Some((first, count)) = rows {
                    let [first, count] = [first, count].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
                    builder = builder.with_offset(first).with_limit(count);
                }
                builder.build().map_err(|error| failed(&place, error))
            };
            let reader = start(&meta.reader, columns)?;
            let companion = Companion::new(meta, columns, name, start)?;
            Ok(Box::new(Rows { reader, companion, place: place.clone(), left: expected }) as Box<dyn Batches>)
        },
    )
}

struct Rows {
    reader: ParquetRecordBatchReader,
    companion: Option<Companion>,
    place: String,
    /// Rows that the footer promised and that have not come.
    left: u64,
}

impl Batches for Rows {
    fn next(&mut self) -> Result<Option<Columns>> {
        let Rows { reader, companion, place, left } = self;
        contained(
            || place.clone(),
            || {
                let Some(batch) = reader.next() else {
                    return match *left {
                        0 => Ok(None),
                        left => Err(damaged(place, format!("{left} rows are missing"))),
                    };
                };
                let batch = batch.map_err(|error| arrow_failed(place, error))?;
                *left = left
                    .checked_sub(batch.num_rows() as u64)
                    .ok_or_else(|| damaged(place, "it has more rows than it says"))?;
                if let Some(companion) = companion {
                    companion.check(&batch, place)?;
                }
                let rows = batch.num_rows();
                let (_, columns, _) = batch.into_parts();
                Ok(Some(Columns { columns, rows }))
            },
        )
    }
}

pub(super) fn arrow_failed(place: &str, error: ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<ParquetError>() {
            Ok(error) => failed(place, *error),
            Err(inner) => match inner.downcast::<Error>() {
                Ok(ours) => *ours,
                Err(other) => damaged(place, other),
            },
        },
        ArrowError::ParquetError(what) => damaged(place, what),
        other => damaged(place, other),
    }
}
