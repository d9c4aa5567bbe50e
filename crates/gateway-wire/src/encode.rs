//! Batches as messages of bounded size.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_flight::FlightData;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::{FieldRef, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, format_type};
use bowshot_ipc::pack;

use crate::compact::compact;
use crate::pieces::Pieces;
use crate::presented::plain;
use crate::schema;
use crate::{Codec, Message, body_bytes};

/// What a message's body aims at, before compression.
const GOAL: usize = 1 << 20;

/// A batch of at most this many bytes is not cut.
const LARGE: usize = GOAL + GOAL / 2;

/// No message of more than one row is longer, as it is encoded. Clients of gRPC refuse messages of more than 4 MiB unless they
/// are told otherwise; the rest is left for what a server adds to a message, `app_metadata` for instance.
const LIMIT: usize = (4 << 20) - (64 << 10);

/// Writes the record batches of one stream as Flight's messages.
///
/// A message holds about 1 MiB of values, and is always shorter than 4 MiB as it is encoded: larger batches are cut, by the
/// bytes that their rows take. Only a single row of more than that makes a message of more, alone. Small batches are
/// not joined.
///
/// Bodies hold what a batch shows and nothing else: slices are cut, and columns without a NULL in the batch have no validity
/// bitmap. Without compression no value of a large column is copied: the body's pieces are the arrays' own memory, which
/// [`frame`](crate::frame) hands on as it is. `examples/copies.rs` measures what that costs.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch};
/// use bowshot_gateway_wire::{Codec, Encoder};
///
/// let numbers = Arc::new(Int64Array::from_iter_values(0..1_000_000));
/// let batch = RecordBatch::try_from_iter([("n", numbers as _)])?;
/// let mut encoder = Encoder::new(batch.schema(), Codec::None)?;
/// let first = encoder.schema_message()?;
/// assert!(first.data_body.is_empty());
/// let messages = encoder.encode(&batch)?;
/// assert_eq!(messages.len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Encoder {
    schema: SchemaRef,
    /// Whether the client reads packed batches.
    packs: bool,
    codec: Codec,
    /// Writes what is not compressed.
    plain: Pieces,
    /// How the other batches are written.
    options: IpcWriteOptions,
    generator: IpcDataGenerator,
    /// Stays empty.
    dictionaries: DictionaryTracker,
    /// Memory that is used again, and the state of the compressor.
    context: IpcWriteContext,
}

impl Encoder {
    /// For batches of `schema`, which [`presented`](crate::presented) gave.
    ///
    /// # Errors
    /// Of kind [`Internal`](ErrorKind::Internal), with the column's name: a dictionary or a run-end encoded column is left in it.
    pub fn new(schema: SchemaRef, codec: Codec) -> Result<Encoder> {
        let left = |field: &&FieldRef| plain(field.data_type(), true) != *field.data_type();
        if let Some(field) = schema.fields().iter().find(left) {
            let text = format!("column \"{}\" is a dictionary or run-end encoded, which is not sent", field.name());
            return Err(Error::new(ErrorKind::Internal, text)
                .with_column(field.name())
                .with_hint("present the schema and its batches first"));
        }
        Ok(Encoder {
            plain: Pieces::new(&schema)?,
            schema,
            packs: false,
            codec,
            options: schema::options(codec)?,
            generator: IpcDataGenerator::default(),
            dictionaries: DictionaryTracker::new(true),
            context: context(),
        })
    }

    /// Packs batches wherever it compresses, if the client reads [packed](pack) ones: they are fewer bytes, and less work for a codec.
    #[must_use]
    pub fn for_packed(self, reads_packed: bool) -> Encoder {
        Encoder { packs: reads_packed, ..self }
    }

    /// The message that opens a stream. It should be sent at once, before there is a batch: the JDBC driver waits for it
    /// before it opens the next endpoint.
    ///
    /// # Errors
    /// Of kind [`Internal`](ErrorKind::Internal): a schema that Arrow's IPC cannot say.
    pub fn schema_message(&self) -> Result<FlightData> {
        schema::message(&self.schema)
    }

