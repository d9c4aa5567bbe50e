//! Pass 1 of the decoder: where the fields of a block of rows begin.
//!
//! COPY BINARY (`d` messages) and the extended protocol (`D` messages) lay a row out alike: a 16-bit count of fields,
//! then each field with its 32-bit length in front (PostgreSQL manual, "COPY: Binary Format" and "Message Formats").
//! This pass only hops from length to length; pass 2 ([`Decode`](bowshot_postgres_values::Decode)) then runs one tight loop a column.

use bowshot_core::Result;
use bowshot_net::{Cells, NULL, TOGETHER, Together, load, stride};

use crate::error::broken;
use crate::message::{LONGEST, is_aside};

/// The most rows of one block, whatever their size.
const MOST_ROWS: usize = 1 << 16;

/// A message between rows of which more bytes than this have not come is not waited for: the block ends before it.
const LONG: usize = 64 << 10;

/// Where the fields of a block of rows begin, column by column.
pub(crate) struct Rows {
    columns: usize,
    /// Rows that there is room for.
    capacity: usize,
    /// Rows that were indexed.
    count: usize,
    /// How many offsets apart the columns begin.
    stride: usize,
    /// The offsets of each column, one column after the other.
    offsets: Vec<u32>,
    /// Whether each column has a NULL.
    has_nulls: Vec<bool>,
    /// Bytes of the messages that were indexed.
    bytes: usize,
}

/// Why indexing stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The block is full.
    Full,
    /// The next message has not arrived whole; it needs this many more bytes (at least 1).
    Incomplete(usize),
    /// The next message is no row.
    Other,
    /// COPY's trailer was read.
    Trailer,
}

impl Rows {
    /// For blocks of about `block_bytes` received bytes.
    pub(crate) fn new(columns: usize, block_bytes: usize) -> Self {
        // The smallest row: message header, field count, and every field NULL.
        let smallest = 7 + 4 * columns;
        let capacity = (block_bytes / smallest + 1).min(MOST_ROWS);
        let stride = stride(capacity);
        Rows {
            columns,
            capacity,
            count: 0,
            stride,
            offsets: vec![NULL; columns * stride],
            has_nulls: vec![false; columns],
            bytes: 0,
        }
    }

