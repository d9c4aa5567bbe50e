//! Values that are kept as their bytes.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::{BinaryType, Utf8Type};
use bowshot_net::texts;

use super::{Decode, Reject};
use crate::cells::{Cells, place};

/// Text in UTF-8.
pub(crate) struct Text;

impl Decode for Text {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = cells.gather(place).ok_or_else(too_long)?;
        let array = texts::<Utf8Type>(offsets, bytes, cells.validity())
            .map_err(|_| Reject::Value { holds: "bytes that are not UTF-8".into(), way_out: "binary" })?;
        Ok(Arc::new(array))
    }
}

/// Bytes.
pub(crate) struct Bytes;

impl Decode for Bytes {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let (offsets, bytes) = cells.gather(place).ok_or_else(too_long)?;
        Ok(Arc::new(texts::<BinaryType>(offsets, bytes, cells.validity())?))
    }
}

fn too_long() -> Reject {
    Reject::broken("a batch holds more than 2 GiB of one column")
}
