//! Columns, in the shape of ADBC's `GetObjects`: what ODBC and JDBC tell of them, as far as it is known.

use std::sync::Arc;

use adbc_core::schemas::COLUMN_SCHEMA;
use arrow_array::{ArrayRef, BooleanArray, Int16Array, Int32Array, StringArray, new_null_array};
use arrow_schema::Schema;
use bowshot_catalog::Column;
use bowshot_core::{Result, SOURCE_TYPE, format_type};

use crate::lists::{fields, structs};

/// A column and its place in its table, counted from 1.
pub(crate) struct Described {
    pub(crate) place: i32,
    pub(crate) column: Column,
}

/// The columns of a table of which only its rows tell.
pub(crate) fn of_schema(schema: &Schema) -> Vec<Described> {
    let described = |(place, field): (i32, &Arc<arrow_schema::Field>)| {
        let own = field.metadata().get(SOURCE_TYPE).cloned();
        let column = Column {
            name: field.name().clone(),
            type_name: Some(own.unwrap_or_else(|| format_type(field.data_type()))),
            nullable: field.is_nullable(),
            ..Column::default()
        };
        Described { place, column }
    };
    (1..).zip(schema.fields()).map(described).collect()
}

/// The columns as an array of ADBC's structs.
pub(crate) fn array(columns: &[Described]) -> Result<ArrayRef> {
    let kind = &*COLUMN_SCHEMA;
    let rows = columns.len();
    let text = |value: fn(&Column) -> Option<&str>| -> ArrayRef {
        Arc::new(columns.iter().map(|described| value(&described.column)).collect::<StringArray>())
    };
    let array = |name: &str| -> Option<ArrayRef> {
        let all = columns.iter();
        Some(match name {
            "column_name" => text(|column| Some(&column.name)),
            "ordinal_position" => Arc::new(all.map(|described| Some(described.place)).collect::<Int32Array>()),
            "remarks" => text(|column| column.remarks.as_deref()),
            "xdbc_type_name" => text(|column| column.type_name.as_deref()),
            "xdbc_column_size" => Arc::new(all.map(|described| described.column.precision).collect::<Int32Array>()),
            "xdbc_decimal_digits" => {
                let digits = |described: &Described| described.column.scale.and_then(|scale| i16::try_from(scale).ok());
                Arc::new(all.map(digits).collect::<Int16Array>())
            }
            "xdbc_nullable" => {
                Arc::new(all.map(|described| Some(i16::from(described.column.nullable))).collect::<Int16Array>())
            }
            "xdbc_is_nullable" => text(|column| Some(if column.nullable { "YES" } else { "NO" })),
            "xdbc_is_autoincrement" => {
                Arc::new(all.map(|described| Some(described.column.auto_increment)).collect::<BooleanArray>())
            }
            _ => return None,
        })
    };
    let known =
        |field: &arrow_schema::FieldRef| array(field.name()).unwrap_or_else(|| new_null_array(field.data_type(), rows));
    structs(kind, fields(kind)?.iter().map(known).collect(), rows)
}
