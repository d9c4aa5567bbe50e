//! Composite types: a count of attributes, then each with its type and its cell (`record_send`).

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::Fields;

use super::{Decode, Reject};
use crate::cells::{Cells, Cursor, NULL};

/// A composite type as a struct.
pub(crate) struct Composite {
    /// The struct's fields.
    pub(crate) fields: Fields,
    /// The decoder of each attribute.
    pub(crate) attributes: Vec<Box<dyn Decode>>,
}

impl Decode for Composite {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut children: Vec<Vec<u32>> = vec![Vec::with_capacity(cells.len()); self.attributes.len()];
        for &offset in cells.offsets {
            if offset == NULL {
                children.iter_mut().for_each(|child| child.push(NULL));
                continue;
            }
            let mut cursor = Cursor::new(cells.bytes, offset);
            let cut = || Reject::broken("a composite value is not as long as its attributes");
            if cursor.int().and_then(|count| usize::try_from(count).ok()) != Some(children.len()) {
                return Err(Reject::broken("a composite value has other attributes than its type"));
            }
            for child in &mut children {
                let _type = cursor.int().ok_or_else(cut)?;
                child.push(cursor.cell().ok_or_else(cut)?);
            }
            if !cursor.is_empty() {
                return Err(cut());
            }
        }
        let arrays = children
            .iter()
            .zip(&self.attributes)
            .map(|(offsets, decoder)| {
                let has_nulls = offsets.contains(&NULL);
                decoder.decode(Cells { bytes: cells.bytes, offsets, has_nulls })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let array = StructArray::try_new_with_length(self.fields.clone(), arrays, cells.validity(), cells.len())?;
        Ok(Arc::new(array))
    }
}
