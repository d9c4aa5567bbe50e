//! Messages as packets: eight bytes of header, then a part of the message ([MS-TDS] 2.2.3).

use std::io::{Read, Write};

use bowshot_core::{Error, ErrorKind, Result};

use crate::error::{broken, lost};
use crate::transport::Transport;

/// The length of a packet's header.
pub(crate) const HEADER: usize = 8;
/// What is asked of the operating system at once.
const RECEIVE: usize = 64 << 10;
/// The last packet of a message.
const LAST: u8 = 1;
/// The type of packets that come from the server.
const RESPONSE: u8 = 4;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Batch = 1,
    Rpc = 3,
    Attention = 6,
    Login = 16,
    PreLogin = 18,
}

/// The header of a packet that we send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// Whether the message ends with it.
    pub(crate) last: bool,
    /// The length of the packet with its header.
    pub(crate) length: u16,
}

impl Header {
    pub(crate) fn bytes(self, number: u8) -> [u8; HEADER] {
        let [high, low] = self.length.to_be_bytes();
        [self.kind as u8, u8::from(self.last) * LAST, high, low, 0, 0, number, 0]
    }
}

/// A connection as messages.
pub(crate) struct Packets {
    pub(crate) transport: Transport,
    /// What the server and we agreed on.
    pub(crate) packet_size: u16,
    /// What came and was not looked at, headers included.
    raw: Box<[u8]>,
    start: usize,
    end: usize,
    /// How much of the packet that `raw` is in the middle of is still to come.
    left: usize,
    /// Whether that packet is the last of its message.
    last: bool,
}

impl Packets {
    pub(crate) fn new(transport: Transport) -> Self {
        // Until the login agrees on another one, packets have 4,096 bytes.
        let raw = vec![0; RECEIVE].into_boxed_slice();
        Packets { transport, packet_size: 4096, raw, start: 0, end: 0, left: 0, last: true }
    }

    /// The same connection without TLS, after a login that alone was encrypted.
    pub(crate) fn into_plain(self) -> Packets {
        Packets { transport: self.transport.into_plain(), ..self }
    }

    /// Sends a whole message.
    pub(crate) fn send(&mut self, kind: Kind, message: &[u8]) -> Result<()> {
        let room = usize::from(self.packet_size).saturating_sub(HEADER).max(1);
        let mut packets = Vec::with_capacity(message.len() + HEADER * (message.len() / room + 1));
        let mut rest = message;
        let mut number: u8 = 1;
        loop {
            let (part, after) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            let last = after.is_empty();
            let length = u16::try_from(part.len() + HEADER)
                .map_err(|_| Error::new(ErrorKind::Internal, "a packet is longer than packets can be"))?;
            packets.extend_from_slice(&Header { kind, last, length }.bytes(number));
            packets.extend_from_slice(part);
            if last {
                break;
            }
            rest = after;
            number = number.wrapping_add(1);
        }
        let sent = self.transport.write_all(&packets).and_then(|()| self.transport.flush());
        sent.map_err(|error| lost(self.transport.socket(), error))
    }

    /// Appends to `message` what came of the message that the server sends; false when it is at its end.
    pub(crate) fn receive(&mut self, message: &mut Vec<u8>) -> Result<bool> {
        loop {
            if self.left == 0 {
                if self.last {
                    return Ok(false);
                }
                self.header()?;
                continue;
            }
            if self.start == self.end {
                self.fill()?;
            }
            let length = self.left.min(self.end - self.start);
            message.extend_from_slice(self.raw.get(self.start..self.start + length).unwrap_or_default());
            self.start += length;
            self.left -= length;
            return Ok(true);
        }
    }

    /// The next message is to be read: the one before is over.
    pub(crate) fn begin(&mut self) {
        self.last = false;
    }

    fn header(&mut self) -> Result<()> {
        while self.end - self.start < HEADER {
            self.fill()?;
        }
        let header = self.raw.get(self.start..).and_then(|rest| rest.first_chunk::<HEADER>());
        let Some(&[kind, status, high, low, ..]) = header else { return Err(broken("a packet without a header")) };
        let length = usize::from(u16::from_be_bytes([high, low]));
        if kind != RESPONSE || length < HEADER {
            return Err(broken("an answer that is no TDS packet")
                .with_hint("is it the port of SQL Server, and does it want encrypt=strict?"));
        }
        self.start += HEADER;
        self.left = length - HEADER;
        self.last = status & LAST != 0;
        Ok(())
    }

    /// Waits for more bytes.
    fn fill(&mut self) -> Result<()> {
        self.raw.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = self.raw.get_mut(self.end..).unwrap_or_default();
        match self.transport.read(room) {
            Ok(0) => {
                let error = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
                Err(lost(self.transport.socket(), error))
            }
            Ok(length) => {
                self.end += length;
                Ok(())
            }
            Err(error) => Err(lost(self.transport.socket(), error)),
        }
    }
}
