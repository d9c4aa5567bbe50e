//! The user's kinds of text and bytes: decoded as such, where another kind would have to be copied afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};

/// The schema with the user's kinds of text and bytes; `None` where he wishes no other ones.
pub(super) fn wished(schema: &SchemaRef, types: &BTreeMap<String, DataType>) -> Option<SchemaRef> {
    let wish =
        |field: &Field| types.get(field.name()).filter(|wanted| is_other_kind(field.data_type(), wanted)).cloned();
    if !schema.fields().iter().any(|field| wish(field).is_some()) {
        return None;
    }
    let field = |field: &Arc<Field>| match wish(field) {
        Some(wanted) => Arc::new(field.as_ref().clone().with_data_type(wanted)),
        None => Arc::clone(field),
    };
    let fields: Vec<_> = schema.fields().iter().map(field).collect();
    Some(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// Whether both hold text, or both bytes, in different ways.
fn is_other_kind(ours: &DataType, wanted: &DataType) -> bool {
    let text = |of: &DataType| matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let bytes = |of: &DataType| matches!(of, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    ours != wanted && (text(ours) && text(wanted) || bytes(ours) && bytes(wanted))
}
