//! How values lie in the received bytes: the four bytes before one hold its length, big-endian.
//!
//! PostgreSQL writes fields of a row, elements of an array, attributes of a composite and bounds of a range all in
//! this form, so one decoder serves a type at every depth.

pub(crate) use bowshot_cells::{Cells, NULL, load};

/// The length of the value at `offset`.
#[inline(always)]
pub(crate) fn length(bytes: &[u8], offset: u32) -> usize {
    u32::from_be_bytes(load(bytes, offset as usize - 4)) as usize
}

/// The value at `offset`.
#[inline(always)]
pub(crate) fn value(bytes: &[u8], offset: u32) -> &[u8] {
    let start = offset as usize;
    bytes.get(start..start + length(bytes, offset)).unwrap_or_default()
}

/// Every value, `None` for NULL.
pub fn values_of(cells: Cells<'_>) -> impl ExactSizeIterator<Item = Option<&[u8]>> {
    cells.offsets.iter().map(move |&offset| if offset == NULL { None } else { Some(value(cells.bytes, offset)) })
}

/// Reads a value from its front, field by field.
pub(crate) struct Cursor<'a> {
    /// The received bytes.
    bytes: &'a [u8],
    /// Where the next field begins.
    at: usize,
    /// Where the value ends.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Over the value at `offset`.
    pub(crate) fn new(bytes: &'a [u8], offset: u32) -> Self {
        let at = offset as usize;
        Cursor { bytes, at, end: at + length(bytes, offset) }
    }

    /// Whether everything was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// A big-endian 32-bit number; `None` past the end.
    pub(crate) fn int(&mut self) -> Option<i32> {
        let next = self.at.checked_add(4).filter(|&next| next <= self.end)?;
        let number = i32::from_be_bytes(load(self.bytes, self.at));
        self.at = next;
        Some(number)
    }

    /// One byte; `None` past the end.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let [byte] = (self.at < self.end).then(|| load(self.bytes, self.at))?;
        self.at += 1;
        Some(byte)
    }

    /// A value with its length in front: its offset, or [`NULL`]; `None` when it does not end inside.
    pub(crate) fn cell(&mut self) -> Option<u32> {
        let length = self.int()?;
        if length == -1 {
            return Some(NULL);
        }
        let offset = u32::try_from(self.at).ok()?;
        let next = self.at.checked_add(usize::try_from(length).ok()?).filter(|&next| next <= self.end)?;
        self.at = next;
        Some(offset)
    }
}
