//! Pass 1 of the decoder: where the fields of a block of rows begin.
//!
//! The text protocol has a length in front of every field; the binary one a map of NULLs in front of the row, and
//! lengths only where a type needs them. Both are the same walk: from a field to the next one it is a step that the
//! column knows, and the length that stands there where there is one. Pass 2 ([`decode`](crate::decode)) then runs one
//! tight loop a column.

use bowshot_core::Result;
use bowshot_net::{TOGETHER, Together};

use crate::cells::{Cells, NULL, load, stride};
use crate::error::{ERR, broken};
use crate::packet::{Extent, FULL, HEADER, header};
use crate::result::END;
use crate::uri::Protocol;

/// The most rows of one block, whatever their size.
const MOST_ROWS: usize = 1 << 16;

/// The first byte of a length of more than one byte; the text protocol's NULL is the same byte.
const LONG: u8 = 251;

/// How a column's fields are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// So many bytes; 0 for a column that is always NULL.
    Fixed(u8),
    /// With the length in front.
    Variable,
    /// The same, and the length is nearly always this one, which spares the walk a look at it.
    Usual(u8),
}

/// Where the fields of a block of rows begin, column by column.
pub(crate) struct Rows {
    protocol: Protocol,
    layouts: Vec<Layout>,
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
    /// Bytes of the packets that were indexed.
    bytes: usize,
}

/// Why indexing stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The block is full.
    Full,
    /// The next packet has not arrived whole.
    Incomplete,
    /// The next message takes more than one packet.
    Long,
    /// The next packet is no row.
    Other,
}

impl Rows {
    /// For blocks of about `block_bytes` received bytes.
    pub(crate) fn new(protocol: Protocol, layouts: &[Layout], block_bytes: usize) -> Self {
        // The smallest row: a packet's header, and every field empty.
        let smallest = HEADER + 1 + layouts.len().div_ceil(8);
        let capacity = (block_bytes / smallest + 1).min(MOST_ROWS);
        let stride = stride(capacity);
        Rows {
            protocol,
            layouts: layouts.to_vec(),
            capacity,
            count: 0,
            stride,
            offsets: vec![NULL; layouts.len() * stride],
            has_nulls: vec![false; layouts.len()],
            bytes: 0,
        }
    }

    /// How many rows are indexed.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many received bytes the indexed packets take: what can be consumed after decoding.
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

    /// Indexes the rows that arrived whole, from the first packet that was not indexed yet; `sequence` is its number.
    ///
    /// `unread` begins with the block's first packet; `limit` is the size at which the block is full.
    pub(crate) fn index(&mut self, unread: &[u8], sequence: &mut u8, limit: usize) -> Result<Stop> {
        let mut together = Together::default();
        loop {
            if self.count == self.capacity || self.bytes >= limit.max(1) {
                return Ok(Stop::Full);
            }
            if together.attempt(|| self.together(unread, sequence, limit)) {
                continue;
            }
            let start = self.bytes;
            let rest = unread.get(start..).unwrap_or_default();
            let Some((length, number)) = header(rest) else { return Ok(Stop::Incomplete) };
            if length == FULL {
                return Ok(Stop::Long);
            }
            if rest.len() < HEADER + length {
                return Ok(Stop::Incomplete);
            }
            if number != *sequence {
                return Err(broken(&format!("packet {number} came where {sequence} was due")));
            }
            // Only a row of more than one packet begins with END and is a row.
            let first = rest.get(HEADER).copied().unwrap_or(ERR);
            if length == 0 || first >= END {
                return Ok(Stop::Other);
            }
            self.row(unread, start + HEADER, start + HEADER + length)?;
            self.bytes = start + HEADER + length;
            *sequence = sequence.wrapping_add(1);
        }
    }

    /// Indexes the next rows side by side, where they arrived whole, belong to this block and are short ones without
    /// NULLs; false, and nothing is indexed, where one is not.
    #[inline(always)]
    fn together(&mut self, unread: &[u8], sequence: &mut u8, limit: usize) -> bool {
        if self.count + TOGETHER > self.capacity {
            return false;
        }
        let (mut number, mut end) = (*sequence, self.bytes);
        let (mut starts, mut ends) = ([0; TOGETHER], [0; TOGETHER]);
        for (start_of, end_of) in starts.iter_mut().zip(&mut ends) {
            let Some((length, found)) = unread.get(end..).and_then(header) else { return false };
            let start = end + HEADER;
            let first = unread.get(start).copied().unwrap_or(ERR);
            let is_row = length > 0 && length < FULL && first < END;
            if end >= limit || found != number || !is_row || unread.len() < start + length {
                return false;
            }
            (*start_of, end) = (start, start + length);
            *end_of = end;
            number = number.wrapping_add(1);
        }
        if !self.short_rows(unread, starts, ends) {
            return false;
        }
        self.count += TOGETHER;
        (self.bytes, *sequence) = (end, number);
        true
    }

    /// Indexes the one row of a message of several packets that were joined; nothing else may be indexed yet.
    pub(crate) fn index_long(&mut self, unread: &[u8], extent: Extent) -> Result<()> {
        self.row(unread, HEADER, HEADER + extent.body)?;
        self.bytes = extent.total;
        Ok(())
    }

