//! The bytes that came from the server and were not used yet.

use std::io::{self, Read};

use bowshot_cells::SLACK;

/// Bytes to start with: enough for small answers; a bulk read grows it once.
const SMALL: usize = 32 << 10;

/// One reusable block of memory in front of the socket. It grows with the bytes that arrive, never with the length
/// that a server announces.
pub struct Buffer {
    /// Initialised throughout; the last [`SLACK`] bytes are never filled.
    bytes: Vec<u8>,
    /// Where the unread bytes begin.
    start: usize,
    /// Where they end.
    end: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer::new()
    }
}

impl Buffer {
    /// An empty one.
    pub fn new() -> Self {
        Buffer { bytes: vec![0; SMALL + SLACK], start: 0, end: 0 }
    }

    /// What arrived and was not consumed.
    pub fn unread(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// The unread bytes with [`SLACK`] bytes of no meaning behind them.
    pub fn unread_with_slack(&self) -> &[u8] {
        self.bytes.get(self.start..self.end + SLACK).unwrap_or_default()
    }

    /// The same bytes, to change.
    pub fn unread_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.start..self.end).unwrap_or_default()
    }

    /// Gives up the first `count` unread bytes.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// Gives up the first `count` unread bytes and shows them one last time.
    pub fn take(&mut self, count: usize) -> &[u8] {
        let start = self.start;
        self.consume(count);
        self.bytes.get(start..self.start).unwrap_or_default()
    }

    /// Reads once from `source`, with room for at least `room` bytes. 0 means that the source ended.
    pub fn fill(&mut self, source: &mut impl Read, room: usize) -> io::Result<usize> {
        self.make_room(room);
        self.read(source, self.bytes.len() - SLACK)
    }

    /// Reads at most `most` bytes once from `source`, where what follows them goes elsewhere. 0 means that the source ended.
    pub fn fill_at_most(&mut self, source: &mut impl Read, most: usize) -> io::Result<usize> {
        self.make_room(most);
        self.read(source, self.end + most)
    }

    fn make_room(&mut self, room: usize) {
        let capacity = self.bytes.len() - SLACK;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if capacity - self.end < room {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if capacity - self.end < room {
                // Doubled, so that a value of n bytes costs a constant number of copies of each byte.
                self.bytes.resize((self.end + room).max(2 * self.end) + SLACK, 0);
            }
        }
    }

    fn read(&mut self, source: &mut impl Read, limit: usize) -> io::Result<usize> {
        let count = read_once(source, self.bytes.get_mut(self.end..limit).unwrap_or_default())?;
        self.end += count;
        Ok(count)
    }
}

/// Reads once, however often a signal interrupts it. 0 means that the source ended.
pub fn read_once(source: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let sent: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        let mut source = sent.as_slice();
        let mut buffer = Buffer::new();
        let mut got = Vec::new();
        for step in 1.. {
            let filled = if step % 2 == 0 {
                buffer.fill(&mut source, step).unwrap()
            } else {
                let filled = buffer.fill_at_most(&mut source, step).unwrap();
                assert!(filled <= step);
                filled
            };
            assert!(buffer.unread_with_slack().len() == buffer.unread().len() + SLACK);
            let take = buffer.unread().len().min(step * 7);
            got.extend_from_slice(&buffer.unread()[..take]);
            buffer.consume(take);
            if filled == 0 && buffer.unread().is_empty() {
                break;
            }
        }
        assert!(got == sent);
    }
}
