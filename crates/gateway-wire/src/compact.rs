//! Arrays without what they do not show.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, ArrayRef, GenericByteViewArray, UInt32Array};
use arrow_cast::cast;
use arrow_schema::{DataType, UnionMode};
use arrow_select::take::take;
use bowshot_core::{Error, ErrorKind, Result};

use crate::nested::with_children;

/// The same values, in memory that holds no others: a message is written with all that an array of views, or a dense union, points
/// into, however little of it the array shows. Arrays of other types are cut where they are written, and stay as they are.
pub(crate) fn compact(array: &ArrayRef) -> Result<ArrayRef> {
    let of = array.data_type().clone();
    if is_loose(&of) { tightened(array, &of) } else { Ok(Arc::clone(array)) }
}

/// Whether an array of this type may hold more than it shows.
fn is_loose(of: &DataType) -> bool {
    match of {
        DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::Union(_, UnionMode::Dense) => true,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => is_loose(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| is_loose(field.data_type())),
        DataType::Union(fields, UnionMode::Sparse) => fields.iter().any(|(_, field)| is_loose(field.data_type())),
        _ => false,
    }
}

fn tightened(array: &ArrayRef, of: &DataType) -> Result<ArrayRef> {
    match of {
        DataType::Utf8View => Ok(views(array, array.as_string_view())),
        DataType::BinaryView => Ok(views(array, array.as_binary_view())),
        DataType::ListView(field) => {
            let lists = cast(array, &DataType::List(Arc::clone(field)))?;
            Ok(cast(&compact(&lists)?, of)?)
        }
        DataType::LargeListView(field) => {
            let lists = cast(array, &DataType::LargeList(Arc::clone(field)))?;
            Ok(cast(&compact(&lists)?, of)?)
        }
        DataType::Union(_, UnionMode::Dense) => {
            let rows = u32::try_from(array.len())
                .map_err(|_| Error::new(ErrorKind::Unsupported, "a batch of more than 2^32 rows holds a union"))?;
            let taken = take(array.as_ref(), &UInt32Array::from_iter_values(0..rows), None)?;
            Ok(with_children(&taken, of, |child, _| compact(child))?.unwrap_or(taken))
        }
        _ => Ok(with_children(array, of, |child, _| compact(child))?.unwrap_or_else(|| Arc::clone(array))),
    }
}

fn views<V: ByteViewType>(array: &ArrayRef, views: &GenericByteViewArray<V>) -> ArrayRef {
    let held: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
    if held > views.total_buffer_bytes_used() { Arc::new(views.gc()) } else { Arc::clone(array) }
}
