//! The schema that a client is shown.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use crate::Client;

/// The schema that this client sees of a result, in `FlightInfo` and in `DoGet` alike: clients compare the two and refuse a
/// result where they differ.
///
/// Dictionaries and run-end encoded columns become their values, for every client: few read all of them, and a dictionary
/// cannot be cut into messages of a bounded size. Where the client does not read view types, `Utf8View` becomes `Utf8`, `BinaryView` `Binary`,
/// `ListView` `List` and `LargeListView` `LargeList`. Inside of nested types it is the same. Names, metadata and whether a field may be NULL
/// stay as they are. [`present`](crate::present) makes batches to match.
///
/// ```
/// use arrow_schema::{DataType, Field, Schema};
/// use bowshot_gateway_wire::{Client, presented};
///
/// let schema = Schema::new(vec![Field::new("city", DataType::Utf8View, true)]);
/// assert_eq!(presented(&schema, Client::of(None)).field(0).data_type(), &DataType::Utf8);
/// assert_eq!(*presented(&schema, Client::of(Some("bowshot/1.0"))), schema);
/// ```
pub fn presented(schema: &Schema, client: Client) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(|field| shown(field, client.reads_views())).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The type that a column is sent as, to clients with `views` or without.
pub(crate) fn plain(of: &DataType, views: bool) -> DataType {
    let inner = |field: &FieldRef| shown(field, views);
    match of {
        DataType::Utf8View if !views => DataType::Utf8,
        DataType::BinaryView if !views => DataType::Binary,
        DataType::ListView(field) if !views => DataType::List(inner(field)),
        DataType::LargeListView(field) if !views => DataType::LargeList(inner(field)),
        DataType::Dictionary(_, values) => plain(values, views),
        DataType::RunEndEncoded(_, values) => plain(values.data_type(), views),
        DataType::ListView(field) => DataType::ListView(inner(field)),
        DataType::LargeListView(field) => DataType::LargeListView(inner(field)),
        DataType::List(field) => DataType::List(inner(field)),
        DataType::LargeList(field) => DataType::LargeList(inner(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(inner(field), *size),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, field)| (id, inner(field))).collect(), *mode)
        }
        other => other.clone(),
    }
}

fn shown(field: &FieldRef, views: bool) -> FieldRef {
    let to = plain(field.data_type(), views);
    if &to == field.data_type() {
        return Arc::clone(field);
    }
    // Not the field with another type: that would keep what belongs to a dictionary.
    Arc::new(Field::new(field.name(), to, field.is_nullable()).with_metadata(field.metadata().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(of: DataType) -> FieldRef {
        Arc::new(Field::new("item", of, false).with_metadata([("note".to_owned(), "kept".to_owned())].into()))
    }

    /// Every type that changes, within `outer`, and what it becomes without views.
    fn changing() -> Vec<(DataType, DataType)> {
        let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int8), Box::new(values));
        let runs = DataType::RunEndEncoded(
            Arc::new(Field::new("run_ends", DataType::Int32, false)),
            Arc::new(Field::new("values", DataType::Utf8View, true)),
        );
        vec![
            (DataType::Utf8View, DataType::Utf8),
            (DataType::BinaryView, DataType::Binary),
            (DataType::ListView(field(DataType::Utf8View)), DataType::List(field(DataType::Utf8))),
            (DataType::LargeListView(field(DataType::Int8)), DataType::LargeList(field(DataType::Int8))),
            (dictionary(DataType::Utf8View), DataType::Utf8),
            (dictionary(DataType::Struct([field(dictionary(DataType::Int8))].into())), {
                DataType::Struct([field(DataType::Int8)].into())
            }),
            (runs, DataType::Utf8),
        ]
    }

    #[test]
    fn what_a_client_cannot_read_becomes_plain_at_every_depth() {
        for (from, to) in changing() {
            let nests: [fn(FieldRef) -> DataType; 5] = [
                DataType::List,
                DataType::LargeList,
                |field| DataType::FixedSizeList(field, 3),
                |field| DataType::Struct([field].into()),
                |field| DataType::Union([(4, field)].into_iter().collect(), arrow_schema::UnionMode::Dense),
            ];
            assert_eq!(plain(&from, false), to);
            for nest in nests {
                assert_eq!(plain(&nest(field(from.clone())), false), nest(field(to.clone())));
            }
        }
    }

    #[test]
    fn names_metadata_and_nullability_stay() {
        let metadata = [("ARROW:extension:name".to_owned(), "arrow.json".to_owned())];
        let json = Field::new("json", DataType::Utf8View, false).with_metadata(metadata.clone().into());
        let schema = Schema::new_with_metadata(vec![json], metadata.clone().into());
        let shown = presented(&schema, Client::of(None));
        assert_eq!(shown.field(0), &schema.field(0).clone().with_data_type(DataType::Utf8));
        assert_eq!(shown.metadata(), schema.metadata());
    }

    #[test]
    fn clients_with_views_get_views_but_no_dictionaries() {
        for (from, _) in changing() {
            let to = plain(&from, true);
            assert_eq!(plain(&to, true), to);
            assert!(!format!("{to}").contains("Dictionary"), "{to}");
            let dictionary = matches!(from, DataType::Dictionary(..) | DataType::RunEndEncoded(..));
            assert_eq!(to == from, !dictionary, "{from}");
        }
    }
}
