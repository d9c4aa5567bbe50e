//! Enums, whose values are the OIDs of their labels.

use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_buffer::NullBuffer;
use bowshot_postgres_values::Reject;

/// The labels of one enum.
pub(crate) struct Labels {
    /// Each label's OID with its place among them, by OID.
    places: Vec<(u32, i32)>,
    /// The dictionary's values, shared by every batch.
    labels: Arc<StringArray>,
}

impl Labels {
    /// Of labels and their OIDs in the enum's own order; `None` where they do not match.
    pub(crate) fn new(labels: &[String], oids: &[u32]) -> Option<Self> {
        let mut places: Vec<(u32, i32)> = oids.iter().copied().zip(0..).collect();
        places.sort_unstable();
        (labels.len() == oids.len()).then(|| Labels { places, labels: Arc::new(labels.iter().map(Some).collect()) })
    }

    /// The array of these values, of which those that are NULL are zeros.
    pub(crate) fn array(&self, values: &[u32], validity: Option<NullBuffer>) -> Result<ArrayRef, Reject> {
        let place = |(row, oid): (usize, &u32)| {
            if validity.as_ref().is_some_and(|validity| validity.is_null(row)) {
                return Ok(0);
            }
            let found = self.places.binary_search_by_key(oid, |(oid, _)| *oid).ok().and_then(|at| self.places.get(at));
            found.map(|(_, place)| *place).ok_or_else(|| {
                Reject::value(format!("a label (OID {oid}) that the enum did not have when the query was planned"))
            })
        };
        let places: Vec<i32> = values.iter().enumerate().map(place).collect::<Result<_, _>>()?;
        let keys = Int32Array::try_new(places.into(), validity)?;
        Ok(Arc::new(DictionaryArray::try_new(keys, Arc::clone(&self.labels) as ArrayRef)?))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;

    use super::*;

    #[test]
    fn labels_keep_their_order_whatever_their_oids() {
        // A label that was added later has a higher OID, wherever it stands.
        let labels = Labels::new(&["sad".into(), "fine".into(), "glad".into()], &[10, 99, 12]).unwrap();
        let array = labels.array(&[12, 99, 0, 10], Some(NullBuffer::from(vec![true, true, false, true]))).unwrap();
        assert_eq!(array.null_count(), 1);
        let found = array.as_dictionary::<Int32Type>().downcast_dict::<StringArray>().unwrap();
        let found: Vec<_> = found.into_iter().collect();
        assert_eq!(found, [Some("glad"), Some("fine"), None, Some("sad")]);
    }

    #[test]
    fn a_label_that_is_too_new_is_an_error() {
        let labels = Labels::new(&["sad".into()], &[10]).unwrap();
        assert!(matches!(labels.array(&[10, 11], None), Err(Reject::Value { .. })));
        assert!(Labels::new(&["sad".into()], &[]).is_none());
    }
}
