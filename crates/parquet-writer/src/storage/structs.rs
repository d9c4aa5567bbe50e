//! Structs, whose fields are stored one by one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::Column;
use crate::fault::Fault;

pub(super) fn store(
    column: &Column,
    children: &[Column],
    array: &ArrayRef,
    live: Option<&NullBuffer>,
) -> Result<ArrayRef, Fault> {
    let rows = array.as_struct();
    let live = NullBuffer::union(rows.nulls(), live);
    let stored = rows.columns().iter().zip(children).map(|(array, child)| child.store(array, live.as_ref()));
    let stored = stored.collect::<Result<Vec<_>, _>>()?;
    let DataType::Struct(fields) = column.physical.data_type() else { return Ok(Arc::clone(array)) };
    // What this array has no NULL for may still stand below one further up, where NULLs of the fields do not matter.
    let nulls = if fields.iter().all(|field| field.is_nullable()) { rows.nulls().cloned() } else { live };
    let made = StructArray::try_new_with_length(fields.clone(), stored, nulls, rows.len());
    Ok(Arc::new(made.map_err(|error| column.broken(&error))?))
}
