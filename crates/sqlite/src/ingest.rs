//! Rows of batches into a table, in one transaction with the table's definition.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use bowshot_core::{Cancel, Ingest, Result, RowValues, Value};
use bowshot_sql::{Dialect, Target};

use crate::connect::connect_writable;
use crate::handle::Database;
use crate::ingested::{check, declared, stored};
use crate::update::BEGIN;
use crate::uri::Location;

/// Puts all rows into a table; how many they were.
pub(crate) fn ingest(
    location: &Location,
    asked: &Ingest,
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
    cancel: &Cancel,
) -> Result<u64> {
    let target = Target::new(asked, Dialect::Sqlite)?;
    let mut database = connect_writable(location, cancel)?;
    database.execute(BEGIN)?;
    if let Some(sql) = target.preparation(|field| declared(field).map(str::to_owned))? {
        database.execute(&sql)?;
    }
    check_columns(&database, &target, &asked.columns)?;
    let marks = vec!["?"; asked.columns.fields().len()].join(", ");
    database.start(&format!("INSERT INTO {} ({}) VALUES ({marks})", target.table(), target.columns()))?;
    let mut count = 0;
    for batch in batches {
        let batch = batch?;
        let rows = RowValues::new(&batch)?;
        for row in 0..batch.num_rows() {
            database.run_again(&values(&asked.columns, rows.row(row)?)?)?;
            count += 1;
        }
    }
    database.finish();
    database.execute("COMMIT")?;
    Ok(count)
}

/// Refuses columns of the table whose affinity would turn values into others.
fn check_columns(database: &Database, target: &Target<'_>, wanted: &Schema) -> Result<()> {
    let columns = database.columns(&format!("SELECT {} FROM {}", target.columns(), target.table()))?;
    wanted.fields().iter().zip(&columns).try_for_each(|(field, (_, kind))| check(field, kind.as_deref()))
}

/// The values of a row as they are stored.
fn values(columns: &Schema, row: Vec<Value>) -> Result<Vec<Value>> {
    columns.fields().iter().zip(row).map(|(field, value)| stored(field, value)).collect()
}
