//! The memory that C writes a column's values into. It becomes the batch's buffers and comes back when they were sent,
//! so that a query touches new memory for its first batch only.

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer};
use bowshot_cells::SLACK;
use bowshot_core::{Error, ErrorKind, Result};

use crate::form::How;

/// A column's memory as C sees it.
#[derive(Debug)]
#[repr(C)]
pub struct RawColumn {
    /// Values: at their row's place where they have a fixed length, else one after the other.
    pub values: *mut u8,
    /// For values without a fixed length: where the one of each row ends (`offsets[row + 1]`), or for those that are
    /// sent where it begins, behind its length (`offsets[row]`), 0 for NULL.
    pub offsets: *mut i32,
    /// A bit a row, the lowest of the first byte first: 1, or 0 for NULL. All are 1 when a batch begins.
    pub validity: *mut u8,
    /// Bytes in `values` that are in use; not counted where values have a fixed length.
    pub used: usize,
    /// Bytes that there is room for in `values`.
    pub room: usize,
    /// Rows that are NULL.
    pub nulls: usize,
    /// For decimals: the least power of ten that has too many digits for their precision.
    pub limit: i64,
    /// For decimals: their digits after the point.
    pub scale: i32,
    /// How values are handed over.
    pub how: How,
}

/// The memory of one column.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) values: Piece,
    pub(crate) offsets: Piece,
    pub(crate) validity: Piece,
    how: How,
    /// Scale and limit of decimals.
    decimal: (i32, i64),
}

impl Memory {
    /// For `rows` rows, and about `bytes` bytes of values that have no fixed length.
    pub(crate) fn new(how: How, decimal: (i32, i64), rows: usize, bytes: usize) -> Result<Self> {
        // Decoders look at more bytes than were sent, and C writes more zeros than a NULL takes.
        let values = if how.width() > 0 { rows * how.width() } else { bytes } + SLACK;
        let offsets = if how.width() > 0 { 0 } else { 4 * (rows + 1) };
        Ok(Memory {
            values: Piece::new(values)?,
            offsets: Piece::new(offsets)?,
            validity: Piece::new(rows.div_ceil(8))?,
            how,
            decimal,
        })
    }

    /// As C sees it at the begin of a batch.
    pub(crate) fn raw(&mut self) -> RawColumn {
        self.validity.bytes().fill(0xFF);
        RawColumn {
            values: self.values.bytes().as_mut_ptr(),
            offsets: self.offsets.bytes().as_mut_ptr().cast(),
            validity: self.validity.bytes().as_mut_ptr(),
            used: 0,
            room: self.values.bytes().len() - SLACK.min(self.values.bytes().len()),
            nulls: 0,
            limit: self.decimal.1,
            scale: self.decimal.0,
            how: self.how,
        }
    }

    /// Makes room for `more` bytes of values behind the ones in use.
    pub(crate) fn grow(&mut self, raw: &mut RawColumn, more: usize) -> Result<()> {
        let bytes = raw.used.checked_add(more).filter(|&bytes| i32::try_from(bytes).is_ok()).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "a batch holds more than 2 GiB of one column")
                .with_hint("ask for smaller batches: batch_bytes 1048576")
        })?;
        // Twice as much, so that many small values copy what is there a few times only.
        self.values.grow(raw.used, bytes.max(2 * raw.room.min(1 << 28)) + SLACK)?;
        raw.values = self.values.bytes().as_mut_ptr();
        raw.room = self.values.bytes().len() - SLACK;
        Ok(())
    }

    /// Takes all memory back from the arrays, and gives up what a large value needed beyond `most` bytes.
    pub(crate) fn reclaim(&mut self, most: usize) -> Result<()> {
        self.values.reclaim()?;
        self.offsets.reclaim()?;
        self.validity.reclaim()?;
        if self.how.width() == 0 && self.values.bytes().len() > most {
            self.values = Piece::new(most)?;
        }
        Ok(())
    }
}

/// One piece of memory: here to be written, or lent to arrays.
pub(crate) enum Piece {
    Here(MutableBuffer),
    Lent(Buffer),
}

impl Default for Piece {
    /// None at all.
    fn default() -> Self {
        Piece::Lent(Buffer::default())
    }
}

