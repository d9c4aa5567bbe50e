//! Parquet files: what the footer says, and the pieces to read.

mod codec;
mod direct;
mod excerpt;
mod facts;
mod footer;
mod header;
mod int96;
mod intervals;
mod prune;
mod read;
mod sizes;
mod stored;
mod text;
mod thrift;
mod window;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use crate::chunk::{Chunk, Piece};
use crate::error::damaged;
use crate::guard::contained;
use crate::open::Open;
use crate::partition::Cut;
use crate::types;
use footer::{Footer, Hollow};
use intervals::Intervals;
use sizes::Sizes;
use window::Window;
use writer::Writer;

pub use excerpt::open_excerpt;
pub(crate) use excerpt::{excerpt, may_be_excerpt};
pub(crate) use facts::End;
pub(crate) use prune::Resolved;
pub(crate) use read::read;

/// What a file's footer says.
pub(crate) struct Meta {
    /// All columns.
    pub(crate) schema: SchemaRef,
    /// As the file is read: the columns of which something is stored.
    reader: ArrowReaderMetadata,
    /// Those of which nothing is, and where each column is among the stored ones.
    hollow: Hollow,
    places: Vec<Option<usize>>,
    writer: Writer,
    /// How large its pages are, where they are.
    pages: Sizes,
    /// Stored columns that are encrypted.
    encrypted: Vec<usize>,
    /// Leaves of which the footer says that some bound is no value.
    inexact: BTreeSet<usize>,
    /// Columns of the old timestamps that do not fit 64 bits.
    int96: Vec<usize>,
    intervals: Intervals,
    /// For each row group, where its middle is in the file.
    middles: Vec<i64>,
}

impl Meta {
    /// Reads the footer. The user's types matter here where they decide how a column can be decoded.
    pub(crate) fn load(open: &Arc<Open>, types: &BTreeMap<String, DataType>) -> Result<Self> {
        check_magic(open)?;
        let place = || open.file.name.clone();
        contained(place, || {
            let bytes = footer_bytes(open)?;
            let name = &open.file.name;
            let (mut footer, mut reader) = arrow_of(&bytes, name, &|_| false)?;
            if let Some(schema) = crate::text::wished(reader.schema(), types) {
                let wanted = |column: &str| types.get(column).is_some_and(crate::text::holds_bytes);
                footer = Footer::read(&bytes, name, &wanted).map_err(|error| failed(name, error))?;
                let options = ArrowReaderOptions::new().with_schema(schema);
                let made = ArrowReaderMetadata::try_new(Arc::clone(&footer.metadata), options);
                reader = made.map_err(|error| failed(name, error))?;
            }
            let int96 = int96::columns(&reader, &open.file.name)?;
            if let Some(schema) = int96::wished(reader.schema(), &int96, types) {
                reader = with_schema(&reader, schema, &open.file.name)?;
            }
            if let Some(schema) = text::wished(reader.schema(), types) {
                reader = with_schema(&reader, schema, &open.file.name)?;
            }
            let intervals = Intervals::new(std::mem::take(&mut footer.intervals));
            let stored = types::parquet(&intervals.schema(reader.schema()), reader.parquet_schema().root_schema());
            check_groups(&reader, &footer, open)?;
            let schema = footer.hollow.schema(&stored);
            let root = |leaf: &usize| reader.parquet_schema().get_column_root_idx(*leaf);
            let encrypted = footer.encrypted.iter().map(root).collect();
            let Footer { hollow, writer, middles, inexact, .. } = footer;
            let places = hollow.places(stored.fields().len());
            let pages = Sizes::default();
            Ok(Meta { schema, reader, hollow, places, writer, pages, encrypted, inexact, int96, intervals, middles })
        })
    }

    /// With a look at how large its pages are, which decides where row groups are cut.
    pub(crate) fn measured(mut self, open: &Arc<Open>) -> Self {
        self.pages = Sizes::look(open, self.reader.metadata(), self.writer);
        self
    }

