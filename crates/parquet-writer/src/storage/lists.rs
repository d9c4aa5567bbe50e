//! Lists, maps and list views, whose items are stored in one go.
//!
//! Only items that some row has are looked at: what lies before a slice, behind it or under a NULL is left out.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, UInt64Array};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use arrow_select::take::take;
use bowshot_core::Result as BowshotResult;

use super::{Column, unsupported};
use crate::fault::Fault;

/// What a list is stored as.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    List,
    Large,
    FixedSize(i32),
    Map { sorted: bool },
}

impl Shape {
    /// The shape of a type, and its items' field as Parquet needs it.
    pub(super) fn new(given: &DataType, item: &FieldRef, path: &str) -> BowshotResult<(Self, FieldRef)> {
        let shape = match given {
            DataType::LargeList(_) | DataType::LargeListView(_) => Shape::Large,
            DataType::FixedSizeList(_, size) if *size > 0 => Shape::FixedSize(*size),
            DataType::Map(_, sorted) => {
                let entries = match item.data_type() {
                    DataType::Struct(fields) => match fields.as_ref() {
                        [key, value] => Some([key.as_ref().clone().with_nullable(false), value.as_ref().clone()]),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(entries) = entries else {
                    let why = "the entries of a map are structs of a key and a value";
                    return Err(unsupported(path, given, why, "make it a list of structs"));
                };
                let entries = DataType::Struct(Vec::from(entries).into());
                let item = item.as_ref().clone().with_data_type(entries).with_nullable(false);
                return Ok((Shape::Map { sorted: *sorted }, Arc::new(item)));
            }
            // Lists of no items each have nothing that a fixed size would say.
            _ => Shape::List,
        };
        Ok((shape, Arc::clone(item)))
    }

    pub(super) fn is_map(self) -> bool {
        matches!(self, Shape::Map { .. })
    }

    /// The type with these items.
    pub(super) fn data_type(self, item: FieldRef) -> DataType {
        match self {
            Shape::List => DataType::List(item),
            Shape::Large => DataType::LargeList(item),
            Shape::FixedSize(size) => DataType::FixedSizeList(item, size),
            Shape::Map { sorted } => DataType::Map(item, sorted),
        }
    }
}

pub(super) fn store(
    column: &Column,
    shape: Shape,
    item: &Column,
    array: &ArrayRef,
    live: Option<&NullBuffer>,
) -> Result<ArrayRef, Fault> {
    let nulls = NullBuffer::union(array.nulls(), live);
    let field = Arc::clone(item.physical());
    if let Shape::FixedSize(size) = shape {
        let list = array.as_fixed_size_list();
        let items = usize::try_from(size).unwrap_or(1).max(1);
        let below = nulls.as_ref().map(|nulls| nulls.expand(items));
        let stored = item.store(list.values(), below.as_ref()).map_err(|fault| {
            let row = fault.row / items;
            fault.at(row)
        })?;
        let made = FixedSizeListArray::try_new_with_length(field, size, stored, nulls, list.len());
        return Ok(Arc::new(made.map_err(|error| column.broken(&error))?));
    }
    let (ranges, values) = ranges(array);
    let Items { lengths, values } =
        Items::of(&ranges, values, nulls.as_ref()).map_err(|error| column.broken(&error))?;
    let stored = item.store(&values, None).map_err(|fault| {
        let row = row_of(&lengths, fault.row);
        fault.at(row)
    })?;
    let made = match shape {
        Shape::Large => list::<i64>(column, field, &lengths, stored, nulls),
        Shape::Map { sorted } => {
            let offsets = offsets::<i32>(column, &lengths)?;
            let entries = stored.as_struct().clone();
            let map = MapArray::try_new(field, offsets, entries, nulls, sorted);
            map.map(|map| Arc::new(map) as ArrayRef).map_err(|error| column.broken(&error))
        }
        _ => list::<i32>(column, field, &lengths, stored, nulls),
    }?;
    Ok(made)
}

fn list<O: OffsetSizeTrait>(
    column: &Column,
    field: Arc<Field>,
    lengths: &[usize],
    values: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, Fault> {
    let made = GenericListArray::<O>::try_new(field, offsets(column, lengths)?, values, nulls);
    Ok(Arc::new(made.map_err(|error| column.broken(&error))?))
}

fn offsets<O: OffsetSizeTrait>(column: &Column, lengths: &[usize]) -> Result<OffsetBuffer<O>, Fault> {
    let mut offsets = Vec::with_capacity(lengths.len().saturating_add(1));
    let mut end = 0_usize;
    offsets.push(O::default());
    for (row, length) in lengths.iter().enumerate() {
        end = end.saturating_add(*length);
        let Some(offset) = O::from_usize(end) else {
            return Err(column.fault(row, format!("item {end} of one batch"), "write smaller batches"));
        };
        offsets.push(offset);
    }
    // Lengths have no sign, so offsets never fall.
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}

/// The row that an item belongs to.
fn row_of(lengths: &[usize], item: usize) -> usize {
    let mut end = 0_usize;
    let found = lengths.iter().position(|length| {
        end = end.saturating_add(*length);
        item < end
    });
    found.unwrap_or_default()
}

/// Where the items of each row are.
fn ranges(array: &ArrayRef) -> (Vec<Range<usize>>, ArrayRef) {
    match array.data_type() {
        DataType::List(_) => (between(array.as_list::<i32>().offsets()), Arc::clone(array.as_list::<i32>().values())),
        DataType::LargeList(_) => {
            (between(array.as_list::<i64>().offsets()), Arc::clone(array.as_list::<i64>().values()))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            (between(map.offsets()), Arc::new(map.entries().clone()))
        }
        DataType::ListView(_) => {
            let view = array.as_list_view::<i32>();
            (sized(view.offsets(), view.sizes()), Arc::clone(view.values()))
        }
        DataType::LargeListView(_) => {
            let view = array.as_list_view::<i64>();
            (sized(view.offsets(), view.sizes()), Arc::clone(view.values()))
        }
        // Lists of a fixed size of zero.
        _ => (vec![0..0; array.len()], array.as_fixed_size_list().values().slice(0, 0)),
    }
}

fn between<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>) -> Vec<Range<usize>> {
    offsets.iter().zip(offsets.iter().skip(1)).map(|(start, end)| start.as_usize()..end.as_usize()).collect()
}

fn sized<O: OffsetSizeTrait>(offsets: &[O], sizes: &[O]) -> Vec<Range<usize>> {
    let range = |(start, size): (&O, &O)| start.as_usize()..start.as_usize().saturating_add(size.as_usize());
    offsets.iter().zip(sizes).map(range).collect()
}

/// The items that rows have, in the order of the rows.
struct Items {
    lengths: Vec<usize>,
    values: ArrayRef,
}

impl Items {
    fn of(ranges: &[Range<usize>], values: ArrayRef, nulls: Option<&NullBuffer>) -> Result<Self, ArrowError> {
        let is_null = |row: usize| nulls.is_some_and(|nulls| nulls.is_null(row));
        let lengths: Vec<usize> =
            ranges.iter().enumerate().map(|(row, range)| if is_null(row) { 0 } else { range.len() }).collect();
        let mut used = ranges.iter().zip(&lengths).filter(|(_, length)| **length > 0).map(|(range, _)| range);
        let Some(first) = used.next() else { return Ok(Items { lengths, values: values.slice(0, 0) }) };
        let mut end = first.end;
        let is_whole = used.all(|range| {
            let follows = range.start == end;
            end = range.end;
            follows
        });
        if is_whole {
            // No copy, as nearly always.
            let values = values.slice(first.start, end - first.start);
            return Ok(Items { lengths, values });
        }
        let used = ranges.iter().zip(&lengths).filter(|(_, length)| **length > 0).map(|(range, _)| range);
        let wanted: UInt64Array = used.flat_map(Clone::clone).map(|item| u64::try_from(item).ok()).collect();
        Ok(Items { lengths, values: take(&values, &wanted, None)? })
    }
}
