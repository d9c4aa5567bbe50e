//! One result as an Arrow IPC stream: columns are described, then filled, then encoded batch by batch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamEncoder};
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Impossible, Result};
use bowshot_postgres_values::{Catalog, CatalogType, Column, Described, Kind, Types, broken, is_builtin};

use crate::array::Values;
use crate::enumeration::Labels;
use crate::form::{Form, How, form};
use crate::memory::{Memory, RawColumn, expect_room};

/// The most rows of one batch, whatever their size.
const MOST_ROWS: usize = 1 << 16;

/// The first batch is as small as what the row protocol sends first, so that who reads has something to do as early;
/// each of the next is this many times larger, up to `batch_bytes`.
const FIRST_BYTES: usize = 8 << 10;
const FASTER: usize = 4;

/// How a result is encoded.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The size that a batch aims at, in bytes.
    pub batch_bytes: usize,
    /// How buffers are compressed.
    pub compression: Option<CompressionType>,
    /// What becomes of infinite dates and timestamps.
    pub infinity: Impossible,
    /// Digits after the point of `money`.
    pub money_scale: i8,
}

/// A column before its type is known.
struct Wanted {
    described: Described,
    dimensions: usize,
    not_null: bool,
}

/// A column that is filled.
struct Filled {
    column: Column,
    how: How,
    form: Form,
    memory: Memory,
}

/// One result.
pub struct Stream {
    settings: Settings,
    catalog: Catalog,
    /// The OIDs of enums' labels in their order, by the enum's OID.
    labels: BTreeMap<u32, Vec<u32>>,
    wanted: Vec<Wanted>,
    filled: Vec<Filled>,
    raw: Vec<RawColumn>,
    schema: SchemaRef,
    /// `None` before the start and after the end.
    encoder: Option<StreamEncoder>,
    /// What is being sent.
    sending: Vec<Buffer>,
    /// Bytes that the current batch aims at.
    aim: usize,
    /// Bytes of a row without its values of no fixed length.
    row_bytes: usize,
}

impl Stream {
    /// A result of which nothing is known yet.
    pub fn new(settings: Settings) -> Self {
        let mut stream = Stream {
            settings,
            catalog: Catalog::default(),
            labels: BTreeMap::new(),
            wanted: Vec::new(),
            filled: Vec::new(),
            raw: Vec::new(),
            schema: Arc::new(Schema::empty()),
            encoder: None,
            sending: Vec::new(),
            aim: settings.batch_bytes.min(FIRST_BYTES),
            row_bytes: 0,
        };
        stream.catalog.money_scale = Some(settings.money_scale);
        stream
    }

    /// Adds a column. Types are those of RowDescription: a domain's base type in its place.
    pub fn describe(&mut self, described: Described, dimensions: usize, not_null: bool) {
        self.wanted.push(Wanted { described, dimensions, not_null });
    }

    /// A type of which the catalogue has to be asked; `None` when all are known.
    pub fn unknown_type(&mut self) -> Option<u32> {
        let of_columns = self.wanted.iter().map(|wanted| wanted.described.oid);
        let mut unknown: BTreeSet<u32> = of_columns.filter(|&oid| self.catalog.get(oid).is_none()).collect();
        unknown.extend(self.catalog.missing());
        for oid in unknown {
            // A numeric may be wider than any decimal, and then its output function has to be known.
            let mut columns = self.wanted.iter().map(|wanted| &wanted.described).filter(|column| column.oid == oid);
            let falls_to_text = |column: &Described| column.modifier != -1 && !is_builtin(oid, column.modifier);
            if !is_builtin(oid, -1) || columns.any(falls_to_text) {
                return Some(oid);
            }
            self.catalog.insert(oid, CatalogType::builtin(oid));
        }
        None
    }

    /// Adds what the catalogue says of a type.
    pub fn know_type(&mut self, oid: u32, found: CatalogType) {
        self.catalog.insert(oid, found);
    }

    /// Adds the OIDs of an enum's labels, in their order: a column of that enum is handed over as these.
    pub fn know_labels(&mut self, oid: u32, labels: &[u32]) {
        self.labels.insert(oid, labels.to_vec());
    }

    /// Chooses how every column is read and makes room for the first batch.
    pub fn start(&mut self) -> Result<()> {
        let types = Types { catalog: &self.catalog, infinity: self.settings.infinity };
        let mut chosen = Vec::with_capacity(self.wanted.len());
        for wanted in &self.wanted {
            // Infinite dates may become NULL.
            let nullable = !wanted.not_null || self.settings.infinity == Impossible::Null;
            let column = types.column(&wanted.described, None, wanted.dimensions, nullable)?;
            let (how, form) = match self.labels(&column, wanted.described.oid) {
                Some(labels) => (How::Byte4, Form::Enumeration(labels)),
                None => form(&column, wanted.described.oid),
            };
            chosen.push((column, how, form));
        }
        // Values of no fixed length have an offset; every value has a bit that says whether it is NULL.
        let width = |how: How| if how.width() > 0 { how.width() } else { size_of::<i32>() };
        self.row_bytes = chosen.iter().map(|(_, how, _)| width(*how)).sum::<usize>() + chosen.len().div_ceil(8);
        for (column, how, form) in chosen {
            self.filled.push(Filled { column, how, form, memory: Memory::default() });
        }
        self.make_room()?;
        let fields: Vec<_> = self.filled.iter().map(|filled| Arc::clone(&filled.column.field)).collect();
        self.schema = Arc::new(Schema::new(fields));
        let options = IpcWriteOptions::default().try_with_compression(self.settings.compression)?;
        self.encoder = Some(StreamEncoder::try_new_with_options(&self.schema, options)?);
        Ok(())
    }