    /// Indexes one row, which lies between `start` and `end`.
    #[inline(always)]
    fn row(&mut self, unread: &[u8], start: usize, end: usize) -> Result<()> {
        let whole = self.short_rows(unread, [start], [end]);
        if !whole {
            self.fields(unread, start, end)?;
        }
        self.count += 1;
        Ok(())
    }

    /// Bytes of the map of NULLs, whose first two bits mean nothing.
    fn map_bytes(&self) -> usize {
        (self.layouts.len() + 2).div_ceil(8)
    }

    /// Indexes the fields of rows of short ones without NULLs; false when one has others, or is broken.
    ///
    /// The walk looks back only once, at its end: a wrong step leads past the row's end or to a byte that no length has.
    #[inline(always)]
    fn short_rows<const ROWS: usize>(&mut self, unread: &[u8], starts: [usize; ROWS], ends: [usize; ROWS]) -> bool {
        let before = match self.protocol {
            Protocol::Text => 0,
            Protocol::Binary => 1 + self.map_bytes(),
        };
        // The map; the text protocol has none.
        let map = |start: &usize| unread.get(start + 1..start + before).unwrap_or_default();
        if starts.iter().flat_map(map).any(|byte| *byte != 0) {
            return false;
        }
        // A block is far below 4 GiB: it ends with the row that makes it full, and a row with 1 GiB.
        let mut at = starts.map(|start| u32::try_from(start + before).unwrap_or(u32::MAX));
        let mut slot = self.count;
        let (mut longest, mut unusual) = (0, 0);
        for layout in &self.layouts {
            if let Some(offsets) = self.offsets.get_mut(slot..).and_then(|offsets| offsets.first_chunk_mut()) {
                *offsets = at;
            }
            slot += self.stride;
            match *layout {
                Layout::Fixed(bytes) => at = at.map(|at| at.wrapping_add(u32::from(bytes))),
                Layout::Usual(length) => {
                    for at in &mut at {
                        let [first] = load(unread, *at as usize);
                        unusual |= first ^ length;
                        *at = at.wrapping_add(1 + u32::from(length));
                    }
                }
                Layout::Variable => {
                    for at in &mut at {
                        let [length] = load(unread, *at as usize);
                        longest = length.max(longest);
                        *at = at.wrapping_add(1 + u32::from(length));
                    }
                }
            }
        }
        (longest < LONG) & (unusual == 0) && at.iter().zip(&ends).all(|(at, end)| *at as usize == *end)
    }

    /// Indexes the fields of any row.
    #[inline(never)]
    fn fields(&mut self, unread: &[u8], start: usize, end: usize) -> Result<()> {
        let row = self.count;
        let torn = || broken("a field is longer than its row");
        let (map, mut at) = match self.protocol {
            Protocol::Text => (&[][..], start),
            Protocol::Binary => {
                let map = start + 1..start + 1 + self.map_bytes();
                if unread.get(start) != Some(&0) || map.end > end {
                    return Err(broken("a row has no map of its NULLs"));
                }
                (unread.get(map.clone()).unwrap_or_default(), map.end)
            }
        };
        let columns = self.offsets.chunks_exact_mut(self.stride).zip(&mut self.has_nulls).zip(&self.layouts);
        for (place, ((offsets, has_nulls), layout)) in columns.enumerate() {
            let bit = place + 2;
            let mut is_null = map.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
            let field = at;
            if !is_null {
                at = at.saturating_add(match *layout {
                    Layout::Fixed(bytes) => usize::from(bytes),
                    Layout::Variable | Layout::Usual(_) => match with_length(unread, field, self.protocol)? {
                        Some(bytes) => bytes,
                        None => {
                            is_null = true;
                            1
                        }
                    },
                });
            }
            if at > end {
                return Err(torn());
            }
            *has_nulls |= is_null;
            if let Some(offset) = offsets.get_mut(row) {
                *offset = if is_null { NULL } else { u32::try_from(field).map_err(|_| torn())? };
            }
        }
        if at != end {
            return Err(broken("a row is longer than its fields"));
        }
        Ok(())
    }
}

/// How many bytes a field with its length in front takes, that included; `None` for the text protocol's NULL.
fn with_length(unread: &[u8], field: usize, protocol: Protocol) -> Result<Option<usize>> {
    let [first] = load(unread, field);
    let at = field + 1;
    Ok(Some(match first {
        252 => 3 + usize::from(u16::from_le_bytes(load(unread, at))),
        253 => {
            let [a, b, c] = load(unread, at);
            4 + u32::from_le_bytes([a, b, c, 0]) as usize
        }
        254 => usize::try_from(u64::from_le_bytes(load(unread, at))).unwrap_or(usize::MAX).saturating_add(9),
        251 if protocol == Protocol::Text => return Ok(None),
        251 | 255 => return Err(broken("a field has an impossible length")),
        short => 1 + usize::from(short),
    }))
}

#[cfg(test)]
mod tests;
