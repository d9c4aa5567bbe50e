//! How values lie in the received bytes: one of variable length begins with its length, which is one byte below 251;
//! one of fixed length (numbers in the binary protocol) begins with itself.

pub(crate) use bowshot_net::{Cells, NULL, load, stride};

/// The first byte of a length that takes more than one.
const LONG: u8 = 251;

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

/// Every value of variable length, `None` for NULL.
pub(crate) fn values_of(cells: Cells<'_>) -> impl ExactSizeIterator<Item = Option<&[u8]>> {
    cells.offsets.iter().map(move |&offset| if offset == NULL { None } else { Some(value(cells.bytes, offset)) })
}
