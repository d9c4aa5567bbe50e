//! The schemas that the answers have, for who must announce them before the answer is there.
//!
//! Clients compare them with their own, nullability included.

use std::sync::Arc;

use arrow_flight::sql::metadata::{
    GetCatalogsBuilder, GetDbSchemasBuilder, GetTablesBuilder, SqlInfoDataBuilder, XdbcTypeInfoDataBuilder,
};
use arrow_flight::sql::{CommandGetTableTypes, CommandGetTables};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

/// Of [`catalogs`](crate::catalogs) (CommandGetCatalogs).
pub fn catalogs_schema() -> SchemaRef {
    GetCatalogsBuilder::new().schema()
}

/// Of [`db_schemas`](crate::db_schemas) (CommandGetDbSchemas).
pub fn db_schemas_schema() -> SchemaRef {
    GetDbSchemasBuilder::new(None::<String>, None::<String>).schema()
}

/// Of [`tables`](crate::tables) (CommandGetTables), with or without the tables' own schemas.
pub fn tables_schema(include_schema: bool) -> SchemaRef {
    GetTablesBuilder::from(CommandGetTables { include_schema, ..CommandGetTables::default() }).schema()
}

/// Of [`table_types`](crate::table_types) (CommandGetTableTypes).
pub fn table_types_schema() -> SchemaRef {
    CommandGetTableTypes {}.into_builder().schema()
}

/// Of [`primary_keys`](crate::primary_keys) (CommandGetPrimaryKeys).
pub fn primary_keys_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("catalog_name", DataType::Utf8, true),
        Field::new("db_schema_name", DataType::Utf8, true),
        Field::new("table_name", DataType::Utf8, false),
        Field::new("column_name", DataType::Utf8, false),
        Field::new("key_name", DataType::Utf8, true),
        Field::new("key_sequence", DataType::Int32, false),
    ]))
}

/// Of [`imported_keys`](crate::imported_keys), [`exported_keys`](crate::exported_keys) and
/// [`cross_reference`](crate::cross_reference) (CommandGetImportedKeys, CommandGetExportedKeys,
/// CommandGetCrossReference).
pub fn foreign_keys_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("pk_catalog_name", DataType::Utf8, true),
        Field::new("pk_db_schema_name", DataType::Utf8, true),
        Field::new("pk_table_name", DataType::Utf8, false),
        Field::new("pk_column_name", DataType::Utf8, false),
        Field::new("fk_catalog_name", DataType::Utf8, true),
        Field::new("fk_db_schema_name", DataType::Utf8, true),
        Field::new("fk_table_name", DataType::Utf8, false),
        Field::new("fk_column_name", DataType::Utf8, false),
        Field::new("key_sequence", DataType::Int32, false),
        Field::new("fk_key_name", DataType::Utf8, true),
        Field::new("pk_key_name", DataType::Utf8, true),
        Field::new("update_rule", DataType::UInt8, false),
        Field::new("delete_rule", DataType::UInt8, false),
    ]))
}

/// Of [`sql_info`](crate::sql_info) (CommandGetSqlInfo).
pub fn sql_info_schema() -> SchemaRef {
    Arc::new(SqlInfoDataBuilder::schema().clone())
}

/// Of [`xdbc_type_info`](crate::xdbc_type_info) (CommandGetXdbcTypeInfo).
pub fn xdbc_type_info_schema() -> SchemaRef {
    XdbcTypeInfoDataBuilder::new().schema()
}
