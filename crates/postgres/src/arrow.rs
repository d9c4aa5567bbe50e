//! Reads partitions that the server's extension sends as Arrow: an IPC stream, cut into COPY's messages anywhere.
//!
//! Arrow's "Encapsulated message format": four bytes 0xFF, the length of the metadata, the metadata, the body.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use bowshot_core::{Reader, Result, format_type};
use bowshot_ipc::{Body, Decoder, Message, Pool, arrange, body_length};
use bowshot_net::Gather;

use crate::connect::Session;
use crate::error::{broken, from_extension};
use crate::message::tag;
use crate::read::null_in;
use crate::scan::PostgresScan;

/// What stands in front of a message's length.
const CONTINUATION: u32 = u32::MAX;

/// The largest metadata: more than a hundred thousand columns.
const LARGEST_METADATA: usize = 64 << 20;

/// The largest body: a batch of half a gigabyte, and one value of a gigabyte more, twice.
const LARGEST_BODY: usize = 4 << 30;

/// What is read at once where the next bytes are a header and metadata: what comes with them of the body is copied.
const SMALL_READ: usize = 16 << 10;

/// The batches of one statement.
pub(crate) struct ArrowReader<'a> {
    session: &'a mut Session,
    clean: &'a mut bool,
    scan: Arc<PostgresScan>,
    gather: Gather,
    /// Bytes of the current CopyData message that were not taken.
    left: usize,
    /// Memory of batches that were let go.
    pool: Pool,
    /// Reads batches, once the schema has come.
    decoder: Option<Decoder>,
}

impl<'a> ArrowReader<'a> {
    /// For a statement that was sent.
    pub(crate) fn new(session: &'a mut Session, clean: &'a mut bool, scan: Arc<PostgresScan>) -> Self {
        ArrowReader { session, clean, scan, gather: Gather::default(), left: 0, pool: Pool::default(), decoder: None }
    }
}

impl Reader for ArrowReader<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if *self.clean {
            return Ok(None);
        }
        while let Some(message) = self.message()? {
            let Some(decoder) = &mut self.decoder else {
                self.decoder = Some(self.begin(&message)?);
                continue;
            };
            let decoded = decoder.decode(&message).map_err(|refused| broken(&format!("it sent {refused}")))?;
            if let Some(batch) = decoded {
                return self.batch(&batch).map(Some);
            }
        }
        self.finish()?;
        Ok(None)
    }
}

