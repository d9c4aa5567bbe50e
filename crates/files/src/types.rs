//! What a column is called in its file, which a field keeps in its metadata.

use std::collections::HashMap;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{SOURCE_TYPE, format_type};
use parquet::basic::{LogicalType, TimeUnit};
use parquet::schema::types::Type;

/// The schema of an Arrow file: every field with the name of its type.
pub(crate) fn arrow(schema: &Schema) -> SchemaRef {
    named(schema, |_, field| format_type(field.data_type()))
}

/// The schema of a Parquet file: every field with its physical and logical type.
pub(crate) fn parquet(schema: &Schema, root: &Type) -> SchemaRef {
    named(schema, |place, field| match root.get_fields().get(place) {
        // Its name is kept from the crate, which would drop a part of its values.
        Some(_) if matches!(field.data_type(), DataType::Interval(_)) => "FIXED_LEN_BYTE_ARRAY (INTERVAL)".to_owned(),
        Some(column) => parquet_name(column),
        None => format_type(field.data_type()),
    })
}

fn named(schema: &Schema, name: impl Fn(usize, &Field) -> String) -> SchemaRef {
    let field = |(place, field): (usize, &std::sync::Arc<Field>)| {
        let mut metadata: HashMap<String, String> = field.metadata().clone();
        // A number that the writer counts its columns with, of no use outside of the file.
        metadata.remove(parquet::arrow::PARQUET_FIELD_ID_META_KEY);
        metadata.insert(SOURCE_TYPE.to_owned(), name(place, field));
        field.as_ref().clone().with_metadata(metadata)
    };
    // The schema's own metadata is for other programs (pandas' index, GeoParquet): it would not fit a projection.
    std::sync::Arc::new(Schema::new(schema.fields().iter().enumerate().map(field).collect::<Vec<_>>()))
}

fn parquet_name(column: &Type) -> String {
    let info = column.get_basic_info();
    let logical = match info.logical_type_ref() {
        Some(LogicalType::Decimal(_)) => match column {
            Type::PrimitiveType { scale, precision, .. } => Some(format!("DECIMAL({precision}, {scale})")),
            Type::GroupType { .. } => None,
        },
        Some(LogicalType::Timestamp(of)) => {
            Some(format!("TIMESTAMP({}{})", unit(&of.unit), if of.is_adjusted_to_u_t_c { ", UTC" } else { "" }))
        }
        Some(LogicalType::Time(of)) => Some(format!("TIME({})", unit(&of.unit))),
        Some(other) => {
            let text = format!("{other:?}");
            Some(text.split([' ', '{', '(']).next().unwrap_or_default().to_uppercase())
        }
        None => {
            let converted = info.converted_type();
            (converted != parquet::basic::ConvertedType::NONE).then(|| converted.to_string())
        }
    };
    match (column, logical) {
        (Type::PrimitiveType { physical_type, .. }, Some(logical)) => format!("{physical_type} ({logical})"),
        (Type::PrimitiveType { physical_type, .. }, None) => physical_type.to_string(),
        (Type::GroupType { .. }, Some(logical)) => logical,
        (Type::GroupType { .. }, None) => "GROUP".to_owned(),
    }
}

fn unit(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::MILLIS => "MILLIS",
        TimeUnit::MICROS => "MICROS",
        TimeUnit::NANOS => "NANOS",
    }
}
