//! A look at the times of a column, on whatever level they lie.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType,
};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{DataType, Field, TimeUnit};

use super::written::time;

const DAY: i32 = 86_400;

/// Whether a type is of times, or has some in it.
pub(super) fn holds_times(of: &DataType) -> bool {
    match of {
        DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::Dictionary(_, values) => holds_times(values),
        DataType::RunEndEncoded(_, values) => holds_times(values.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| holds_times(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| holds_times(field.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => holds_times(item.data_type()),
        _ => false,
    }
}

/// The type with the numbers that its times count in their place.
pub(super) fn numbers(of: &DataType) -> DataType {
    let within = |field: &Arc<Field>| Arc::new(field.as_ref().clone().with_data_type(numbers(field.data_type())));
    match of {
        DataType::Time32(_) => DataType::Int32,
        DataType::Time64(_) => DataType::Int64,
        DataType::Dictionary(_, values) => numbers(values),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(within).collect()),
        DataType::List(item) => DataType::List(within(item)),
        DataType::LargeList(item) => DataType::LargeList(within(item)),
        DataType::ListView(item) => DataType::ListView(within(item)),
        DataType::LargeListView(item) => DataType::LargeListView(within(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(within(item), *length),
        DataType::Map(entries, sorted) => DataType::Map(within(entries), *sorted),
        other => other.clone(),
    }
}

/// Whether a value outside of one day stands anywhere in the buffers of a column, NULLs among them: one pass over each.
pub(super) fn may_be_outside(column: &dyn Array) -> bool {
    match column.data_type() {
        DataType::Time32(TimeUnit::Second) => any::<Time32SecondType>(column, |value| !(0..DAY).contains(&value)),
        DataType::Time32(_) => any::<Time32MillisecondType>(column, |value| !(0..DAY * 1_000).contains(&value)),
        DataType::Time64(TimeUnit::Nanosecond) => {
            any::<Time64NanosecondType>(column, |value| !day(1_000_000_000).contains(&value))
        }
        DataType::Time64(_) => any::<Time64MicrosecondType>(column, |value| !day(1_000_000).contains(&value)),
        of if !holds_times(of) => false,
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            let range = list.value_offsets().first().zip(list.value_offsets().last());
            range.is_some_and(|(first, last)| may_be_within(list.values(), i64::from(*first)..i64::from(*last)))
        }
        DataType::LargeList(_) => {
            let list = column.as_list::<i64>();
            let range = list.value_offsets().first().zip(list.value_offsets().last());
            range.is_some_and(|(first, last)| may_be_within(list.values(), *first..*last))
        }
        DataType::Map(..) => {
            let map = column.as_map();
            let range = map.value_offsets().first().zip(map.value_offsets().last());
            let entries: ArrayRef = Arc::new(map.entries().clone());
            range.is_some_and(|(first, last)| may_be_within(&entries, i64::from(*first)..i64::from(*last)))
        }
        DataType::Struct(_) => column.as_struct().columns().iter().any(|child| may_be_outside(child.as_ref())),
        // Dictionaries, runs, views and the like: what they choose from.
        _ => column.to_data().child_data().iter().any(|child| may_be_outside(make_array(child.clone()).as_ref())),
    }
}

fn may_be_within(values: &ArrayRef, range: Range<i64>) -> bool {
    let range = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
    let range = range.filter(|(start, end)| start <= end && *end <= values.len());
    range.is_some_and(|(start, end)| may_be_outside(values.slice(start, end - start).as_ref()))
}

/// The counts of a day.
fn day(per_second: i64) -> Range<i64> {
    0..i64::from(DAY) * per_second
}

/// Without a look at NULLs, which may hide anything: the compiler makes vector code of it.
fn any<T: ArrowPrimitiveType>(column: &dyn Array, outside: impl Fn(T::Native) -> bool) -> bool {
    column.as_primitive::<T>().values().iter().fold(false, |found, value| found | outside(*value))
}

/// What a row holds that is not within one day; `None` where all is.
pub(super) fn outside(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    let wide = |count: i64, unit: TimeUnit, per_second| (!day(per_second).contains(&count)).then(|| time(count, unit));
    match column.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            wide(column.as_primitive::<Time32SecondType>().value(row).into(), TimeUnit::Second, 1)
        }
        DataType::Time32(_) => {
            wide(column.as_primitive::<Time32MillisecondType>().value(row).into(), TimeUnit::Millisecond, 1_000)
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            wide(column.as_primitive::<Time64NanosecondType>().value(row), TimeUnit::Nanosecond, 1_000_000_000)
        }
        DataType::Time64(_) => {
            wide(column.as_primitive::<Time64MicrosecondType>().value(row), TimeUnit::Microsecond, 1_000_000)
        }
        of if !holds_times(of) => None,
        DataType::List(_) => in_all(&column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => in_all(&column.as_list::<i64>().value(row)),
        DataType::ListView(_) => in_all(&column.as_list_view::<i32>().value(row)),
        DataType::LargeListView(_) => in_all(&column.as_list_view::<i64>().value(row)),
        DataType::FixedSizeList(..) => in_all(&column.as_fixed_size_list().value(row)),
        DataType::Map(..) => in_all(&(Arc::new(column.as_map().value(row)) as ArrayRef)),
        DataType::Struct(_) => column.as_struct().columns().iter().find_map(|child| outside(child.as_ref(), row)),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let key = *dictionary.normalized_keys().get(row)?;
            outside(dictionary.values().as_ref(), key)
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int32 => {
                let runs = column.as_run::<Int32Type>();
                outside(runs.values().as_ref(), runs.get_physical_index(row))
            }
            DataType::Int64 => {
                let runs = column.as_run::<Int64Type>();
                outside(runs.values().as_ref(), runs.get_physical_index(row))
            }
            _ => {
                let runs = column.as_run::<arrow_array::types::Int16Type>();
                outside(runs.values().as_ref(), runs.get_physical_index(row))
            }
        },
        DataType::Union(..) => in_all(&column.as_union().value(row)),
        _ => None,
    }
}

fn in_all(values: &ArrayRef) -> Option<String> {
    (0..values.len()).find_map(|place| outside(values.as_ref(), place))
}