    /// How many rows are indexed.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many received bytes the indexed messages take: what can be consumed after decoding.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets the rows, for the next block.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.bytes = 0;
        self.has_nulls.fill(false);
    }

    /// The fields of one column, in the bytes that were indexed.
    pub(crate) fn cells<'a>(&'a self, column: usize, bytes: &'a [u8]) -> Cells<'a> {
        let start = column * self.stride;
        let offsets = self.offsets.get(start..start + self.count).unwrap_or_default();
        Cells { bytes, offsets, has_nulls: self.has_nulls.get(column).copied().unwrap_or(true) }
    }

    /// Indexes the rows that arrived whole, from the first message that was not indexed yet.
    ///
    /// `unread` begins with the block's first message; `tag` is that of row messages (`d` or `D`); `limit` is the
    /// size at which the block is full. What may come between any two messages is handed to `aside`, tag and body, where it
    /// stands between rows of the block: a function that says something for each row makes no block of one row.
    pub(crate) fn index(
        &mut self,
        unread: &[u8],
        tag: u8,
        limit: usize,
        aside: &mut dyn FnMut(u8, &[u8]),
    ) -> Result<Stop> {
        let mut together = Together::default();
        loop {
            if self.count == self.capacity || self.bytes >= limit {
                return Ok(Stop::Full);
            }
            if together.attempt(|| self.together(unread, tag, limit)) {
                continue;
            }
            let start = self.bytes;
            let Some(missing) = missing(unread, start)? else {
                // The whole message is here.
                let message = Message::at(unread, start);
                if message.tag != tag {
                    // Before the first row there is no block to keep together.
                    let body =
                        unread.get(message.body..message.end).filter(|_| self.count > 0 && is_aside(message.tag));
                    let Some(body) = body else { return Ok(Stop::Other) };
                    aside(message.tag, body);
                    self.bytes = message.end;
                    continue;
                }
                if !self.row(unread, &message)? {
                    self.bytes = message.end;
                    return Ok(Stop::Trailer);
                }
                self.bytes = message.end;
                continue;
            };
            // It would have to be held whole behind the rows.
            let is_long = missing > LONG && is_aside(Message::at(unread, start).tag);
            return Ok(if is_long { Stop::Other } else { Stop::Incomplete(missing) });
        }
    }

    /// Indexes the next rows side by side, where they arrived whole, belong to this block and have no NULLs; false, and
    /// nothing is indexed, where one is otherwise.
    #[inline(always)]
    fn together(&mut self, unread: &[u8], tag: u8, limit: usize) -> bool {
        if self.count + TOGETHER > self.capacity {
            return false;
        }
        let mut start = self.bytes;
        let mut messages = [Message::default(); TOGETHER];
        for place in &mut messages {
            let message = Message::at(unread, start);
            let fields = usize::from(u16::from_be_bytes(load(unread, message.body)));
            let is_row = message.tag == tag && fields == self.columns;
            if start >= limit || !is_row || !(message.body..=unread.len()).contains(&message.end) {
                return false;
            }
            start = message.end;
            *place = message;
        }
        if !self.fields_without_nulls(unread, &messages) {
            return false;
        }
        self.count += TOGETHER;
        self.bytes = start;
        true
    }

    /// Indexes one row; false for COPY's trailer.
    #[inline(always)]
    fn row(&mut self, unread: &[u8], message: &Message) -> Result<bool> {
        let count = i16::from_be_bytes(load(unread, message.body));
        if usize::try_from(count) != Ok(self.columns) {
            if count == -1 && message.end - message.body == 2 {
                return Ok(false);
            }
            return Err(broken(&format!("a row has {count} fields where {} were announced", self.columns)));
        }
        if !self.fields_without_nulls(unread, std::array::from_ref(message)) {
            self.fields(unread, message)?;
        }
        self.count += 1;
        Ok(true)
    }

    /// Indexes the fields of rows without NULLs; false when one has some, or is broken.
    ///
    /// The length of a NULL, -1, leads the sum of lengths past the row's end, so that one comparison a row is enough.
    #[inline(always)]
    fn fields_without_nulls<const ROWS: usize>(&mut self, unread: &[u8], messages: &[Message; ROWS]) -> bool {
        // A block is far below 4 GiB: it ends with the row that makes it full, and a row with 1 GiB.
        let narrow = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        let mut at = messages.each_ref().map(|message| narrow(message.body + 2));
        let mut slot = self.count;
        for _ in 0..self.columns {
            let lengths = at.map(|at| u32::from_be_bytes(load(unread, at as usize)));
            at = at.map(|at| at.wrapping_add(4));
            if let Some(offsets) = self.offsets.get_mut(slot..).and_then(|offsets| offsets.first_chunk_mut()) {
                *offsets = at;
            }
            for (at, length) in at.iter_mut().zip(lengths) {
                *at = at.wrapping_add(length);
            }
            slot += self.stride;
        }
        at.iter().zip(messages).all(|(at, message)| *at as usize == message.end)
    }

    /// Indexes the fields of any row.
    #[cold]
    #[inline(never)]
    fn fields(&mut self, unread: &[u8], message: &Message) -> Result<()> {
        let row = self.count;
        let mut at = message.body + 2;
        for (offsets, has_nulls) in self.offsets.chunks_exact_mut(self.stride).zip(&mut self.has_nulls) {
            let length = u32::from_be_bytes(load(unread, at));
            at += 4;
            let is_null = length == u32::MAX;
            at += if is_null { 0 } else { length as usize };
            if at > message.end {
                return Err(broken("a field is longer than its row"));
            }
            *has_nulls |= is_null;
            if let Some(offset) = offsets.get_mut(row) {
                *offset = if is_null { NULL } else { u32::try_from(at - length as usize).unwrap_or(NULL) };
            }
        }
        if at != message.end {
            return Err(broken("a row is longer than its fields")
                .with_hint("if a proxy splits rows over messages, read with protocol=\"extended\""));
        }
        Ok(())
    }
}

/// A message's place in the received bytes: a tag, a 32-bit length that counts itself, a body.
#[derive(Clone, Copy, Default)]
struct Message {
    tag: u8,
    body: usize,
    end: usize,
}

impl Message {
    #[inline(always)]
    fn at(bytes: &[u8], start: usize) -> Self {
        let [tag] = load(bytes, start);
        let length = u32::from_be_bytes(load(bytes, start + 1)) as usize;
        Message { tag, body: start + 5, end: start + 1 + length }
    }
}

/// How many bytes of the message at `start` have not arrived; `None` when it is whole.
#[inline(always)]
fn missing(unread: &[u8], start: usize) -> Result<Option<usize>> {
    let have = unread.len().saturating_sub(start);
    if have < 5 {
        return Ok(Some(5 - have));
    }
    let message = Message::at(unread, start);
    if !(message.body..=start + LONGEST).contains(&message.end) {
        return Err(broken("a message has an impossible length"));
    }
    Ok(message.end.checked_sub(unread.len()).filter(|&missing| missing > 0))
}

#[cfg(test)]
mod tests;
