//! The hstore extension: a count of pairs, then key and value as cells (`hstore_send`).

use std::sync::Arc;

use arrow_array::{ArrayRef, MapArray, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, Fields};

use super::{Decode, Reject, Text, child_offset};
use crate::cells::{Cells, Cursor, NULL};

/// hstore as map<utf8, utf8>.
pub(crate) struct Hstore {
    /// The map's entries: a struct of key and value.
    pub(crate) entries: FieldRef,
}

impl Decode for Hstore {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let cut = || Reject::broken("an hstore is not as long as its pairs");
        let mut ends = vec![0];
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for &offset in cells.offsets {
            if offset != NULL {
                let mut cursor = Cursor::new(cells.bytes, offset);
                for _ in 0..cursor.int().ok_or_else(cut)? {
                    keys.push(cursor.cell().filter(|&cell| cell != NULL).ok_or_else(cut)?);
                    values.push(cursor.cell().ok_or_else(cut)?);
                }
                if !cursor.is_empty() {
                    return Err(cut());
                }
            }
            ends.push(child_offset(keys.len())?);
        }
        let text = |offsets: &[u32]| {
            let has_nulls = offsets.contains(&NULL);
            Text { skip: 0 }.decode(Cells { bytes: cells.bytes, offsets, has_nulls })
        };
        let fields = match self.entries.data_type() {
            DataType::Struct(fields) => fields.clone(),
            _ => Fields::empty(),
        };
        let entries = StructArray::try_new(fields, vec![text(&keys)?, text(&values)?], None)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        Ok(Arc::new(MapArray::try_new(Arc::clone(&self.entries), offsets, entries, cells.validity(), false)?))
    }
}
