//! Arrow IPC: files, whose footer says where the batches are, and streams, which are read from their beginning.

mod decode;
mod file;
mod message;
mod stream;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result};
use bytes::Bytes;

use crate::chunk::{Chunk, Piece};
use crate::error::{damaged, io};
use crate::guard::contained;
use crate::map::map;
use crate::open::Open;
use crate::read::Batches;
use crate::uri::Location;
use crate::{text, types};

/// What a file says of itself.
pub(crate) struct Meta {
    pub(crate) schema: SchemaRef,
    layout: Layout,
    size: u64,
}

enum Layout {
    File(Arc<file::Footer>),
    /// Its schema, as it is decoded.
    Stream(SchemaRef),
}

impl Meta {
    /// Looks at the headers of all batches; at those of a ticket alone, where there is one.
    pub(crate) fn load(
        open: &Arc<Open>,
        location: &Location,
        types: &BTreeMap<String, DataType>,
        only: Option<&[Range<usize>]>,
    ) -> Result<Self> {
        let name = &open.file.name;
        contained(
            || name.clone(),
            || {
                let head = open.read(0, 8.min(open.len()))?;
                let (schema, layout) = match head.as_ref() {
                    [b'A', b'R', b'R', b'O', b'W', b'1', ..] => {
                        let footer = file::Footer::load(&Content::new(open, location)?, name, types, only)?;
                        (Arc::clone(&footer.schema), Layout::File(Arc::new(footer)))
                    }
                    [b'F', b'E', b'A', b'1', ..] => {
                        return Err(Error::new(
                            ErrorKind::Unsupported,
                            format!("{name} is of Feather's first version"),
                        )
                        .with_hint(
                            "write it again: pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)",
                        ));
                    }
                    [] => return Err(damaged(name, "it is empty")),
                    _ => {
                        let schema = text::as_bytes(stream::schema(open)?.as_ref(), types);
                        (Arc::clone(&schema), Layout::Stream(schema))
                    }
                };
                Ok(Meta { schema: types::arrow(&schema), layout, size: open.len() })
            },
        )
    }

    /// The batches, each a chunk.
    pub(crate) fn chunks(&self, file: usize) -> Vec<Chunk> {
        match &self.layout {
            Layout::Stream(_) => vec![Chunk { file, piece: Piece::Whole, rows: None, bytes: self.size, held: 0 }],
            Layout::File(footer) => footer.chunks(file),
        }
    }
}

impl Meta {
    /// A piece as a chunk, if the file has it.
    pub(crate) fn chunk(&self, file: usize, piece: Piece) -> Option<Chunk> {
        match (&self.layout, &piece) {
            (Layout::Stream(_), Piece::Whole) => Some(Chunk { file, piece, rows: None, bytes: self.size, held: 0 }),
            (Layout::File(footer), Piece::Blocks(blocks)) if !blocks.is_empty() => {
                let (rows, bytes) = footer.extent(blocks.clone())?;
                Some(Chunk { file, piece, rows: Some(rows), bytes, held: 0 })
            }
            _ => None,
        }
    }
}

/// A schema as a message of the format.
pub(crate) fn written(schema: &Schema) -> Result<Vec<u8>> {
    Ok(StreamWriter::try_new(Vec::new(), schema)?.into_inner()?)
}

/// The schema that [`written`] made a message of.
pub(crate) fn schema_of(message: Vec<u8>, name: &str) -> Result<SchemaRef> {
    contained(|| name.to_owned(), || stream::schema(&Arc::new(Open::memory(name, message.into()))))
}

/// Reads some columns, in their order in the file.
pub(crate) fn read(
    open: &Arc<Open>,
    meta: &Meta,
    columns: &[usize],
    piece: &Piece,
    batch_bytes: usize,
    location: &Location,
) -> Result<Box<dyn Batches>> {
    match (&meta.layout, piece) {
        (Layout::File(footer), Piece::Blocks(blocks)) => {
            let bytes = Content::new(open, location)?;
            let Range { start, end } = *blocks;
            file::read(bytes, footer, columns, start..end, batch_bytes, location.trusted)
        }
        (Layout::Stream(schema), Piece::Whole) => stream::read(open, schema, columns, batch_bytes, location.trusted),
        _ => Err(Error::new(ErrorKind::Internal, format!("{} has no such piece", open.file.name))),
    }
}

/// The bytes of a file: mapped, or read as they are needed.
struct Content {
    open: Arc<Open>,
    mapped: Option<Bytes>,
}

impl Content {
    fn new(open: &Arc<Open>, location: &Location) -> Result<Self> {
        let mapped = match open.handle().filter(|_| location.mmap) {
            Some(handle) => Some(map(handle).map_err(|error| io(&open.file.name, error))?),
            None => None,
        };
        Ok(Content { open: Arc::clone(open), mapped })
    }

    fn get(&self, start: u64, length: u64) -> Result<Bytes> {
        let end = start.checked_add(length).filter(|end| *end <= self.open.len());
        let end = end.ok_or_else(|| damaged(&self.open.file.name, "it points to a place behind its end"))?;
        let Some(mapped) = &self.mapped else { return self.open.read(start, length) };
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        match range.filter(|(_, end)| *end <= mapped.len()) {
            Some((start, end)) => Ok(mapped.slice(start..end)),
            None => Err(crate::error::changed(&self.open.file.name)),
        }
    }
}
