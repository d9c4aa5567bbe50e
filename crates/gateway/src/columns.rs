//! What a result's schema says of its columns beside names and types: the metadata that Flight SQL names.
//!
//! The keys are those of `FlightSqlColumnMetadata` in Arrow's libraries and of `CommandGetTables` in `FlightSql.proto`; JDBC's
//! `ResultSetMetaData` is made of them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use bowshot_core::{Origin, Plan, SOURCE_TYPE};
use bowshot_gateway_wire::{Client, presented};

/// The plan, whose columns say from which table of the source they come, where they do.
pub(crate) fn of_source(mut plan: Plan, source: &str) -> Plan {
    let origins = plan.scan.origins();
    if origins.len() == plan.schema.fields().len() {
        let fields = plan.schema.fields().iter().zip(origins);
        let fields: Vec<FieldRef> = fields.map(|(field, origin)| with_origin(field, origin, source)).collect();
        plan.schema = Arc::new(Schema::new_with_metadata(fields, plan.schema.metadata().clone()));
    }
    plan
}

fn with_origin(field: &FieldRef, origin: Option<Origin>, source: &str) -> FieldRef {
    let Some(Origin { schema, table }) = origin else { return Arc::clone(field) };
    let facts = [
        ("CATALOG_NAME", Some(source.to_owned())),
        // The protocol's comment says DB_SCHEMA_NAME, all its libraries say SCHEMA_NAME.
        ("DB_SCHEMA_NAME", schema.clone()),
        ("SCHEMA_NAME", schema),
        ("TABLE_NAME", Some(table)),
    ];
    with_facts(field, facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))))
}

/// The schema of a result as a client is shown it.
pub(crate) fn shown(schema: &Schema, client: Client) -> SchemaRef {
    let schema = presented(schema, client);
    let fields = schema.fields().iter().map(|field| with_facts(field, facts(field)));
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// What is known of every column: the gateway changes nothing.
fn facts(field: &Field) -> impl Iterator<Item = (&'static str, String)> {
    let (precision, scale) = digits(field.data_type());
    let number = |number: Option<i16>| number.map(|number| number.to_string());
    let facts = [
        ("TYPE_NAME", field.metadata().get(SOURCE_TYPE).cloned()),
        ("PRECISION", number(precision)),
        ("SCALE", number(scale)),
        ("IS_READ_ONLY", Some("1".to_owned())),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name, fact?)))
}

/// The decimal digits of a number, and how many of them follow the point: as JDBC counts them.
fn digits(of: &DataType) -> (Option<i16>, Option<i16>) {
    match of {
        DataType::Int8 | DataType::UInt8 => (Some(3), Some(0)),
        DataType::Int16 | DataType::UInt16 => (Some(5), Some(0)),
        DataType::Int32 | DataType::UInt32 => (Some(10), Some(0)),
        DataType::Int64 => (Some(19), Some(0)),
        DataType::UInt64 => (Some(20), Some(0)),
        DataType::Float32 => (Some(8), None),
        DataType::Float64 => (Some(17), None),
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            (Some(i16::from(*precision)), Some(i16::from(*scale)))
        }
        _ => (None, None),
    }
}

fn with_facts(field: &FieldRef, facts: impl Iterator<Item = (&'static str, String)>) -> FieldRef {
    let mut metadata: HashMap<String, String> = field.metadata().clone();
    metadata.extend(facts.map(|(name, fact)| (format!("ARROW:FLIGHT:SQL:{name}"), fact)));
    Arc::new(field.as_ref().clone().with_metadata(metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_says_what_is_known_of_it() {
        let price = Field::new("price", DataType::Decimal128(12, 2), true)
            .with_metadata([(SOURCE_TYPE.to_owned(), "numeric".to_owned())].into());
        let schema = Schema::new(vec![price, Field::new("note", DataType::Utf8View, true)]);
        let shown = shown(&schema, Client::default());
        let fact = |column: usize, name: &str| {
            shown.field(column).metadata().get(&format!("ARROW:FLIGHT:SQL:{name}")).cloned().unwrap_or_default()
        };
        let facts = ["TYPE_NAME", "PRECISION", "SCALE", "IS_READ_ONLY", "TABLE_NAME"];
        assert_eq!(facts.map(|name| fact(0, name)), ["numeric", "12", "2", "1", ""]);
        assert_eq!(facts.map(|name| fact(1, name)), ["", "", "", "1", ""]);
        assert_eq!(shown.field(1).data_type(), &DataType::Utf8);
        let origin = Origin { schema: Some("store".into()), table: "orders".into() };
        let known = with_origin(&shown.fields()[0], Some(origin), "shop");
        let names = ["CATALOG_NAME", "SCHEMA_NAME", "DB_SCHEMA_NAME", "TABLE_NAME", "SCALE"];
        let found = names.map(|name| known.metadata()[&format!("ARROW:FLIGHT:SQL:{name}")].as_str());
        assert_eq!(found, ["shop", "store", "store", "orders", "2"]);
    }
}