impl Piece {
    fn new(bytes: usize) -> Result<Self> {
        // Of the widest type, so that arrays of every type find it aligned; with a word to spare, so that none is empty.
        let count = bytes / size_of::<i128>() + 1;
        let mut memory = reserved::<i128>(count)?;
        memory.resize(count, 0);
        Ok(Piece::Here(memory.into()))
    }

    /// All bytes; none while it is lent.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        match self {
            Piece::Here(memory) => memory.as_slice_mut(),
            Piece::Lent(_) => &mut [],
        }
    }

    /// The first `count` values, if there are so many.
    pub(crate) fn native<N: ArrowNativeType>(&mut self, count: usize) -> &mut [N] {
        match self {
            Piece::Here(memory) => memory.typed_data_mut().get_mut(..count).unwrap_or_default(),
            Piece::Lent(_) => &mut [],
        }
    }

    /// Makes room for at least `bytes` bytes, and keeps the first `used`.
    pub(crate) fn grow(&mut self, used: usize, bytes: usize) -> Result<()> {
        let mut grown = Piece::new(bytes)?;
        if let (Some(to), Some(from)) = (grown.bytes().get_mut(..used), self.bytes().get(..used)) {
            to.copy_from_slice(from);
        }
        *self = grown;
        Ok(())
    }

    /// The first `used` bytes, for an array.
    pub(crate) fn lend(&mut self, used: usize) -> Buffer {
        let whole = match std::mem::take(self) {
            Piece::Here(memory) => memory.into(),
            Piece::Lent(buffer) => buffer,
        };
        *self = Piece::Lent(whole.clone());
        let used = used.min(whole.len());
        whole.slice_with_length(0, used)
    }

    fn reclaim(&mut self) -> Result<()> {
        if let Piece::Lent(buffer) = self {
            let bytes = buffer.len();
            let whole = std::mem::take(buffer);
            *self = match whole.into_mutable() {
                Ok(memory) => Piece::Here(memory),
                // An array outlives its batch; the next one gets memory of its own.
                Err(_) => Piece::new(bytes)?,
            };
        }
        Ok(())
    }
}

/// An empty vector with room for `count` values; an error where there is no memory, which would otherwise end the server.
fn reserved<T>(count: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).map_err(|_| {
        let message = format!("out of memory: no room for {count} times {} bytes of a batch", size_of::<T>());
        Error::new(ErrorKind::Internal, message).with_sqlstate("53200")
    })?;
    Ok(memory)
}

/// An error where there is no memory for `bytes` bytes that others are about to ask for, without a way to be refused.
pub(crate) fn expect_room(bytes: usize) -> Result<()> {
    // Small pieces are always there, and it would cost a call to ask for them.
    const SMALL: usize = 16 << 20;
    if bytes > SMALL { reserved::<u8>(bytes).map(drop) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_when_its_array_is_gone() {
        let mut piece = Piece::new(100).unwrap();
        piece.bytes()[..3].copy_from_slice(b"abc");
        let place = piece.bytes().as_ptr();
        let lent = piece.lend(3);
        assert_eq!(lent.as_slice(), b"abc");
        assert!(piece.bytes().is_empty());
        drop(lent);
        piece.reclaim().unwrap();
        assert_eq!((piece.bytes().as_ptr(), &piece.bytes()[..3]), (place, &b"abc"[..]));
    }

    #[test]
    fn an_array_that_stays_keeps_its_values() {
        let mut piece = Piece::new(100).unwrap();
        piece.bytes()[..3].copy_from_slice(b"abc");
        let lent = piece.lend(3);
        piece.reclaim().unwrap();
        piece.bytes().fill(b'x');
        assert_eq!(lent.as_slice(), b"abc");
    }

    #[test]
    fn what_is_there_survives_growth() {
        let mut piece = Piece::new(10).unwrap();
        piece.bytes()[..10].copy_from_slice(b"0123456789");
        piece.grow(10, 1000).unwrap();
        assert!(piece.bytes().len() >= 1000 && piece.bytes().starts_with(b"0123456789"));
    }

    #[test]
    fn too_much_is_an_error() {
        assert_eq!(Piece::new(usize::MAX / 2).err().unwrap().sqlstate(), Some("53200"));
    }
}
