//! What every test here needs.

use std::sync::OnceLock;

use arrow_array::{Array, ArrayRef, RecordBatch, make_array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use bowshot_clickhouse::ClickHouse;
use bowshot_core::{Cancel, Options, Plan, Query, Request, Result, Source, Stream};
use bowshot_testkit::ClickHouse as Server;

/// One server for all tests that do not end it.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start().unwrap())
}

pub fn plan(uri: &str, sql: &str, options: &Options) -> Result<(Plan, Cancel)> {
    plan_query(uri, Query::new(sql), options)
}

pub fn plan_query(uri: &str, query: Query, options: &Options) -> Result<(Plan, Cancel)> {
    let cancel = Cancel::new();
    let plan = ClickHouse::from_uri(uri)?.plan(&Request::new(query, options.clone()), &cancel)?;
    Ok((plan, cancel))
}

/// All batches, in order.
pub fn read(uri: &str, sql: &str, options: &Options) -> Result<Vec<RecordBatch>> {
    read_query(uri, Query::new(sql), options)
}

pub fn read_query(uri: &str, query: Query, options: &Options) -> Result<Vec<RecordBatch>> {
    let (plan, cancel) = plan_query(uri, query, options)?;
    Stream::start(plan, options, cancel).collect()
}

/// Moments without their zones, whose names are not known here: they show in UTC.
fn in_utc(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Timestamp(unit, _) => {
            make_array(column.to_data().into_builder().data_type(DataType::Timestamp(*unit, None)).build().unwrap())
        }
        _ => ArrayRef::clone(column),
    }
}

/// Every cell as text.
pub fn cells(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let options = FormatOptions::new().with_null("NULL");
    let row = |batch: &RecordBatch, row: usize| {
        let cell =
            |column: &ArrayRef| ArrayFormatter::try_new(&in_utc(column), &options).unwrap().value(row).to_string();
        batch.columns().iter().map(cell).collect()
    };
    batches
        .iter()
        .flat_map(|batch| (0..batch.num_rows()).map(|number| row(batch, number)).collect::<Vec<_>>())
        .collect()
}