    /// The schema, once it was started.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The columns' memory, for the next batch.
    pub fn columns(&mut self) -> &mut [RawColumn] {
        &mut self.raw
    }

    /// How many rows the next batch may have.
    pub fn rows_most(&self) -> usize {
        (self.aim / self.row_bytes.max(1) + 1).min(MOST_ROWS)
    }

    /// How many bytes of values the next batch aims at.
    pub fn bytes_most(&self) -> usize {
        self.aim
    }

    /// Bytes of a row without its values of no fixed length.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// Makes room for `more` bytes in a column whose values have no fixed length.
    pub fn grow(&mut self, column: usize, more: usize) -> Result<()> {
        match (self.filled.get_mut(column), self.raw.get_mut(column)) {
            (Some(filled), Some(raw)) => filled.memory.grow(raw, more),
            _ => Err(Error::new(ErrorKind::Internal, format!("the result has no column {column}"))),
        }
    }

    /// The unscaled value of a `numeric` as it lies on disk, for a column of decimals.
    pub fn decimal(&self, column: usize, disk: &[u8]) -> Result<i128> {
        match self.filled.get(column) {
            Some(Filled { column, form: Form::Decimal(digits), .. }) => {
                digits.narrow(disk).map_err(|reject| column.rejected(reject))
            }
            _ => Err(Error::new(ErrorKind::Internal, format!("column {column} of the result has no decimals"))),
        }
    }

    /// Encodes the first `rows` rows of the columns' memory. The pieces are to be sent in their order before
    /// [`clear`](Self::clear).
    pub fn batch(&mut self, rows: usize) -> Result<&[Buffer]> {
        // Decoders and compression make copies of at most this size.
        expect_room(self.raw.iter().map(|raw| raw.used).sum::<usize>().saturating_mul(2))?;
        let mut arrays = Vec::with_capacity(self.filled.len());
        for (filled, raw) in self.filled.iter_mut().zip(&self.raw) {
            let field = &filled.column.field;
            if raw.nulls > 0 && !field.is_nullable() {
                return Err(broken("it found NULL in a column that is NOT NULL").with_column(field.name()));
            }
            let infinity = self.settings.infinity;
            let values = Values { memory: &mut filled.memory, rows, used: raw.used, nulls: raw.nulls, infinity };
            arrays.push(values.array(&filled.column, &filled.form).map_err(|reject| filled.column.rejected(reject))?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        self.sending = self.encoder()?.encode(&batch)?;
        Ok(&self.sending)
    }

    /// What every part of a result begins with where several streams share its batches: the schema and the
    /// dictionaries, which no batch brings along afterwards.
    pub fn head(&mut self) -> Result<&[Buffer]> {
        let mut head = self.batch(0)?.to_vec();
        self.make_room()?;
        // The second time the same empty batch comes without them.
        let mut surplus: usize = self.batch(0)?.iter().map(Buffer::len).sum();
        self.make_room()?;
        while let Some(last) = head.pop() {
            if last.len() > surplus {
                head.push(last.slice_with_length(0, last.len() - surplus));
                break;
            }
            surplus -= last.len();
        }
        self.sending = head;
        Ok(&self.sending)
    }

    /// Makes room for the next batch, once the last one was sent.
    pub fn clear(&mut self) -> Result<()> {
        self.sending.clear();
        let next = self.aim.saturating_mul(FASTER).min(self.settings.batch_bytes);
        if next > self.aim {
            self.aim = next;
            return self.make_room();
        }
        // What a column needs now and then stays; what one huge value needed does not.
        let most = self.settings.batch_bytes.saturating_mul(2);
        for (filled, raw) in self.filled.iter_mut().zip(&mut self.raw) {
            filled.memory.reclaim(most)?;
            *raw = filled.memory.raw();
        }
        Ok(())
    }

    /// The labels of a column that is an enum.
    fn labels(&self, column: &Column, oid: u32) -> Option<Labels> {
        match (&self.catalog.get(oid)?.kind, &column.cast) {
            (Kind::Enumeration(labels), None) => Labels::new(labels, self.labels.get(&oid)?),
            _ => None,
        }
    }

    /// Memory for batches of the current size.
    fn make_room(&mut self) -> Result<()> {
        let (rows, share) = (self.rows_most(), self.aim / self.filled.len().max(1) + 1);
        self.raw.clear();
        for filled in &mut self.filled {
            let decimal = if let Form::Decimal(digits) = &filled.form { digits.small() } else { (0, 0) };
            filled.memory = Memory::new(filled.how, decimal, rows, share)?;
            self.raw.push(filled.memory.raw());
        }
        Ok(())
    }

    /// The end of the stream; with the schema before it, where there was no batch.
    pub fn finish(&mut self) -> Result<&[Buffer]> {
        self.encoder()?;
        if let Some(encoder) = self.encoder.take() {
            self.sending = encoder.finish()?;
        }
        Ok(&self.sending)
    }

    fn encoder(&mut self) -> Result<&mut StreamEncoder> {
        let none = || Error::new(ErrorKind::Internal, "the stream was not started, or has ended");
        self.encoder.as_mut().ok_or_else(none)
    }
}

#[cfg(test)]
mod tests;
