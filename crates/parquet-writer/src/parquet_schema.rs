//! The two schemas of a file: Parquet's, and Arrow's beside it.

use std::sync::Arc;

use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::LogicalType;
use parquet::errors::Result;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// Parquet's schema of what is declared, with the names of lists and maps that its specification asks for.
///
/// # Errors
/// Parquet's library knows a type less than [`storage`](crate::storage) does.
pub(crate) fn descriptor(declared: &Schema) -> Result<SchemaDescriptor> {
    let converted = ArrowSchemaConverter::new().with_coerce_types(true).schema_root("schema").convert(declared)?;
    let root = converted.root_schema();
    let fields = root.get_fields().iter().zip(declared.fields()).map(|(of, field)| annotated(of, field));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(SchemaDescriptor::new(Arc::new(Type::group_type_builder(root.name()).with_fields(fields).build()?)))
}

/// A type with the logical types of Arrow's canonical extensions, which the library leaves out.
fn annotated(of: &TypePtr, field: &Field) -> Result<TypePtr> {
    if of.is_primitive() {
        return match extension(field) {
            Some(logical) => {
                let info = of.get_basic_info();
                let mut builder = Type::primitive_type_builder(of.name(), of.get_physical_type())
                    .with_repetition(info.repetition())
                    .with_logical_type(Some(logical))
                    .with_id(info.has_id().then(|| info.id()));
                if let DataType::FixedSizeBinary(length) = field.data_type() {
                    builder = builder.with_length(*length);
                }
                Ok(Arc::new(builder.build()?))
            }
            None => Ok(Arc::clone(of)),
        };
    }
    let children = of.get_fields();
    let changed = match field.data_type() {
        DataType::Struct(fields) => {
            children.iter().zip(fields).map(|(of, field)| annotated(of, field)).collect::<Result<Vec<_>>>()?
        }
        // The group in between repeats: `list` with the item, or `key_value` with both.
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            let repeated = |list: &TypePtr| {
                let items = list.get_fields().iter().map(|of| annotated(of, item)).collect::<Result<Vec<_>>>()?;
                group(list, items)
            };
            children.iter().map(repeated).collect::<Result<Vec<_>>>()?
        }
        DataType::Map(entries, _) => children.iter().map(|of| annotated(of, entries)).collect::<Result<Vec<_>>>()?,
        _ => return Ok(Arc::clone(of)),
    };
    group(of, changed)
}

fn group(of: &TypePtr, fields: Vec<TypePtr>) -> Result<TypePtr> {
    if of.get_fields().iter().zip(&fields).all(|(before, after)| Arc::ptr_eq(before, after)) {
        return Ok(Arc::clone(of));
    }
    let info = of.get_basic_info();
    let builder = Type::group_type_builder(of.name())
        .with_repetition(info.repetition())
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_id(info.has_id().then(|| info.id()))
        .with_fields(fields);
    Ok(Arc::new(builder.build()?))
}

fn extension(field: &Field) -> Option<LogicalType> {
    match (field.metadata().get(EXTENSION_TYPE_NAME_KEY)?.as_str(), field.data_type()) {
        ("arrow.uuid", DataType::FixedSizeBinary(16)) => Some(LogicalType::Uuid),
        ("arrow.json", DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => Some(LogicalType::Json),
        _ => None,
    }
}
