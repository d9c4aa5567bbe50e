//! What DuckDB says about the columns of a query.

use std::sync::Arc;

use adbc_core::Statement;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use bowshot_core::{Cancel, Result};
use bowshot_sql::Prepared;

use crate::connect::prepare;
use crate::error::from_stream;
use crate::session::Session;
use crate::types::Described;
use crate::uri::Location;

/// The columns of a query with their types; `None` for a statement that cannot be described, which only running tells.
pub(crate) fn columns(
    session: &Session,
    location: &Arc<Location>,
    query: &Prepared,
    cancel: &Cancel,
) -> Result<Option<Vec<Described>>> {
    let (told, sql, values) = (Arc::clone(location), format!("DESCRIBE {}", query.sql), Arc::clone(&query.values));
    session.call(cancel, None, move |objects| {
        // Whatever is wrong with the query, running it says better.
        let Ok(mut statement) = prepare(objects, &told, &sql, &values) else { return Ok(None) };
        let Ok(mut stream) = statement.execute() else { return Ok(None) };
        let mut columns = Vec::new();
        for batch in &mut stream {
            let batch = batch.map_err(|error| from_stream(&error, &told.secrets))?;
            let Some(mut found) = described(&batch) else { return Ok(None) };
            columns.append(&mut found);
        }
        drop(stream);
        objects.finish();
        Ok((!columns.is_empty()).then_some(columns))
    })
}

fn described(batch: &RecordBatch) -> Option<Vec<Described>> {
    let names = batch.column_by_name("column_name")?.as_string_opt::<i32>()?;
    let types = batch.column_by_name("column_type")?.as_string_opt::<i32>()?;
    let column = |row| Described { name: names.value(row).to_owned(), type_name: types.value(row).to_owned() };
    Some((0..names.len()).map(column).collect())
}