    /// How the next messages are compressed.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Compresses the next messages so. Every message says how it is compressed, so that this may change within a stream.
    ///
    /// # Errors
    /// None, as long as the build knows all codecs.
    pub fn set_codec(&mut self, codec: Codec) -> Result<()> {
        if codec != self.codec {
            self.options = schema::options(codec)?;
            self.codec = codec;
        }
        Ok(())
    }

    /// The messages that hold this batch; a batch without rows makes one, too, which keeps a silent stream alive.
    ///
    /// # Errors
    /// Of kind [`Internal`](ErrorKind::Internal), with the column's name: the batch has other columns than the schema.
    pub fn encode(&mut self, batch: &RecordBatch) -> Result<Vec<Message>> {
        self.check(batch.schema_ref())?;
        let mut messages = Vec::new();
        // What is left, the next piece last.
        let mut left = vec![batch.clone()];
        while let Some(piece) = left.pop() {
            let (rows, bytes) = (piece.num_rows(), body_bytes(&piece));
            if rows > 1 && bytes > LARGE {
                cut(&piece, bytes.div_ceil(GOAL), &mut left);
                continue;
            }
            let message = self.message(&piece)?;
            if rows > 1 && message.encoded_len() > LIMIT {
                cut(&piece, 2, &mut left);
                continue;
            }
            messages.push(message);
        }
        Ok(messages)
    }

    fn message(&mut self, batch: &RecordBatch) -> Result<Message> {
        let columns = batch.columns().iter().map(compact).collect::<Result<Vec<_>>>()?;
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch = RecordBatch::try_new_with_options(batch.schema(), columns, &rows)?;
        if self.codec == Codec::None { self.plain.message(&batch) } else { self.compressed(batch) }
    }

    fn compressed(&mut self, batch: RecordBatch) -> Result<Message> {
        let packed = if self.packs { pack(&batch)? } else { None };
        let (batch, note) = packed.map_or((batch, None), |(packed, note)| (packed, Some(note)));
        let (_, encoded) = self.generator.encode(&batch, &mut self.dictionaries, &self.options, &mut self.context)?;
        if encoded.arrow_data.capacity() > LIMIT {
            // The next ones are hardly as large.
            self.context = context();
        }
        let message = FlightData::from(encoded);
        let message = if let Some(note) = note { message.with_app_metadata(note) } else { message };
        Ok(message.into())
    }

    /// Whether a batch has the columns that were announced.
    fn check(&self, schema: &SchemaRef) -> Result<()> {
        if Arc::ptr_eq(schema, &self.schema) {
            return Ok(());
        }
        let (count, wanted) = (schema.fields().len(), self.schema.fields().len());
        if count != wanted {
            return Err(misfit(format!("a batch has {count} columns, and {wanted} were announced")));
        }
        let mut pairs = schema.fields().iter().zip(self.schema.fields());
        match pairs.find(|(ours, announced)| ours.data_type() != announced.data_type()) {
            None => Ok(()),
            Some((ours, announced)) => {
                let [from, to] = [ours, announced].map(|field| format_type(field.data_type()));
                let name = announced.name();
                Err(misfit(format!("column \"{name}\" came as {from} and was announced as {to}")).with_column(name))
            }
        }
    }
}

/// A context that gives each message memory for as much as the one before, so that bodies do not grow in steps, each of which
/// copies all that is there.
fn context() -> IpcWriteContext {
    let mut context = IpcWriteContext::default();
    context.set_reserve_scratch(true);
    context
}

fn misfit(what: String) -> Error {
    Error::new(ErrorKind::Internal, what).with_hint("present the batch first")
}

/// Lays the `parts` of a batch on top of what is left, the first one last.
fn cut(batch: &RecordBatch, parts: usize, left: &mut Vec<RecordBatch>) {
    let rows = batch.num_rows();
    let step = rows.div_ceil(parts).max(1);
    let begins = (0..rows).step_by(step).rev();
    left.extend(begins.map(|begin| batch.slice(begin, step.min(rows - begin))));
}

#[cfg(test)]
mod tests;
