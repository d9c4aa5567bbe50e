//! A small question to a source's catalog, answered as text.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Partitioning, Query, Request, Result, Source, Stream};
use datafusion::arrow::compute::{CastOptions, cast_with_options};

/// The rows of `sql`, each cell as text, `None` for NULL.
pub(crate) fn ask(source: &dyn Source, sql: &str, cancel: &Cancel) -> Result<Vec<Vec<Option<String>>>> {
    let options = Options { connections: Some(1), partitioning: Partitioning::Single, ..Options::default() };
    let request = Request::new(Query::new(sql), options);
    let (own, _link) = linked(cancel);
    let plan = source.plan(&request, &own)?;
    let mut rows = Vec::new();
    for batch in Stream::start(plan, &request.options, own) {
        let batch = batch?;
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        let columns = batch
            .columns()
            .iter()
            .map(|column| cast_with_options(column, &DataType::Utf8, &strict))
            .collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<_> = columns.iter().filter_map(|column| column.as_string_opt::<i32>()).collect();
        if texts.len() != batch.num_columns() {
            return Err(Error::new(ErrorKind::Internal, "a catalog's answer cannot be read as text"));
        }
        let cell =
            |row: usize| texts.iter().map(|text| text.is_valid(row).then(|| text.value(row).to_owned())).collect();
        rows.extend((0..batch.num_rows()).map(cell));
    }
    Ok(rows)
}

/// A cancel of its own that `cancel` fires too: a stream that ends early cancels its work, and only that.
pub(crate) fn linked(cancel: &Cancel) -> (Cancel, bowshot_core::Registration) {
    let own = cancel.part();
    let link = cancel.on_cancel({
        let own = own.clone();
        move || own.cancel()
    });
    (own, link)
}
