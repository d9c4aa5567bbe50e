//! Values that are kept as their bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};

use super::{Decode, Reject};
use crate::cells::{Cells, place};

/// Text in UTF-8.
pub(crate) struct Text;

impl Decode for Text {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = cells.gather(place).ok_or_else(too_long)?;
        let array = StringArray::try_new(offsets, bytes, cells.validity())
            .map_err(|_| Reject::Value { holds: "bytes that are not UTF-8".into(), way_out: "binary" })?;
        Ok(Arc::new(array))
    }
}

/// Bytes.
pub(crate) struct Bytes;

impl Decode for Bytes {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = cells.gather(place).ok_or_else(too_long)?;
        Ok(Arc::new(BinaryArray::try_new(offsets, bytes, cells.validity())?))
    }
}

fn too_long() -> Reject {
    Reject::broken("a batch holds more than 2 GiB of one column")
}
