//! The fields of a result: the driver's, with the database's own names of their types.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE};

const EXTENSION: &str = "ARROW:extension:name";
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";

/// Where drivers keep the names of types.
const NAMES: [&str; 3] = ["POSTGRESQL:type", "ADBC:postgresql:typname", "ARROW:FLIGHT:SQL:TYPE_NAME"];

/// A column as the database describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) type_name: String,
}

/// The schema of a result whose driver says `raw`.
///
/// Extension types stay, except `arrow.opaque`, which says "a type that has no other name": its name becomes the
/// column's source type, and the column is the plain type that it is stored as. So does every column that `wishes`
/// turns into another type.
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported): a column whose values the driver cuts from what they mean.
pub(crate) fn fields(
    raw: &Schema,
    columns: Option<&[Described]>,
    wishes: &BTreeMap<String, DataType>,
) -> Result<SchemaRef> {
    let field = |(place, field): (usize, &Arc<Field>)| {
        let described = columns.and_then(|columns| columns.get(place));
        let name = described.map_or(field.name(), |column| &column.name);
        let mut metadata = field.metadata().clone();
        let source = described.map(|column| column.type_name.clone()).or_else(|| source_type(&metadata));
        let turned = wishes.get(name).is_some_and(|wish| wish != field.data_type());
        if turned || metadata.get(EXTENSION).is_some_and(|name| name == "arrow.opaque") {
            metadata.remove(EXTENSION);
            metadata.remove(EXTENSION_METADATA);
        }
        let data_type = match (metadata.get(NAMES[0]).map(String::as_str), field.data_type()) {
            // The driver says int32, and would make the upper half of them negative.
            (Some("oid"), DataType::Int32) => DataType::UInt32,
            (Some("money"), _) => return Err(money(name)),
            (_, other) => other.clone(),
        };
        if let Some(source) = source {
            metadata.insert(SOURCE_TYPE.to_owned(), source);
        }
        Ok(field.as_ref().clone().with_name(name).with_data_type(data_type).with_metadata(metadata))
    };
    let fields: Vec<Field> = raw.fields().iter().enumerate().map(field).collect::<Result<_>>()?;
    Ok(Arc::new(Schema::new_with_metadata(fields, raw.metadata().clone())))
}

fn money(name: &str) -> Error {
    let message = format!("column \"{name}\" is money, which the driver returns without saying in which unit");
    Error::new(ErrorKind::Unsupported, message)
        .with_column(name)
        .with_hint(format!("cast it in the query: \"{name}\"::numeric; or read with postgresql://"))
}

/// The database's name of the type, where the driver tells.
fn source_type(metadata: &HashMap<String, String>) -> Option<String> {
    NAMES.iter().find_map(|key| metadata.get(*key)).cloned().or_else(|| {
        let opaque = metadata.get(EXTENSION).is_some_and(|name| name == "arrow.opaque");
        opaque.then(|| metadata.get(EXTENSION_METADATA).and_then(|json| type_name(json))).flatten()
    })
}

/// `numeric` of `{"type_name": "numeric", "vendor_name": "PostgreSQL"}`.
fn type_name(json: &str) -> Option<String> {
    let (_, rest) = json.split_once("\"type_name\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, _) = rest.split_once('"')?;
    (!name.is_empty() && !name.contains('\\')).then(|| name.to_owned())
}

/// Whether batches of this schema can be put together without looking into them.
pub(crate) fn can_join(schema: &Schema) -> bool {
    let plain = |field: &Arc<Field>| {
        !matches!(
            field.data_type(),
            DataType::Dictionary(..) | DataType::RunEndEncoded(..) | DataType::Union(..) | DataType::Null
        )
    };
    schema.fields().iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extension(name: &str, metadata: &str) -> HashMap<String, String> {
        [(EXTENSION.to_owned(), name.to_owned()), (EXTENSION_METADATA.to_owned(), metadata.to_owned())].into()
    }

    #[test]
    fn opaque_columns_are_plain_and_keep_their_name() {
        let opaque = extension("arrow.opaque", r#"{"type_name": "numeric", "vendor_name": "PostgreSQL"}"#);
        let raw = Schema::new(vec![
            Field::new("price", DataType::Utf8, true).with_metadata(opaque),
            Field::new("id", DataType::FixedSizeBinary(16), true).with_metadata(extension("arrow.uuid", "")),
        ]);
        let schema = fields(&raw, None, &BTreeMap::new()).unwrap();
        assert_eq!(*schema.field(0).metadata(), [(SOURCE_TYPE.to_owned(), "numeric".to_owned())].into());
        assert_eq!(schema.field(1).metadata()[EXTENSION], "arrow.uuid");
        let turned = fields(&raw, None, &[("id".to_owned(), DataType::Binary)].into()).unwrap();
        assert!(turned.field(1).metadata().is_empty());
    }

    #[test]
    fn what_the_database_says_names_the_columns() {
        let raw = Schema::new(vec![Field::new("c0", DataType::Utf8, true)]);
        let columns = [Described { name: "at".into(), type_name: "TIME WITH TIME ZONE".into() }];
        let schema = fields(&raw, Some(&columns), &BTreeMap::new()).unwrap();
        assert_eq!(schema.field(0).name(), "at");
        assert_eq!(schema.field(0).metadata()[SOURCE_TYPE], "TIME WITH TIME ZONE");
    }
}
