//! Parquet files: what the footer says, and the pieces to read.

mod direct;
mod excerpt;
mod int96;
mod prune;
mod read;
mod text;
mod window;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};
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
use window::Window;

pub use excerpt::open_excerpt;
pub(crate) use excerpt::{excerpt, may_be_excerpt};
pub(crate) use prune::Resolved;
pub(crate) use read::read;

/// What a file's footer says.
pub(crate) struct Meta {
    pub(crate) schema: SchemaRef,
    /// As the file is read.
    reader: ArrowReaderMetadata,
    /// Columns of the old timestamps that do not fit 64 bits.
    int96: Vec<usize>,
}

impl Meta {
    /// Reads the footer. The user's types matter here where they decide how a column can be decoded.
    pub(crate) fn load(open: &Arc<Open>, types: &BTreeMap<String, DataType>) -> Result<Self> {
        check_magic(open)?;
        let place = || open.file.name.clone();
        contained(place, || {
            let window = Window::of_footer(open)?;
            let options = ArrowReaderOptions::new();
            let mut reader =
                ArrowReaderMetadata::load(&window, options).map_err(|error| failed(&open.file.name, error))?;
            let int96 = int96::columns(&reader, &open.file.name)?;
            if let Some(schema) = int96::wished(reader.schema(), &int96, types) {
                reader = with_schema(&reader, schema, &open.file.name)?;
            }
            if let Some(schema) = text::wished(reader.schema(), types) {
                reader = with_schema(&reader, schema, &open.file.name)?;
            }
            let schema = types::parquet(reader.schema(), reader.parquet_schema().root_schema());
            check_groups(&reader, open)?;
            Ok(Meta { schema, reader, int96 })
        })
    }

    /// What a footer says whose columns are to be read as these, whatever they are called.
    fn read_as(reader: &ArrowReaderMetadata, wanted: &SchemaRef, name: &str) -> Result<Self> {
        let fields = reader.schema().fields();
        if fields.len() != wanted.fields().len() {
            return Err(damaged(name, format!("{} columns where {} should be", fields.len(), wanted.fields().len())));
        }
        let pairs = fields.iter().zip(wanted.fields());
        let field =
            |(field, wanted): (&FieldRef, &FieldRef)| field.as_ref().clone().with_data_type(wanted.data_type().clone());
        let schema = Arc::new(Schema::new(pairs.map(field).collect::<Vec<_>>()));
        let reader = with_schema(reader, schema, name)?;
        Ok(Meta { schema: Arc::clone(wanted), reader, int96: Vec::new() })
    }

    /// The row groups that are `kept` as chunks; large ones in several, since what a worker is ahead with has to fit a buffer.
    pub(crate) fn chunks(&self, file: usize, columns: &[usize], cut: Cut, kept: &[bool]) -> Vec<Chunk> {
        let (mut chunks, leaves) = (Vec::new(), self.leaves(columns));
        for (group, meta) in self.reader.metadata().row_groups().iter().enumerate() {
            if kept.get(group) == Some(&false) {
                continue;
            }
            let rows = rows(meta);
            let bytes = self.decoded_bytes(meta, columns);
            let pieces = cut.pieces(bytes, stored(meta, &leaves)).min(rows / LEAST_ROWS).max(1);
            if pieces == 1 {
                chunks.push(Chunk { file, piece: Piece::Groups(group..group + 1), rows: Some(rows), bytes });
                continue;
            }
            let size = rows.div_ceil(pieces);
            for first in (0..rows).step_by(usize::try_from(size).unwrap_or(usize::MAX)) {
                let end = (first + size).min(rows);
                let piece = Piece::Rows { group, rows: first..end };
                chunks.push(Chunk { file, piece, rows: Some(end - first), bytes: bytes / pieces });
            }
        }
        chunks
    }

    /// The compressed bytes that these columns take in the row groups that are `kept`.
    pub(crate) fn stored_bytes(&self, columns: &[usize], kept: &[bool]) -> u64 {
        let leaves = self.leaves(columns);
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

    /// The leaves below some columns.
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

fn encrypted(name: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{name} is encrypted, and Bowshot has no keys"))
        .with_hint("read it with pyarrow.parquet and its decryption properties")
}

/// Column chunks outside of the file, and row counts below zero.
fn check_groups(reader: &ArrowReaderMetadata, open: &Open) -> Result<()> {
    for (number, group) in reader.metadata().row_groups().iter().enumerate() {
        let place = || format!("row group {number} of {}", open.file.name);
        if group.num_rows() < 0 {
            return Err(damaged(&place(), "its number of rows is below zero"));
        }
        for column in group.columns() {
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
        ParquetError::NYI(what) => Error::new(ErrorKind::Unsupported, format!("{place} cannot be read: {what}")),
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => damaged(place, what),
        other => damaged(place, other),
    }
}

/// Whether a primitive column is of the old timestamps.
fn is_int96(physical: Physical) -> bool {
    physical == Physical::INT96
}
