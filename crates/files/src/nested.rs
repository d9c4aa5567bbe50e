//! Types within types.

use std::sync::Arc;

use arrow_schema::{DataType, Field};

/// Whether a type, or one within it, is of a kind.
pub(crate) fn any(of: &DataType, kind: &dyn Fn(&DataType) -> bool) -> bool {
    let within = |field: &Arc<Field>| any(field.data_type(), kind);
    match of {
        DataType::Dictionary(_, values) => any(values, kind),
        DataType::Struct(fields) => fields.iter().any(within),
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) | DataType::LargeListView(item) => {
            within(item)
        }
        DataType::FixedSizeList(item, _) | DataType::Map(item, _) => within(item),
        DataType::RunEndEncoded(_, values) => within(values),
        other => kind(other),
    }
}

/// The type with others in place of those that have none within them, each of which is asked for once and in order.
pub(crate) fn mapped(of: &DataType, leaf: &mut dyn FnMut(&DataType) -> DataType) -> DataType {
    let mut within =
        |field: &Arc<Field>| Arc::new(field.as_ref().clone().with_data_type(mapped(field.data_type(), leaf)));
    match of {
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(mapped(values, leaf))),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(within).collect()),
        DataType::List(item) => DataType::List(within(item)),
        DataType::LargeList(item) => DataType::LargeList(within(item)),
        DataType::ListView(item) => DataType::ListView(within(item)),
        DataType::LargeListView(item) => DataType::LargeListView(within(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(within(item), *length),
        DataType::Map(entries, sorted) => DataType::Map(within(entries), *sorted),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(Arc::clone(ends), within(values)),
        other => leaf(other),
    }
}
