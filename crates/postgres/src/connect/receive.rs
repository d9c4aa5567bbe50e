//! How messages come out of the session's buffer, which nobody else sees: each door passes over what the server says in between.

use bowshot_core::Result;

use super::Session;
use crate::asides::MOST_LOOKED_AT;
use crate::copy;
use crate::message::{self, HEADER, Message, tag};
use crate::rows::{Rows, Stop};

/// Bytes to make room for when a message is not whole.
const ROOM: usize = 8 << 10;

impl Session {
    /// The next message. An ErrorResponse is a message like any other (see `error::from_response`).
    pub(crate) fn receive(&mut self) -> Result<Message<'_>> {
        let (tag, length) = self.next_header()?;
        self.whole(tag, length)
    }

    /// The next message, unless it is one of the many that are decoded where they lie: `None` then.
    pub(crate) fn receive_unless(&mut self, streamed: u8) -> Result<Option<Message<'_>>> {
        let (tag, length) = self.next_header()?;
        if tag == streamed { Ok(None) } else { self.whole(tag, length).map(Some) }
    }

    /// Indexes the rows that have come, up to `limit` bytes of them, and takes what lies between them.
    pub(crate) fn index(&mut self, rows: &mut Rows, tag: u8, limit: usize) -> Result<Stop> {
        let asides = &mut self.asides;
        let stop = rows.index(self.buffer.unread(), tag, limit, &mut |tag, body| asides.take(tag, body))?;
        self.check_encoding()?;
        Ok(stop)
    }

    /// What was indexed, with some bytes of no meaning behind it.
    pub(crate) fn block(&self) -> &[u8] {
        self.buffer.unread_with_slack()
    }

    /// Gives up what was indexed.
    pub(crate) fn consume(&mut self, count: usize) {
        self.buffer.consume(count);
    }

    /// Takes the header in front of COPY's rows.
    pub(crate) fn copy_header(&mut self) -> Result<copy::Header> {
        copy::take_header(&mut self.buffer)
    }

    /// Goes into the next message of this kind, whose body has so many bytes to [take](Self::take); `None` where another one follows.
    /// Reads at most `most` bytes at once.
    pub(crate) fn enter(&mut self, streamed: u8, most: usize) -> Result<Option<usize>> {
        let (tag, length) = self.next_header_within(|session| session.fill_at_most(most))?;
        if tag != streamed {
            return Ok(None);
        }
        self.buffer.consume(HEADER);
        Ok(Some(length - HEADER))
    }

    /// How many bytes have come of what is [entered](Self::enter), or of what follows it.
    pub(crate) fn waiting(&self) -> usize {
        self.buffer.unread().len()
    }

    /// Takes bytes of what is entered.
    pub(crate) fn take(&mut self, count: usize) -> &[u8] {
        self.buffer.take(count)
    }

    /// Waits until the buffer begins with all of a message, and takes it.
    fn whole(&mut self, tag: u8, length: usize) -> Result<Message<'_>> {
        while self.buffer.unread().len() < length {
            self.fill(ROOM)?;
        }
        if tag == tag::READY {
            self.interrupt.set_busy(false);
        }
        let body = self.buffer.take(length).get(HEADER..).unwrap_or_default();
        Ok(Message { tag, body })
    }

    /// The tag and the length of the next message that is no aside.
    fn next_header(&mut self) -> Result<(u8, usize)> {
        self.next_header_within(|session| session.fill(ROOM))
    }

    fn next_header_within(&mut self, fill: impl Fn(&mut Session) -> Result<usize>) -> Result<(u8, usize)> {
        loop {
            let header = message::header(self.buffer.unread(), self.longest).inspect_err(|_| self.broken = true)?;
            match header {
                None => drop(fill(self)?),
                Some((tag, length)) if message::is_aside(tag) => self.pass(tag, length, &fill)?,
                Some(header) => return Ok(header),
            }
        }
    }

    /// Passes over a message in between, however long it is: its beginning alone is kept.
    pub(super) fn pass(&mut self, tag: u8, length: usize, fill: impl Fn(&mut Session) -> Result<usize>) -> Result<()> {
        let kept = length.min(MOST_LOOKED_AT);
        while self.buffer.unread().len() < kept {
            fill(self)?;
        }
        self.asides.take(tag, self.buffer.take(kept).get(HEADER..).unwrap_or_default());
        let mut left = length - kept;
        while left > 0 {
            if self.buffer.unread().is_empty() {
                fill(self)?;
            }
            let count = left.min(self.buffer.unread().len());
            self.buffer.consume(count);
            left -= count;
        }
        self.check_encoding()
    }

    /// What was sent before a change was announced may not be what it is taken for.
    fn check_encoding(&self) -> Result<()> {
        if self.is_reading { self.asides.check_encoding() } else { Ok(()) }
    }
}