    /// What a footer says whose columns are to be read as these, whatever they are called.
    fn read_as(reader: &ArrowReaderMetadata, writer: Writer, wanted: &SchemaRef, name: &str) -> Result<Self> {
        let fields = reader.schema().fields();
        if fields.len() != wanted.fields().len() {
            return Err(damaged(name, format!("{} columns where {} should be", fields.len(), wanted.fields().len())));
        }
        let pairs = fields.iter().zip(wanted.fields());
        let field =
            |(field, wanted): (&FieldRef, &FieldRef)| field.as_ref().clone().with_data_type(wanted.data_type().clone());
        let schema = Arc::new(Schema::new(pairs.map(field).collect::<Vec<_>>()));
        let reader = with_schema(reader, schema, name)?;
        let (hollow, places) = (Hollow::default(), (0..wanted.fields().len()).map(Some).collect());
        // Intervals are not among them.
        let (pages, encrypted, int96, intervals) = (Sizes::default(), Vec::new(), Vec::new(), Intervals::default());
        let (schema, middles, inexact) = (Arc::clone(wanted), Vec::new(), BTreeSet::new());
        Ok(Meta { schema, reader, hollow, places, writer, pages, encrypted, inexact, int96, intervals, middles })
    }

    /// For each row group, whether its middle lies in these bytes of the file.
    pub(crate) fn are_in(&self, range: &Range<u64>) -> Vec<bool> {
        self.middles.iter().map(|middle| u64::try_from(*middle).is_ok_and(|middle| range.contains(&middle))).collect()
    }

    /// Whether a stored column is encrypted.
    fn is_any_encrypted(&self, stored: &[usize]) -> bool {
        stored.iter().any(|column| self.encrypted.contains(column))
    }

    /// An error where one is.
    fn check_encrypted(&self, stored: &[usize], name: &str) -> Result<()> {
        let found = stored.iter().find(|column| self.encrypted.contains(column));
        let Some(field) = found.and_then(|column| self.reader.schema().fields().get(*column)) else { return Ok(()) };
        let column = field.name();
        Err(Error::new(
            ErrorKind::Unsupported,
            format!("column \"{column}\" of {name} is encrypted, and Bowshot has no keys"),
        )
        .with_column(column)
        .with_hint(
            "name the other columns in the query, or read it with pyarrow.parquet and its decryption properties",
        ))
    }

    /// Where columns are among those of which something is stored.
    fn stored(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().filter_map(|column| self.places.get(*column).copied().flatten()).collect()
    }

    /// The row groups that are `kept` as chunks; large ones in several, since what a worker is ahead with has to fit a buffer.
    pub(crate) fn chunks(&self, file: usize, columns: &[usize], cut: Cut, kept: &[bool]) -> Vec<Chunk> {
        let columns = &self.stored(columns);
        let (mut chunks, leaves) = (Vec::new(), self.leaves(columns));
        for (group, meta) in self.reader.metadata().row_groups().iter().enumerate() {
            if kept.get(group) == Some(&false) {
                continue;
            }
            let rows = rows(meta);
            let bytes = self.decoded_bytes(meta, columns);
            let pieces = cut.pieces(bytes, stored(meta, &leaves)).min(rows / LEAST_ROWS).max(1);
            let held = self.pages.held(group, &leaves);
            // Each piece unpacks the pages that it begins and ends in: they must not be most of what it reads.
            let pieces = if held > cut.target() { pieces.min(bytes / held.saturating_mul(2)).max(1) } else { pieces };
            if pieces == 1 {
                let piece = Piece::Groups(group..group + 1);
                chunks.push(Chunk { file, piece, rows: Some(rows), bytes, held });
                continue;
            }
            let size = rows.div_ceil(pieces);
            for first in (0..rows).step_by(usize::try_from(size).unwrap_or(usize::MAX)) {
                let end = (first + size).min(rows);
                let piece = Piece::Rows { group, rows: first..end };
                chunks.push(Chunk { file, piece, rows: Some(end - first), bytes: bytes / pieces, held });
            }
        }
        chunks
    }

