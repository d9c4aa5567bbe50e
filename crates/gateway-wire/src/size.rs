//! How long the body of a message will be.

use arrow_array::cast::AsArray;
use arrow_array::{Array, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, UnionMode};

use crate::nested::extent;
use crate::schema::ALIGNMENT;

/// The bytes of a message's body that holds this batch without compression: the buffers that are sent, each filled up to 64
/// bytes.
///
/// A slice counts for what it shows. It is exact, but for dense unions and list views, whose children are taken as
/// evenly used.
pub fn body_bytes(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| of_array(column.as_ref())).sum()
}

fn of_array(array: &dyn Array) -> usize {
    let rows = array.len();
    let validity = if array.null_count() > 0 { padded(rows.div_ceil(8)) } else { 0 };
    validity
        + match array.data_type() {
            DataType::Null => 0,
            DataType::Boolean => padded(rows.div_ceil(8)),
            DataType::Utf8 => texts(array.as_string::<i32>().value_offsets()),
            DataType::LargeUtf8 => texts(array.as_string::<i64>().value_offsets()),
            DataType::Binary => texts(array.as_binary::<i32>().value_offsets()),
            DataType::LargeBinary => texts(array.as_binary::<i64>().value_offsets()),
            DataType::FixedSizeBinary(width) => padded(rows.saturating_mul(usize::try_from(*width).unwrap_or(0))),
            DataType::Utf8View => padded(rows * 16) + padded(array.as_string_view().total_buffer_bytes_used()),
            DataType::BinaryView => padded(rows * 16) + padded(array.as_binary_view().total_buffer_bytes_used()),
            DataType::List(_) => list(array.as_list::<i32>()),
            DataType::LargeList(_) => list(array.as_list::<i64>()),
            DataType::Map(..) => {
                let map = array.as_map();
                let (first, length) = extent(map.value_offsets());
                offsets::<i32>(rows) + of_array(&map.entries().slice(first, length))
            }
            DataType::FixedSizeList(..) => of_array(array.as_fixed_size_list().values().as_ref()),
            DataType::Struct(_) => array.as_struct().columns().iter().map(|column| of_array(column.as_ref())).sum(),
            DataType::ListView(_) => {
                let list = array.as_list_view::<i32>();
                let shown = list.sizes().iter().map(|size| size.as_usize()).sum();
                2 * padded(rows * 4) + share(list.values().as_ref(), shown)
            }
            DataType::LargeListView(_) => {
                let list = array.as_list_view::<i64>();
                let shown = list.sizes().iter().map(|size| size.as_usize()).sum();
                2 * padded(rows * 8) + share(list.values().as_ref(), shown)
            }
            DataType::Union(fields, mode) => {
                let union = array.as_union();
                let children = fields.iter().map(|(id, _)| {
                    let child = union.child(id).as_ref();
                    match mode {
                        UnionMode::Sparse => of_array(child),
                        UnionMode::Dense => share(child, union.type_ids().iter().filter(|of| **of == id).count()),
                    }
                });
                let dense = if *mode == UnionMode::Dense { padded(rows * 4) } else { 0 };
                padded(rows) + dense + children.sum::<usize>()
            }
            other => padded(rows * other.primitive_width().unwrap_or(0)),
        }
}

/// What so many rows of an array take on average.
fn share(array: &dyn Array, rows: usize) -> usize {
    match array.len() {
        0 => 0,
        all => usize::try_from(of_array(array) as u128 * rows as u128 / all as u128).unwrap_or(usize::MAX),
    }
}

fn texts<O: OffsetSizeTrait>(value_offsets: &[O]) -> usize {
    padded(size_of_val(value_offsets)) + padded(extent(value_offsets).1)
}

fn list<O: OffsetSizeTrait>(list: &GenericListArray<O>) -> usize {
    let (first, length) = extent(list.value_offsets());
    offsets::<O>(list.len()) + of_array(list.values().slice(first, length).as_ref())
}

/// One offset more than rows; an array without rows has one, too.
fn offsets<O: OffsetSizeTrait>(rows: usize) -> usize {
    padded((rows + 1) * size_of::<O>())
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}
