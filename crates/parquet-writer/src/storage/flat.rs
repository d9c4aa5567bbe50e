//! Dictionaries and runs as their values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::RunEndIndexType;
use arrow_array::{Array, ArrayRef, BinaryArray, RunArray, UInt64Array, downcast_run_array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;

use crate::fault::Fault;

/// Whether a dictionary of these values is stored as it is: readers get it back, and the writer's own dictionary is made of it quickly.
pub(super) fn is_dictionary(values: &DataType) -> bool {
    matches!(values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary)
}

/// The values of a dictionary or of runs.
pub(super) fn unpack(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        return take(dictionary.values(), dictionary.keys(), None);
    }
    let array = array.as_ref();
    downcast_run_array!(
        array => runs(array),
        other => Err(ArrowError::InvalidArgumentError(format!("{other} is neither a dictionary nor runs")))
    )
}

fn runs<R: RunEndIndexType>(array: &RunArray<R>) -> Result<ArrayRef, ArrowError> {
    let mut rows = Vec::with_capacity(array.len());
    let first = array.run_ends().get_start_physical_index();
    let mut before = 0;
    for (run, end) in array.run_ends().sliced_values().enumerate() {
        // Ends are counted from the slice's own start.
        let end = arrow_buffer::ArrowNativeType::as_usize(end);
        let run = u64::try_from(first + run).unwrap_or(u64::MAX);
        rows.extend(std::iter::repeat_n(run, end.saturating_sub(before)));
        before = end;
    }
    take(array.values(), &UInt64Array::from(rows), None)
}

/// Bytes of which each value has none.
pub(super) fn empty_bytes(array: &ArrayRef) -> Result<ArrayRef, Fault> {
    let offsets = OffsetBuffer::new_zeroed(array.len());
    Ok(Arc::new(BinaryArray::new(offsets, Vec::<u8>::new().into(), array.nulls().cloned())))
}
