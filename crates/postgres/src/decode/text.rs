//! Values that are kept as their bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use super::{Decode, Reject, child_offset, validity};
use crate::cells::{Cells, NULL, length, load};

/// Text in UTF-8. `skip` bytes at the front of each value are no text (jsonb's version).
pub(crate) struct Text {
    pub(crate) skip: usize,
}

impl Decode for Text {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = gather(cells, self.skip)?;
        let array = StringArray::try_new(offsets, bytes, validity(cells)).map_err(|_| Reject::Value {
            holds: "bytes that are not UTF-8".into(),
            way_out: "binary",
        })?;
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

/// The length up to which a value is copied as one block of this size, whatever its own length.
const BLOCK: usize = 32;

/// All values back to back, each without its first `skip` bytes, and where each begins.
fn gather(cells: Cells<'_>, skip: usize) -> Result<(OffsetBuffer<i32>, Buffer), Reject> {
    let bytes = cells.bytes;
    let mut ends = Vec::with_capacity(cells.len() + 1);
    ends.push(0);
    let mut total = 0;
    for &offset in cells.offsets {
        if offset != NULL {
            total += length(bytes, offset).saturating_sub(skip);
        }
        ends.push(child_offset(total)?);
    }
    // Short values are copied with a fixed length, which is a few instructions where a copy of any length is a call;
    // what is too much is overwritten by the next value, and cut off after the last one.
    let mut data = vec![0; total + BLOCK];
    let mut at = 0;
    for &offset in cells.offsets {
        if offset == NULL {
            continue;
        }
        let count = length(bytes, offset).saturating_sub(skip);
        let from = offset as usize + skip;
        let target = data.get_mut(at..).unwrap_or_default();
        if count <= BLOCK
            && let Some(target) = target.first_chunk_mut::<BLOCK>()
        {
            *target = load(bytes, from);
        } else if let (Some(target), Some(source)) = (target.get_mut(..count), bytes.get(from..from + count)) {
            target.copy_from_slice(source);
        }
        at += count;
    }
    data.truncate(total);
    data.shrink_to_fit();
    Ok((OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(data)))
}
