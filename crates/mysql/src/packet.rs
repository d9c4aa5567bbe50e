//! Packets: up to 2^24 - 1 bytes behind a header of four, the length and a number that counts on from packet to packet.
//! What is longer comes in several packets, of which all but the last one are full.

use std::io::{self, Write};

use bowshot_core::Result;
use bowshot_net::Buffer;

use crate::error::broken;

/// Bytes of a packet's header.
pub(crate) const HEADER: usize = 4;

/// The length of a packet that another one continues.
pub(crate) const FULL: usize = 0xFF_FFFF;

/// The longest message that a server can be told to send or to take (`max_allowed_packet`), and some room.
pub(crate) const LONGEST: usize = (1 << 30) + FULL;

/// The longest message before the login is done; handshakes take a few hundred bytes, an RSA key less than a thousand.
pub(crate) const LONGEST_OF_LOGIN: usize = 64 << 10;

/// The length in the header at the front of `bytes`, and the packet's number.
#[inline(always)]
pub(crate) fn header(bytes: &[u8]) -> Option<(usize, u8)> {
    let [a, b, c, number] = *bytes.first_chunk()?;
    Some((usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16, number))
}

/// A message at the front of the received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes of it without headers.
    pub(crate) body: usize,
    /// Bytes of it with all headers.
    pub(crate) total: usize,
}

/// How far the message at the front of `bytes` reaches; `Err` is the number of bytes that are still missing, at least.
pub(crate) fn extent(bytes: &[u8], sequence: &mut u8, longest: usize) -> Result<std::result::Result<Extent, usize>> {
    let mut number = *sequence;
    let mut extent = Extent { body: 0, total: 0 };
    loop {
        let rest = bytes.get(extent.total..).unwrap_or_default();
        let Some((length, found)) = header(rest) else { return Ok(Err(HEADER - rest.len())) };
        if found != number {
            return Err(broken(&format!("packet {found} came where {number} was due")));
        }
        extent.body += length;
        if extent.body > longest {
            return Err(broken("a message is longer than any may be"));
        }
        if rest.len() < HEADER + length {
            return Ok(Err(HEADER + length - rest.len()));
        }
        number = number.wrapping_add(1);
        extent.total += HEADER + length;
        if length < FULL {
            *sequence = number;
            return Ok(Ok(extent));
        }
    }
}

/// Moves the parts of a message of several packets together, behind the first header.
pub(crate) fn join(bytes: &mut [u8], extent: Extent) {
    let (mut from, mut to) = (HEADER + FULL, HEADER + FULL);
    while from + HEADER <= extent.total {
        let length = header(bytes.get(from..).unwrap_or_default()).map_or(0, |(length, _)| length);
        let part = from + HEADER..(from + HEADER + length).min(bytes.len());
        from = part.end.max(from + HEADER);
        if part.start <= part.end {
            let moved = part.len();
            bytes.copy_within(part, to);
            to += moved;
        }
    }
}

/// Writes a message as one packet or more, the first of them with the given number; the number that comes next.
pub(crate) fn write(stream: &mut impl Write, body: &[u8], mut sequence: u8) -> io::Result<u8> {
    let mut rest = body;
    loop {
        let (part, after) = rest.split_at(rest.len().min(FULL));
        let [a, b, c, ..] = part.len().to_le_bytes();
        // Header and a short body in one send.
        let mut packet = Vec::with_capacity(HEADER + part.len());
        packet.extend_from_slice(&[a, b, c, sequence]);
        packet.extend_from_slice(part);
        stream.write_all(&packet)?;
        sequence = sequence.wrapping_add(1);
        rest = after;
        if part.len() < FULL {
            break;
        }
    }
    stream.flush()?;
    Ok(sequence)
}

/// The body of the message at the front of the buffer, which is given up.
pub(crate) fn take(buffer: &mut Buffer, extent: Extent) -> &[u8] {
    if extent.total > HEADER + extent.body {
        join(buffer.unread_mut(), extent);
    }
    buffer.take(extent.total).get(HEADER..HEADER + extent.body).unwrap_or_default()
}

/// Reads the body of a message field by field; every method is `None` past the end.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A length-encoded number; `Some(None)` for NULL.
    pub(crate) fn nullable_length(&mut self) -> Option<Option<u64>> {
        Some(Some(match self.u8()? {
            251 => return Some(None),
            252 => self.u16()?.into(),
            253 => {
                let [a, b, c] = self.array()?;
                u32::from_le_bytes([a, b, c, 0]).into()
            }
            254 => self.u64()?,
            255 => return None,
            small => small.into(),
        }))
    }

    pub(crate) fn length(&mut self) -> Option<u64> {
        self.nullable_length()?
    }

    /// Bytes with their length in front; `Some(None)` for NULL.
    pub(crate) fn nullable_text(&mut self) -> Option<Option<&'a [u8]>> {
        match self.nullable_length()? {
            None => Some(None),
            Some(length) => self.bytes(usize::try_from(length).ok()?).map(Some),
        }
    }

    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        self.nullable_text()?
    }
}

/// Appends a length-encoded number.
pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) {
    let bytes = (length as u64).to_le_bytes();
    let (mark, count) = match length {
        0..=250 => (None, 1),
        251..=0xFFFF => (Some(252), 2),
        0x1_0000..=0xFF_FFFF => (Some(253), 3),
        _ => (Some(254), 8),
    };
    out.extend(mark);
    out.extend(bytes.iter().take(count));
}

#[cfg(test)]
mod tests;
