//! Text that is not UTF-8, as people have it: the error says so, and the user may take the column as bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind};

use crate::nested::{any, mapped};

/// The error of a column that holds other bytes.
#[cold]
pub(crate) fn not_text(column: &str, place: &str) -> Error {
    Error::new(ErrorKind::Value, format!("column \"{column}\" holds text that is not UTF-8 in {place}"))
        .with_column(column)
        .with_hint(format!("read it as bytes: types={{\"{column}\": \"binary\"}}"))
}

/// The user's types without those that are settled: of a column of lists or structs, `binary` means that its texts are bytes.
pub(crate) fn not_settled(schema: &Schema, types: &BTreeMap<String, DataType>) -> BTreeMap<String, DataType> {
    let settled = |name: &String, wanted: &DataType| {
        let fields = schema.fields().iter().filter(|field| field.name() == name);
        let mut fields = fields.filter(|field| field.data_type().is_nested());
        fields.any(|field| !wanted.is_nested() && holds_bytes(wanted) && holds_bytes(field.data_type()))
    };
    let left = types.iter().filter(|(name, wanted)| !settled(name, wanted));
    left.map(|(name, wanted)| (name.clone(), wanted.clone())).collect()
}

/// The schema in which text is bytes that the user wants as such.
pub(crate) fn as_bytes(schema: &Schema, types: &BTreeMap<String, DataType>) -> SchemaRef {
    wished(schema, types).unwrap_or_else(|| Arc::new(schema.clone()))
}

/// The schema with text that the user wants as bytes: it is then read as such, and never checked; `None` where there is none.
pub(crate) fn wished(schema: &Schema, types: &BTreeMap<String, DataType>) -> Option<SchemaRef> {
    let wish = |field: &Field| {
        let wanted = types.get(field.name()).filter(|wanted| holds_bytes(wanted) && holds_text(field.data_type()))?;
        Some(match (field.data_type(), wanted) {
            (
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View,
                DataType::LargeBinary | DataType::BinaryView,
            ) => wanted.clone(),
            (ours, _) => bytes_of_text(ours),
        })
    };
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

/// Whether a type has bytes in it, and no text.
pub(crate) fn holds_bytes(of: &DataType) -> bool {
    any(of, &|of| matches!(of, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)) && !holds_text(of)
}

pub(crate) fn holds_text(of: &DataType) -> bool {
    any(of, &|of| matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View))
}

/// The type with bytes in place of text, of which each has the layout of the other.
fn bytes_of_text(of: &DataType) -> DataType {
    mapped(of, &mut |of| match of {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        other => other.clone(),
    })
}
