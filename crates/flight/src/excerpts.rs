//! Excerpts of Parquet files in place of batches: gathered until they are whole, then read.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, OpenExcerpt, Options, Reader, Result};
use bowshot_ipc::{ExcerptNote, MOST_INFLATED};
use bytes::{Bytes, BytesMut};

use crate::error::protocol;
use crate::uri::Address;

/// The excerpts of one stream.
pub(crate) struct Excerpts {
    /// What reads them; `None`: we did not say that we do.
    open: Option<OpenExcerpt>,
    options: Options,
    /// How many bytes one may have.
    limit: usize,
    /// What has come of one, and how many bytes it will have.
    gathering: Option<(BytesMut, usize)>,
    reading: Option<Box<dyn Reader + Send>>,
    /// The one that is being read, whose memory the next one gets.
    file: Bytes,
}

impl Excerpts {
    pub(crate) fn new(open: Option<OpenExcerpt>, options: Options, limit: usize) -> Self {
        Excerpts { open, options, limit, gathering: None, reading: None, file: Bytes::new() }
    }

    /// Where the next part of one goes, which has so many bytes and this note.
    pub(crate) fn room(&mut self, note: &[u8], length: usize, address: &Address) -> Result<&mut BytesMut> {
        let refused = |what: &str| protocol(address, format!("a part of a Parquet file {what}"));
        if self.open.is_none() {
            return Err(refused("that nobody asked for"));
        }
        let note = ExcerptNote::read(note).ok_or_else(|| refused("that does not say of how large a file"))?;
        let bytes = usize::try_from(note.bytes).ok().filter(|bytes| *bytes <= self.limit).ok_or_else(|| {
            let message = format!("{address} sends a file of {} bytes, which is more than {}", note.bytes, self.limit);
            Error::new(ErrorKind::Protocol, message).with_hint("allow it with max_message_bytes=BYTES in the URI")
        })?;
        let (file, whole) = match self.gathering.take() {
            Some(gathering) => gathering,
            None => (self.memory(bytes), bytes),
        };
        if whole != bytes || length > whole - file.len() {
            return Err(refused("that is not as large as it says"));
        }
        Ok(&mut self.gathering.insert((file, whole)).0)
    }

    /// Begins to read the one whose last part has come, as batches with this schema; nothing before that.
    pub(crate) fn open(&mut self, schema: &SchemaRef, address: &Address) -> Result<()> {
        let whole = self.gathering.take_if(|(file, whole)| file.len() == *whole);
        let (Some(open), Some((file, _))) = (self.open, whole) else { return Ok(()) };
        self.file = file.freeze();
        let most = self.limit.saturating_mul(MOST_INFLATED);
        let reading = open(self.file.clone(), schema, &self.options, most);
        self.reading = Some(reading.map_err(|error| unreadable(error, address))?);
        Ok(())
    }

    /// Memory for so many bytes: that of the one before, where nobody has a part of it.
    fn memory(&mut self, bytes: usize) -> BytesMut {
        let mut memory = std::mem::take(&mut self.file).try_into_mut().unwrap_or_default();
        memory.clear();
        memory.reserve(bytes);
        memory
    }

    /// The next batch of the one that is read; `None` after its last one, or where none is.
    pub(crate) fn next(&mut self, address: &Address) -> Result<Option<RecordBatch>> {
        let Some(reading) = &mut self.reading else { return Ok(None) };
        let batch = reading.next().map_err(|error| unreadable(error, address))?;
        if batch.is_none() {
            self.reading = None;
        }
        Ok(batch)
    }

    /// An error where something else comes in the middle of one.
    pub(crate) fn check_whole(&self, address: &Address) -> Result<()> {
        match &self.gathering {
            Some((file, whole)) => {
                Err(protocol(address, format!("a Parquet file of {whole} bytes that ends after {}", file.len())))
            }
            None => Ok(()),
        }
    }
}

/// What the reader refuses came from the server, and not from a disk.
fn unreadable(error: Error, address: &Address) -> Error {
    match error.kind() {
        ErrorKind::Io | ErrorKind::Protocol => protocol(address, error.message()).with_source(error),
        _ => error,
    }
}
