//! Values that are kept as their bytes.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::{BinaryType, Utf8Type};
use bowshot_cells::texts;

use super::{Decode, Reject};
use crate::cells::{Cells, length};

/// Text in UTF-8, perhaps behind bytes that are none (jsonb's version).
pub struct Text {
    /// Bytes at the front of each value that are no text.
    pub skip: usize,
}

impl Decode for Text {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let skip = self.skip;
        let text = |bytes: &[u8], offset| (offset as usize + skip, length(bytes, offset).saturating_sub(skip));
        let (offsets, bytes) = cells.gather(text).ok_or_else(too_long)?;
        let array = texts::<Utf8Type>(offsets, bytes, cells.validity())
            .map_err(|_| Reject::Value { holds: "bytes that are not UTF-8".into(), way_out: "binary" })?;
        Ok(Arc::new(array))
    }
}

/// Bytes.
pub struct Binary;

impl Decode for Binary {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) =
            cells.gather(|bytes, offset| (offset as usize, length(bytes, offset))).ok_or_else(too_long)?;
        Ok(Arc::new(texts::<BinaryType>(offsets, bytes, cells.validity())?))
    }
}

fn too_long() -> Reject {
    Reject::broken("a batch holds more than 2 GiB of one column")
}
