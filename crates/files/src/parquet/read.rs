//! A piece of a Parquet file as batches.

use std::sync::Arc;

use arrow_schema::{ArrowError, SchemaRef};
use bowshot_core::{Error, Result};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups, RowSelection, RowSelector};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::PageIterator;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::codec::Codec;
use super::direct::{self, Direct};
use super::int96::Companion;
use super::stored::ColumnPages;
use super::window::Window;
use super::{Meta, failed};
use crate::chunk::{Chunk, Piece};
use crate::error::damaged;
use crate::guard::contained;
use crate::open::Open;
use crate::read::{Batches, Columns};
use crate::text::{holds_text, not_text};

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
    let stored = meta.stored(columns);
    meta.check_encrypted(&stored, &open.file.name)?;
    let batches = stored_columns(open, meta, &stored, chunk, batch_bytes)?;
    let batches = meta.intervals.made(batches, meta.reader.schema(), &stored, &open.file.name);
    if meta.hollow.is_empty() {
        return Ok(batches);
    }
    Ok(Box::new(Whole { batches, meta: Arc::clone(meta), columns: columns.to_vec() }))
}

/// Adds to batches what nothing is stored of.
struct Whole {
    batches: Box<dyn Batches>,
    meta: Arc<Meta>,
    columns: Vec<usize>,
}

impl Batches for Whole {
    fn next(&mut self) -> Result<Option<Columns>> {
        let Some(Columns { columns, rows }) = self.batches.next()? else { return Ok(None) };
        let mut stored = columns.into_iter();
        let column = |place: &usize| {
            let is_stored = self.meta.places.get(*place).copied().flatten().is_some();
            let stored = if is_stored { stored.next() } else { None };
            self.meta.hollow.column(*place, stored, rows)
        };
        Ok(Some(Columns { columns: self.columns.iter().filter_map(column).collect(), rows }))
    }
}

/// Reads columns of which something is stored.
fn stored_columns(
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
    // Many long values would be more than one array can hold.
    let batch_rows = batch_rows.min((MOST_BYTES / row_bytes).max(1));
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
            check_codecs(&chunks, &place)?;
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
            let selected = rows.map(|(first, count)| {
                let skipped = RowSelector::skip(number(first - before));
                RowSelection::from(vec![skipped, RowSelector::select(number(before + count))])
            });
            let groups = Groups { meta, window: &window, groups: groups.clone() };
            let start = |schema: &SchemaRef, columns: &[usize]| -> Result<ParquetRecordBatchReader> {
                let wrong = |error| failed(&place, error);
                let descriptor = meta.reader.parquet_schema();
                let mask = ProjectionMask::roots(descriptor, columns.iter().copied());
                let levels = parquet_to_arrow_field_levels(descriptor, mask, Some(schema.fields())).map_err(wrong)?;
                let selected = selected.clone();
                ParquetRecordBatchReader::try_new_with_row_groups(&levels, &groups, batch_rows, selected).map_err(wrong)
            };
            let reader = start(meta.reader.schema(), columns)?;
            let companion = Companion::new(meta, columns, name, start)?;
            let left = expected.saturating_add(before);
            let suspects = Suspects {
                open: Arc::clone(open),
                meta: Arc::clone(meta),
                chunk: chunk.clone(),
                columns: columns.to_vec(),
            };
            Ok(Box::new(Rows { reader, companion, suspects, place: place.clone(), left, before }) as Box<dyn Batches>)
        },
    )
}

/// The columns of a piece, of which one holds text that is none: the crate does not say which.
struct Suspects {
    open: Arc<Open>,
    meta: Arc<Meta>,
    chunk: Chunk,
    columns: Vec<usize>,
}

impl Suspects {
    /// Reads one after the other, until the same is said of it alone.
    fn tell(&self, error: Error, place: &str) -> Error {
        let said = error.to_string().to_lowercase();
        if !(said.contains("utf-8") || said.contains("utf8")) || said.contains("types=") {
            return error;
        }
        let fields = self.meta.reader.schema().fields();
        let texts: Vec<_> = self.columns.iter().filter_map(|column| Some((*column, fields.get(*column)?))).collect();
        let texts = texts.into_iter().filter(|(_, field)| holds_text(field.data_type())).collect::<Vec<_>>();
        let fails = |column: usize| {
            let Ok(mut alone) = stored_columns(&self.open, &self.meta, &[column], &self.chunk, 1 << 20) else {
                return true;
            };
            loop {
                match alone.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return false,
                    Err(_) => return true,
                }
            }
        };
        let found = match texts.as_slice() {
            [one] => Some(*one),
            several => several.iter().find(|(column, _)| fails(*column)).copied(),
        };
        found.map_or(error, |(_, field)| not_text(field.name(), place))
    }
}

/// An array of text or bytes has less than 2 GiB; as far as a footer says how long they are, batches have no more than half.
const MOST_BYTES: u64 = 1 << 30;

/// A compression that is not read is told before anything is.
fn check_codecs(chunks: &[&ColumnChunkMetaData], place: &str) -> Result<()> {
    for chunk in chunks {
        if let Err(error) = Codec::new(chunk.compression_codec()) {
            return Err(failed(place, error).with_column(chunk.column_path().string()));
        }
    }
    Ok(())
}

/// Row groups as the crate's reader asks for them.
struct Groups<'a> {
    meta: &'a Meta,
    window: &'a Window,
    groups: std::ops::Range<usize>,
}

impl Groups<'_> {
    fn all(&self) -> &[RowGroupMetaData] {
        self.meta.reader.metadata().row_groups().get(self.groups.clone()).unwrap_or_default()
    }
}

impl RowGroups for Groups<'_> {
    fn num_rows(&self) -> usize {
        number(self.all().iter().map(super::rows).fold(0, u64::saturating_add))
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        let chunks = self.all().iter().rev().filter_map(|group| group.columns().get(leaf));
        let chunks = chunks.map(|chunk| Arc::new(chunk.clone())).collect();
        Ok(Box::new(ColumnPages { window: self.window.clone(), chunks, writer: self.meta.writer }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.all().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.meta.reader.metadata()
    }
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
    suspects: Suspects,
    place: String,
    /// Rows that the footer promised and that have not come.
    left: u64,
    /// Rows that come first and are not wanted.
    before: u64,
}

impl Batches for Rows {
    fn next(&mut self) -> Result<Option<Columns>> {
        let Rows { reader, companion, suspects, place, left, before } = self;
        contained(
            || place.clone(),
            || {
                let Some(batch) = reader.next() else {
                    return match *left {
                        0 => Ok(None),
                        left => Err(damaged(place, format!("{left} rows are missing"))),
                    };
                };
                let batch = batch.map_err(|error| suspects.tell(arrow_failed(place, error), place))?;
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
