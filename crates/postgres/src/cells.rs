//! The values of one column in a block of rows, where they lie in the received bytes.

/// Stands for NULL among the offsets: no value can begin at 0, its length stands before it.
pub(crate) const NULL: u32 = 0;

/// The values of one column, not copied: each is an offset into the received bytes, and the four bytes before it
/// hold its length, big-endian.
///
/// PostgreSQL writes fields of a row, elements of an array, attributes of a composite and bounds of a range all in
/// this form, so one decoder serves a type at every depth.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    /// The received bytes, with slack behind them.
    pub(crate) bytes: &'a [u8],
    /// Where each value begins, or [`NULL`].
    pub(crate) offsets: &'a [u32],
    /// Whether any offset is [`NULL`].
    pub(crate) has_nulls: bool,
}

impl<'a> Cells<'a> {
    /// How many values, NULLs included.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// The bytes of every value, `None` for NULL.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Option<&'a [u8]>> {
        let bytes = self.bytes;
        self.offsets.iter().map(move |&offset| if offset == NULL { None } else { Some(value(bytes, offset)) })
    }
}

/// `N` bytes at `at`; zeros where there are none, which rows that were indexed never see.
#[inline(always)]
pub(crate) fn load<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    // In this form one comparison is left of the check: `at` was a 32-bit number, so that the sum cannot overflow.
    match bytes.get(at..at + N).and_then(<[u8]>::first_chunk) {
        Some(chunk) => *chunk,
        None => [0; N],
    }
}

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
