//! What the tests share: sources as a gateway makes them, and answers as text.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_flight::sql::{CommandGetPrimaryKeys, CommandGetTables};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::Schema;
use bowshot_core::{Cancel, Options, Query, Request};
use bowshot_gateway_catalog::{Answer, Catalog, Dialect, TablePath, primary_keys, tables};

/// Sees everything.
pub(crate) fn all(_: &TablePath) -> bool {
    true
}

/// Looks into every schema.
pub(crate) fn everywhere(_: &str, _: &str) -> bool {
    true
}

pub(crate) fn catalog(name: &str, uri: &str, dialect: Dialect) -> Catalog {
    Catalog::new(name, bowshot_connect::connect(uri).unwrap(), dialect)
}

/// Every cell as text, NULL as `NULL`.
pub(crate) fn cells(batch: &RecordBatch) -> Vec<Vec<String>> {
    let options = FormatOptions::new().with_null("NULL");
    let columns: Vec<_> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    (0..batch.num_rows()).map(|row| columns.iter().map(|column| column.value(row).to_string()).collect()).collect()
}

/// The same, each row as one line; nothing may be missing.
pub(crate) fn lines(answer: &Answer) -> Vec<String> {
    assert!(answer.missing.is_empty(), "{:?}", answer.missing);
    cells(&answer.batch).iter().map(|row| row.join("|")).collect()
}

/// What a user of the database would ask for: no system tables.
pub(crate) fn own_tables() -> CommandGetTables {
    let types = ["TABLE", "VIEW", "MATERIALIZED VIEW", "FOREIGN TABLE"];
    CommandGetTables { table_types: types.map(str::to_owned).to_vec(), ..CommandGetTables::default() }
}

pub(crate) fn list(catalogs: &[Catalog], command: &CommandGetTables) -> Vec<String> {
    lines(&tables(catalogs, command, &all, &Cancel::new()).unwrap())
}

pub(crate) fn keys(catalogs: &[Catalog], schema: Option<&str>, table: &str) -> Vec<String> {
    let command =
        CommandGetPrimaryKeys { catalog: None, db_schema: schema.map(str::to_owned), table: table.to_owned() };
    lines(&primary_keys(catalogs, &command, &all, &Cancel::new()).unwrap())
}

/// The schema of one table, decoded as clients do.
pub(crate) fn schema(catalogs: &[Catalog], schema: &str, table: &str) -> Schema {
    let command = CommandGetTables {
        db_schema_filter_pattern: Some(schema.to_owned()),
        table_name_filter_pattern: Some(table.to_owned()),
        include_schema: true,
        ..CommandGetTables::default()
    };
    let answer = tables(catalogs, &command, &all, &Cancel::new()).unwrap();
    assert!(answer.missing.is_empty(), "{:?}", answer.missing);
    let names = answer.batch.column(2).as_string::<i32>();
    let row = names.iter().position(|name| name == Some(table)).unwrap();
    decode(answer.batch.column(4).as_binary::<i32>().value(row))
}

/// An encapsulated message: a marker, the length of what follows, a flatbuffer, and nothing else.
pub(crate) fn decode(message: &[u8]) -> Schema {
    assert_eq!(message[..4], [0xff; 4]);
    let length = u32::from_le_bytes(message[4..8].try_into().unwrap());
    assert_eq!(length as usize, message.len() - 8);
    try_schema_from_ipc_buffer(message).unwrap()
}

/// Without what the protocol adds to fields.
pub(crate) fn plain(schema: &Schema) -> Schema {
    let own = |key: &String| !key.starts_with("ARROW:FLIGHT:SQL:");
    let fields = schema.fields().iter().map(|field| {
        let kept = field.metadata().iter().filter(|(key, _)| own(key));
        let kept = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
        field.as_ref().clone().with_metadata(kept)
    });
    Schema::new(fields.collect::<Vec<_>>())
}

/// The schema of a query.
pub(crate) fn of_query(uri: &str, sql: &str) -> Schema {
    let request = Request::new(Query::new(sql), Options::default());
    let plan = bowshot_connect::connect(uri).unwrap().plan(&request, &Cancel::new()).unwrap();
    plan.schema.as_ref().clone()
}

/// What the protocol says of a column, as `KEY=value` in the order of the keys.
pub(crate) fn facts(schema: &Schema, column: &str) -> Vec<String> {
    let metadata = schema.field_with_name(column).unwrap().metadata();
    let mut facts: Vec<_> = metadata
        .iter()
        .filter_map(|(key, value)| Some(format!("{}={value}", key.strip_prefix("ARROW:FLIGHT:SQL:")?)))
        .collect();
    facts.sort();
    facts
}
