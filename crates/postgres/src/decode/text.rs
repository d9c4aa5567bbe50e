//! Values that are kept as their bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use super::{Decode, Reject, child_offset, validity};
use crate::cells::{Cells, NULL, length, load, value};

/// Text in UTF-8. `skip` bytes at the front of each value are no text (jsonb's version).
pub(crate) struct Text {
    pub(crate) skip: usize,
}

impl Decode for Text {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = gather(cells, self.skip)?;
        let array = StringArray::try_new(offsets, bytes, validity(cells))
            .map_err(|_| Reject::Value { holds: "bytes that are not UTF-8".into(), way_out: "binary" })?;
        Ok(Arc::new(array))
    }
}

/// Bytes.
pub(crate) struct Binary;

impl Decode for Binary {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = gather(cells, 0)?;
        Ok(Arc::new(BinaryArray::try_new(offsets, bytes, validity(cells))?))
    }
}

/// All values back to back, each without its first `skip` bytes, and where each begins.
fn gather(cells: Cells<'_>, skip: usize) -> Result<(OffsetBuffer<i32>, Buffer), Reject> {
    let bytes = cells.bytes;
    let (mut total, mut longest) = (0, 0);
    let mut ends = Vec::with_capacity(cells.len() + 1);
    ends.push(0);
    ends.extend(cells.offsets.iter().map(|&offset| {
        if offset != NULL {
            let count = length(bytes, offset).saturating_sub(skip);
            total += count;
            longest = longest.max(count);
        }
        i32::try_from(total).unwrap_or(i32::MAX)
    }));
    child_offset(total)?;
    let data = match longest {
        0..=16 => blocks::<16>(cells, skip, total),
        17..=32 => blocks::<32>(cells, skip, total),
        33..=64 => blocks::<64>(cells, skip, total),
        _ => slices(cells, skip, total),
    };
    Ok((OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(data)))
}

/// Copies values that are at most `BLOCK` bytes long.
///
/// Every value is copied as a whole block, which is a few instructions where a copy of any length is a call: the
/// received bytes have slack behind them, and what is too much is cut off again.
fn blocks<const BLOCK: usize>(cells: Cells<'_>, skip: usize, total: usize) -> Vec<u8> {
    const { assert!(BLOCK <= bowshot_net::SLACK) }
    let mut data = Vec::with_capacity(total + BLOCK);
    for &offset in cells.offsets {
        if offset != NULL {
            let end = data.len() + length(cells.bytes, offset).saturating_sub(skip);
            data.extend_from_slice(&load::<BLOCK>(cells.bytes, offset as usize + skip));
            data.truncate(end);
        }
    }
    data
}

/// Copies values of any length.
fn slices(cells: Cells<'_>, skip: usize, total: usize) -> Vec<u8> {
    let mut data = Vec::with_capacity(total);
    for &offset in cells.offsets {
        if offset != NULL {
            data.extend_from_slice(value(cells.bytes, offset).get(skip..).unwrap_or_default());
        }
    }
    data
}
