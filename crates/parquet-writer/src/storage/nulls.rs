//! NULLs where a schema promises that there are none: Parquet's library would store what lies below them.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::fault::Fault;

/// Finds the first NULL of a column that is declared to have none, below rows that are not NULL themselves.
pub(super) fn check(
    path: &str,
    data_type: &DataType,
    array: &ArrayRef,
    live: Option<&NullBuffer>,
) -> Result<(), Fault> {
    if !array.is_nullable() {
        return Ok(());
    }
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(()) };
    let is_live = |row: usize| live.is_none_or(|live| live.is_valid(row));
    match (0..nulls.len()).find(|row| nulls.is_null(*row) && is_live(*row)) {
        Some(row) => {
            let holds = "NULL, though the schema says that it never does,";
            Err(Fault::new(row, path, data_type, holds, "declare the field nullable"))
        }
        None => Ok(()),
    }
}
