//! The buffers that drivers write rows to: column by column, each of a bounded size.

use crate::abi;

/// Fills the places of marked values: no date or time has such bytes.
const MARK: u8 = 0xff;

/// How a column's values come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Bound: values of a fixed size, such as integers.
    Fixed { c_type: i16, size: usize },
    /// Bound, and marked before each fetch: a driver that calls a value NULL which is none has written over the mark.
    Marked { c_type: i16, size: usize },
    /// Bound: values of at most `size` bytes, the final zero of text included.
    Bounded { c_type: i16, size: usize },
    /// Of any length, asked for one by one.
    Long { c_type: i16 },
}

impl Access {
    /// Bytes of a row in a bound buffer.
    pub(crate) fn size(self) -> usize {
        match self {
            Access::Fixed { size, .. } | Access::Marked { size, .. } | Access::Bounded { size, .. } => size,
            Access::Long { .. } => 0,
        }
    }

    pub(crate) fn c_type(self) -> i16 {
        match self {
            Access::Fixed { c_type, .. }
            | Access::Marked { c_type, .. }
            | Access::Bounded { c_type, .. }
            | Access::Long { c_type } => c_type,
        }
    }

    pub(crate) fn is_long(self) -> bool {
        matches!(self, Access::Long { .. })
    }
}

/// A value in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    Null,
    Value(&'a [u8]),
    /// It is longer than the driver said that it can be.
    Cut,
}

/// A column's values of a block of rows.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The column, from 1.
    number: u16,
    access: Access,
    /// Whether the driver writes to it by itself; else it is asked for each value.
    bound: bool,
    /// `size` bytes a row, or the long values one after the other.
    data: Vec<u8>,
    /// What the driver says of each value; of a long value, where it ends.
    lengths: Vec<isize>,
}

impl Slot {
    /// Room for `rows` values.
    pub(crate) fn new(number: u16, access: Access, bound: bool, rows: usize) -> Self {
        let (data, lengths) = match access {
            Access::Long { .. } => (Vec::new(), Vec::new()),
            Access::Marked { size, .. } => (vec![MARK; size * rows], vec![abi::NULL_DATA; rows]),
            _ => (vec![0; access.size() * rows], vec![abi::NULL_DATA; rows]),
        };
        Slot { number, access, bound: bound && !access.is_long(), data, lengths }
    }

    /// The column's number, its C type and the bytes of a value, if it is to be bound and there is room for `rows`.
    pub(crate) fn binding(&self, rows: usize) -> Option<(u16, i16, usize)> {
        let size = self.access.size();
        let fits = self.data.len() >= size * rows && self.lengths.len() >= rows;
        (self.bound && fits).then_some((self.number, self.access.c_type(), size))
    }

    pub(crate) fn is_bound(&self) -> bool {
        self.bound
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }

    pub(crate) fn access(&self) -> Access {
        self.access
    }

    pub(crate) fn buffers(&mut self) -> (&mut [u8], &mut [isize]) {
        (&mut self.data, &mut self.lengths)
    }

    /// The place of row `row` and of its length.
    pub(crate) fn place(&mut self, row: usize) -> Option<(&mut [u8], &mut isize)> {
        let size = self.access.size();
        Some((self.data.get_mut(row * size..(row + 1) * size)?, self.lengths.get_mut(row)?))
    }

    /// The long values so far, and their ends: `None` there stands for NULL as an indicator below zero.
    pub(crate) fn long(&mut self) -> (&mut Vec<u8>, &mut Vec<isize>) {
        (&mut self.data, &mut self.lengths)
    }

    /// Copies the first value of `other`, of the same column, to row `row`.
    pub(crate) fn copy(&mut self, row: usize, other: &Slot) {
        let Some(length) = other.lengths.first().copied() else { return };
        let used = match self.access {
            Access::Bounded { size, .. } => usize::try_from(length).unwrap_or(0).min(size),
            _ => self.access.size(),
        };
        if let (Some((data, place)), Some(value)) = (self.place(row), other.data.get(..used)) {
            *place = length;
            if let Some(data) = data.get_mut(..used) {
                data.copy_from_slice(value);
            }
        }
    }

    /// Bytes of long values.
    pub(crate) fn long_bytes(&self) -> usize {
        if self.access.is_long() { self.data.len() } else { 0 }
    }

    /// Makes it ready for the next fetch: long values are forgotten, marks are set, all else is written over.
    pub(crate) fn ready(&mut self) {
        match self.access {
            Access::Marked { .. } => self.data.fill(MARK),
            Access::Long { .. } => {
                self.data.clear();
                self.lengths.clear();
            }
            Access::Fixed { .. } | Access::Bounded { .. } => {}
        }
    }

