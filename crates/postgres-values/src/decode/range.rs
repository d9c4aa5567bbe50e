//! Ranges and multiranges: a byte of flags, then the bounds that exist as cells (`range_send`).

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, ListArray, StructArray};
use arrow_buffer::{BooleanBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{FieldRef, Fields};

use super::{Decode, Reject, child_offset};
use crate::cells::{Cells, Cursor, NULL};

// The flags of rangetypes.h.
const EMPTY: u8 = 0x01;
const LOWER_INCLUSIVE: u8 = 0x02;
const UPPER_INCLUSIVE: u8 = 0x04;
const LOWER_INFINITE: u8 = 0x08;
const UPPER_INFINITE: u8 = 0x10;

/// A range as struct<lower, upper, lower_inclusive, upper_inclusive, empty>; an infinite bound is NULL.
pub(crate) struct Range {
    /// The struct's five fields.
    pub(crate) fields: Fields,
    /// Decodes the bounds.
    pub(crate) bound: Box<dyn Decode>,
}

impl Decode for Range {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let count = cells.len();
        let (mut lower, mut upper) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut flags_of = [EMPTY; 3].map(|_| BooleanBufferBuilder::new(count));
        for &offset in cells.offsets {
            let (flags, bounds) = if offset == NULL { (0, [NULL; 2]) } else { one(cells.bytes, offset)? };
            lower.push(bounds[0]);
            upper.push(bounds[1]);
            for (builder, flag) in flags_of.iter_mut().zip([LOWER_INCLUSIVE, UPPER_INCLUSIVE, EMPTY]) {
                builder.append(flags & flag != 0);
            }
        }
        let bounds = |offsets: &[u32]| self.bound.decode(Cells { bytes: cells.bytes, offsets, has_nulls: true });
        let mut arrays = vec![bounds(&lower)?, bounds(&upper)?];
        for mut builder in flags_of {
            arrays.push(Arc::new(BooleanArray::new(builder.finish(), None)));
        }
        Ok(Arc::new(StructArray::try_new(self.fields.clone(), arrays, cells.validity())?))
    }
}

/// The flags and the bounds of one range.
fn one(bytes: &[u8], offset: u32) -> Result<(u8, [u32; 2]), Reject> {
    let cut = || Reject::broken("a range is not as long as its bounds");
    let mut cursor = Cursor::new(bytes, offset);
    let flags = cursor.byte().ok_or_else(cut)?;
    let mut bounds = [NULL; 2];
    for (bound, infinite) in bounds.iter_mut().zip([LOWER_INFINITE, UPPER_INFINITE]) {
        if flags & (EMPTY | infinite) == 0 {
            *bound = cursor.cell().ok_or_else(cut)?;
        }
    }
    if !cursor.is_empty() {
        return Err(cut());
    }
    Ok((flags, bounds))
}

/// A multirange as a list of ranges.
pub(crate) struct Multirange {
    /// The list's item.
    pub(crate) field: FieldRef,
    /// Decodes the ranges.
    pub(crate) range: Range,
}

impl Decode for Multirange {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let cut = || Reject::broken("a multirange is not as long as its ranges");
        let mut ends = vec![0];
        let mut ranges = Vec::new();
        for &offset in cells.offsets {
            if offset != NULL {
                let mut cursor = Cursor::new(cells.bytes, offset);
                for _ in 0..cursor.int().ok_or_else(cut)? {
                    ranges.push(cursor.cell().filter(|&cell| cell != NULL).ok_or_else(cut)?);
                }
                if !cursor.is_empty() {
                    return Err(cut());
                }
            }
            ends.push(child_offset(ranges.len())?);
        }
        let array = self.range.decode(Cells { bytes: cells.bytes, offsets: &ranges, has_nulls: false })?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        Ok(Arc::new(ListArray::try_new(Arc::clone(&self.field), offsets, array, cells.validity())?))
    }
}
