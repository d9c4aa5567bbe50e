//! Enums: labels of which a catalogue knows all.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};

use super::{Decode, Reject};
use crate::cells::{Cells, NULL, value};

/// An enum as dictionary<int32, utf8> over all its labels in their order.
pub(crate) struct Enumeration {
    /// The dictionary's values, shared by every batch.
    labels: Arc<StringArray>,
    /// Each label's place among them.
    keys: HashMap<Vec<u8>, i32>,
}

impl Enumeration {
    /// Over `labels` in the enum's own order.
    pub(crate) fn new(labels: &[String]) -> Self {
        let keys = (0..).zip(labels).map(|(key, label)| (label.clone().into_bytes(), key)).collect();
        Enumeration { labels: Arc::new(labels.iter().map(Some).collect()), keys }
    }
}

impl Decode for Enumeration {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut keys = vec![0; cells.len()];
        for (key, &offset) in keys.iter_mut().zip(cells.offsets) {
            if offset == NULL {
                continue;
            }
            let label = value(cells.bytes, offset);
            *key = *self.keys.get(label).ok_or_else(|| {
                Reject::value(format!(
                    "the label \"{}\", which the enum did not have when the query was planned",
                    String::from_utf8_lossy(label)
                ))
            })?;
        }
        let keys = Int32Array::try_new(keys.into(), cells.validity())?;
        Ok(Arc::new(DictionaryArray::try_new(keys, Arc::clone(&self.labels) as ArrayRef)?))
    }
}
