//! The values of one column in a block of rows, where they lie in the received bytes.

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use crate::{SLACK, ordered, with_room};

/// Stands for NULL among the offsets: no value can begin at 0, something of its message stands before it.
pub const NULL: u32 = 0;

/// How many offsets apart the columns of a table of offsets begin that has room for so many rows.
///
/// The offsets of a row are written one column after the other. Were the columns a power of two apart, all of them would
/// want the same few lines of a processor's cache, which has no more than 8 to 16 of a kind; an odd number of lines apart,
/// they never meet.
pub fn stride(rows: usize) -> usize {
    const LINE: usize = 64 / size_of::<u32>();
    (rows.div_ceil(LINE) | 1) * LINE
}

/// The values of one column, not copied: each is an offset into the received bytes. How long a value is, the protocol
/// knows.
#[derive(Clone, Copy)]
pub struct Cells<'a> {
    /// The received bytes, with [`SLACK`] bytes behind them.
    pub bytes: &'a [u8],
    /// Where each value is found, or [`NULL`].
    pub offsets: &'a [u32],
    /// Whether any offset is [`NULL`].
    pub has_nulls: bool,
}

impl Cells<'_> {
    /// How many values, NULLs included.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Which values are not NULL; `None` when all are, so that no validity buffer is made.
    pub fn validity(&self) -> Option<NullBuffer> {
        let is_valid = |row: usize| self.offsets.get(row).is_some_and(|&offset| offset != NULL);
        self.has_nulls.then(|| NullBuffer::new(BooleanBuffer::collect_bool(self.len(), is_valid)))
    }

    /// All values back to back, and where each begins; `None` when they are more than 2 GiB.
    ///
    /// `place` finds, for an offset, where the value itself begins and how long it is.
    pub fn gather(&self, place: impl Fn(&[u8], u32) -> (usize, usize)) -> Option<(OffsetBuffer<i32>, Buffer)> {
        let bytes = self.bytes;
        let (mut total, mut longest) = (0, 0);
        let mut ends = with_room(self.len() + 1);
        ends.push(0);
        ends.extend(self.offsets.iter().map(|&offset| {
            if offset != NULL {
                let (_, count) = place(bytes, offset);
                total += count;
                longest = longest.max(count);
            }
            i32::try_from(total).unwrap_or(i32::MAX)
        }));
        i32::try_from(total).ok()?;
        let data = match longest {
            0..=16 => self.blocks::<16>(total, place),
            17..=32 => self.blocks::<32>(total, place),
            33..=64 => self.blocks::<64>(total, place),
            _ => self.slices(total, place),
        };
        Some((ordered(ScalarBuffer::from(ends), data.len())?, Buffer::from_vec(data)))
    }

    /// Copies values that are at most `BLOCK` bytes long.
    ///
    /// Every value is copied as a whole block, which is a few instructions where a copy of any length is a call: the
    /// received bytes have slack behind them, and what is too much is cut off again.
    fn blocks<const BLOCK: usize>(&self, total: usize, place: impl Fn(&[u8], u32) -> (usize, usize)) -> Vec<u8> {
        const { assert!(BLOCK <= SLACK) }
        let mut data = with_room(total + BLOCK);
        for &offset in self.offsets {
            if offset != NULL {
                let (start, length) = place(self.bytes, offset);
                let end = data.len() + length;
                data.extend_from_slice(&load::<BLOCK>(self.bytes, start));
                data.truncate(end);
            }
        }
        data
    }

    /// Copies values of any length.
    fn slices(&self, total: usize, place: impl Fn(&[u8], u32) -> (usize, usize)) -> Vec<u8> {
        let mut data = with_room(total);
        for &offset in self.offsets {
            if offset != NULL {
                let (start, length) = place(self.bytes, offset);
                data.extend_from_slice(self.bytes.get(start..start.saturating_add(length)).unwrap_or_default());
            }
        }
        data
    }
}

/// `N` bytes at `at`; zeros where there are none, which rows that were indexed never see.
#[inline(always)]
pub fn load<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    // In this form one comparison is left of the check: `at` was a 32-bit number, so that the sum cannot overflow.
    match bytes.get(at..at + N).and_then(<[u8]>::first_chunk) {
        Some(chunk) => *chunk,
        None => [0; N],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value at an offset is one byte of length and the value.
    fn place(bytes: &[u8], offset: u32) -> (usize, usize) {
        let [length] = load(bytes, offset as usize);
        (offset as usize + 1, usize::from(length))
    }

    #[test]
    fn columns_are_an_odd_number_of_cache_lines_apart() {
        for (rows, expected) in [(0, 16), (1, 16), (16, 16), (17, 48), (32, 48), (1 << 16, (1 << 16) + 16)] {
            assert_eq!(stride(rows), expected, "{rows}");
        }
    }

    #[test]
    fn values_of_every_length_are_gathered() {
        for longest in [0_u8, 1, 15, 16, 17, 32, 33, 64, 65, 255] {
            let (mut bytes, mut offsets, mut expected, mut ends) = (vec![9], Vec::new(), Vec::new(), vec![0]);
            for length in [longest, 0, longest / 2, longest] {
                offsets.extend([u32::try_from(bytes.len()).unwrap(), NULL]);
                let value = (0..length).map(|at| at ^ 0xA5);
                bytes.push(length);
                bytes.extend(value.clone());
                expected.extend(value);
                ends.extend([i32::try_from(expected.len()).unwrap(); 2]);
            }
            bytes.extend([0xEE; SLACK]);
            let cells = Cells { bytes: &bytes, offsets: &offsets, has_nulls: true };
            let (found, data) = cells.gather(place).unwrap();
            assert_eq!((found.to_vec(), data.as_slice()), (ends, expected.as_slice()), "{longest}");
            let validity = cells.validity().unwrap();
            assert_eq!((validity.len(), validity.null_count()), (8, 4));
            assert!(validity.is_valid(0) && validity.is_null(1));
            assert!(Cells { has_nulls: false, ..cells }.validity().is_none());
        }
    }
}