impl ArrowReader<'_> {
    /// The schema, which must be the plan's.
    fn begin(&self, message: &Message) -> Result<Decoder> {
        let decoder = Decoder::new(&message.header, LARGEST_BODY)
            .map_err(|why| broken(&format!("its Arrow does not begin with a schema ({why})")))?;
        let (sent, planned) = (decoder.schema().fields(), self.scan.read_schema.fields());
        if sent.len() != planned.len() {
            return Err(broken(&format!("it sent {} columns in place of {}", sent.len(), planned.len())));
        }
        match sent.iter().zip(planned).find(|(sent, planned)| sent.data_type() != planned.data_type()) {
            None => Ok(decoder),
            Some((sent, planned)) => {
                let [sent, wanted] = [sent, planned].map(|field| format_type(field.data_type()));
                let name = planned.name();
                let what = format!("its extension sends column \"{name}\" as {sent}, and {wanted} was planned");
                Err(broken(&what).with_column(name).with_hint("read it with protocol=\"copy\""))
            }
        }
    }

    /// A batch with the plan's schema.
    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        for (array, field) in batch.columns().iter().zip(self.scan.read_schema.fields()) {
            if array.null_count() > 0 && !field.is_nullable() {
                return Err(null_in(field));
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns().to_vec();
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.scan.read_schema), columns, &options)?;
        self.scan.casts.apply(batch)
    }

    /// The next message of the stream; `None` at its end.
    fn message(&mut self) -> Result<Option<Message>> {
        let mut prefix = [0; 8];
        self.array(&mut prefix)?;
        let [a, b, c, d, length @ ..] = prefix;
        if u32::from_le_bytes([a, b, c, d]) != CONTINUATION {
            return Err(broken("its Arrow has no message where one should be"));
        }
        let length = usize::try_from(i32::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length == 0 {
            return Ok(None);
        }
        if length > LARGEST_METADATA {
            return Err(broken("its Arrow has metadata of more than 64 MiB"));
        }
        let mut header = Vec::new();
        self.pass(length, |bytes| header.extend_from_slice(bytes))?;
        let unreadable = |why| broken(&format!("its Arrow has metadata that cannot be read ({why})"));
        let length = body_length(&header).map_err(unreadable)?;
        if length > LARGEST_BODY {
            return Err(broken(&format!("its Arrow has a message of {length} bytes")));
        }
        let pieces = arrange(&mut header, length).map_err(unreadable)?;
        let mut body = Body::new(length, pieces, &self.pool);
        self.collect(&mut body)?;
        Ok(Some(Message { header, body: body.finish(), note: None }))
    }

    fn array(&mut self, array: &mut [u8]) -> Result<()> {
        let mut rest = array;
        self.pass(rest.len(), |bytes| {
            // As many bytes are passed as there is room for.
            let (front, back) = std::mem::take(&mut rest).split_at_mut(bytes.len());
            front.copy_from_slice(bytes);
            rest = back;
        })
    }

    /// Hands the next `length` bytes of the stream over, piece by piece.
    fn pass(&mut self, length: usize, mut take: impl FnMut(&[u8])) -> Result<()> {
        let mut missing = length;
        while missing > 0 {
            self.need()?;
            let count = missing.min(self.left).min(self.session.waiting());
            take(self.session.take(count));
            self.left -= count;
            missing -= count;
        }
        Ok(())
    }

    /// Fills a body: with what is in the session's buffer, then straight from the socket.
    fn collect(&mut self, body: &mut Body) -> Result<()> {
        while body.missing() > 0 {
            self.open()?;
            let count = body.missing().min(self.left);
            let waiting = count.min(self.session.waiting());
            if waiting > 0 {
                body.push(self.session.take(waiting));
                self.left -= waiting;
            } else if let Some(room) = body.room(count) {
                let count = self.session.read(room)?;
                self.gather.pause(&mut self.session.stream, count);
                body.filled(count);
                self.left -= count;
            } else {
                self.fill(Gather::ROOM)?;
            }
        }
        Ok(())
    }

    /// Waits for more bytes, of which at most so many are to be in the session's buffer.
    fn fill(&mut self, most: usize) -> Result<()> {
        let count = self.session.fill_at_most(most)?;
        self.gather.pause(&mut self.session.stream, count);
        Ok(())
    }

    /// Waits until there are bytes of the stream in the session's buffer.
    fn need(&mut self) -> Result<()> {
        self.open()?;
        while self.session.waiting() == 0 {
            self.fill(SMALL_READ)?;
        }
        Ok(())
    }

    /// Waits until a message of COPY brings bytes of the stream.
    fn open(&mut self) -> Result<()> {
        while self.left == 0 {
            match self.session.enter(tag::COPY_DATA, SMALL_READ)? {
                Some(length) => self.left = length,
                None => self.control()?,
            }
            if *self.clean {
                return Err(broken("its Arrow ends in the middle"));
            }
        }
        Ok(())
    }

    /// Handles a message that holds nothing of the stream.
    fn control(&mut self) -> Result<()> {
        let message = self.session.receive()?;
        match message.tag {
            tag::ERROR => Err(from_extension(message.body)),
            tag::READY => {
                *self.clean = true;
                Ok(())
            }
            // The first two answer the statement that loads the extension.
            tag::ROW_DESCRIPTION | tag::ROW | tag::COPY_OUT | tag::COPY_DONE | tag::COMMAND_COMPLETE => Ok(()),
            tag => Err(broken(&format!("message '{}' came within a result", tag.escape_ascii()))),
        }
    }

    /// Waits until the server is ready again.
    fn finish(&mut self) -> Result<()> {
        if self.left > 0 {
            return Err(broken("something follows the end of its Arrow"));
        }
        while !*self.clean {
            self.control()?;
        }
        Ok(())
    }
}