    /// Calls `each` with the first `rows` values.
    #[inline(always)]
    pub(crate) fn each<'a, E>(
        &'a self,
        rows: usize,
        mut each: impl FnMut(usize, Cell<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.access {
            Access::Fixed { size, .. } => {
                let values = self.data.chunks_exact(size.max(1));
                for ((row, length), value) in self.lengths.iter().enumerate().zip(values).take(rows) {
                    each(row, if *length == abi::NULL_DATA { Cell::Null } else { Cell::Value(value) })?;
                }
            }
            Access::Marked { size, .. } => {
                let values = self.data.chunks_exact(size.max(1));
                for ((row, length), value) in self.lengths.iter().enumerate().zip(values).take(rows) {
                    let null = *length == abi::NULL_DATA && value.iter().all(|byte| *byte == MARK);
                    each(row, if null { Cell::Null } else { Cell::Value(value) })?;
                }
            }
            Access::Bounded { size, c_type } => {
                let most = size - zero_bytes(c_type);
                let values = self.data.chunks_exact(size.max(1));
                for ((row, length), value) in self.lengths.iter().enumerate().zip(values).take(rows) {
                    let cell = match usize::try_from(*length) {
                        Ok(length) if length <= most => value.get(..length).map_or(Cell::Cut, Cell::Value),
                        Ok(_) => Cell::Cut,
                        Err(_) if *length == abi::NULL_DATA => Cell::Null,
                        // NO_TOTAL: longer, nobody knows how much.
                        Err(_) => Cell::Cut,
                    };
                    each(row, cell)?;
                }
            }
            Access::Long { .. } => {
                let mut start = 0;
                for (row, end) in self.lengths.iter().enumerate().take(rows) {
                    let cell = match usize::try_from(*end) {
                        Ok(end) => {
                            let value = self.data.get(start..end).map_or(Cell::Cut, Cell::Value);
                            start = end;
                            value
                        }
                        Err(_) => Cell::Null,
                    };
                    each(row, cell)?;
                }
            }
        }
        Ok(())
    }
}

/// Bytes of the zero that ends a text.
fn zero_bytes(c_type: i16) -> usize {
    match c_type {
        abi::c::CHAR => 1,
        abi::c::WCHAR => 2,
        _ => 0,
    }
}

/// Rows as the driver wrote them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) slots: Vec<Slot>,
    /// How many rows it holds.
    pub(crate) rows: usize,
    /// How many it has room for.
    pub(crate) room: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(slot: &Slot, rows: usize) -> Vec<Cell<'_>> {
        let mut cells = Vec::new();
        let each = |_, cell| {
            cells.push(cell);
            Ok::<(), ()>(())
        };
        slot.each(rows, each).unwrap();
        cells
    }

    #[test]
    fn a_value_longer_than_its_buffer_is_never_taken_for_whole() {
        let mut slot = Slot::new(1, Access::Bounded { c_type: abi::c::CHAR, size: 4 }, true, 5);
        let (data, lengths) = slot.buffers();
        data.copy_from_slice(b"abc\0abc\0a\0\0\0abc\0abc\0");
        lengths.copy_from_slice(&[3, 4, 1, -4, abi::NULL_DATA]);
        assert_eq!(cells(&slot, 5), [Cell::Value(b"abc"), Cell::Cut, Cell::Value(b"a"), Cell::Cut, Cell::Null]);
    }

    #[test]
    fn a_value_that_the_driver_calls_null_shows_by_its_lost_mark() {
        let mut slot = Slot::new(1, Access::Marked { c_type: abi::c::DATE, size: 6 }, true, 3);
        for _ in 0..2 {
            slot.ready();
            let (data, lengths) = slot.buffers();
            data[..6].fill(0);
            data[12..].copy_from_slice(&[1, 0, 1, 0, 1, 0]);
            lengths.copy_from_slice(&[abi::NULL_DATA, abi::NULL_DATA, 6]);
            let wanted = [Cell::Value(&[0; 6][..]), Cell::Null, Cell::Value(&[1, 0, 1, 0, 1, 0])];
            assert_eq!(cells(&slot, 3), wanted);
            // What the last fetch left is no value of the next one.
            slot.buffers().0.fill(7);
        }
    }

    #[test]
    fn long_values_follow_each_other() {
        let mut slot = Slot::new(1, Access::Long { c_type: abi::c::BINARY }, true, 4);
        assert!(!slot.is_bound());
        let (data, ends) = slot.long();
        data.extend_from_slice(b"abcd");
        ends.extend_from_slice(&[1, abi::NULL_DATA, 1, 4]);
        assert_eq!(cells(&slot, 4), [Cell::Value(b"a"), Cell::Null, Cell::Value(b""), Cell::Value(b"bcd")]);
        slot.ready();
        assert_eq!(slot.long_bytes(), 0);
    }

    #[test]
    fn one_row_is_copied_into_a_block() {
        let access = Access::Bounded { c_type: abi::c::CHAR, size: 4 };
        let mut one = Slot::new(1, access, true, 1);
        let (data, lengths) = one.buffers();
        data.copy_from_slice(b"xy\0\0");
        lengths[0] = 2;
        let mut block = Slot::new(1, access, false, 2);
        block.copy(1, &one);
        assert_eq!(cells(&block, 2), [Cell::Null, Cell::Value(b"xy")]);
    }
}
