//! The schemas of answers, field by field as the comments of `FlightSql.proto` have them.

use arrow_schema::{DataType, Schema, SchemaRef};
use bowshot_gateway_catalog::{
    catalogs_schema, db_schemas_schema, foreign_keys_schema, primary_keys_schema, table_types_schema, tables_schema,
    xdbc_type_info_schema,
};

/// A schema in the words of the protocol.
fn words(schema: &Schema) -> Vec<String> {
    let field = |field: &arrow_schema::FieldRef| {
        let name = match field.data_type() {
            DataType::Utf8 => "utf8",
            DataType::Binary => "bytes",
            DataType::Boolean => "bool",
            DataType::Int32 => "int32",
            DataType::UInt8 => "uint8",
            DataType::List(item) if *item.data_type() == DataType::Utf8 && !item.is_nullable() => "list<utf8 not null>",
            other => panic!("{other} is in no schema of the protocol"),
        };
        format!("{}: {name}{}", field.name(), if field.is_nullable() { "" } else { " not null" })
    };
    schema.fields().iter().map(field).collect()
}

#[track_caller]
fn is(schema: SchemaRef, expected: &str) {
    let expected: Vec<_> = expected.split(',').map(|field| field.trim().to_owned()).collect();
    assert_eq!(words(&schema), expected);
    assert!(schema.metadata().is_empty() && schema.fields().iter().all(|field| field.metadata().is_empty()));
}

#[test]
fn listings_have_the_schemas_of_the_protocol() {
    is(catalogs_schema(), "catalog_name: utf8 not null");
    is(db_schemas_schema(), "catalog_name: utf8, db_schema_name: utf8 not null");
    let tables = "catalog_name: utf8, db_schema_name: utf8, table_name: utf8 not null, table_type: utf8 not null";
    is(tables_schema(false), tables);
    is(tables_schema(true), &format!("{tables}, table_schema: bytes not null"));
    is(table_types_schema(), "table_type: utf8 not null");
}

#[test]
fn keys_have_the_schemas_of_the_protocol() {
    is(
        primary_keys_schema(),
        "catalog_name: utf8, db_schema_name: utf8, table_name: utf8 not null, column_name: utf8 not null, \
         key_name: utf8, key_sequence: int32 not null",
    );
    is(
        foreign_keys_schema(),
        "pk_catalog_name: utf8, pk_db_schema_name: utf8, pk_table_name: utf8 not null, pk_column_name: utf8 not null, \
         fk_catalog_name: utf8, fk_db_schema_name: utf8, fk_table_name: utf8 not null, fk_column_name: utf8 not null, \
         key_sequence: int32 not null, fk_key_name: utf8, pk_key_name: utf8, update_rule: uint8 not null, \
         delete_rule: uint8 not null",
    );
}

#[test]
fn types_have_the_schema_of_the_protocol() {
    is(
        xdbc_type_info_schema(),
        "type_name: utf8 not null, data_type: int32 not null, column_size: int32, literal_prefix: utf8, \
         literal_suffix: utf8, create_params: list<utf8 not null>, nullable: int32 not null, \
         case_sensitive: bool not null, searchable: int32 not null, unsigned_attribute: bool, \
         fixed_prec_scale: bool not null, auto_increment: bool, local_type_name: utf8, minimum_scale: int32, \
         maximum_scale: int32, sql_data_type: int32 not null, datetime_subcode: int32, num_prec_radix: int32, \
         interval_precision: int32",
    );
}
