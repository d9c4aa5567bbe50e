//! A piece of a Parquet file as batches.

use std::sync::Arc;

use arrow_schema::ArrowError;
use bowshot_core::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Encoding, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::direct::{self, Direct};
use super::int96::Companion;
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
pub(crate) fn read(
    open: &Arc<Open>,
    meta: &Arc<Meta>,
    columns: &[usize],
    chunk: &Chunk,
    batch_bytes: usize,
) -> Result<Box<dyn Batches>> {
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
    let batch_rows = number(batch_rows);
    contained(
        || place.clone(),
        || {
            let leaves = meta.leaves(columns);
            let metas = groups.clone().filter_map(|group| meta.reader.metadata().row_groups().get(group));
            let chunks = metas.flat_map(|group| leaves.iter().filter_map(|leaf| group.columns().get(*leaf)));
            let chunks: Vec<_> = chunks.collect();
            let window = Window::new(open, chunks.iter().map(|column| column.byte_range()).collect())?;
            if direct::serves(meta, columns, &groups) {
                let within = rows.map(|(first, count)| number(first)..number(first + count));
                let parts = direct::parts(meta, groups.clone(), within);
                let direct =
                    Direct::new(Arc::clone(meta), window, columns, parts, &place, batch_bytes, number(row_bytes));
                return Ok(Box::new(direct) as Box<dyn Batches>);
            }
            let first = rows.map_or(0, |(first, _)| first);
            let before = if chunks.iter().any(|column| is_hard_to_skip(column)) { first } else { 0 };
            let start = |reader: &ArrowReaderMetadata, columns: &[usize]| -> Result<ParquetRecordBatchReader> {
                let mask = ProjectionMask::roots(reader.parquet_schema(), columns.iter().copied());
                let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(window.clone(), reader.clone())
                    .with_projection(mask)
                    .with_row_groups(groups.clone().collect())
                    .with_batch_size(batch_rows);
                if let Some((first, count)) = rows {
                    builder = builder.with_offset(number(first - before)).with_limit(number(before + count));
                }
                builder.build().map_err(|error| failed(&place, error))
            };
            let reader = start(&meta.reader, columns)?;
            let companion = Companion::new(meta, columns, name, start)?;
            let left = expected.saturating_add(before);
            Ok(Box::new(Rows { reader, companion, place: place.clone(), left, before }) as Box<dyn Batches>)
        },
    )
}

fn number(of: u64) -> usize {
    usize::try_from(of).unwrap_or(usize::MAX)
}

/// Whether the crate may fail to pass over values of a column: of those that fall in equal steps it says that the step
/// overflows. They are decoded and dropped.
fn is_hard_to_skip(column: &ColumnChunkMetaData) -> bool {
    column.column_type() == Physical::INT32
        && column.encodings().any(|encoding| encoding == Encoding::DELTA_BINARY_PACKED)
}

struct Rows {
    reader: ParquetRecordBatchReader,
    companion: Option<Companion>,
    place: String,
    /// Rows that the footer promised and that have not come.
    left: u64,
    /// Rows that come first and are not wanted.
    before: u64,
}

impl Batches for Rows {
    fn next(&mut self) -> Result<Option<Columns>> {
        let Rows { reader, companion, place, left, before } = self;
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
                let dropped = batch.num_rows().min(number(*before));
                *before -= dropped as u64;
                let rows = batch.num_rows() - dropped;
                let (_, columns, _) = batch.slice(dropped, rows).into_parts();
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
