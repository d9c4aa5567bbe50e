//! The values of one column in a block of rows, where they lie in the received bytes.

/// Stands for NULL among the offsets: no value can begin at 0, a packet's header stands there.
pub(crate) const NULL: u32 = 0;

/// The first byte of a length that takes more than one.
const LONG: u8 = 251;

/// The values of one column, not copied: each is an offset into the received bytes.
///
/// A value of variable length begins with its length, which is one byte below 251; one of fixed length (numbers in the
/// binary protocol) begins with itself.
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

    /// The bytes of every value of variable length, `None` for NULL.
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

/// Where the value at `offset` begins behind its length, and how long it is.
#[inline(always)]
pub(crate) fn place(bytes: &[u8], offset: u32) -> (usize, usize) {
    let at = offset as usize;
    let [first] = load(bytes, at);
    if first < LONG { (at + 1, usize::from(first)) } else { long(bytes, at) }
}

/// A length of more than one byte. Indexed rows have no other ones, and none that leads out of its row.
#[cold]
fn long(bytes: &[u8], at: usize) -> (usize, usize) {
    let [first] = load(bytes, at);
    match first {
        252 => (at + 3, usize::from(u16::from_le_bytes(load(bytes, at + 1)))),
        253 => {
            let [a, b, c] = load(bytes, at + 1);
            (at + 4, u32::from_le_bytes([a, b, c, 0]) as usize)
        }
        254 => (at + 9, usize::try_from(u64::from_le_bytes(load(bytes, at + 1))).unwrap_or(0)),
        _ => (at + 1, 0),
    }
}

/// The value at `offset`, which begins with its length.
#[inline(always)]
pub(crate) fn value(bytes: &[u8], offset: u32) -> &[u8] {
    let (start, length) = place(bytes, offset);
    bytes.get(start..start.saturating_add(length)).unwrap_or_default()
}
