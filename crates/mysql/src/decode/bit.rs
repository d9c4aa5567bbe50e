//! `bit(1)` to `bit(64)`: both protocols send the bits in as many bytes as they take, the most significant one first.

use std::sync::Arc;

use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;

use super::{Decode, Reject, primitive};
use crate::cells::{Cells, NULL, value};

/// `bit(1)` as a truth value.
pub(crate) struct Bit;

/// More bits as a number.
pub(crate) struct Bits;

impl Decode for Bit {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut fits = true;
        let values = BooleanBuffer::collect_bool(cells.len(), |row| match cells.offsets.get(row) {
            None | Some(&NULL) => false,
            Some(&offset) => match value(cells.bytes, offset) {
                [bit @ 0..=1] => *bit == 1,
                _ => {
                    fits = false;
                    false
                }
            },
        });
        if !fits {
            return Err(Reject::broken("a bit is neither 0 nor 1"));
        }
        Ok(Arc::new(BooleanArray::new(values, cells.validity())))
    }
}

impl Decode for Bits {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let convert = |bytes: &[u8], offset: u32| {
            let bits = value(bytes, offset);
            (bits.len() <= 8).then(|| bits.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
        };
        let explain = |_: &[u8], _| Reject::broken("a value has more than 64 bits");
        primitive::decode::<UInt64Type>(cells, &DataType::UInt64, convert, explain)
    }
}
