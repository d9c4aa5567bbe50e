//! Reading a mock.

use bowshot_core::{Cancel, Error, Options, Plan, Query, Request, Result, Source, Stream};
use bowshot_mssql::MsSql;

use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;

/// A URI of a mock that does not encrypt.
pub fn uri(port: u16) -> String {
    format!("mssql://app:geheim@127.0.0.1:{port}/shop?encrypt=no&connect_timeout=5")
}

pub fn plan(uri: &str, query: Query, options: &Options) -> Result<Plan> {
    let request = Request::new(query, options.clone());
    MsSql::from_uri(uri)?.plan(&request, &Cancel::new())
}

/// The whole result as one batch.
pub fn read(uri: &str, sql: &str, options: &Options) -> Result<RecordBatch> {
    let plan = plan(uri, Query::new(sql), options)?;
    let schema = plan.schema.clone();
    let batches: Vec<_> = Stream::start(plan, options, Cancel::new()).collect::<Result<_>>()?;
    Ok(concat_batches(&schema, &batches)?)
}

pub fn failure(uri: &str, sql: &str) -> Error {
    read(uri, sql, &Options::default()).unwrap_err()
}

/// A column's values as text; NULL as `None`.
pub fn texts(batch: &RecordBatch, column: usize) -> Vec<Option<String>> {
    let array = match batch.column(column).data_type() {
        // Arrow's own text of instants knows offsets only, and no names.
        DataType::Timestamp(unit, Some(_)) => {
            cast(batch.column(column), &DataType::Timestamp(*unit, Some("+00:00".into()))).unwrap()
        }
        _ => batch.column(column).clone(),
    };
    (0..array.len())
        .map(|row| {
            let shown = || arrow_cast::display::array_value_to_string(&array, row).unwrap();
            array.is_valid(row).then(shown)
        })
        .collect()
}
