//! Nested arrays with other children.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, GenericListViewArray, MapArray, OffsetSizeTrait,
    StructArray, UnionArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, Fields};
use bowshot_core::Result;

/// Makes an array one of the type that is given.
pub(crate) type Convert = fn(&ArrayRef, &DataType) -> Result<ArrayRef>;

/// The nested array with its children converted to those of `to`, of which only what the array shows is left; `None` where
/// `to` is not nested, or nested in another way.
pub(crate) fn with_children(array: &ArrayRef, to: &DataType, convert: Convert) -> Result<Option<ArrayRef>> {
    if std::mem::discriminant(array.data_type()) != std::mem::discriminant(to) {
        return Ok(None);
    }
    Ok(Some(match to {
        DataType::List(field) => list(array.as_list::<i32>(), field, convert)?,
        DataType::LargeList(field) => list(array.as_list::<i64>(), field, convert)?,
        DataType::ListView(field) => list_view(array.as_list_view::<i32>(), field, convert)?,
        DataType::LargeListView(field) => list_view(array.as_list_view::<i64>(), field, convert)?,
        DataType::FixedSizeList(field, size) => {
            let list = array.as_fixed_size_list();
            let values = convert(list.values(), field.data_type())?;
            let nulls = list.nulls().cloned();
            // Lists of no values tell nothing of how many they are.
            Arc::new(FixedSizeListArray::try_new_with_length(Arc::clone(field), *size, values, nulls, list.len())?)
        }
        DataType::Struct(fields) if same_names(fields, array.as_struct().fields()) => {
            let columns = array.as_struct().columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| convert(column, field.data_type())).collect::<Result<_>>()?;
            let nulls = array.nulls().cloned();
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, array.len())?)
        }
        DataType::Map(field, sorted) => {
            let map = array.as_map();
            let (offsets, entries) = shown(map.offsets(), &(Arc::new(map.entries().clone()) as ArrayRef));
            let entries = convert(&entries, field.data_type())?.as_struct().clone();
            Arc::new(MapArray::try_new(Arc::clone(field), offsets, entries, map.nulls().cloned(), *sorted)?)
        }
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let children = fields.iter().map(|(id, field)| convert(union.child(id), field.data_type()));
            let (children, ids, offsets) =
                (children.collect::<Result<_>>()?, union.type_ids().clone(), union.offsets().cloned());
            Arc::new(UnionArray::try_new(fields.clone(), ids, offsets, children)?)
        }
        _ => return Ok(None),
    }))
}

/// Fields that only swapped their names would show each other's values.
fn same_names(one: &Fields, other: &Fields) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.name() == other.name())
}

fn list<O: OffsetSizeTrait>(list: &GenericListArray<O>, field: &FieldRef, convert: Convert) -> Result<ArrayRef> {
    let (offsets, values) = shown(list.offsets(), list.values());
    let values = convert(&values, field.data_type())?;
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(field), offsets, values, list.nulls().cloned())?))
}

fn list_view<O: OffsetSizeTrait>(
    list: &GenericListViewArray<O>,
    field: &FieldRef,
    convert: Convert,
) -> Result<ArrayRef> {
    let values = convert(list.values(), field.data_type())?;
    let (offsets, sizes) = (list.offsets().clone(), list.sizes().clone());
    Ok(Arc::new(GenericListViewArray::try_new(Arc::clone(field), offsets, sizes, values, list.nulls().cloned())?))
}

/// The values that lists show, and the offsets into these.
fn shown<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, values: &ArrayRef) -> (OffsetBuffer<O>, ArrayRef) {
    let (first, length) = extent(offsets);
    if first == 0 {
        return (offsets.clone(), values.slice(0, length));
    }
    let base = O::usize_as(first);
    let moved: ScalarBuffer<O> = offsets.iter().map(|offset| *offset - base).collect();
    (OffsetBuffer::new(moved), values.slice(first, length))
}

/// Where the values begin that offsets speak of, and how many there are.
pub(crate) fn extent<O: OffsetSizeTrait>(offsets: &[O]) -> (usize, usize) {
    let [first, last] = [offsets.first(), offsets.last()].map(|offset| offset.map_or(0, |offset| offset.as_usize()));
    (first, last.saturating_sub(first))
}
