//! Nested Arrow data from rows: what metadata is made of.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, FieldRef, Fields};
use bowshot_core::{Error, ErrorKind, Result};

/// A list for each length, of the values in their order; NULL where there is no length.
pub(crate) fn list(kind: &DataType, lengths: &[Option<usize>], values: ArrayRef) -> Result<ArrayRef> {
    let DataType::List(item) = kind else { return Err(shape(kind)) };
    let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| length.unwrap_or_default()));
    let nulls = NullBuffer::from_iter(lengths.iter().map(Option::is_some));
    let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
    Ok(Arc::new(ListArray::try_new(Arc::clone(item), offsets, values, nulls)?))
}

/// A struct of these columns; where it is shorter than the type, the rest is NULL.
pub(crate) fn structs(kind: &DataType, mut columns: Vec<ArrayRef>, rows: usize) -> Result<ArrayRef> {
    let fields = fields(kind)?;
    for field in fields.iter().skip(columns.len()) {
        columns.push(arrow_array::new_null_array(field.data_type(), rows));
    }
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, None, rows)?))
}

/// The fields of a struct.
pub(crate) fn fields(kind: &DataType) -> Result<&Fields> {
    match kind {
        DataType::Struct(fields) => Ok(fields),
        _ => Err(shape(kind)),
    }
}

/// A field of a struct, by its name.
pub(crate) fn field<'a>(kind: &'a DataType, name: &str) -> Result<&'a FieldRef> {
    fields(kind)?.iter().find(|field| field.name() == name).ok_or_else(|| shape(kind))
}

fn shape(kind: &DataType) -> Error {
    Error::new(ErrorKind::Internal, format!("ADBC's metadata has another shape than {kind}; please report this"))
}