    /// A piece as a chunk, if the file has it.
    pub(crate) fn chunk(&self, file: usize, columns: &[usize], piece: Piece) -> Option<Chunk> {
        let all = self.reader.metadata().row_groups();
        let groups = match &piece {
            Piece::Groups(groups) if !groups.is_empty() => all.get(groups.clone())?,
            Piece::Rows { group, .. } => std::slice::from_ref(all.get(*group)?),
            _ => return None,
        };
        let stored = self.stored(columns);
        let count = groups.iter().map(rows).fold(0, u64::saturating_add);
        let bytes = groups.iter().map(|group| self.decoded_bytes(group, &stored)).fold(0, u64::saturating_add);
        let (rows, bytes) = match &piece {
            Piece::Rows { rows, .. } if rows.is_empty() || rows.end > count => return None,
            Piece::Rows { rows, .. } => {
                let part = rows.end - rows.start;
                let bytes = u128::from(bytes) * u128::from(part) / u128::from(count);
                (part, u64::try_from(bytes).unwrap_or(u64::MAX))
            }
            _ => (count, bytes),
        };
        Some(Chunk { file, piece, rows: Some(rows), bytes, held: 0 })
    }

    /// The compressed bytes that these columns take in the row groups that are `kept`.
    pub(crate) fn stored_bytes(&self, columns: &[usize], kept: &[bool]) -> u64 {
        let leaves = self.leaves(&self.stored(columns));
        let groups = self.reader.metadata().row_groups().iter().enumerate();
        let groups = groups.filter(|(group, _)| kept.get(*group) != Some(&false));
        groups.map(|(_, group)| stored(group, &leaves)).sum()
    }

    /// About how many bytes a row group has in memory.
    fn decoded_bytes(&self, group: &RowGroupMetaData, columns: &[usize]) -> u64 {
        let rows = rows(group);
        let mut bytes = 0_u64;
        for leaf in self.leaves(columns) {
            let Some(column) = group.columns().get(leaf) else { continue };
            let stored = u64::try_from(column.uncompressed_size()).unwrap_or(0);
            let root = self.reader.parquet_schema().get_column_root_idx(leaf);
            let data_type = self.reader.schema().fields().get(root).map(|field| field.data_type());
            // A damaged footer may say anything.
            bytes = bytes.saturating_add(match data_type.and_then(DataType::primitive_width) {
                Some(width) => rows.saturating_mul(width as u64),
                None if data_type == Some(&DataType::Boolean) => rows / 8,
                None => {
                    let text = column.unencoded_byte_array_data_bytes().and_then(|bytes| u64::try_from(bytes).ok());
                    // Text that a dictionary abbreviates is longer in memory; how long, older writers do not say.
                    let text = text.unwrap_or_else(|| stored.max(rows.saturating_mul(12)));
                    rows.saturating_mul(4).saturating_add(text)
                }
            });
        }
        bytes
    }

    /// The leaves below some stored columns.
    fn leaves(&self, columns: &[usize]) -> Vec<usize> {
        let descriptor = self.reader.parquet_schema();
        (0..descriptor.num_columns()).filter(|leaf| columns.contains(&descriptor.get_column_root_idx(*leaf))).collect()
    }
}

/// A smaller piece of a row group costs more to find than to read.
const LEAST_ROWS: u64 = 8_192;

