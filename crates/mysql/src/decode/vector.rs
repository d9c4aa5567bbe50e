//! Vectors of machine learning: 32-bit floats, little-endian, one behind the other.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, ListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};

use super::{Decode, Reject};
use crate::cells::{Cells, values_of};

/// Vectors as lists of float32.
pub(crate) struct Vector;

impl Vector {
    /// The lists' type.
    pub(crate) fn data_type() -> DataType {
        DataType::List(Arc::new(Field::new("item", DataType::Float32, false)))
    }
}

impl Decode for Vector {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let DataType::List(item) = Vector::data_type() else { return Err(Reject::broken("a vector")) };
        let mut numbers = Vec::new();
        let mut ends = vec![0];
        for bytes in values_of(cells) {
            let (whole, rest) = bytes.unwrap_or_default().as_chunks::<4>();
            if !rest.is_empty() {
                return Err(Reject::broken("a vector is cut off"));
            }
            numbers.extend(whole.iter().map(|number| f32::from_le_bytes(*number)));
            ends.push(i32::try_from(numbers.len()).map_err(|_| Reject::broken("a batch holds too many numbers"))?);
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        let numbers = Arc::new(Float32Array::from(numbers));
        Ok(Arc::new(ListArray::try_new(item, offsets, numbers, cells.validity())?))
    }
}
