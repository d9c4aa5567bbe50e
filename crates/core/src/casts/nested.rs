//! Lists, structs and maps: their items, one by one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, StructArray, make_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer, OffsetBuffer};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, FieldRef, Fields};

use super::family::Family;
use super::turn::{Turned, Unfit, Writing, by_arrow, turn as turned};

pub(super) fn turn(column: &ArrayRef, wanted: &DataType, from: Family<'_>) -> Turned {
    match (from, wanted) {
        (Family::Struct(_), DataType::Struct(fields)) => structs(column, fields),
        (Family::Map(_), DataType::Map(entries, ordered)) => maps(column, entries, *ordered),
        (Family::List(..), DataType::FixedSizeList(item, count)) => {
            let Family::List(own, _) = from else { return Err(strange(column, wanted)) };
            let fixed = DataType::FixedSizeList(Arc::new(own.clone()), *count);
            let fixed = if *column.data_type() == fixed { Arc::clone(column) } else { by_arrow(column, &fixed)? };
            fixed_lists(&fixed, item, *count)
        }
        (Family::List(..), DataType::List(item)) => by_arrow(&lists::<i64>(&as_list(column)?, item)?, wanted),
        (Family::List(..), DataType::ListView(item) | DataType::LargeListView(item) | DataType::LargeList(item)) => {
            by_arrow(&lists::<i64>(&as_list(column)?, item)?, wanted)
        }
        _ => Err(strange(column, wanted)),
    }
}

fn strange(column: &ArrayRef, wanted: &DataType) -> Unfit {
    Unfit::Whole(format!("{} cannot become {wanted}", column.data_type()))
}

/// A list of any kind as one whose items lie one behind the other.
pub(super) fn as_list(column: &ArrayRef) -> Turned {
    match Family::of(column.data_type()) {
        Family::List(item, _) => by_arrow(column, &DataType::LargeList(Arc::new(item.clone()))),
        _ => Err(strange(column, &DataType::Null)),
    }
}

fn lists<O: OffsetSizeTrait>(column: &ArrayRef, item: &FieldRef) -> Turned {
    let list = column.as_list::<O>();
    let offsets = list.value_offsets();
    let first = offsets.first().map_or(0, |first| first.as_usize());
    let last = offsets.last().map_or(0, |last| last.as_usize());
    // Items of no list may be anything.
    let items = list.values().slice(first, last.saturating_sub(first));
    let offsets: Vec<O> = offsets.iter().map(|offset| O::usize_as(offset.as_usize() - first)).collect();
    let items = turned(&items, item.data_type(), Writing::Text).map_err(|unfit| inside(unfit, &items, &offsets))?;
    let offsets = OffsetBuffer::new(offsets.into());
    Ok(Arc::new(GenericListArray::<O>::try_new(Arc::clone(item), offsets, items, list.nulls().cloned())?))
}

fn fixed_lists(column: &ArrayRef, item: &FieldRef, count: i32) -> Turned {
    let list = column.as_fixed_size_list();
    let width = usize::try_from(count).unwrap_or(0);
    let hidden = list.nulls().map(|nulls| nulls.expand(width));
    let items = masked(list.values(), hidden.as_ref())?;
    let offsets: Vec<i64> = (0..=list.len()).filter_map(|row| i64::try_from(row * width).ok()).collect();
    let items = turned(&items, item.data_type(), Writing::Text).map_err(|unfit| inside(unfit, &items, &offsets))?;
    Ok(Arc::new(FixedSizeListArray::try_new(Arc::clone(item), count, items, list.nulls().cloned())?))
}

fn structs(column: &ArrayRef, fields: &Fields) -> Turned {
    let from = column.as_struct();
    let member = |(child, field): (&ArrayRef, &FieldRef)| {
        let child = masked(child, from.nulls())?;
        turned(&child, field.data_type(), Writing::Text).map_err(|unfit| match unfit {
            Unfit::Row(row) => Unfit::Inside(row, shown(&child, row)),
            other => other,
        })
    };
    let children = from.columns().iter().zip(fields).map(member).collect::<Result<Vec<_>, _>>()?;
    let length = from.len();
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), children, from.nulls().cloned(), length)?))
}

fn maps(column: &ArrayRef, entries: &FieldRef, ordered: bool) -> Turned {
    let map = column.as_map();
    let offsets = map.value_offsets();
    let first = offsets.first().map_or(0, |first| first.as_usize());
    let last = offsets.last().map_or(0, |last| last.as_usize());
    let own: ArrayRef = Arc::new(map.entries().slice(first, last.saturating_sub(first)));
    let offsets: Vec<i32> = offsets.iter().map(|offset| i32::usize_as(offset.as_usize() - first)).collect();
    let turned = turned(&own, entries.data_type(), Writing::Text).map_err(|unfit| inside(unfit, &own, &offsets))?;
    let turned = turned.as_struct().clone();
    let offsets = OffsetBuffer::new(offsets.into());
    Ok(Arc::new(MapArray::try_new(Arc::clone(entries), offsets, turned, map.nulls().cloned(), ordered)?))
}

/// The column with these rows NULL too: what lies under a NULL may be anything.
pub(super) fn masked(column: &ArrayRef, hidden: Option<&NullBuffer>) -> Turned {
    let keeps = matches!(Family::of(column.data_type()), Family::Null | Family::Union)
        || matches!(column.data_type(), DataType::RunEndEncoded(..));
    if keeps || hidden.is_none() {
        return Ok(Arc::clone(column));
    }
    let nulls = NullBuffer::union(column.nulls(), hidden);
    let data = column.to_data();
    let offset = data.offset();
    if offset == 0 {
        return Ok(make_array(data.into_builder().nulls(nulls).build()?));
    }
    // Bits of truth may begin within a byte.
    let whole = arrow_cast::cast(column, column.data_type())?;
    Ok(make_array(whole.to_data().into_builder().nulls(nulls).build()?))
}

/// What is wrong with an item, as the fault of its list.
pub(super) fn inside<O: OffsetSizeTrait>(unfit: Unfit, items: &ArrayRef, offsets: &[O]) -> Unfit {
    let list = |item: usize| offsets.partition_point(|start| start.as_usize() <= item).saturating_sub(1);
    match unfit {
        Unfit::Row(item) => Unfit::Inside(list(item), shown(items, item)),
        Unfit::Inside(item, value) => Unfit::Inside(list(item), value),
        other => other,
    }
}

/// A value for a message.
pub(super) fn shown(column: &ArrayRef, row: usize) -> String {
    let text = turned(&column.slice(row, 1), &DataType::LargeUtf8, Writing::Text);
    match text {
        Ok(text) => text.as_string::<i64>().value(0).to_owned(),
        Err(_) => array_value_to_string(column, row).unwrap_or_else(|_| "a value".to_owned()),
    }
}