fn rows(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

/// The compressed bytes that these leaves take.
fn stored(group: &RowGroupMetaData, leaves: &[usize]) -> u64 {
    let columns = leaves.iter().filter_map(|leaf| group.columns().get(*leaf));
    columns.map(|column| u64::try_from(column.compressed_size()).unwrap_or(0)).sum()
}

fn with_schema(reader: &ArrowReaderMetadata, schema: SchemaRef, name: &str) -> Result<ArrowReaderMetadata> {
    let options = ArrowReaderOptions::new().with_schema(schema);
    ArrowReaderMetadata::try_new(Arc::clone(reader.metadata()), options).map_err(|error| failed(name, error))
}

/// What the crate would say in its own words.
fn check_magic(open: &Open) -> Result<()> {
    let length = open.len();
    if length < 12 {
        return Err(damaged(&open.file.name, format!("{length} bytes are no Parquet file")));
    }
    match open.read(length - 4, 4)?.as_ref() {
        b"PAR1" => Ok(()),
        b"PARE" => Err(encrypted(&open.file.name)),
        _ => Err(damaged(&open.file.name, "it does not end as a Parquet file does")),
    }
}

/// The bytes of the footer, in one round trip where it has no more than usual.
fn footer_bytes(open: &Arc<Open>) -> Result<Bytes> {
    let tail = open.len().saturating_sub(8);
    let window = Window::of_footer(open)?;
    let place = |error| failed(&open.file.name, error);
    let length = window.get_bytes(tail, 4).map_err(place)?;
    let length = u64::from(u32::from_le_bytes(length.as_ref().try_into().unwrap_or_default()));
    let start = tail.checked_sub(length).filter(|start| *start >= 4);
    let start = start.ok_or_else(|| damaged(&open.file.name, "its footer is longer than itself"))?;
    window.get_bytes(start, usize::try_from(length).unwrap_or(usize::MAX)).map_err(place)
}

/// What a footer says, and the Arrow types that it means.
fn arrow_of(bytes: &[u8], name: &str, as_bytes: footer::AsBytes<'_>) -> Result<(Footer, ArrowReaderMetadata)> {
    let footer = Footer::read(bytes, name, as_bytes).map_err(|error| failed(name, error))?;
    // An Arrow schema beside it counts groups that are left out.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(!footer.hollow.is_empty());
    let reader = ArrowReaderMetadata::try_new(Arc::clone(&footer.metadata), options);
    Ok((footer, reader.map_err(|error| failed(name, error))?))
}

fn encrypted(name: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{name} is encrypted, and Bowshot has no keys"))
        .with_hint("read it with pyarrow.parquet and its decryption properties")
}

/// Column chunks outside of the file, and row counts below zero.
fn check_groups(reader: &ArrowReaderMetadata, footer: &Footer, open: &Open) -> Result<()> {
    for (number, group) in reader.metadata().row_groups().iter().enumerate() {
        let place = || format!("row group {number} of {}", open.file.name);
        if group.num_rows() < 0 {
            return Err(damaged(&place(), "its number of rows is below zero"));
        }
        let columns = group.columns().iter().enumerate().filter(|(leaf, _)| !footer.encrypted.contains(leaf));
        for (_, column) in columns {
            let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let end = start.checked_add(column.compressed_size());
            let inside =
                start >= 0 && column.compressed_size() >= 0 && end.is_some_and(|end| end.unsigned_abs() <= open.len());
            if !inside {
                return Err(damaged(
                    &place(),
                    format!("column {} is not inside of the file", column.column_path().string()),
                ));
            }
        }
    }
    Ok(())
}

/// The crate's error; Bowshot's own one where that is underneath.
fn failed(place: &str, error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => damaged(place, other),
        },
        // A compression or an encoding that is not built in.
        ParquetError::NYI(what) => Error::new(ErrorKind::Unsupported, format!("{place} cannot be read: {what}"))
            .with_hint("read its other columns, or have it written again in a way that more programs read"),
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => damaged(place, what),
        other => damaged(place, other),
    }
}

/// Whether a primitive column is of the old timestamps.
fn is_int96(physical: Physical) -> bool {
    physical == Physical::INT96
}

#[cfg(test)]
mod tests;
