//! The messages of a DoGet call, taken from the pieces in which the connection brings them.
//!
//! gRPC's own reader would first put each message together in a buffer of its own, and Arrow's would then copy what lies
//! at odd addresses there. Here the few bytes around a message's body are read one by one, and the body goes straight to
//! where it stays.

use arrow_buffer::Buffer;
use bowshot_core::{Error, ErrorKind, Result};
use bowshot_ipc::{Body, ExcerptNote, Form, Message, Piece, Pool, arrange};
use bytes::{Buf, Bytes};
use http::HeaderMap;
use http_body_util::BodyExt;
use tonic::{Code, Status};

use crate::channel::Answer;
use crate::error::{chain, failed, lost, protocol};
use crate::excerpts::Excerpts;
use crate::uri::Address;

/// The fields of `FlightData`: the metadata and the body of an Arrow message, and between them what a server adds.
const HEADER: u64 = 2;
const NOTE: u64 = 3;
const BODY: u64 = 1000;

/// The largest metadata: more than a hundred thousand columns.
const LARGEST_HEADER: usize = 64 << 20;

/// The messages of a call.
pub(crate) struct Frames {
    answer: Answer,
    /// What came and was not read yet.
    chunk: Bytes,
    trailers: Option<HeaderMap>,
    /// Memory of batches that were let go.
    pool: Pool,
    address: Address,
    /// How large a message may be.
    limit: usize,
}

impl Frames {
    pub(crate) fn new(answer: Answer, address: Address, limit: usize) -> Self {
        Frames { answer, chunk: Bytes::new(), trailers: None, pool: Pool::default(), address, limit }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// The next message; `None` after the last one, when the server says that all went well. The body of a part of an excerpt goes to
    /// the `excerpts`.
    pub(crate) async fn next(&mut self, excerpts: Option<&mut Excerpts>) -> Result<Option<Message>> {
        if !self.more().await? {
            return self.end().map(|()| None);
        }
        let compressed = self.byte().await?;
        let mut size = 0_usize;
        for _ in 0..4 {
            size = size << 8 | usize::from(self.byte().await?);
        }
        if compressed != 0 {
            return Err(protocol(&self.address, "a compressed message that nobody asked for"));
        }
        if size > self.limit {
            let limit = self.limit;
            let message = format!("{} sends a message of {size} bytes, which is more than {limit}", self.address);
            return Err(Error::new(ErrorKind::Protocol, message).with_hint(
                "allow it with max_message_bytes=BYTES in the URI, or have the server send smaller batches",
            ));
        }
        self.message(size, excerpts).await.map(Some)
    }

    async fn message(&mut self, size: usize, mut excerpts: Option<&mut Excerpts>) -> Result<Message> {
        let mut left = size;
        let (mut header, mut body, mut note) = (None, None, None::<Vec<u8>>);
        let mut is_gathered = false;
        while left > 0 {
            let key = self.number(&mut left).await?;
            match (key >> 3, key & 7) {
                (HEADER, 2) if header.is_none() => {
                    let length = self.length(&mut left).await?;
                    if length > LARGEST_HEADER {
                        return Err(protocol(&self.address, format!("metadata of {length} bytes")));
                    }
                    header = Some(self.bytes(length).await?);
                    left -= length;
                }
                (BODY, 2) if body.is_none() => {
                    let length = self.length(&mut left).await?;
                    if let (Some(excerpts), Some(note)) = (&mut excerpts, part_of(&note)) {
                        let file = excerpts.room(note, length, &self.address)?;
                        self.pass(length, |chunk| file.extend_from_slice(chunk)).await?;
                        (body, is_gathered) = (Some(Buffer::default()), true);
                        left -= length;
                        continue;
                    }
                    // Where its metadata follows, the body stays as it comes.
                    let pieces = match &mut header {
                        Some(header) => arrange(header, length).map_err(|what| protocol(&self.address, what))?,
                        None => None,
                    };
                    body = Some(self.body(length, pieces).await?);
                    left -= length;
                }
                (NOTE, 2) => {
                    let length = self.length(&mut left).await?;
                    // No server has so much to say of a batch, and ours has less.
                    if length > LARGEST_HEADER {
                        return Err(protocol(&self.address, format!("a note of {length} bytes")));
                    }
                    note = Some(self.bytes(length).await?)
                        .filter(|note| Form::is_note(note) || ExcerptNote::is_note(note));
                    left -= length;
                }
                (HEADER | BODY, _) => return Err(protocol(&self.address, "a message that is two")),
                (_, kind) => self.skip(kind, &mut left).await?,
            }
        }
        if let (Some(excerpts), Some(note), false) = (excerpts, part_of(&note), is_gathered) {
            if body.is_some() {
                return Err(protocol(&self.address, "a part of a Parquet file before what it is"));
            }
            excerpts.room(note, 0, &self.address)?;
        }
        Ok(Message { header: header.unwrap_or_default(), body: body.unwrap_or_default(), note })
    }

    /// Passes over a field that is of no interest here.
    async fn skip(&mut self, kind: u64, left: &mut usize) -> Result<()> {
        let length = match kind {
            0 => return self.number(left).await.map(|_| ()),
            1 => 8,
            2 => self.length(left).await?,
            5 => 4,
            _ => return Err(protocol(&self.address, "a message with a field of no known kind")),
        };
        *left = left.checked_sub(length).ok_or_else(|| protocol(&self.address, "a field longer than its message"))?;
        self.pass(length, |_| {}).await
    }

    async fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        self.pass(length, |chunk| bytes.extend_from_slice(chunk)).await?;
        Ok(bytes)
    }

    async fn body(&mut self, length: usize, pieces: Option<Vec<Piece>>) -> Result<Buffer> {
        let mut body = Body::new(length, pieces, &self.pool);
        self.pass(length, |chunk| body.push(chunk)).await?;
        Ok(body.finish())
    }

    /// Hands the next `length` bytes over, chunk by chunk.
    async fn pass(&mut self, length: usize, mut take: impl FnMut(&[u8])) -> Result<()> {
        let mut left = length;
        while left > 0 {
            self.need().await?;
            let length = left.min(self.chunk.len());
            if let Some(bytes) = self.chunk.get(..length) {
                take(bytes);
            }
            self.chunk.advance(length);
            left -= length;
        }
        Ok(())
    }

    /// A length that fits into what is left of the message.
    async fn length(&mut self, left: &mut usize) -> Result<usize> {
        let length = self.number(left).await?;
        usize::try_from(length)
            .ok()
            .filter(|length| *length <= *left)
            .ok_or_else(|| protocol(&self.address, "a field longer than its message"))
    }

    /// A number of seven bits a byte.
    async fn number(&mut self, left: &mut usize) -> Result<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            *left = left.checked_sub(1).ok_or_else(|| protocol(&self.address, "a message that ends in a number"))?;
            let byte = self.byte().await?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(protocol(&self.address, "a number without an end"))
    }

    async fn byte(&mut self) -> Result<u8> {
        self.need().await?;
        Ok(self.chunk.get_u8())
    }

    /// Makes sure that there is a byte.
    async fn need(&mut self) -> Result<()> {
        if self.more().await? {
            return Ok(());
        }
        // What the server says about it comes first.
        self.end()?;
        Err(protocol(&self.address, "the end of a stream in the middle of a message"))
    }

    /// Waits until there is a byte; false where none follows.
    async fn more(&mut self) -> Result<bool> {
        while self.chunk.is_empty() && self.trailers.is_none() {
            match self.answer.frame().await {
                None => break,
                Some(Err(error)) => return Err(lost(&self.address, &chain(&error)).with_source(error)),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.chunk = data,
                    Err(frame) => self.trailers = frame.into_trailers().ok(),
                },
            }
        }
        Ok(!self.chunk.is_empty())
    }

    /// What the server says at the end.
    fn end(&self) -> Result<()> {
        match self.trailers.as_ref().and_then(Status::from_header_map) {
            Some(status) if status.code() == Code::Ok => Ok(()),
            Some(status) => Err(failed(status, &self.address)),
            None => Err(lost(&self.address, "the stream ended without the server's word that it is whole")),
        }
    }
}

/// A note, if it is that of a part of an excerpt.
fn part_of(note: &Option<Vec<u8>>) -> Option<&[u8]> {
    note.as_deref().filter(|note| ExcerptNote::is_note(note))
}
